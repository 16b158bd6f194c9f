// SPDX-License-Identifier: Apache-2.0
#pragma once

// How high do the true entities stand, over many queries?
//
//   mean rank, mean reciprocal rank
//   Hit@k                      share of queries whose true entity has rank ≤ k; there is none where
//                              there are fewer than k candidates, or an unfinished search leaves a
//                              query undecided
//   adjusted mean rank index   1 − (MR − 1) / E[MR − 1], E[MR − 1] the mean of (candidates − 1) / 2:
//                              1 at best, 0 for guessing, below for worse
// Intervals are bootstrapped over queries, of Hit@k Wilson's. Source of the index: Berrendorf et al.
// 2020, as in PyKEEN.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/measure/interval.hpp"
#include "plumb/measure/rank.hpp"

namespace plumb {

/// Where a query's true entity stands.
struct QueryRank {
  Rank rank;
  std::size_t candidates = 0;
  /// Candidates that may stand above too.
  std::size_t undecided = 0;
};

enum class Ties { optimistic, realistic, pessimistic };

[[nodiscard]] inline double rank_of(const Rank& rank, Ties ties) {
  return ties == Ties::optimistic    ? rank.optimistic()
         : ties == Ties::pessimistic ? rank.pessimistic()
                                     : rank.realistic();
}

inline constexpr std::array<std::size_t, 4> entity_hit_levels{1, 3, 10, 100};

struct RankMetrics {
  std::size_t queries = 0;
  /// Queries with a tie, and with an undecided rank.
  std::size_t tied = 0, undecided = 0;
  Estimate mean_rank, mean_reciprocal_rank, adjusted_mean_rank_index;
  std::array<Estimate, entity_hit_levels.size()> hits;  // by entity_hit_levels
};

/// Share of queries with rank ≤ k; nothing where it is not certain or there are too few candidates.
[[nodiscard]] inline Estimate hits_at(std::span<const QueryRank> ranks, Ties ties, std::size_t k) {
  std::size_t hits = 0;
  std::size_t most = 0;
  for (const QueryRank& query : ranks) {
    const double rank = rank_of(query.rank, ties);
    most = (std::max)(most, query.candidates);
    if (rank > static_cast<double>(k)) continue;
    if (rank + static_cast<double>(query.undecided) > static_cast<double>(k)) return {};
    ++hits;
  }
  return most < k ? Estimate{} : wilson(hits, ranks.size());
}

/// `name` seeds the bootstrap.
[[nodiscard]] inline RankMetrics rank_metrics(std::span<const QueryRank> ranks, Ties ties,
                                              const Bootstrap& bootstrap, const std::string& name) {
  RankMetrics metrics;
  metrics.queries = ranks.size();
  Stratum rank, reciprocal, index;
  double expected = 0;
  for (const QueryRank& query : ranks) {
    metrics.tied += query.rank.equal > 0 ? 1U : 0U;
    metrics.undecided += query.undecided > 0 ? 1U : 0U;
    const double at = rank_of(query.rank, ties);
    rank.values.push_back(at);
    reciprocal.values.push_back(1 / at);
    expected += static_cast<double>(query.candidates - 1) / 2 / static_cast<double>(ranks.size());
  }
  for (std::size_t i = 0; i < entity_hit_levels.size(); ++i) {
    metrics.hits[i] = hits_at(ranks, ties, entity_hit_levels[i]);
  }
  if (ranks.empty() || metrics.undecided > 0) return metrics;
  metrics.mean_rank = bootstrap_mean({rank}, bootstrap, name + "/mean_rank");
  metrics.mean_reciprocal_rank = bootstrap_mean({reciprocal}, bootstrap, name + "/mrr");
  if (expected > 0) {
    const auto adjusted = [&](double mean) { return 1 - (mean - 1) / expected; };
    const Estimate& mean = metrics.mean_rank;
    metrics.adjusted_mean_rank_index = {adjusted(mean.value), adjusted(mean.high),
                                        adjusted(mean.low), mean.count, mean.method};
  }
  return metrics;
}

}  // namespace plumb
