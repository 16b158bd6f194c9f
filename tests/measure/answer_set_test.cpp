// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/answer_set.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "plumb/detail/measure/prediction.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(answer_set)

namespace {

using Scores = std::vector<double>;
using Right = std::vector<std::size_t>;
const auto near = boost::test_tools::tolerance(1e-12);

/// The log-likelihoods of these probabilities.
Scores logs(const Scores& p) {
  Scores scores;
  for (const double one : p) scores.push_back(std::log(one));
  return scores;
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_of_three_right_options_are_among_the_three_best) {
  // With p = 0.4, 0.3, 0.1, 0.15 and 0.05, options 0, 2 and 3 are right, and the three best options
  // are 0, 1 and 3.
  const auto made = score_answer_set(logs({0.4, 0.3, 0.1, 0.15, 0.05}), Right{0, 2, 3});
  BOOST_TEST(made.precision == 2.0 / 3, near);
  BOOST_TEST(!made.all_above);  // 0.1 < 0.3
  BOOST_TEST(made.set_above);   // 0.65 > 0.3
  BOOST_TEST(made.lead == std::log(0.65 / 0.3), near);
  const double third = 1.0 / 3;
  BOOST_TEST(made.brier == (0.4 - third) * (0.4 - third) + 0.3 * 0.3 +
                               (0.1 - third) * (0.1 - third) + (0.15 - third) * (0.15 - third) +
                               0.05 * 0.05,
             near);
}

BOOST_AUTO_TEST_CASE(a_known_set_stands_above_all_others) {
  const auto made = score_answer_set(logs({0.1, 0.5, 0.4}), Right{1, 2});
  BOOST_TEST(made.precision == 1.0);
  BOOST_TEST(made.all_above);
  BOOST_TEST(made.set_above);
  const auto lost = score_answer_set(logs({0.7, 0.2, 0.1}), Right{1, 2});
  BOOST_TEST(lost.precision == 0.5);
  BOOST_TEST(!lost.set_above);  // 0.3 < 0.7
}

BOOST_AUTO_TEST_CASE(options_that_share_a_score_count_by_their_orders) {
  // The best option is right. One right and two wrong options are tied for second place: (1 + 1/3)
  // / 2.
  const auto made = score_answer_set(Scores{-1, -2, -2, -2}, Right{0, 3});
  BOOST_TEST(made.precision == 2.0 / 3, near);
  BOOST_TEST(!made.all_above);
}

BOOST_AUTO_TEST_CASE(one_right_option_is_a_prediction) {
  const Scores scores{-3, -1, -2.5};
  for (const std::size_t answer : {0U, 1U, 2U}) {
    const auto made = score_answer_set(scores, Right{answer});
    const Prediction one = predict(scores, answer);
    BOOST_TEST(made.brier == one.one_hot_brier, near);
    BOOST_TEST(made.all_above == one.correct);
    BOOST_TEST(made.precision == (one.correct ? 1.0 : 0.0));
  }
}

BOOST_AUTO_TEST_CASE(scores_far_apart_and_no_wrong_option_have_a_lead) {
  BOOST_TEST(score_answer_set(Scores{-10, -12, -2000}, Right{0, 1}).lead ==
                 1990 + std::log(1 + std::exp(-2.0)),
             near);
  const auto all = score_answer_set(Scores{-1, -2}, Right{0, 1});
  BOOST_TEST(all.precision == 1.0);
  BOOST_TEST(all.all_above);
  BOOST_TEST(all.set_above);
  BOOST_TEST(std::isnan(all.lead));
}

// Without a wrong option, the lead is undefined. Such a fact is excluded from the mean and from the
// number of facts, rather than counting as 0.
BOOST_AUTO_TEST_CASE(facts_without_a_wrong_option_have_no_part_in_the_mean_lead) {
  const AnswerSetScore all_right = score_answer_set(Scores{-1, -2}, Right{0, 1});
  const AnswerSetScore ahead = score_answer_set(Scores{-1, -3}, Right{0});
  const std::vector<AnswerSetScores> relations{{{all_right}, {ahead}}, {{all_right}}};
  const AnswerSetMeans means = answer_set_means(relations, {.resamples = 20}, "test");
  BOOST_TEST(means.facts == 3U);
  BOOST_TEST(means.lead.value == 2.0, near);
  BOOST_TEST(means.lead.count == 1U);
  BOOST_TEST(means.precision.count == 3U);
  const std::vector<AnswerSetScores> none{{{all_right}}};
  BOOST_TEST(!answer_set_means(none, {}, "test").lead.exists());
  BOOST_TEST(answer_set_means(none, {}, "test").precision.value == 1.0);
  BOOST_TEST(!answer_set_means({}, {}, "test").brier.exists());
}

BOOST_AUTO_TEST_SUITE_END()
