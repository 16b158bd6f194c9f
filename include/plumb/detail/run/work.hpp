// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job records while it runs: its journal, its progress, its cost and its times.
//
// A job's work is divided into parts ("P36", "entities", "random samples"), and parts into packs.
// If a pack is already in the journal, its rows are read from there. Any other pack is evaluated
// and immediately written to the journal, so that a killed job can resume where it stopped and
// produce the same bytes. A shard evaluates only its own packs; a merged run takes all packs from
// its shards' journals.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/records/journal.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/run/job_plan.hpp"
#include "plumb/detail/run/progress.hpp"
#include "plumb/detail/run/run_summary.hpp"
#include "plumb/detail/run/shard.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Thrown between two packs when a job is asked to stop. Finished packs are in the journal. Any
/// number of threads may read the same object.
class Stopped : public Error {
 public:
  Stopped() : Error(user_error({}, "stopped; finished work is saved", "resume to continue")) {}
};

struct WorkOptions {
  ProgressCallback on_progress{};
  /// Called between packs. If it returns true, the job ends with `Stopped`.
  std::function<bool()> stop{};
  /// Called once before the first part, if the job has a plan.
  std::function<void(const JobPlan&)> on_plan{};
  Shard shard{};
  /// The folders of all shards of this job, whose packs are read instead of being evaluated again,
  /// and the total cost of the shards. Both are empty if this job evaluates packs itself.
  std::vector<DiskPath> shards{};
  RunSummary before{};
};

/// The cost of evaluating a pack, known in advance.
struct PackCost {
  /// The number of items that count towards progress.
  std::size_t items = 0;
  std::size_t statements = 0;
  /// The amount of work in the pack relative to other packs of the job, such as tokens fed; 0 if
  /// unknown.
  std::uint64_t weight = 0;
};

/// Not thread-safe; a process uses one object per job.
class Work {
 public:
  /// Resumes from the journal if it exists.
  explicit Work(const DiskPath& journal, WorkOptions options = {})
      : file_(journal),
        journal_(journal),
        options_(std::move(options)),
        dealer_(options_.shards.empty() ? options_.shard.count : options_.shards.size()),
        summary_(options_.before) {
    for (const DiskPath& shard : options_.shards) {
      theirs_.push_back(std::make_unique<FinishedJournal>(shard / "journal.jsonl"));
    }
  }

  /// The progress callback; may be empty.
  [[nodiscard]] const ProgressCallback& on_progress() const noexcept {
    return options_.on_progress;
  }

  /// Sets the plan that is reported before the job starts counting.
  void set_plan(JobPlan plan) { plan_ = std::move(plan); }

  /// Restarts the progress count, which ends at `total`.
  void begin(std::string counted, std::size_t total) {
    if (const auto plan = std::exchange(plan_, std::nullopt); plan && options_.on_plan) {
      options_.on_plan(*plan);
    }
    counted_ = std::move(counted);
    total_ = total;
    done_ = fresh_ = 0;
    advance(0, 0);
  }
  /// Counts items as done. `fresh` of them were evaluated by this process.
  void advance(std::size_t items, std::size_t fresh, const std::string& at = "") {
    done_ += items;
    fresh_ += fresh;
    if (options_.on_progress) options_.on_progress({counted_, done_, fresh_, total_, at});
  }

  [[nodiscard]] RunSummary& summary() noexcept { return summary_; }

  /// Whether this job is one of several shards.
  [[nodiscard]] bool is_shard() const noexcept { return options_.shard.is_part(); }
  /// Folders of the shards that this job merges; empty for other jobs.
  [[nodiscard]] const std::vector<DiskPath>& shards() const noexcept { return options_.shards; }

 private:
  friend class Part;

  /// A pack's rows from a shard's journal. If no shard has them, throws a user error that names the
  /// shard to which the pack was assigned.
  [[nodiscard]] Json rows_of_shards(const std::string& part, std::size_t pack, std::size_t dealt) {
    for (const auto& journal : theirs_) {
      if (auto rows = journal->find(part, pack)) return *std::move(rows);
    }
    throw user_error({.file = options_.shards[dealt] / "journal.jsonl", .field = part},
                     "has no pack " + std::to_string(pack) + ", which was assigned to this shard",
                     "resume the shard, or start it again, then merge");
  }

  DiskPath file_;
  Journal journal_;
  WorkOptions options_;
  std::optional<JobPlan> plan_;
  std::string counted_;
  std::size_t total_ = 0, done_ = 0, fresh_ = 0;
  PackAssigner dealer_;
  std::vector<std::unique_ptr<FinishedJournal>> theirs_;  // journals of the merged shards
  RunSummary summary_;
};

/// One part of a job's work. Its packs are numbered in the order in which they are processed,
/// across all calls of generate_rows. `work` must outlive this object, which is not thread-safe.
class Part {
 public:
  /// `at` is the label in progress reports.
  Part(Work& work, std::string name, std::string at = "")
      : work_(work), name_(std::move(name)), at_(std::move(at)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Marks the part's packs as not done, regardless of the journal, because the file they were
  /// written to no longer exists.
  void restart_part() { work_.journal_.restart_part(name_); }

  /// The part's cost, if an earlier process has finished the part.
  [[nodiscard]] std::optional<ScoringCost> done() const {
    const auto recorded = work_.journal_.done(name_);
    try {
      return recorded ? std::optional(cost_of_json(*recorded)) : std::nullopt;
    } catch (const Json::exception&) {
      throw other_job();
    }
  }
  /// Same as above, but only if the part's results file is unchanged. Otherwise the caller
  /// recreates the file from the packs in the journal.
  [[nodiscard]] std::optional<ScoringCost> done(const DiskPath& results) const {
    const auto recorded = work_.journal_.done(name_);
    if (!recorded || !results.is_file() ||
        recorded->value("results", Json()) != to_json(sum_of(results))) {
      return std::nullopt;
    }
    return cost_of_json(*recorded);
  }
  /// Skips a part that an earlier process has finished.
  void skip(const ScoringCost& cost) {
    work_.summary_.cost += cost;
    work_.summary_.kept_statements += cost.statements;
    work_.advance(cost.statements, 0, at_);
  }
  /// The journal entry for a pack, looked up by the pack's number; nothing if there is none.
  [[nodiscard]] std::optional<Json> kept(std::size_t pack) const {
    return work_.journal_.find(name_, pack);
  }
  /// Whether all packs so far are available. It can be false only in a shard: other shards evaluate
  /// the missing packs, so this process produces no results for the part.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

  /// Marks the part as complete once its results files have their final names. `results` is the
  /// checksum of the results file, if there is one.
  void finish(const ScoringCost& cost, const std::optional<FileSum>& results = {}) {
    Json recorded = cost_json(cost);
    if (results) recorded["results"] = to_json(*results);
    work_.journal_.mark_done(name_, recorded);
    work_.summary_.cost += cost;
  }

  /// Processes the next packs in order. `evaluate(p)` returns the rows of the p-th pack as JSON
  /// text. `take(p, rows)` is then called with the parsed rows or, if a journal already contains
  /// the pack, with the rows from that journal. `evaluate` may call `step` to count items while it
  /// works. Neither function is called for another shard's packs. Returns whether the part is
  /// complete.
  template <class Evaluate, class Take>
  bool generate_rows(std::span<const PackCost> packs, Evaluate evaluate, Take take) {
    for (std::size_t p = 0; p < packs.size(); ++p, ++next_) {
      if (work_.options_.stop && work_.options_.stop()) throw Stopped();
      const std::size_t dealt = work_.dealer_.deal(packs[p].weight);
      const bool is_ours = !work_.theirs_.empty() || dealt == work_.options_.shard.index;
      std::optional<Json> rows = work_.journal_.find(name_, next_);
      stepped_ = 0;
      const bool fresh = !rows && is_ours && work_.theirs_.empty();
      if (rows) work_.summary_.kept_statements += packs[p].statements;
      if (fresh) {
        rows = evaluated(packs[p], [&] { return evaluate(p); });
      } else if (!rows && is_ours) {
        rows = work_.rows_of_shards(name_, next_, dealt);
        work_.journal_.append(name_, next_, rows->dump());
      }
      is_whole_ = is_whole_ && rows;
      try {
        if (rows) take(p, *rows);
      } catch (const Json::exception&) {
        if (fresh) throw;
        throw other_job();
      }
      const std::size_t left = packs[p].items - stepped_;
      if (left > 0) work_.advance(left, fresh ? left : 0, at_);
    }
    return is_whole_;
  }
  /// Counts one item of the pack that is being evaluated as done.
  void step() {
    ++stepped_;
    work_.advance(1, 1, at_);
  }

  /// The error to throw if rows do not belong to the last pack.
  [[nodiscard]] Error other_job() const {
    return user_error(
        {.file = work_.file_, .line = 0, .field = name_},
        "the journal's pack " + std::to_string(next_) + " does not belong to this job",
        "it was written by another build; start again in another folder");
  }

 private:
  /// Evaluates a pack and writes its rows to the journal. Returns the rows.
  template <class Evaluate>
  [[nodiscard]] Json evaluated(const PackCost& pack, Evaluate evaluate) {
    const auto start = std::chrono::steady_clock::now();
    const std::string text = evaluate();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    work_.summary_.seconds_model += spent.count();
    work_.summary_.seconds_by_part[name_] += spent.count();
    Json rows = Json::parse(text, nullptr, false);
    if (rows.is_discarded() || text.find('\n') != std::string::npos) {
      throw internal_error({.field = name_},
                           "pack " + std::to_string(next_) + " is not JSON on one line",
                           "fix the function that evaluates packs");
    }
    work_.journal_.append(name_, next_, text);
    work_.summary_.fresh_statements += pack.statements;
    return rows;
  }

  Work& work_;
  std::string name_, at_;
  bool is_whole_ = true;
  std::size_t next_ = 0, stepped_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
