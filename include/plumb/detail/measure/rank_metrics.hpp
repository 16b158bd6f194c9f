// SPDX-License-Identifier: Apache-2.0
#pragma once

// How high do the true entities rank across many queries?
//
//   mean rank, mean reciprocal rank
//   Hit@k                      mean over queries of Rank's Hit@k (measure/rank.hpp); no number if
//                              there are fewer than k candidates, or if an unfinished search leaves
//                              a query undecided
//   adjusted mean rank index   1 − (MR − 1) / E[MR − 1], where E[MR − 1] is the mean of
//                              (candidates − 1) / 2: 1 at best, 0 for guessing, negative if worse
// Intervals are bootstrapped over queries, except that Hit@k has Wilson intervals. Source of the
// adjusted mean rank index: Berrendorf et al. 2020, as in PyKEEN.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/hit_rates.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The rank of a query's true entity.
struct QueryRank {
  Rank rank;
  std::size_t candidates = 0;
  /// The number of other candidates that may still rank above it.
  std::size_t undecided = 0;
};

/// The values of k for which tables show hit rates. A search can be configured to run until the
/// ranks are decided at these values of k.
inline constexpr std::array<std::size_t, 4> ranked_hit_levels{1, 3, 10, 100};

struct RankMetrics {
  std::size_t queries = 0;
  /// The number of queries with a tie, and the number with an undecided rank.
  std::size_t tied = 0, undecided = 0;
  Estimate mean_rank, mean_reciprocal_rank, adjusted_mean_rank_index;
  HitRates hits{};

  /// `k` must be one of `hit_levels`.
  [[nodiscard]] const Estimate& hit_at(std::size_t k) const { return hits.at(k); }
};

/// The mean hit rate at k; no number if the rate is uncertain or there are too few candidates.
[[nodiscard]] inline Estimate hits_at(std::span<const QueryRank> ranks, Ties ties, std::size_t k) {
  double hits = 0;
  std::size_t most = 0;
  for (const QueryRank& query : ranks) {
    most = (std::max)(most, query.candidates);
    const double hit = query.rank.hit(k, ties);
    // In the worst case, all undecided candidates rank above the true entity. If they tie instead,
    // the hit rate is not lower.
    const Rank worst{query.rank.above + query.undecided, query.rank.equal};
    if (worst.hit(k, ties) < hit) return {};
    hits += hit;
  }
  if (ranks.empty() || most < k) return {};
  return wilson_share(hits / static_cast<double>(ranks.size()), ranks.size());
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
    const double at = query.rank.by(ties);
    rank.values.push_back(at);
    reciprocal.values.push_back(1 / at);
    expected += static_cast<double>(query.candidates - 1) / 2 / static_cast<double>(ranks.size());
  }
  for (const std::size_t k : hit_levels) metrics.hits.at(k) = hits_at(ranks, ties, k);
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

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
