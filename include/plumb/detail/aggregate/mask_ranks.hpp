// SPDX-License-Identifier: Apache-2.0
#pragma once

// How high does the true token rank when a masked model fills a gap?
//
//   Hit@k   share of prompts whose likeliest true token is among the k likeliest tokens (LAMA's
//           P@k)
//   MRR     mean of 1 / rank
// Each number is averaged over the prompts of each fact, and then over facts. Ranks are computed in
// the whole vocabulary and in a vocabulary that several models have in common; without the latter,
// models with different vocabularies cannot be compared. Ranks are realistic (measure/rank.hpp).
// Source: Petroni et al. 2019, "Language Models as Knowledge Bases?", section 4.3, which ranks each
// object of a fact separately, with the fact's other objects removed. Here, the rank of a fact with
// several objects is the rank of its highest-ranking object.

#include <array>
#include <cstddef>
#include <optional>

#include "plumb/detail/aggregate/fact_means.hpp"
#include "plumb/detail/aggregate/prompt_list.hpp"
#include "plumb/detail/measure/hit_rates.hpp"
#include "plumb/detail/measure/rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The ranks for one prompt. Nullopt if no name is a single token, or if none is in the common
/// vocabulary.
struct TrueTokenRank {
  std::optional<Rank> whole{};
  std::optional<Rank> common{};
};

struct TokenRankMetrics {
  HitRates hits{};
  Estimate mean_reciprocal_rank{};
  /// The number of prompts with a rank, and of prompts without one.
  std::size_t prompts = 0;
  std::size_t without_rank = 0;

  /// `k` must be one of `hit_levels`.
  [[nodiscard]] const Estimate& hit_at(std::size_t k) const { return hits.at(k); }
};

/// `vocabulary` is a member of TrueTokenRank. The count of each estimate is the number of facts
/// with a rank.
[[nodiscard]] inline TokenRankMetrics token_rank_metrics(
    const PromptList<TrueTokenRank>& ranks, std::optional<Rank> TrueTokenRank::*vocabulary,
    const Bootstrap& bootstrap) {
  constexpr std::size_t levels = hit_levels.size();
  TokenRankMetrics made;
  std::array<FactValues, levels + 1> values;
  auto prompt = ranks.prompts.begin();
  auto fact = ranks.facts.begin();
  for (const std::size_t size : ranks.strata) {
    for (FactValues& one : values) one.begin_relation();
    for (std::size_t i = 0; i < size; ++i, ++fact) {
      std::array<double, levels + 1> sums{};
      std::size_t known = 0;
      for (std::size_t p = 0; p < *fact; ++p, ++prompt) {
        const std::optional<Rank>& rank = (*prompt).*vocabulary;
        if (!rank) continue;
        ++known;
        for (std::size_t k = 0; k < levels; ++k) sums[k] += rank->expected_hit(hit_levels[k]);
        sums[levels] += 1 / rank->realistic();
      }
      made.prompts += known;
      made.without_rank += *fact - known;
      if (known == 0) continue;
      for (std::size_t k = 0; k <= levels; ++k) {
        values[k].add(sums[k] / static_cast<double>(known));
      }
    }
  }
  FactMeans means(bootstrap, "token ranks");
  for (std::size_t k = 0; k < levels; ++k) made.hits.at(hit_levels[k]) = share_of(values[k]);
  made.mean_reciprocal_rank = means(values[levels]);
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
