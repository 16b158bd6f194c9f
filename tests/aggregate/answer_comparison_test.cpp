// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/answer_comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include "support/errors.hpp"
#include "support/given_answers.hpp"

using namespace plumb::detail;
using test::answers_of_capitals;
using test::says;

BOOST_AUTO_TEST_SUITE(answer_comparison_suite)

BOOST_AUTO_TEST_CASE(differences_are_by_statement_and_flips_by_question) {
  const Answers one = answers_of_capitals({"[X], [Y]"}, {-1, -2, -3, -2});
  const Answers other = answers_of_capitals({"[X], [Y]"}, {-1.5, -1, -3.25, -2});
  const AnswerComparison made = compare_pair(one, other);
  BOOST_TEST(made.facts == 2U);
  BOOST_TEST(made.statements == 4U);
  BOOST_TEST(made.worst_nats == 1.0);
  BOOST_TEST(made.mean_nats == (0.5 + 1 + 0.25 + 0) / 4);
  BOOST_REQUIRE(made.worst_at.has_value());
  BOOST_TEST(made.worst_at->question.subject == "France");
  BOOST_TEST(made.worst_at->question.asked == "[X], [Y]");
  BOOST_TEST(made.worst_at->candidate == "Seoul");
  BOOST_TEST(made.worst_at->second == -1.0);
  BOOST_REQUIRE(made.flips.size() == 1U);
  BOOST_TEST(made.flips[0].first == "Paris");
  BOOST_TEST(made.flips[0].second == "Seoul");
  BOOST_TEST(made.lost.size() == 1U);
  BOOST_TEST(made.gained.empty());
  BOOST_TEST(made.accuracy.one.value == 1.0);
  BOOST_TEST(made.accuracy.other.value == 0.5);
  BOOST_TEST(made.accuracy.difference.value == 0.5);
  const AnswerComparison back = compare_pair(other, one);
  BOOST_TEST(back.gained.size() == 1U);
  BOOST_TEST(back.accuracy.difference.value == -0.5);
}

BOOST_AUTO_TEST_CASE(the_same_answers_differ_in_nothing) {
  const Answers one = answers_of_capitals({"[X], [Y]"}, {-1, -2, -3, -2});
  const AnswerComparison made = compare_pair(one, one);
  BOOST_TEST(made.worst_nats == 0.0);
  BOOST_TEST(!made.worst_at.has_value());
  BOOST_TEST(made.flips.empty());
  BOOST_TEST(made.facts_of_one == 0U);
}

BOOST_AUTO_TEST_CASE(tie_counts_as_lost_knowledge_but_keeps_the_first_candidate) {
  const Answers one = answers_of_capitals({"[X], [Y]"}, {-1, -2, -3, -2});
  const Answers tied = answers_of_capitals({"[X], [Y]"}, {-1, -1, -3, -2});
  const AnswerComparison made = compare_pair(one, tied);
  BOOST_REQUIRE(made.lost.size() == 1U);
  BOOST_TEST(made.lost[0].first == made.lost[0].second);
  BOOST_TEST(made.accuracy.other.value == 0.75);  // half of a two-way tie
}

BOOST_AUTO_TEST_CASE(facts_and_templates_are_matched_by_what_they_are) {
  const Answers one =
      answers_of_capitals({"[X], [Y]", "[Y] of [X]"}, {-1, -2, -3, -4, -5, -6, -7, -8});
  Answers turned = answers_of_capitals({"[Y] of [X]", "of [X]: [Y]"}, {-7, -8, 0, 0, -3, -4, 0, 0});
  std::swap(turned.tables[0].relation.facts[0], turned.tables[0].relation.facts[1]);
  const AnswerComparison made = compare_pair(one, turned);
  BOOST_TEST(made.facts == 2U);
  BOOST_TEST(made.statements == 4U);
  BOOST_TEST(made.worst_nats == 0.0);
  BOOST_TEST(made.templates_of_one == 2U);
}

BOOST_AUTO_TEST_CASE(facts_of_one_subject_and_answer_go_by_their_instance) {
  Answers one = answers_of_capitals({"[X], [Y]"}, {-1, -2, -3, -4});
  one.tables[0].relation.facts[1] = one.tables[0].relation.facts[0];
  one.tables[0].relation.facts[1].instance = 1;
  Answers rest = one;  // the engine did not report the first answer
  rest.tables[0].relation.facts.erase(rest.tables[0].relation.facts.begin());
  rest.tables[0].log_likelihoods = {-3, -4};
  const AnswerComparison made = compare_pair(one, rest);
  BOOST_TEST(made.worst_nats == 0.0);
  BOOST_TEST(made.facts_of_one == 1U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_compared_is_refused) {
  const Answers one = answers_of_capitals({"[X], [Y]"}, {-1, -2, -3, -4});
  Answers other = one;
  other.scoring.span = Span::answer;
  BOOST_CHECK_EXCEPTION((void)compare_pair(one, other), Error, says(Fault::user, "`span`"));
  other = one;
  other.tables[0].relation.options = {"Paris", "Busan"};
  other.tables[0].relation.facts[1].answer = 0;
  BOOST_CHECK_EXCEPTION((void)compare_pair(one, other), Error,
                        says(Fault::user, "'France' has different candidates in the two"));
  other = one;
  other.tables[0].relation.code = "towns";
  BOOST_CHECK_EXCEPTION((void)compare_pair(one, other), Error, says(Fault::user, "share no fact"));
  other = answers_of_capitals({"[Y]: [X]"}, {-1, -2, -3, -4});
  BOOST_CHECK_EXCEPTION((void)compare_pair(one, other), Error, says(Fault::user, "share no fact"));
}

BOOST_AUTO_TEST_SUITE_END()
