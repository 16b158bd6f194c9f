// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/relation_answers.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(relation_answers)

// Two facts under templates 7 and 3, in this order, and under the weighted templates combined.
BOOST_AUTO_TEST_CASE(a_view_has_all_templates_by_index_one_or_what_they_answer_together) {
  RelationAnswers table;
  table.relation.facts.resize(2);
  table.settings = {template_setting(7), template_setting(3)};
  const auto answer = [](std::size_t option) {
    Prediction made;
    made.option = option;
    return made;
  };
  table.cells = {answer(70), answer(30), answer(71), answer(31)};
  const AnswersView all = AnswersView::of_templates(table);
  BOOST_TEST(all.facts() == 2U);
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(all.setting(0).variant == 3U);
  BOOST_TEST(all.answer(1, 0).option == 31U);
  BOOST_TEST(all.answer(0, 1).option == 70U);
  const AnswersView one = AnswersView::of_setting(table, 0);
  BOOST_TEST(one.size() == 1U);
  BOOST_TEST(one.setting().variant == 7U);
  BOOST_TEST(one.answer(1).option == 71U);
  BOOST_TEST(AnswersView::of_weighted(table).facts() == 0U);
  table.weighted = {answer(5), answer(6)};
  const AnswersView together = AnswersView::of_weighted(table);
  BOOST_TEST(together.facts() == 2U);
  BOOST_TEST(together.size() == 1U);
  BOOST_TEST(together.answer(1).option == 6U);
  BOOST_TEST(&together.relation() == &table.relation);
}

BOOST_AUTO_TEST_CASE(an_answer_has_a_text_where_its_option_has_one) {
  RelationAnswers table;
  table.relation.options = {"a", "b"};
  table.relation.facts.resize(2);
  table.relation.facts[1].choices = {"own a", ""};
  Setting spoken = template_setting(0);
  spoken.by = "generation";
  table.settings = {template_setting(0), spoken};
  table.cells.resize(4);
  table.cells[0].option = 1;
  BOOST_TEST(answer_text(table, 0, 0) == "b");
  BOOST_TEST(answer_text(table, 1, 0) == "own a");
  BOOST_TEST(answer_text(table, 0, 1) == "");
  table.texts = {"", "said", "", "more"};
  BOOST_TEST(answer_text(table, 0, 1) == "said");
  BOOST_TEST(answer_text(table, 1, 1) == "more");
  table.cells[0].option = 2;  // the relation has no such option
  BOOST_TEST(answer_text(table, 0, 0) == "");
}

// Seed 3 of a many-shot setting is not a template.
BOOST_AUTO_TEST_CASE(other_settings_are_no_templates) {
  RelationAnswers table;
  Setting shots{"ic", 5};
  shots.variant = 3;
  table.settings = {shots, template_setting(7)};
  BOOST_TEST(!table.place_of_template(3).has_value());
  BOOST_TEST(table.place_of_template(7).value() == 1U);
  BOOST_TEST(AnswersView::of_templates(table).size() == 1U);
  table.settings.pop_back();
  BOOST_TEST(AnswersView::of_templates(table).size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
