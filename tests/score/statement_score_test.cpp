// SPDX-License-Identifier: Apache-2.0
#include "plumb/score/statement_score.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(statement_score_suite)

BOOST_AUTO_TEST_CASE(every_reduction_comes_from_one_scoring) {
  const StatementScore score{-12.0, -3.0, 8, 2};
  BOOST_TEST(reduce(score, {}) == -12.0);
  BOOST_TEST(reduce(score, {Reduction::sum, Span::statement}) == -12.0);
  BOOST_TEST(reduce(score, {Reduction::mean, Span::statement}) == -1.5);
  BOOST_TEST(reduce(score, {Reduction::sum, Span::answer}) == -3.0);
  BOOST_TEST(reduce(score, {Reduction::mean, Span::answer}) == -1.5);
}

BOOST_AUTO_TEST_CASE(no_token_to_reduce_over_is_no_number) {
  const StatementScore whole_only{-12.0, 0.0, 8, 0};
  const StatementScore nothing;
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    BOOST_TEST(reduce(whole_only, {reduction, Span::statement}) < 0);
    BOOST_TEST(std::isnan(reduce(whole_only, {reduction, Span::answer})));
    BOOST_TEST(std::isnan(reduce(nothing, {reduction, Span::statement})));
  }
}

BOOST_AUTO_TEST_CASE(an_impossible_statement_stays_minus_infinity) {
  const StatementScore score{-INFINITY, -INFINITY, 3, 1};
  BOOST_TEST(reduce(score, {Reduction::mean, Span::statement}) == -INFINITY);
  BOOST_TEST(reduce(score, {Reduction::sum, Span::answer}) == -INFINITY);
}

BOOST_AUTO_TEST_CASE(choices_have_the_command_lines_names) {
  BOOST_TEST(name_of(Reduction::sum) == "sum");
  BOOST_TEST(name_of(Reduction::mean) == "mean");
  BOOST_TEST(name_of(Span::statement) == "statement");
  BOOST_TEST(name_of(Span::answer) == "answer");
}

BOOST_AUTO_TEST_SUITE_END()
