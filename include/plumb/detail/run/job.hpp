// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job from its settings to a finished run folder: results, metrics, page and run.json.
//
// `run_job` carries any job out: it makes or resumes the folder, hands out packs and keeps what came
// of them (work.hpp), and lets the job write its report. What a job asks and which files it leaves is
// its own. Nothing here needs a command line.

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

/// A job asks a model something and leaves a run folder.
///
/// Requires:
///   1. `job.settings()`: all that decides its results, as a JSON object; a run folder belongs to one
///      such object, and resuming it under another is refused;
///   2. `job.run(folder, work)`: goes through its packs with parts of `work` and writes its files
///      into `folder`; what it writes depends on its settings and its data alone;
///   3. `job.report(path)`: reads the finished folder; has `write(path)`, which leaves metrics.json
///      and report.html, `notes()` and `table()`, for a terminal.
/// It may have `facts()`, a JSON object of what run.json says beside cost and times, and `plan()` or
/// `plan(on_progress)`, the JobPlan of what it will ask, counted before the model is asked. What its
/// user can fix is said when it is constructed, before a folder is made.
template <class J>
concept Job = requires(J& job, const RunFolder& folder, Work& work, const DiskPath& path) {
  { job.settings() } -> std::convertible_to<Json>;
  job.run(folder, work);
  job.report(path).write(path);
};

/// What a job will ask, if it tells; the model is not asked, and nothing is written. `on_progress` is
/// called by jobs that take long to count.
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

/// Where a job leaves its results, and who observes it.
struct JobFolder {
  DiskPath out;
  /// Whether to resume the run that `out` holds.
  bool resume = false;
  WorkOptions work{};
  /// What run.json says of this run beside the settings: command line, paths.
  Json facts = Json::object();
  /// The same, of what is known when the job is done. Where it throws MixedResults the folder is neither
  /// resumed nor read from then on.
  std::function<Json()> facts_at_end{};
  /// Whether a run that `out` holds, with all in its folder, is replaced once the new one is complete.
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

/// What results files were when the run that a folder holds was complete.
inline Json sums_of_finished(const RunFolder& folder) {
  const Json record = read_json_object(folder.file("run.json"));
  return record.value("files", Json::object());
}

/// A run that is done again leaves what it left before, from its journal. Throws a user error for a
/// file that has changed meanwhile and is not made again.
inline void refuse_other_than_before(const RunFolder& folder, const Json& before,
                                     const Json& sums) {
  for (const auto& [name, said] : before.items()) {
    if (sums.value(name, Json()) == said) continue;
    throw user_error({.file = folder.file(name)}, "is not what this run wrote when it was complete",
                     "remove it and call again, so that it is made anew");
  }
}

/// Goes through a job's packs in its folder. `finish(folder, work, facts)` writes what is made of them
/// and adds to what run.json says; returns what that does.
template <Job J, class Finish>
auto execute(J& job, const JobFolder& into, const char* status, Finish finish) {
  const auto start = std::chrono::steady_clock::now();
  // What the plan refuses is said before there is a folder, where it will be a new one.
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

/// Carries a job out, or resumes it. Throws a user error for a folder that is not its own, an
/// internal one where `into` names a shard, which run_shard does, and whatever the job throws; what is
/// done is then kept.
template <Job J>
auto run_job(J& job, const JobFolder& into)
    -> Finished<decltype(job.report(std::declval<const DiskPath&>()))> {
  if (into.work.shard.is_part()) throw internal_error({}, "a shard is no whole job");
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
        detail::refuse_other_than_before(folder, detail::sums_of_finished(folder), facts["files"]);
        Finished<decltype(job.report(folder.path()))> finished{job.report(folder.path()),
                                                               work.summary()};
        finished.report.write(folder.path());
        return finished;
      });
}

/// Carries one shard of a job out (shard.hpp), or resumes it. Leaves run.json, the journal and
/// unfinished vectors, of which merge_shards.hpp makes a run. Throws as run_job does.
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
