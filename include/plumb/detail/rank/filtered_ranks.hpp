// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the true entity's rank when other true entities are excluded?
//
// The filtered rank of Bordes et al. 2013 ("Translating Embeddings for Modeling Multi-relational
// Data", section 4.1): other entities that are known to be true for the query are not mistakes.
// They do not lower the rank of the true entity, and they are not counted as candidates.
// `rank_metrics` (measure/rank_metrics.hpp) turns the ranks into mean rank, MRR, Hit@k and the
// adjusted mean rank index.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/rank_metrics.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Computes the filtered rank of the true entity `gold` from `raw`, its rank among all entities, by
/// removing the entities whose rows are in `known`. Duplicates count once, and `known` may include
/// `gold`, which is not removed. `query` is the query's vector. Throws a user error if an entity
/// does not exist.
[[nodiscard]] inline QueryRank filtered_rank(const CosineRanker& ranker, const Rank& raw,
                                             std::span<const float> query, std::uint32_t gold,
                                             std::span<const std::uint32_t> known) {
  std::vector<std::uint32_t> others(known.begin(), known.end());
  ranges::sort_distinct(others);
  std::erase(others, gold);
  QueryRank made{raw, ranker.size() - others.size(), 0};
  const double score = ranker.cosine(query, gold);
  for (const std::uint32_t other : others) {
    const double cosine = ranker.cosine(query, other);
    made.rank.above -= cosine > score ? 1U : 0U;
    made.rank.equal -= cosine == score ? 1U : 0U;
  }
  return made;
}

/// The filtered rank of each question's true entity. `known` contains one list of rows for each
/// question: the other entities known to be true, if any. Throws the same errors as
/// CosineRanker::ranks, and a user error if the number of lists differs from the number of
/// questions.
[[nodiscard]] inline std::vector<QueryRank> filtered_ranks(
    const CosineRanker& ranker, VectorRows queries, std::span<const RankQuestion> questions,
    std::span<const std::vector<std::uint32_t>> known) {
  if (known.size() != questions.size()) {
    throw user_error({.field = "known"},
                     "has " + std::to_string(known.size()) + " lists for " +
                         std::to_string(questions.size()) + " questions",
                     "pass one list for each question, which may be empty");
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (const std::uint32_t row : known[i]) {
      if (row < ranker.size()) continue;
      throw user_error({.field = "known"},
                       "list " + std::to_string(i) + " has row " + std::to_string(row) + " of " +
                           counted(ranker.size(), "entity"),
                       "count rows from 0");
    }
  }
  const std::vector<Rank> raw = ranker.ranks(queries, questions);
  std::vector<QueryRank> made;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto [query, gold] = questions[i];
    const std::span<const float> row(queries.data() + query * ranker.dimension(),
                                     ranker.dimension());
    made.push_back(filtered_rank(ranker, raw[i], row, gold, known[i]));
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
