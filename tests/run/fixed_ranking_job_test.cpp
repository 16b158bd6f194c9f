// SPDX-License-Identifier: Apache-2.0
#include "plumb/run/fixed_ranking_job.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/small_graph.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;

BOOST_AUTO_TEST_SUITE(fixed_ranking_job)

BOOST_AUTO_TEST_CASE(a_ranking_is_replayed_into_its_own_shape) {
  const test::TemporaryFolder folder;
  const KnowledgeGraph graph = test::elements();
  RankSettings settings;
  settings.fixed = folder.write("ranking.json", R"({"shots": [["e8", "symbol", "s8"]],
    "entities": ["e2", "s10", "p2"], "queries": [["e10", "in", "p2"]]})");
  auto model = test::reader_of_elements<NgramTreeModel>();
  FixedRankingJob job(model, graph, settings, {.model = "reader"});
  BOOST_TEST(job.settings().at("query_form") == "reference");
  BOOST_TEST(job.settings().at("bos") == "no");
  const auto finished = run_job(job, {folder / "run"});
  const Json made = read_json_object(folder / "run/fixed.json");
  BOOST_TEST(made.at("model") == "reader");
  BOOST_TEST(made.at("cosine").at(0).size() == 3U);
  BOOST_TEST(made.at("rank").size() == 1U);
  BOOST_TEST(finished.report.table().find("MRR") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
