// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many entities are nearer to a query than the true one?
//
//   rank(q, t) = 1 + #{e : cos(q, e) > cos(q, t)}
// The product of queries and entities is computed in tiles, and each tile is counted immediately:
// nothing is sorted, and no |Q| × |E| matrix is stored. Tiles are products of 16-bit numbers
// (kernels/tile_products.hpp). These products decide the comparison for every entity whose cosine
// differs from the true entity's by more than a proven bound on the rounding error
// (rank/short_direction.hpp), about 0.0003. For the few other entities, the cosine is computed in
// double precision and in a fixed order; this exact cosine defines the rank. Equal vectors
// therefore tie, regardless of where they are stored. Entities are read in place, so they may be in
// a mapped file. Source of the rank: "Cosine Similarity as Logits?", section 3.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/rank/entity_tiles.hpp"
#include "plumb/detail/rank/tile_counts.hpp"
#include "plumb/detail/rank/vectors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Row numbers of a query and of its true entity.
struct RankQuestion {
  std::uint32_t query = 0;
  std::uint32_t gold = 0;
};

/// A request for the number of entities whose cosine to a query is above `cosine`, and for the
/// number whose cosine equals it exactly.
struct CosineQuestion {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  std::uint32_t query = 0;
  double cosine = 0;
  /// The row of the entity that `cosine` was computed for, if the ranker has that row; the entity
  /// is not counted as equal to itself.
  std::uint32_t own = none;
};

struct NearEntity {
  std::uint32_t entity = 0;
  double cosine = 0;
};

/// Any number of threads may use the same object.
class CosineRanker {
 public:
  /// `entities` must outlive the ranker. Throws a user error for a vector that is zero or not
  /// finite. Error messages number the rows from `first`, because the entities may be part of a
  /// longer list.
  explicit CosineRanker(VectorRows entities, std::size_t first = 0)
      : entities_(entities),
        lengths_(detail::checked_lengths(entities, "entities", first)),
        quick_bound_(detail::single_precision_bound(dimension())) {}

  [[nodiscard]] std::size_t size() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(entities_.cols()); }

  /// The rank of each question's true entity among all entities. Throws a user error if the
  /// dimension of the queries differs from that of the entities, if a query is zero or not finite,
  /// or if a question refers to a nonexistent row.
  [[nodiscard]] std::vector<Rank> ranks(VectorRows queries,
                                        std::span<const RankQuestion> questions) const {
    const std::vector<double> lengths = checked_queries(queries);
    std::vector<CosineQuestion> asked;
    for (const auto& [query, entity] : questions) {
      if (query >= lengths.size() || entity >= size()) {
        throw user_error({.field = "questions"},
                         "question " + std::to_string(asked.size()) + " refers to row " +
                             std::to_string(query) + " and entity " + std::to_string(entity) +
                             ", but at least one of them does not exist",
                         "ask only about existing rows");
      }
      asked.push_back({query, cosine(query_row(queries, query), lengths[query], entity), entity});
    }
    return counts_of(queries, lengths, asked);
  }

  /// For each question, the number of nearer entities and the number of equally near entities.
  /// Throws the same errors as `ranks`.
  [[nodiscard]] std::vector<Rank> counts(VectorRows queries,
                                         std::span<const CosineQuestion> questions) const {
    const std::vector<double> lengths = checked_queries(queries);
    for (const CosineQuestion& question : questions) {
      if (question.query >= lengths.size()) {
        throw user_error({.field = "questions"},
                         "a question refers to query " + std::to_string(question.query) + " of " +
                             std::to_string(lengths.size()),
                         "ask only about existing queries");
      }
    }
    return counts_of(queries, lengths, questions);
  }

  /// The k entities nearest to each query, nearest first; ties are in row order. Returns all
  /// entities if there are fewer than k.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(VectorRows queries,
                                                             std::size_t k) const {
    const std::vector<double> lengths = checked_queries(queries);
    std::vector<std::vector<NearEntity>> all(lengths.size());
    std::mutex merging;
    const auto visit = [&](const detail::QueryBlock& block) {
      parallel_for(chunks(), [&](std::size_t chunk) {
        std::vector<std::vector<NearEntity>> nearby(block.queries.size());
        double widest = 0;  // the largest bound
        detail::for_each_tile(entities_, lengths_, block, chunk, [&](const detail::Tile& tile) {
          for (std::size_t r = 0; r < tile.rows; ++r) {
            auto& of_query = nearby[tile.first_query + r - block.first_query];
            widest = (std::max)(widest, tile.bound(r));
            for (std::size_t c = 0; c < tile.columns; ++c) {
              of_query.push_back(
                  {static_cast<std::uint32_t>(tile.first_entity + c), tile.cosine(r, c)});
            }
          }
        });
        for (std::size_t q = 0; q < nearby.size(); ++q) {
          keep_nearest(nearby[q], k, widest);
          const std::size_t query = block.first_query + q;
          for (NearEntity& one : nearby[q]) {
            one.cosine = cosine(query_row(queries, query), lengths[query], one.entity);
          }
        }
        const std::lock_guard lock(merging);
        for (std::size_t q = 0; q < nearby.size(); ++q) {
          auto& best = all[block.first_query + q];
          best.insert(best.end(), nearby[q].begin(), nearby[q].end());
          if (best.size() > 8 * k) keep_nearest(best, k, 0);
        }
      });
    };
    detail::for_each_query_block(queries, lengths, nearest_bytes, visit);
    for (auto& best : all) {
      ranges::sort(best, [](const NearEntity& a, const NearEntity& b) {
        return a.cosine != b.cosine ? a.cosine > b.cosine : a.entity < b.entity;
      });
      best.resize((std::min)(best.size(), k));
    }
    return all;
  }

  /// The exact cos(query, entity) that defines ranks; NaN for a query of length 0. Throws a user
  /// error if the query has a different dimension or the entity does not exist.
  [[nodiscard]] double cosine(std::span<const float> query, std::size_t entity) const {
    if (query.size() != dimension() || entity >= size()) {
      throw user_error({.field = "cosine"},
                       "query of " + std::to_string(query.size()) + " dimensions, entity " +
                           std::to_string(entity) +
                           "; the ranker "
                           "has " +
                           counted(size(), "entity") + " of " + std::to_string(dimension()),
                       "pass an existing entity and a query of that dimension");
    }
    return cosine(query.data(), std::sqrt(exact_dot(query.data(), query.data(), dimension())),
                  entity);
  }

 private:
  // The size in bytes of the block of queries that is compared with one chunk of entities.
  static constexpr std::size_t block_bytes = 16 * 1024 * 1024, nearest_bytes = 1024 * 1024;

  [[nodiscard]] const float* entity_row(std::size_t entity) const {
    return entities_.data() + entity * dimension();
  }
  static const float* query_row(VectorRows queries, std::size_t query) {
    return queries.data() + query * static_cast<std::size_t>(queries.cols());
  }
  [[nodiscard]] double cosine(const float* query, double length, std::size_t entity) const {
    return exact_dot(query, entity_row(entity), dimension()) / lengths_[entity] / length;
  }

  /// The counts for questions and queries that have already been checked.
  [[nodiscard]] std::vector<Rank> counts_of(VectorRows queries, const std::vector<double>& lengths,
                                            std::span<const CosineQuestion> questions) const {
    std::vector<std::vector<std::uint32_t>> of_query(lengths.size());
    for (std::uint32_t i = 0; i < questions.size(); ++i) of_query[questions[i].query].push_back(i);
    std::vector<Rank> ranks(questions.size());
    std::mutex merging;
    const auto visit = [&](const detail::QueryBlock& block) {
      parallel_for(chunks(), [&](std::size_t chunk) {
        std::vector<std::pair<std::uint32_t, Rank>> found;
        std::vector<std::uint32_t> scratch(detail::entity_chunk_size(dimension()));
        detail::for_each_tile(entities_, lengths_, block, chunk, [&](const detail::Tile& tile) {
          for (std::size_t r = 0; r < tile.rows; ++r) {
            const std::size_t query = tile.first_query + r;
            for (const std::uint32_t question : of_query[query]) {
              Rank rank;
              const CosineQuestion& asked = questions[question];
              const auto decide = [&](std::size_t column) {
                const std::size_t entity = tile.first_entity + column;
                if (entity != asked.own) {
                  add(rank, query_row(queries, query), lengths[query], entity, asked.cosine);
                }
              };
              rank.above += detail::count_above(tile.row(r), tile.columns,
                                                tile.undecided(r, asked.cosine), scratch, decide);
              found.emplace_back(question, rank);
            }
          }
        });
        const std::lock_guard lock(merging);
        for (const auto& [question, rank] : found) {
          ranks[question].above += rank.above;
          ranks[question].equal += rank.equal;
        }
      });
    };
    detail::for_each_query_block(queries, lengths, block_bytes, visit);
    return ranks;
  }

  /// Counts an entity in a rank if its cosine is at least as high as the true entity's.
  void add(Rank& rank, const float* query, double length, std::size_t entity, double gold) const {
    const double quick =
        static_cast<double>(detail::quick_dot(query, entity_row(entity), dimension())) /
        lengths_[entity] / length;
    if (quick < gold - quick_bound_) return;
    const double known = quick > gold + quick_bound_ ? quick : cosine(query, length, entity);
    rank.above += known > gold ? 1 : 0;
    rank.equal += known == gold ? 1 : 0;
  }

  [[nodiscard]] std::vector<double> checked_queries(VectorRows queries) const {
    if (static_cast<std::size_t>(queries.cols()) != dimension()) {
      throw user_error({.field = "queries"},
                       "have " + std::to_string(queries.cols()) +
                           " dimensions, but the entities have " + std::to_string(dimension()),
                       "embed both with the same model");
    }
    return detail::checked_lengths(queries, "queries");
  }

  [[nodiscard]] std::size_t chunks() const { return detail::entity_chunks(size(), dimension()); }

  /// Removes entities that cannot be among the k nearest.
  void keep_nearest(std::vector<NearEntity>& nearby, std::size_t k, double bound) const {
    if (nearby.size() <= k) return;
    if (k == 0) return nearby.clear();
    std::nth_element(nearby.begin(), nearby.begin() + static_cast<std::ptrdiff_t>(k - 1),
                     nearby.end(),
                     [](const NearEntity& a, const NearEntity& b) { return a.cosine > b.cosine; });
    const double least = nearby[k - 1].cosine - 2 * bound;
    std::erase_if(nearby, [&](const NearEntity& one) { return one.cosine < least; });
  }

  VectorRows entities_;
  std::vector<double> lengths_;
  double quick_bound_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
