// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a job from its settings to a finished run folder: results, metrics, page and run.json.
//
// `run_job` runs any job: it creates or resumes the folder, distributes packs, stores their results
// (work.hpp), and lets the job write its report. The job itself decides which prompts to send and
// which files to write. This header does not depend on a command line.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/atomic_folder.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/run/replaced_folder.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/work.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A job queries a model and writes a run folder.
///
/// Requires:
///   1. `job.settings()`: everything that determines its results, as a JSON object. A run folder
///      belongs to one such object and cannot be resumed with a different one.
///   2. `job.run(folder, work)`: processes its packs using parts of `work` and writes its files to
///      `folder`. What it writes depends only on its settings and its data.
///   3. `job.report(path)`: reads the finished folder. Its result has `write(path)`, which writes
///      metrics.json and report.html, and `notes()` and `table()` for a terminal.
///
/// A job may also have `facts()`, a JSON object that is recorded in run.json along with the cost
/// and times, and `plan()` or `plan(on_progress)`, which computes the JobPlan before the model is
/// called. Errors that the user can fix are thrown by the constructor, before a folder is created.
template <class J>
concept Job = requires(J& job, const RunFolder& folder, Work& work, const DiskPath& path) {
  { job.settings() } -> std::convertible_to<Json>;
  job.run(folder, work);
  job.report(path).write(path);
};

/// The plan of a job, if it has one. Does not call the model and writes nothing. Jobs that need a
/// long time to count their work call `on_progress`.
template <class J>
[[nodiscard]] std::optional<JobPlan> plan_of(J& job, const ProgressCallback& on_progress = {}) {
  if constexpr (requires {
                  { job.plan(on_progress) } -> std::convertible_to<JobPlan>;
                }) {
    return job.plan(on_progress);
  } else if constexpr (requires {
                         { job.plan() } -> std::convertible_to<JobPlan>;
                       }) {
    return job.plan();
  } else {
    return std::nullopt;
  }
}

/// The folder to which a job writes its results, and the job's observers.
struct JobFolder {
  DiskPath out;
  /// Whether to resume the run in `out`.
  bool resume = false;
  WorkOptions work{};
  /// Facts that run.json records about this run in addition to the settings, such as the command
  /// line and paths.
  Json facts = Json::object();
  /// Returns additional facts that are known only when the job is finished. If it throws
  /// MixedResults, the folder can no longer be resumed or read.
  std::function<Json()> facts_at_end{};
  /// Whether to replace a run in `out`, including everything in its folder, once the new one is
  /// complete.
  bool overwrite = false;
};

/// A finished job.
template <class Report>
struct Finished {
  Report report;
  RunSummary summary;
};

inline Json cost_facts(const RunSummary& summary, double seconds_total) {
  Json facts = cost_json(summary.cost);
  facts["statements_scored_now"] = summary.fresh_statements;
  facts["seconds_model"] = summary.seconds_model;
  facts["seconds_by_part"] = summary.seconds_by_part;
  facts["seconds_total"] = seconds_total;
  return facts;
}

/// The hashes that the results files had when the run in the folder was completed.
inline Json sums_of_finished(const RunFolder& folder) {
  const Json record = read_json_object(folder.file("run.json"));
  return record.value("files", Json::object());
}

/// When a completed run is run again, it must reproduce the same files from its journal. Throws a
/// user error if a file has changed since then and is not rewritten.
inline void refuse_different_results(const RunFolder& folder, const Json& before,
                                     const Json& sums) {
  for (const auto& [name, recorded] : before.items()) {
    if (sums.value(name, Json()) == recorded) continue;
    throw user_error({.file = folder.file(name)},
                     "differs from what this run wrote when it was completed",
                     "remove it and run the command again to rewrite it");
  }
}

/// Processes a job's packs in its folder. `finish(folder, work, facts)` writes the results computed
/// from the packs, and adds to the facts in run.json. Returns the result of `finish`.
template <Job J, class Finish>
auto execute(J& job, const JobFolder& into, const char* status, Finish finish) {
  const auto start = std::chrono::steady_clock::now();
  // For a new run, errors in the plan are thrown before the folder is created.
  std::optional<JobPlan> plan;
  const bool is_new = !into.resume && is_unused(into.out);
  if (is_new && into.work.on_plan) plan = plan_of(job, into.work.on_progress);
  const RunFolder folder(into.out, job.settings(),
                         into.resume ? RunFolder::Claim::resume : RunFolder::Claim::fresh,
                         into.work.shard.json());
  Work work(folder.file("journal.jsonl"), into.work);
  if (!is_new && into.work.on_plan) plan = plan_of(job, into.work.on_progress);
  if (plan) work.set_plan(*std::move(plan));
  job.run(folder, work);
  Json facts = into.facts;
  auto finished = finish(folder, work, facts);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  facts.update(cost_facts(work.summary(), spent.count()));
  if constexpr (requires { job.facts(); }) facts.update(job.facts());
  if (into.facts_at_end) {
    try {
      facts.update(into.facts_at_end());
    } catch (const MixedResults&) {
      folder.write_run(facts, "mixed");
      throw;
    }
  }
  folder.write_run(facts, status);
  return finished;
}

/// Runs a job, or resumes it. Throws a user error if the folder belongs to another job, an internal
/// error if `into` is a shard (use run_shard), and whatever the job throws. Finished packs are kept
/// after an error.
template <Job J>
auto run_job(J& job, const JobFolder& into)
    -> Finished<decltype(job.report(std::declval<const DiskPath&>()))> {
  if (into.work.shard.is_part()) throw internal_error({}, "a shard is not a whole job");
  if (into.overwrite) {
    ReplacedFolder place(into.out);
    JobFolder beside = into;
    beside.out = place.path();
    beside.overwrite = false;
    auto finished = run_job(job, beside);
    place.finish();
    return finished;
  }
  return detail::execute(
      job, into, "complete", [&](const RunFolder& folder, Work& work, Json& facts) {
        facts["files"] = result_sums(folder.path());
        detail::refuse_different_results(folder, detail::sums_of_finished(folder), facts["files"]);
        Finished<decltype(job.report(folder.path()))> finished{job.report(folder.path()),
                                                               work.summary()};
        finished.report.write(folder.path());
        return finished;
      });
}

/// Runs or resumes one shard of a job (shard.hpp). Writes run.json, the journal and unfinished
/// vectors, which merge_shards.hpp combines into a run. Throws the same errors as run_job.
template <Job J>
RunSummary run_shard(J& job, const JobFolder& into) {
  return detail::execute(job, into, "shard", [](const RunFolder& folder, Work& work, Json&) {
    for (const DiskPath& file : folder.path().list()) {
      const std::string name = file.name();
      if (name == "run.json" || name == "journal.jsonl" || name.ends_with(".npy.part")) continue;
      file.is_folder() ? remove_folder(file) : remove_file(file);
    }
    return work.summary();
  });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
