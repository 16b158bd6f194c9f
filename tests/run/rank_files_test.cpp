// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/rank_files.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/small_graph.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(rank_files)

BOOST_AUTO_TEST_CASE(a_method_leaves_its_ranks_and_its_nearest_entities) {
  const test::TemporaryFolder folder;
  const RunFolder run(folder / "run", Json::object(), RunFolder::Claim::fresh);
  const KnowledgeGraph graph = test::elements();
  RankOptions options;
  options.shots = 1;
  options.limit = 2;
  options.heads = true;
  const RankParts parts = rank_parts(graph, options, false, NgramModel(""));
  EntityRank rank;
  rank.head = "e1";
  write_ranks(run, "deer", {rank, rank});
  BOOST_TEST(test::slurp(folder / "run/deer_ranks.jsonl") == row_line(rank) + row_line(rank));
  write_nearest(run, "deer", parts, [&](const RankPlan& part) {
    std::vector<std::vector<NearEntity>> made(part.queries.size());
    made[0] = {{2, 0.5}, {0, 0.25}};
    return made;
  });
  const std::string text = test::slurp(folder / "run/deer_nearest.jsonl");
  const Json first = Json::parse(text.substr(0, text.find('\n')));
  const GraphQuery& query = parts.parts[0].queries[0].query;
  BOOST_TEST(std::ranges::count(text, '\n') == 4);
  BOOST_TEST(first.at("asks") == "tail");
  BOOST_TEST(first.at("head") == graph.entities[query.triple.head].id);
  BOOST_TEST(first.at("relation") == graph.relations[query.triple.relation].id);
  BOOST_TEST(first.at("tail") == graph.entities[query.triple.tail].id);
  BOOST_TEST(first.at("nearest").size() == 2U);
  BOOST_TEST(first.at("nearest")[0][0] == graph.entities[2].id);
  BOOST_TEST(first.at("nearest")[0][1] == 0.5);
  BOOST_TEST(first.at("nearest")[1][0] == graph.entities[0].id);
  BOOST_TEST(text.find("\"asks\":\"head\"") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
