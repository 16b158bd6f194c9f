// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/probe_into_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/prediction_metrics.hpp"
#include "plumb/detail/aggregate/probe_in_memory.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/records/probe_answers.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/masked_scorer.hpp"
#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(probe_into_folder_suite)

namespace {

/// A dataset such as a program may create: its facts have no instance numbers, and its options have
/// no ids.
Dataset bare_dataset() {
  Relation capital{.code = "capital",
                   .templates = {"The capital of [X] is [Y].", "[Y] is the capital of [X]."},
                   .options = {"Paris", "Seoul"}};
  capital.facts = {{.subject = "France", .answer = 0}, {.subject = "Korea", .answer = 1}};
  return {"bare", {capital}, {}};
}

/// A user-defined scorer that is not a PackedScorer; shorter statements are more likely.
struct ShortWins {
  std::size_t asked = 0;
  std::vector<StatementScore> score(const Query& query) {
    std::vector<StatementScore> scores;
    for (const Prompt& prompt : query.candidates) {
      scores.push_back({{-static_cast<double>(prompt.text.size()), 1}});
    }
    ++asked;
    return scores;
  }
};

Json run_json(const std::filesystem::path& folder) {
  return read_json_object(folder / "run.json");
}

}  // namespace

BOOST_AUTO_TEST_CASE(facts_of_a_program_become_a_finished_run) {
  const TemporaryFolder folder;
  NgramTreeModel model = small_model();
  CausalScorer scorer(model, Bos::none());
  const auto finished =
      probe_into_folder(scorer, bare_dataset(), folder / "run", {.model = "mine"});
  BOOST_TEST(finished.report.results().overall.accuracy.count == 2U);
  BOOST_TEST(finished.summary.fresh_statements == 4U);
  const Json run = run_json(folder / "run");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("settings").at("model") == "mine");
  BOOST_TEST(run.at("settings").at("seed") == 0);    // what `plumb report` reads
  BOOST_TEST(run.at("settings").at("bos") == "no");  // the same setting as in the scorer
  BOOST_TEST(is_one_to_one(probe_answers(folder / "run", "").relations.at(0).relation));
  const auto rows = rows_of(folder / "run/capital_results.jsonl");
  BOOST_REQUIRE(rows.size() == 2U);
  BOOST_TEST(rows[1].at("instance_index") == 1);
  const Json metadata = read_json_object(folder / "run/metadata_results.json").at("capital");
  BOOST_TEST(metadata.at("ensure_bos_token_added") == false);
  BOOST_TEST(metadata.at("answer_space_ids") == (Json{"capital-0", "capital-1"}));
  BOOST_TEST(std::filesystem::file_size(folder / "run/report.html") > 0U);
}

BOOST_AUTO_TEST_CASE(it_leaves_what_a_probe_job_leaves) {
  const TemporaryFolder folder;
  (void)run_once(folder / "job", all_templates());
  NgramTreeModel model = small_model();
  CausalScorer scorer(model);
  (void)probe_into_folder(scorer, small_dataset(), folder / "call",
                          {.model = "", .settings = all_templates()});
  BOOST_TEST((contents(folder / "job", ".jsonl") == contents(folder / "call", ".jsonl")));
  BOOST_TEST(slurp(folder / "job/metrics.json") == slurp(folder / "call/metrics.json"));
}

// The ranks are the same whether they are computed from the folder's files or from the predictions.
BOOST_AUTO_TEST_CASE(a_probe_in_memory_has_the_folders_numbers) {
  const TemporaryFolder folder;
  NgramTreeModel model = small_model();
  CausalScorer scorer(model);
  const auto finished =
      probe_into_folder(scorer, bare_dataset(), folder / "run", {.settings = {.templates = {}}});
  const ProbeMetrics in_memory = metrics_of(probe_in_memory(scorer, bare_dataset()));
  const ProbeMetrics& written = finished.report.results();
  const auto numbers = [](const GroupMetrics& group) {
    std::vector<double> all;
    for (const Estimate& one : {group.accuracy, group.hit_at(1), group.mean_rank,
                                group.mean_reciprocal_rank, group.accuracy_first_wins}) {
      const bool has = one.has_interval();
      all.insert(all.end(), {one.value, has ? one.low : -1, has ? one.high : -1,
                             static_cast<double>(one.count)});
    }
    return all;
  };
  BOOST_TEST(numbers(in_memory.overall) == numbers(written.overall));
  BOOST_TEST(numbers(in_memory.overall_unweighted) == numbers(written.overall_unweighted));
  BOOST_REQUIRE(in_memory.relations.size() == 1U);
  BOOST_TEST(numbers(in_memory.relations[0].second) == numbers(written.relations[0].second));
  BOOST_TEST(in_memory.cardinality.contains("1:1"));
}

BOOST_AUTO_TEST_CASE(any_scorer_and_builder_will_do_and_what_is_done_is_not_done_again) {
  const TemporaryFolder folder;
  ShortWins scorer;
  (void)probe_into_folder(Statement{}, scorer, bare_dataset(), folder / "run");
  BOOST_TEST(scorer.asked == 2U);
  BOOST_CHECK_EXCEPTION((void)probe_into_folder(scorer, bare_dataset(), folder / "run"), Error,
                        says(Fault::user, "is not empty"));
  const auto again = probe_into_folder(scorer, bare_dataset(), folder / "run", {.resume = true});
  BOOST_TEST(scorer.asked == 2U);
  BOOST_TEST(again.summary.fresh_statements == 0U);
  BOOST_TEST(again.summary.kept_statements == again.summary.cost.statements);
  const auto anew = probe_into_folder(scorer, bare_dataset(), folder / "run", {.overwrite = true});
  BOOST_TEST(scorer.asked == 4U);
  BOOST_TEST(anew.summary.kept_statements == 0U);
  BOOST_TEST(!DiskPath(folder / "run.new").exists());
  BOOST_TEST(run_json(folder / "run").at("status") == "complete");
}

BOOST_AUTO_TEST_CASE(what_the_settings_choose_is_asked_and_no_more) {
  const TemporaryFolder folder;
  ShortWins scorer;
  Dataset two = bare_dataset();
  two.relations.push_back(two.relations[0]);
  two.relations[1].code = "seat";
  two.relations[1].facts.push_back({.subject = "Gaul", .answer = 0});
  FolderProbeOptions options;
  options.settings.relations = {"seat"};
  options.settings.limit = 1;
  options.settings.templates = {};
  const auto made = probe_into_folder(scorer, two, folder / "run", options);
  BOOST_TEST(made.summary.cost.statements == 4U);
  // Only one of three facts remains.
  BOOST_TEST(!is_one_to_one(probe_answers(folder / "run", "").relations.at(0).relation));
}

BOOST_AUTO_TEST_CASE(a_masked_scorers_rule_is_recorded) {
  const TemporaryFolder folder;
  NeighbourModel model("the capital of france is paris .");
  MaskedScorer scorer(model, PseudoLikelihood::original);
  (void)probe_into_folder(scorer, bare_dataset(), folder / "run");
  const Json settings = run_json(folder / "run").at("settings");
  BOOST_TEST(settings.at("bos").is_null());
  BOOST_TEST(settings.at("pll") == "original");
  BOOST_TEST(
      read_json_object(folder / "run/metadata_results.json").at("capital").at("pll_metric") ==
      "original");
}

BOOST_AUTO_TEST_CASE(what_would_end_in_an_error_does_so_before_a_folder_is_made) {
  const TemporaryFolder folder;
  ShortWins scorer;
  Dataset twice = bare_dataset();
  twice.relations[0].facts[0].instance = twice.relations[0].facts[1].instance = 7;
  BOOST_CHECK_EXCEPTION((void)probe_into_folder(scorer, twice, folder / "run"), Error,
                        says(Fault::user, "capital: instance 7 is duplicated"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  BOOST_TEST(scorer.asked == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
