// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/statement_score.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(statement_score_suite)

BOOST_AUTO_TEST_CASE(every_reduction_comes_from_one_scoring) {
  const StatementScore score{{-12.0, 8}, {-3.0, 2}};
  BOOST_TEST(reduce(score, {}) == -12.0);
  BOOST_TEST(reduce(score, {Reduction::sum, Span::statement}) == -12.0);
  BOOST_TEST(reduce(score, {Reduction::mean, Span::statement}) == -1.5);
  BOOST_TEST(reduce(score, {Reduction::sum, Span::answer}) == -3.0);
  BOOST_TEST(reduce(score, {Reduction::mean, Span::answer}) == -1.5);
}

BOOST_AUTO_TEST_CASE(no_token_to_reduce_over_is_no_number) {
  const StatementScore whole_only{{-12.0, 8}};
  const StatementScore nothing;
  for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
    BOOST_TEST(reduce(whole_only, {reduction, Span::statement}) < 0);
    BOOST_TEST(std::isnan(reduce(whole_only, {reduction, Span::answer})));
    BOOST_TEST(std::isnan(reduce(nothing, {reduction, Span::statement})));
  }
}

// Computed by hand: the statement scores −12 nats over 24 bytes and the answer −3 over 6; after a
// neutral prefix, the answer scores −5.
BOOST_AUTO_TEST_CASE(bytes_and_pmi_come_from_the_same_scoring) {
  StatementScore score{{-12.0, 8}, {-3.0, 2}, {-4.0, 3}};
  for (const Span span : every(Span())) {
    BOOST_TEST(std::isnan(reduce(score, {Reduction::bytes, span})));  // not counted
    BOOST_TEST(std::isnan(reduce(score, {Reduction::pmi, span})));    // not computed
  }
  score.statement.bytes = 24;
  score.answer.bytes = 6;
  score.continuation.bytes = 8;
  score.neutral_log_likelihood = -5;
  BOOST_TEST(reduce(score, {Reduction::bytes, Span::statement}) == -0.5);
  BOOST_TEST(reduce(score, {Reduction::bytes, Span::answer}) == -0.5);
  BOOST_TEST(reduce(score, {Reduction::bytes, Span::continuation}) == -0.5);
  BOOST_TEST(reduce(score, {Reduction::pmi, Span::statement}) == -7.0);
  BOOST_TEST(reduce(score, {Reduction::pmi, Span::answer}) == 2.0);
  BOOST_TEST(reduce(score, {Reduction::pmi, Span::continuation}) == 1.0);
  score.answer.tokens = 0;
  BOOST_TEST(std::isnan(reduce(score, {Reduction::bytes, Span::answer})));
  BOOST_TEST(std::isnan(reduce(score, {Reduction::pmi, Span::answer})));
}

BOOST_AUTO_TEST_CASE(a_neutral_answer_is_all_behind_the_prefix_but_for_the_answers_span) {
  const StatementScore causal{{-9.0, 8}, {-3.0, 2}, {-4.0, 3}}, masked{{-9.0, 8}, {-3.0, 2}};
  BOOST_TEST(neutral_log_likelihood(causal, Span::statement) == -4.0);
  BOOST_TEST(neutral_log_likelihood(causal, Span::continuation) == -4.0);
  BOOST_TEST(neutral_log_likelihood(causal, Span::answer) == -3.0);
  BOOST_TEST(neutral_log_likelihood(masked, Span::statement) == -3.0);
}

BOOST_AUTO_TEST_CASE(an_impossible_statement_stays_minus_infinity) {
  const StatementScore score{{-INFINITY, 3}, {-INFINITY, 1}};
  BOOST_TEST(reduce(score, {Reduction::mean, Span::statement}) == -INFINITY);
  BOOST_TEST(reduce(score, {Reduction::sum, Span::answer}) == -INFINITY);
}

BOOST_AUTO_TEST_CASE(choices_have_the_command_lines_names) {
  BOOST_TEST(name_of(Reduction::sum) == "sum");
  BOOST_TEST(name_of(Reduction::mean) == "mean");
  BOOST_TEST(name_of(Reduction::bytes) == "bytes");
  BOOST_TEST(name_of(Reduction::pmi) == "pmi");
  BOOST_TEST(name_of(Span::statement) == "statement");
  BOOST_TEST(name_of(Span::answer) == "answer");
}

BOOST_AUTO_TEST_SUITE_END()
