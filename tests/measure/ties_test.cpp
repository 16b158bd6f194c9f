// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/ties.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(ties)

BOOST_AUTO_TEST_CASE(without_a_tie_an_answer_counts_whole_or_not_at_all) {
  BOOST_TEST(expected_accuracy(true, BestTie::none, 0) == 1.0);
  BOOST_TEST(expected_accuracy(false, BestTie::none, 0) == 0.0);
  BOOST_TEST(right_if_first_wins(true, BestTie::none));
  BOOST_TEST(!right_if_first_wins(false, BestTie::none));
}

BOOST_AUTO_TEST_CASE(a_tie_of_n_counts_one_nth_wherever_the_right_option_stands_in_it) {
  for (const BestTie tie : {BestTie::with_answer, BestTie::answer_first}) {
    BOOST_TEST(expected_accuracy(false, tie, 2) == 0.5);
    BOOST_TEST(expected_accuracy(false, tie, 4) == 0.25);
    BOOST_TEST(expected_accuracy(false, tie, 70'000) == 1.0 / 70'000);
  }
  BOOST_TEST(expected_accuracy(false, BestTie::without_answer, 2) == 0.0);
}

BOOST_AUTO_TEST_CASE(the_first_wins_only_where_it_is_the_right_one) {
  BOOST_TEST(right_if_first_wins(false, BestTie::answer_first));
  BOOST_TEST(!right_if_first_wins(false, BestTie::with_answer));
  BOOST_TEST(!right_if_first_wins(false, BestTie::without_answer));
}

BOOST_AUTO_TEST_CASE(ties_are_counted_among_all_answers) {
  TieCount ties;
  for (const bool tie : {true, false, true}) ties.add(tie);
  ties += {4, 7};
  BOOST_TEST(ties.tied == 6U);
  BOOST_TEST(ties.answers == 10U);
}

// 1 of 100 is not more than 1%, but 2 of 199 is 1.005% and thus more.
BOOST_AUTO_TEST_CASE(ties_above_one_percent_cause_a_warning) {
  BOOST_TEST(!tie_warning({}));
  BOOST_TEST(!tie_warning({0, 5}));
  BOOST_TEST(!tie_warning({1, 100}));
  BOOST_TEST(!tie_warning({10, 1000}));
  BOOST_TEST(tie_warning({11, 1000}).value().starts_with("Warning: 11 of 1000 answers (1.1%) are"));
  BOOST_TEST(tie_warning({2, 199}).has_value());
  BOOST_TEST(tie_warning({3, 3}).value().starts_with("Warning: 3 of 3 answers (100.0%) are ties"));
  BOOST_TEST(!rank_tie_warning(1, 100));
  BOOST_TEST(rank_tie_warning(1, 8).value().starts_with(
      "Warning: the true entities of 1 of 8 queries (12.5%) tie"));
}

BOOST_AUTO_TEST_SUITE_END()
