// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/job.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(job)

namespace {

/// A job that squares numbers, with two in each pack.
struct SquaresJob {
  std::size_t count = 5;
  std::size_t evaluated = 0;

  struct Report {
    std::string text;
    void write(const std::filesystem::path& folder) const {
      write_atomically(folder / "report.html", text);
    }
    [[nodiscard]] std::vector<std::string> notes() const { return {"a note"}; }
    [[nodiscard]] std::string table() const { return text; }
  };

  [[nodiscard]] Json settings() const { return {{"command", "squares"}, {"count", count}}; }
  void run(const RunFolder& folder, Work& work) {
    work.begin("numbers", count);
    Part part(work, "squares");
    std::vector<PackCost> packs;
    for (std::size_t first = 0; first < count; first += 2) {
      packs.push_back({std::min<std::size_t>(2, count - first), 1});
    }
    std::string rows;
    part.generate_rows(
        packs,
        [&](std::size_t p) {
          ++evaluated;
          Json made = Json::array();
          for (std::size_t i = 0; i < packs[p].items; ++i)
            made.push_back((2 * p + i) * (2 * p + i));
          return made.dump();
        },
        [&](std::size_t, const Json& made) { rows += made.dump() + "\n"; });
    write_atomically(folder.file("squares.jsonl"), rows);
  }
  [[nodiscard]] Report report(const std::filesystem::path& folder) const {
    return {slurp(folder / "squares.jsonl")};
  }
  [[nodiscard]] Json facts() const { return {{"evaluated", evaluated}}; }
};
static_assert(Job<SquaresJob>);

/// A job that has a plan and counts the calls to plan().
struct ForeseenJob : SquaresJob {
  [[nodiscard]] JobPlan plan() {
    ++foreseen;
    return {{"", "number", count}};
  }
  std::size_t foreseen = 0;
};
static_assert(Job<ForeseenJob>);

struct NoReport {
  [[nodiscard]] Json settings() const { return {}; }
  void run(const RunFolder&, Work&) {}
};
static_assert(!Job<NoReport>);

Json run_json(const std::filesystem::path& folder) {
  return read_json_object(folder / "run.json");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_users_own_job_leaves_a_whole_folder) {
  const TemporaryFolder folder;
  SquaresJob job;
  std::vector<std::size_t> seen;
  const auto finished = run_job(job, {folder / "run",
                                      false,
                                      {[&](const WorkState& s) { seen.push_back(s.done); }, {}},
                                      {{"command_line", {"own", "job"}}}});
  JobFolder told{folder / "told"};
  told.facts_at_end = [&] { return Json{{"asked", job.evaluated}}; };
  (void)run_job(job, told);
  BOOST_TEST(run_json(folder / "told").at("asked") == 6);
  BOOST_TEST(finished.report.text == "[0,1]\n[4,9]\n[16]\n");
  BOOST_TEST(slurp(folder / "run/report.html") == finished.report.text);
  BOOST_TEST(finished.summary.fresh_statements == 3U);
  BOOST_TEST((seen == std::vector<std::size_t>{0, 2, 4, 5}));
  const Json run = run_json(folder / "run");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST((run.at("settings") == job.settings()));
  BOOST_TEST((run.at("command_line") == Json{"own", "job"}));
  BOOST_TEST(run.at("statements_scored_now") == 3);
  BOOST_TEST(run.at("evaluated") == 3);
  for (const char* fact : {"statements", "tokens_one_by_one", "tree_nodes", "tokens_fed"}) {
    BOOST_TEST(run.at(fact) == 0);
  }
  BOOST_TEST(run.at("seconds_total").get<double>() >= run.at("seconds_model").get<double>());
  BOOST_TEST(run.at("seconds_by_part").contains("squares"));
}

// For example, a server's model may have been replaced during the run.
BOOST_AUTO_TEST_CASE(a_run_whose_end_is_refused_is_not_complete) {
  const TemporaryFolder folder;
  SquaresJob job;
  JobFolder into{folder / "run"};
  into.facts_at_end = []() -> Json { throw internal_error({}, "another model answers"); };
  BOOST_CHECK_EXCEPTION((void)run_job(job, into), Error,
                        says(Fault::internal, "another model answers"));
  BOOST_TEST(run_json(folder / "run").at("status") == "running");
  into.resume = true;
  into.facts_at_end = []() -> Json {
    throw MixedResults(Fault::internal, {}, "two models answered");
  };
  BOOST_CHECK_THROW((void)run_job(job, into), MixedResults);
  BOOST_TEST(run_json(folder / "run").at("status") == "mixed");
  into.facts_at_end = {};
  BOOST_CHECK_EXCEPTION((void)run_job(job, into), Error,
                        says(Fault::user,
                             "run.json: status: is \"mixed\": more than one model answered this "
                             "run; run it again with a different output folder (`out`)"));
  BOOST_CHECK_EXCEPTION(refuse_without_results(folder / "run"), Error,
                        says(Fault::user, "is \"mixed\""));
}

BOOST_AUTO_TEST_CASE(finished_run_records_its_result_files) {
  const TemporaryFolder folder;
  SquaresJob job;
  (void)run_job(job, {folder / "run"});
  const Json files = run_json(folder / "run").at("files");
  BOOST_TEST(files.size() == 1U);
  BOOST_CHECK(files.at("squares.jsonl") == to_json(sum_of(folder / "run/squares.jsonl")));
  BOOST_TEST(files.at("squares.jsonl").at("lines") == 3);
}

// Otherwise, the changed file would get new checksums, and the change would go unnoticed.
BOOST_AUTO_TEST_CASE(a_file_that_a_finished_run_does_not_make_again_must_be_as_it_was) {
  struct LazyJob : SquaresJob {
    void run(const RunFolder& folder, Work& work) {
      SquaresJob::run(folder, work);
      if (!folder.file("lazy.jsonl").exists()) write_atomically(folder.file("lazy.jsonl"), "1\n");
    }
  };
  const TemporaryFolder folder;
  LazyJob job;
  (void)run_job(job, {folder / "run"});
  (void)run_job(job, {folder / "run", true});
  folder.write("run/lazy.jsonl", "2\n");
  BOOST_CHECK_EXCEPTION((void)run_job(job, {folder / "run", true}), Error,
                        says(Fault::user,
                             "lazy.jsonl: differs from what this run wrote when it was completed; "
                             "remove it and run the command again to rewrite it"));
  folder.write("run/squares.jsonl", "");  // is computed again
  std::filesystem::remove(folder / "run/lazy.jsonl");
  (void)run_job(job, {folder / "run", true});
  BOOST_TEST(slurp(folder / "run/lazy.jsonl") == "1\n");
  BOOST_TEST(slurp(folder / "run/squares.jsonl") == "[0,1]\n[4,9]\n[16]\n");
}

BOOST_AUTO_TEST_CASE(a_job_that_was_stopped_is_resumed) {
  const TemporaryFolder folder;
  SquaresJob job;
  std::size_t asked = 0;
  BOOST_CHECK_THROW((void)run_job(job, {folder / "run", false, {{}, [&] { return ++asked == 3; }}}),
                    Stopped);
  BOOST_TEST(run_json(folder / "run").at("status") == "running");
  BOOST_TEST(!std::filesystem::exists(folder / "run/report.html"));
  SquaresJob again;
  BOOST_CHECK_EXCEPTION((void)run_job(again, {folder / "run"}), Error,
                        says(Fault::user, "is not empty"));
  (void)run_job(again, {folder / "run", true});
  BOOST_TEST(again.evaluated == 1U);
  BOOST_TEST(slurp(folder / "run/report.html") == "[0,1]\n[4,9]\n[16]\n");
  SquaresJob other{7};
  BOOST_CHECK_EXCEPTION((void)run_job(other, {folder / "run", true}), Error,
                        says(Fault::user, "count: the run was started with 5, not 7"));
}

BOOST_AUTO_TEST_CASE(job_plan_is_reported_once_before_the_job_starts) {
  const TemporaryFolder folder;
  std::vector<std::string> told;
  WorkOptions work;
  work.on_progress = [&](const WorkState& state) { told.push_back(std::to_string(state.done)); };
  work.on_plan = [&](const JobPlan& plan) { told.push_back(description_of(plan).front()); };
  ForeseenJob job;
  (void)run_job(job, {folder / "told", false, work});
  BOOST_TEST((told == std::vector<std::string>{"5 numbers", "0", "2", "4", "5"}));
  BOOST_TEST(job.foreseen == 1U);
  // Without a callback, plan() is not called. A job also works without a plan.
  (void)run_job(job, {folder / "untold"});
  BOOST_TEST(job.foreseen == 1U);
  told.clear();
  SquaresJob unforeseen;
  (void)run_job(unforeseen, {folder / "unforeseen", false, work});
  BOOST_TEST((told == std::vector<std::string>{"0", "2", "4", "5"}));
}

BOOST_AUTO_TEST_CASE(what_a_plan_refuses_leaves_no_folder) {
  struct RefusedJob : SquaresJob {
    [[nodiscard]] JobPlan plan() { throw user_error({}, "too long"); }
  };
  const TemporaryFolder folder;
  WorkOptions work;
  work.on_plan = [](const JobPlan&) {};
  RefusedJob job;
  BOOST_CHECK_EXCEPTION((void)run_job(job, {folder / "run", false, work}), Error,
                        says(Fault::user, "too long"));
  BOOST_TEST(!std::filesystem::exists(folder / "run"));
  // A folder that contains somebody else's files is rejected before anything is counted.
  folder.write("used/notes.txt", "mine");
  BOOST_CHECK_EXCEPTION((void)run_job(job, {folder / "used", false, work}), Error,
                        says(Fault::user, "is not empty"));
}

BOOST_AUTO_TEST_CASE(a_plan_is_had_without_running) {
  ForeseenJob job;
  const std::optional<JobPlan> plan = plan_of(job);
  BOOST_REQUIRE(plan.has_value());
  BOOST_TEST(plan->front().count == 5U);
  BOOST_TEST(job.evaluated == 0U);
  SquaresJob unforeseen;
  BOOST_TEST(!plan_of(unforeseen).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
