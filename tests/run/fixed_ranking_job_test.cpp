// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/fixed_ranking_job.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "support/hooked_model.hpp"
#include "support/small_graph.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

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

// The run is stopped after its first ranking. Its journal contains this ranking, so the resumed run
// computes only the second one.
BOOST_AUTO_TEST_CASE(a_replay_is_stopped_between_rankings_and_resumed) {
  const test::TemporaryFolder folder;
  const KnowledgeGraph graph = test::elements();
  RankSettings settings;
  settings.fixed = folder.write("ranking.json", R"([
    {"shots": [["e8", "symbol", "s8"]], "entities": ["e2", "s10", "p2"],
     "queries": [["e10", "in", "p2"]]},
    {"shots": [["e8", "symbol", "s8"]], "entities": ["e2", "s10"],
     "queries": [["e10", "symbol", "s10"]]}])");
  std::size_t asked = 0;
  std::vector<std::size_t> told;
  const auto run = [&](const std::string& name, bool resume, std::size_t most) {
    asked = 0;
    auto model = test::counting(test::reader_of_elements<NgramTreeModel>(), asked);
    FixedRankingJob job(model, graph, settings, {.model = "reader"});
    JobFolder into{folder / name};
    into.resume = resume;
    told.clear();
    into.work.on_progress = [&](const WorkState& state) { told.push_back(state.done); };
    into.work.stop = [&] { return told.back() > most; };
    run_job(job, into);
    return test::slurp(folder / (name + "/fixed.json"));
  };
  const std::string whole = run("whole", false, 100);
  const std::size_t all = asked;
  BOOST_TEST((told == std::vector<std::size_t>{0, 4, 7}));
  BOOST_CHECK_THROW(run("stopped", false, 3), Stopped);
  const std::size_t first = asked;
  BOOST_TEST(first > 0U);
  BOOST_TEST(first < all);
  BOOST_TEST(run("stopped", true, 100) == whole);
  BOOST_TEST(asked == all - first);
}

BOOST_AUTO_TEST_SUITE_END()
