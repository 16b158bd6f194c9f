// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/deer_ranks.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::elements;
using test::reader_of_elements;

BOOST_AUTO_TEST_SUITE(deer_ranks_suite)

BOOST_AUTO_TEST_CASE(methods_are_named_after_the_entity_prompt) {
  BOOST_TEST(name_of_deer(EntityPrompt::eol) == "deer");
  BOOST_TEST(name_of_deer(EntityPrompt::a) == "deer-a");
  BOOST_TEST(name_of_deer(EntityPrompt::b) == "deer-b");
  BOOST_TEST(name_of_deer(EntityPrompt::c) == "deer-c");
}

BOOST_AUTO_TEST_CASE(equal_queries_share_a_row_and_the_two_sides_are_lists) {
  const KnowledgeGraph graph = elements();
  const auto model = reader_of_elements();
  const RankPlan plan = rank_plan(graph, {.shots = 1, .heads = true}, model);
  const DistinctQueries distinct(plan);
  const std::vector<std::string> texts = distinct.texts(plan, QueryForm::paper);
  BOOST_TEST(texts.size() == distinct.queries().size());
  BOOST_TEST(texts.size() < plan.queries.size());  // (period 2, holds, ?) has several tails
  const TextLists lists = distinct.lists(texts);
  BOOST_REQUIRE(lists.size() == 2U);
  BOOST_TEST(lists[0].size() + lists[1].size() == texts.size());
  const TriplePrompt prompt(graph, plan.shots, QueryForm::paper);
  for (const PlannedQuery& planned : plan.queries) {
    BOOST_TEST(texts[distinct.row(planned)] == prompt.query(planned.query));
    BOOST_TEST((distinct.row(planned) >= lists[0].size()) == planned.query.asks_head);
  }
}

BOOST_AUTO_TEST_SUITE_END()
