// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/name_ranking.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/small_graph.hpp"

using namespace plumb::detail;
using test::elements;
using test::reader_of_elements;

BOOST_AUTO_TEST_SUITE(name_ranking_suite)

// Results read from a journal are handled like those of a search.
BOOST_AUTO_TEST_CASE(packs_are_searched_and_taken_in_whatever_order_they_are_carried_out) {
  const KnowledgeGraph graph = elements();
  auto model = reader_of_elements<NgramTreeModel>();
  model.limits = {8192, 256, 256};
  const RankOptions options{.shots = 1, .heads = true};
  const RankPlan plan = rank_plan(graph, options, model);
  KeptPrompts prompts(model, model.bos());
  NameRanking ranking(model, options, prompts);
  ScoringCost all;
  NameSearchCost cost;
  std::vector<std::string> names;
  const auto in_order = ranking.likelihood(plan, "", [&](auto& packs) {
    names.push_back(packs.name());
    BOOST_TEST(packs.packs() > 1U);
    for (std::size_t p = 0; p < packs.packs(); ++p) packs.take(p, packs.search(p), all, cost);
  });
  const auto backwards = ranking.likelihood(plan, "", [&](auto& packs) {
    std::vector<SearchedPack> kept;
    for (std::size_t p = 0; p < packs.packs(); ++p) kept.push_back(packs.search(p));
    ScoringCost again;
    NameSearchCost once;
    for (std::size_t p = packs.packs(); p-- > 0;) packs.take(p, kept[p], again, once);
  });
  BOOST_TEST(names == (std::vector<std::string>{"likelihood", "likelihood heads"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE(in_order.size() == plan.queries.size());
  BOOST_TEST(cost.queries == plan.queries.size());
  BOOST_TEST(all.statements == plan.queries.size() * plan.candidates.size());
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    BOOST_TEST(in_order[i].score == backwards[i].score);
    BOOST_TEST(in_order[i].raw.above == backwards[i].raw.above);
    BOOST_TEST(in_order[i].line == plan.queries[i].query.triple.line);
  }
}

BOOST_AUTO_TEST_SUITE_END()
