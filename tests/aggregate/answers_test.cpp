// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/answers.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "support/given_answers.hpp"

using namespace plumb::detail;
using test::answers_of_capitals;

BOOST_AUTO_TEST_SUITE(answers_suite)

BOOST_AUTO_TEST_CASE(a_table_is_facts_by_templates_by_candidates) {
  const Answers answers =
      answers_of_capitals({"[X], [Y]", "[Y] of [X]"}, {-1, -2, -3, -4, -5, -6, -7, -8});
  const Answers::Table& table = answers.tables[0];
  BOOST_TEST(table.facts() == 2U);
  BOOST_TEST(table.templates() == 2U);
  BOOST_TEST(table.candidates() == 2U);
  BOOST_TEST(table.scores(1, 0, Reduction::sum) == (std::vector<double>{-5, -6}),
             boost::test_tools::per_element());
  BOOST_TEST(table.scores(0, 1, Reduction::mean) == (std::vector<double>{-0.75, -1}),
             boost::test_tools::per_element());
  BOOST_TEST(table.label(1, 1) == "Seoul");
  BOOST_TEST(table.answer(1) == 1U);
}

BOOST_AUTO_TEST_CASE(facts_may_have_choices_of_their_own) {
  Answers::Table table = test::capital_table({"[X], [Y]"}, {-3, -1, -2, -4, -2, 0});
  table.relation.options = {"Paris", "Seoul", "Lima", "Oslo"};
  table.choices = {{2, 0, 1}, {3, 1}};
  BOOST_TEST(table.candidates() == 3U);
  BOOST_TEST(table.candidates(1) == 2U);
  BOOST_TEST(table.label(0, 0) == "Lima");
  BOOST_TEST(table.answer(0) == 1U);
  BOOST_TEST(table.answer(1) == 1U);
  BOOST_TEST(table.scores(1, 0, Reduction::sum) == (std::vector<double>{-4, -2}),
             boost::test_tools::per_element());
  const ModelAnswers made = likeliest({.tables = {table}});
  BOOST_TEST(made.relations[0].cells[0].option == 1U);
  BOOST_TEST(made.relations[0].cells[0].correct);
  BOOST_TEST(made.relations[0].cells[1].option == 1U);
}

BOOST_AUTO_TEST_CASE(likeliest_answer_depends_on_the_reduction) {
  Answers answers = answers_of_capitals({"[X], [Y]"}, {-4, -6, -6, -4});
  answers.tables[0].tokens = {1, 6, 4, 4};
  BOOST_TEST(likeliest(answers).relations[0].cells[0].option == 0U);  // −4 beats −6
  answers.scoring.reduction = Reduction::mean;
  BOOST_TEST(likeliest(answers).relations[0].cells[0].option == 1U);  // −1 beats −4
  BOOST_TEST(likeliest(answers).name == "given");
}

BOOST_AUTO_TEST_SUITE_END()
