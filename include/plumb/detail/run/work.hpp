// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job keeps while it works: its journal, its progress, its cost and its times.
//
// A job's work is cut into parts ("P36", "entities", "random samples") and those into packs. A pack
// that the journal holds is taken from there, any other is evaluated and written down at once, so
// that a job goes on where it was killed and gives the same bytes. A shard evaluates its packs alone;
// a merged run takes all packs from its shards' journals.

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

/// Thrown between two packs where a job is asked to stop. What is done stands in the journal. Any
/// number of threads may read one.
class Stopped : public Error {
 public:
  Stopped() : Error(user_error({}, "stopped; what is done is kept", "resume to go on")) {}
};

struct WorkOptions {
  ProgressCallback on_progress{};
  /// Asked between packs; the job ends with `Stopped` when it says true.
  std::function<bool()> stop{};
  /// Told once, before the first part, where the job says ahead what it will ask.
  std::function<void(const JobPlan&)> on_plan{};
  Shard shard{};
  /// Folders of all shards of this job, whose packs are taken instead of being evaluated; what they
  /// took. Empty where this job evaluates packs itself.
  std::vector<DiskPath> shards{};
  RunSummary before{};
};

/// What evaluating a pack takes, known before it is evaluated.
struct PackCost {
  /// In units of the progress.
  std::size_t items = 0;
  std::size_t statements = 0;
  /// What it takes beside other packs of the job, such as tokens fed; 0 where that is not known.
  std::uint64_t weight = 0;
};

/// Not thread-safe; one process does one job's work.
class Work {
 public:
  /// Goes on with the journal when there is one.
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

  /// The observer; nobody where it is empty.
  [[nodiscard]] const ProgressCallback& on_progress() const noexcept {
    return options_.on_progress;
  }

  /// What is to be told of the job before it begins to count.
  void set_plan(JobPlan plan) { plan_ = std::move(plan); }

  /// Starts counting again, up to `total`.
  void begin(std::string counted, std::size_t total) {
    if (const auto plan = std::exchange(plan_, std::nullopt); plan && options_.on_plan) {
      options_.on_plan(*plan);
    }
    counted_ = std::move(counted);
    total_ = total;
    done_ = fresh_ = 0;
    advance(0, 0);
  }
  /// Counts items as done, some of them now.
  void advance(std::size_t items, std::size_t fresh, const std::string& at = "") {
    done_ += items;
    fresh_ += fresh;
    if (options_.on_progress) options_.on_progress({counted_, done_, fresh_, total_, at});
  }

  [[nodiscard]] RunSummary& summary() noexcept { return summary_; }

  /// Folders of the shards that this job puts together; empty for other jobs.
  [[nodiscard]] const std::vector<DiskPath>& shards() const noexcept { return options_.shards; }

 private:
  friend class Part;

  /// A pack's rows as a shard has written them down. Where none has, throws a user error about the
  /// one that the pack was dealt to.
  [[nodiscard]] Json rows_of_shards(const std::string& part, std::size_t pack, std::size_t dealt) {
    for (const auto& journal : theirs_) {
      if (auto rows = journal->find(part, pack)) return *std::move(rows);
    }
    throw user_error({.file = options_.shards[dealt] / "journal.jsonl", .field = part},
                     "has lost pack " + std::to_string(pack) + ", which was dealt to this shard",
                     "resume the shard, or begin it anew, then merge again");
  }

  DiskPath file_;
  Journal journal_;
  WorkOptions options_;
  std::optional<JobPlan> plan_;
  std::string counted_;
  std::size_t total_ = 0, done_ = 0, fresh_ = 0;
  PackDealer dealer_;
  std::vector<std::unique_ptr<FinishedJournal>> theirs_;  // of the shards, where they are merged
  RunSummary summary_;
};

/// One part of a job's work. Its packs are numbered through in the order in which they are gone
/// through, however many calls that takes. The work must outlive it; not thread-safe.
class Part {
 public:
  /// `at` is what the progress says is at work.
  Part(Work& work, std::string name, std::string at = "")
      : work_(work), name_(std::move(name)), at_(std::move(at)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Its packs are done no more, whatever the journal has: what they were written into is gone.
  void begin_anew() { work_.journal_.begin_anew(name_); }

  /// What it cost, if an earlier process has done all of it.
  [[nodiscard]] std::optional<ScoringCost> done() const {
    const auto said = work_.journal_.done(name_);
    try {
      return said ? std::optional(cost_of_json(*said)) : std::nullopt;
    } catch (const Json::exception&) {
      throw other_job();
    }
  }
  /// The same if the file of its results is still what was written; else its packs, which the journal
  /// has, make the file again.
  [[nodiscard]] std::optional<ScoringCost> done(const DiskPath& results) const {
    const auto said = work_.journal_.done(name_);
    if (!said || !results.is_file() || said->value("results", Json()) != to_json(sum_of(results))) {
      return std::nullopt;
    }
    return cost_of_json(*said);
  }
  /// Passes over a part that an earlier process has done.
  void skip(const ScoringCost& cost) {
    work_.summary_.cost += cost;
    work_.summary_.kept_statements += cost.statements;
    work_.advance(cost.statements, 0, at_);
  }
  /// What the journal has of a pack by its number; nothing where it has none.
  [[nodiscard]] std::optional<Json> kept(std::size_t pack) const {
    return work_.journal_.find(name_, pack);
  }
  /// Whether all packs so far are there. False only in a shard: the others have the rest, and
  /// nothing is made of the part here.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

  /// Its results stand under their names, the part is whole; `results` is the sum of their file, if it
  /// has one.
  void finish(const ScoringCost& cost, const std::optional<FileSum>& results = {}) {
    Json said = cost_json(cost);
    if (results) said["results"] = to_json(*results);
    work_.journal_.mark_done(name_, said);
    work_.summary_.cost += cost;
  }

  /// Goes through the next packs in order. `evaluate(p)` returns the rows of the p-th of them as the
  /// text of a JSON value; `take(p, rows)` is then called with the value, as it is when the rows come
  /// from a journal. `evaluate` may count items by `step` while it works. Neither is called for a pack
  /// that another shard has. Returns whether the part is whole.
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
  /// An item of the pack that is being evaluated is done.
  void step() {
    ++stepped_;
    work_.advance(1, 1, at_);
  }

  /// The error of rows that cannot be the last pack's.
  [[nodiscard]] Error other_job() const {
    return user_error({.file = work_.file_, .line = 0, .field = name_},
                      "the journal's pack " + std::to_string(next_) + " is not this job's",
                      "it was written by another build; start anew in another folder");
  }

 private:
  /// The rows of a pack that is evaluated now, written down.
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
                           "pack " + std::to_string(next_) + " is no JSON on one line",
                           "fix what evaluates packs");
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
