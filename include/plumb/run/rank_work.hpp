// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do all methods of ranking entities keep while they work?

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "plumb/rank/recorded_entity_ranks.hpp"
#include "plumb/run/pack_run.hpp"
#include "plumb/run/rank_journal.hpp"
#include "plumb/run/rank_plan.hpp"

namespace plumb {

/// Called with what is at work, how much of it is done and how much there is; `fresh` is what was
/// not done before.
using RankProgress = std::function<void(const std::string& part, std::size_t done,
                                        std::size_t fresh, std::size_t total)>;

/// One process, one thread.
struct RankWork {
  RankWork(const std::filesystem::path& journal_file, RankProgress on_progress)
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

  RankJournal journal;
  RankProgress progress;
  RunSummary summary;
  /// Of the model, by part.
  std::map<std::string, double> seconds;
};

/// A query's line before it is ranked.
template <class Tokenizer>
[[nodiscard]] EntityRank unranked(const Tokenizer& tokenizer, const RankPlan& plan,
                                  const PlannedQuery& planned) {
  const KnowledgeGraph& graph = plan.graph;
  const GraphQuery& query = planned.query;
  EntityRank rank;
  rank.part = planned.part;
  rank.line = query.triple.line;
  rank.asks_head = query.asks_head;
  rank.head = graph.entities[query.triple.head].id;
  rank.relation = graph.relations[query.triple.relation].id;
  rank.tail = graph.entities[query.triple.tail].id;
  rank.candidates = rank.filtered_candidates = plan.candidates.size();
  rank.tokens = tokenizer.tokenize(" " + graph.entities[query.gold()].name).tokens.size();
  return rank;
}

}  // namespace plumb
