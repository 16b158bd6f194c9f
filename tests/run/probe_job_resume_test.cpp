// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/probe_job.hpp"

// Tests how a killed run is resumed. probe_job_test.cpp tests its scores.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using namespace plumb::detail::test;

BOOST_AUTO_TEST_SUITE(probe_job_resume)

namespace {

/// Thrown to simulate a kill of the process.
struct Killed {};

/// An uninterrupted run for comparison.
struct WithWholeRun : WholeRun {
  void check_same(const std::filesystem::path& other) const {
    BOOST_TEST((contents(other, "_results.jsonl") == results));
    BOOST_TEST(contents(other, ".part").empty());
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(run_killed_after_any_pack_resumes_to_identical_files, WithWholeRun) {
  std::size_t packs = 0;
  for (;; ++packs) {
    const auto path = folder / ("cut " + std::to_string(packs));
    std::size_t calls = 0;
    std::size_t scored = 0;
    const auto until = [&](const WorkState& state) {
      scored = state.fresh;
      if (calls++ == packs) throw Killed();
    };
    try {
      run_once(path, all_templates(), until);
      break;  // the run finished before it could be killed after another pack
    } catch (const Killed&) {
    }
    const RunSummary rest = run_once(path);
    BOOST_TEST(scored + rest.fresh_statements == all_statements);
    BOOST_TEST(rest.cost.tokens_fed == summary.cost.tokens_fed);
    check_same(path);
  }
  BOOST_TEST(packs > 4U);
}

BOOST_FIXTURE_TEST_CASE(a_journal_cut_at_any_line_or_within_it_gives_the_same_bytes, WithWholeRun) {
  const std::string journal = slurp(folder / "whole/journal.jsonl");
  std::vector<std::size_t> cuts{0};
  for (std::size_t at = 0; at < journal.size(); at = journal.find('\n', at) + 1) {
    const std::size_t length = journal.find('\n', at) + 1 - at;
    for (const std::size_t part : {length / 2, length - 1, length}) cuts.push_back(at + part);
  }
  BOOST_TEST(cuts.size() > 15U);
  const auto path = folder / "copy";
  for (const std::size_t cut : cuts) {
    for (const bool keep_results : {true, false}) {
      std::filesystem::remove_all(path);
      std::filesystem::copy(folder / "whole", path);
      if (!keep_results) {
        for (const auto& [name, text] : results) std::filesystem::remove(path / name);
      }
      std::filesystem::resize_file(path / "journal.jsonl", cut);
      run_once(path);
      check_same(path);
    }
  }
}

// A run skips the parts that were already finished. A plan requested after the run does not skip
// them.
BOOST_FIXTURE_TEST_CASE(a_plan_after_a_resumed_run_is_of_the_whole_job, WithWholeRun) {
  NgramTreeModel model = small_model();
  CausalScorer scorer(model);
  ProbeJob fresh(scorer, small_dataset(), all_templates()),
      again(scorer, small_dataset(), all_templates());
  (void)run_job(again, {folder / "whole", true});
  const JobPlan expected = fresh.plan(), made = again.plan();
  BOOST_TEST(made.front().cost->tokens_fed == expected.front().cost->tokens_fed);
  BOOST_TEST(made.front().cost->statements == all_statements);
}

BOOST_FIXTURE_TEST_CASE(a_finished_run_scores_nothing_again, WithWholeRun) {
  // its rows are read from the journal instead
  std::filesystem::remove(folder / "whole/river_results.jsonl");
  const RunSummary again = run_once(folder / "whole");
  BOOST_TEST(again.fresh_statements == 0U);
  BOOST_TEST(again.cost.statements == all_statements);
  BOOST_TEST(again.cost.tokens_one_by_one == summary.cost.tokens_one_by_one);
  check_same(folder / "whole");
}

// The journal contains all packs of the file and its checksum.
BOOST_FIXTURE_TEST_CASE(a_results_file_that_was_changed_comes_back_from_the_journal, WithWholeRun) {
  const std::string name = "river_results.jsonl", sound = results.at(name);
  std::vector<std::string> changed{"", sound.substr(0, sound.size() / 2), sound + sound, sound};
  char& byte = changed.back()[sound.size() / 3];
  byte = static_cast<char>(byte ^ 1);
  for (const std::string& text : changed) {
    for (const bool complete : {true, false}) {
      const auto path = folder / "copy";
      std::filesystem::remove_all(path);
      std::filesystem::copy(folder / "whole", path);
      if (!complete) {
        for (const char* later : {"metadata_results.json", "metrics.json", "report.html"}) {
          std::filesystem::remove(path / later);
        }
        Json run = read_json_object(path / "run.json");
        run.erase("files");
        run["status"] = "running";
        folder.write("copy/run.json", run.dump());
      }
      folder.write("copy/" + name, text);
      const RunSummary again = run_once(path);
      BOOST_TEST(again.fresh_statements == 0U);
      check_same(path);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_journal_of_other_packs_is_refused) {
  const TemporaryFolder folder;
  run_once(folder / "run");
  std::filesystem::remove(folder / "run/journal.jsonl");
  Journal(folder / "run/journal.jsonl").append("capital", 0, "[[-1,-1,2,1,-1,1]]");
  BOOST_CHECK_EXCEPTION(run_once(folder / "run"), Error,
                        says(Fault::user, "the journal's pack 0 does not belong to this job"));
}

BOOST_AUTO_TEST_SUITE_END()
