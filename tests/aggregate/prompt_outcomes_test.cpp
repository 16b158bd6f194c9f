// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/prompt_outcomes.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_prompts.hpp"

using namespace plumb::detail;
using test::marks;
using test::templates;

BOOST_AUTO_TEST_SUITE(prompt_outcomes)

namespace {

using Prompts = std::vector<PromptOutcome>;

Prompts prompts_of(const PromptOutcomes& table, std::size_t fact) {
  const auto prompts = table.prompts(fact);
  return {prompts.begin(), prompts.end()};
}

/// "P1" has the facts "a" and "b"; "P2" has none; "P3" has the fact "c", which has no prompt, and
/// the fact "d".
PromptOutcomes three_relations() {
  PromptOutcomes table;
  table.add_relation("P1", templates(2));
  table.add_fact("a", marks({"10", "1"}));
  table.add_fact("b", marks({"0"}));
  table.add_relation("P2", templates(1));
  table.add_relation("P3", templates(3));
  table.add_fact("c", {});
  table.add_fact("d", marks({"", "", "1"}));
  return table;
}

struct Anything {
  int operator()(std::uint32_t, std::uint32_t) const { return 0; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(facts_stand_one_after_another_relation_by_relation) {
  const PromptOutcomes table = three_relations();
  BOOST_TEST(table.facts() == 4U);
  BOOST_TEST(table.prompts() == 5U);
  BOOST_REQUIRE(table.relations().size() == 3U);
  const auto& relations = table.relations();
  BOOST_TEST(relations[0].code == "P1");
  BOOST_TEST(relations[0].first_fact == 0U);
  BOOST_TEST(relations[0].facts == 2U);
  BOOST_TEST(relations[1].first_fact == 2U);
  BOOST_TEST(relations[1].facts == 0U);
  BOOST_TEST(relations[2].first_fact == 2U);
  BOOST_TEST(relations[2].facts == 2U);
  BOOST_TEST(relations[2].templates.size() == 3U);
  BOOST_TEST(table.key(3) == "d");
  BOOST_CHECK(prompts_of(table, 0) ==
              (Prompts{{1, 0, 0, true}, {0, 0, 1, false}, {1, 1, 0, true}}));
  BOOST_CHECK(prompts_of(table, 1) == (Prompts{{0, 0, 0, false}}));
  BOOST_TEST(table.prompts(2).empty());
  BOOST_CHECK(prompts_of(table, 3) == (Prompts{{1, 2, 0, true}}));
}

BOOST_AUTO_TEST_CASE(an_empty_table_has_nothing) {
  const PromptOutcomes table;
  BOOST_TEST(table.facts() == 0U);
  BOOST_TEST(table.prompts() == 0U);
  BOOST_TEST(table.relations().empty());
}

BOOST_AUTO_TEST_CASE(prompts_are_kept_by_template_then_expression_however_they_come) {
  PromptOutcomes table;
  table.add_relation("P1", templates(3));
  table.add_fact("a",
                 Prompts{{9, 2, 1, true}, {8, 0, 1, false}, {7, 2, 0, false}, {6, 0, 0, true}});
  BOOST_CHECK(prompts_of(table, 0) ==
              (Prompts{{6, 0, 0, true}, {8, 0, 1, false}, {7, 2, 0, false}, {9, 2, 1, true}}));
}

BOOST_AUTO_TEST_CASE(a_prompt_has_one_outcome_under_a_template_that_is_there) {
  PromptOutcomes table;
  table.add_relation("P30", templates(2));
  table.add_fact("a", marks({"1"}));
  const auto add = [&](const Prompts& prompts) { table.add_fact("Q90", prompts); };
  BOOST_CHECK_EXCEPTION(
      add({{1, 1, 2, true}, {1, 0, 0, true}, {3, 1, 2, true}}), Error,
      test::says(Fault::user, "P30: fact 'Q90', template 1, subject expression 2: two outcomes; "));
  BOOST_CHECK_EXCEPTION(
      add({{1, 0, 0, true}, {1, 2, 5, true}}), Error,
      test::says(Fault::user, "template 2, subject expression 5: no such template; "));
  // The rejected fact was not added, and the table is still usable.
  table.add_fact("b", marks({"01"}));
  BOOST_TEST(table.facts() == 2U);
  BOOST_TEST(table.prompts() == 3U);
  BOOST_CHECK(prompts_of(table, 1) == (Prompts{{0, 0, 0, false}, {1, 0, 1, true}}));
  BOOST_TEST(table.relations()[0].facts == 2U);
}

BOOST_AUTO_TEST_CASE(templates_are_as_many_as_an_outcome_can_number) {
  PromptOutcomes table;
  table.add_relation("P1", std::vector<PromptTemplate>(65'536));
  table.add_fact("a", Prompts{{0, 65'535, 65'535, true}});
  BOOST_TEST(table.prompts(0).front().template_index == 65'535U);
  BOOST_CHECK_EXCEPTION(table.add_relation("P2", std::vector<PromptTemplate>(65'537)), Error,
                        test::says(Fault::user, "P2: 65537 templates; "));
}

BOOST_AUTO_TEST_CASE(right_prompts_are_counted) {
  const RightCount count = count_right(marks({"1101", "0"}));
  BOOST_TEST(count.right == 3U);
  BOOST_TEST(count.total == 5U);
  BOOST_TEST(count.share() == 0.6);
  BOOST_TEST(count_right({}).total == 0U);
  BOOST_TEST(std::isnan(count_right({}).share()));
}

BOOST_AUTO_TEST_CASE(templates_are_visited_with_their_prompts_alone) {
  const PromptOutcomes table = test::one_relation({{"01", "", "1", "110"}});
  std::string visited;
  for_each_template(table.prompts(0), [&](std::size_t index, std::span<const PromptOutcome> some) {
    visited += std::to_string(index) + ":" + std::to_string(some.size()) + "/" +
               std::to_string(count_right(some).right) + " ";
  });
  BOOST_TEST(visited == "0:2/1 2:1/1 3:3/2 ");
  for_each_template({}, [](std::size_t, std::span<const PromptOutcome>) { BOOST_TEST(false); });
}

BOOST_AUTO_TEST_CASE(facts_are_counted_under_each_template) {
  const PromptOutcomes table = test::one_relation({{"01", "", "1"}, {"0", "", ""}, {"", "", ""}});
  BOOST_TEST(facts_asked(table, table.relations()[0]) == (std::vector<std::size_t>{2, 0, 1}));
}

BOOST_AUTO_TEST_CASE(groups_are_numbered_as_they_appear_and_the_nameless_stand_alone) {
  PromptRelation relation;
  for (const char* group : {"b", "", "a", "b", "", "a"}) {
    relation.templates.push_back({.text = "t", .group = group});
  }
  BOOST_TEST(template_groups(relation) == (std::vector<std::uint32_t>{0, 1, 2, 0, 3, 2}));
}

BOOST_AUTO_TEST_CASE(a_selection_keeps_relations_facts_and_templates_but_only_some_prompts) {
  const PromptOutcomes labels =
      selected(three_relations(), [](const PromptTemplate& of, const PromptOutcome& prompt) {
        return prompt.expression == 0 && of.origin == TemplateOrigin::manual;
      });
  BOOST_TEST(labels.facts() == 4U);
  BOOST_TEST(labels.relations()[2].templates.size() == 3U);
  BOOST_TEST(labels.relations()[2].facts == 2U);
  BOOST_TEST(labels.key(1) == "b");
  BOOST_CHECK(prompts_of(labels, 0) == (Prompts{{1, 0, 0, true}}));
  BOOST_CHECK(prompts_of(labels, 3) == (Prompts{{1, 2, 0, true}}));
  BOOST_TEST(labels.prompts() == 3U);
}

BOOST_AUTO_TEST_CASE(a_match_compares_answer_numbers) {
  static_assert(AnswerMatch<SameAnswer>);
  static_assert(!AnswerMatch<Anything>);
  static_assert(!AnswerMatch<int>);
  BOOST_TEST(!SameAnswer{}(1, 2));
}

// One prompt is right, one is a four-way tie that includes the right option, and one is a two-way
// tie that does not.
BOOST_AUTO_TEST_CASE(a_mean_counts_ties_by_their_share_and_a_count_of_right_ones_not) {
  const Prompts prompts{{0, 0, 0, true},
                        {1, 1, 0, false, BestTie::with_answer, 4},
                        {2, 2, 0, false, BestTie::without_answer, 2}};
  const RightCount count = count_right(prompts);
  BOOST_TEST(count.right == 1U);
  BOOST_TEST(count.total == 3U);
  BOOST_TEST(count.share() == 1.25 / 3);
}

BOOST_AUTO_TEST_SUITE_END()
