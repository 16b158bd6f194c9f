// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a job of several parts keep while it works?
//
// Its journal, what it cost, and how long the model took for each part ("queries", "likelihood",
// "4-random" …).

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "plumb/run/pack_run.hpp"
#include "plumb/run/part_journal.hpp"

namespace plumb {

/// Called with what is at work, how much of it is done and how much there is; `fresh` is what was
/// not done before.
using PartProgress = std::function<void(const std::string& part, std::size_t done,
                                        std::size_t fresh, std::size_t total)>;

/// One process, one thread.
struct PartWork {
  PartWork(const std::filesystem::path& journal_file, PartProgress on_progress)
      : journal(journal_file), progress(std::move(on_progress)) {}

  /// Does work of the model's for a part of the job and counts its time.
  template <class Work>
  void time(const std::string& part, Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    summary.seconds_model += spent.count();
    seconds[part] += spent.count();
  }

  void advance(const std::string& part, std::size_t done, std::size_t fresh, std::size_t total) {
    if (progress) progress(part, done, fresh, total);
  }

  PartJournal journal;
  PartProgress progress;
  RunSummary summary;
  /// Of the model, by part.
  std::map<std::string, double> seconds;
};

}  // namespace plumb
