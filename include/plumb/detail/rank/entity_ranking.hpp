// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does this process compute the ranks of the true entities alone, or do several processes share the
// work?
//
// A job ranks entities through an EntityRanking. The implementation is chosen at run time, so that
// the same executable can count in one process or over MPI (run/mpi_ranking.hpp). This is why its
// functions are virtual. Every implementation returns the same ranks, ties and nearest entities as
// CosineRanker.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/measure/rank_metrics.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"
#include "plumb/detail/rank/vectors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Vectors of entities: all rows of a matrix in order, or chosen rows. The matrix must outlive this
/// object.
struct EntityVectors {
  EntityVectors(VectorRows all,  // NOLINT(google-explicit-constructor): rows are vectors
                std::filesystem::path of = {},
                std::optional<std::vector<std::uint32_t>> rows_chosen = {})
      : rows(all), file(std::move(of)), chosen(std::move(rows_chosen)) {}

  VectorRows rows;
  /// The .npy file that contains the matrix; other processes map it into memory. May be empty.
  std::filesystem::path file;
  /// The row of each entity; empty if entity i is row i.
  std::optional<std::vector<std::uint32_t>> chosen;

  [[nodiscard]] std::size_t size() const {
    return chosen ? chosen->size() : static_cast<std::size_t>(rows.rows());
  }
  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(rows.cols()); }
  /// The matrix row of an entity's vector.
  [[nodiscard]] std::size_t place(std::size_t entity) const {
    return chosen ? (*chosen)[entity] : entity;
  }
  [[nodiscard]] const float* row(std::size_t entity) const {
    return rows.data() + place(entity) * dimension();
  }
  /// The vectors of some of the entities.
  [[nodiscard]] EntityVectors narrowed(std::span<const std::uint32_t> entities) const {
    std::vector<std::uint32_t> places;
    for (const std::uint32_t entity : entities) {
      places.push_back(static_cast<std::uint32_t>(place(entity)));
    }
    return {rows, file, std::move(places)};
  }
};

/// A query, its true entity `gold`, and the other entities that are also true. `known` is sorted in
/// ascending order and contains neither duplicates nor `gold`.
struct EntityQuestion {
  std::uint32_t query = 0, gold = 0;
  std::vector<std::uint32_t> known{};
};

/// The cosine and the ranks of a question's true entity.
struct EntityStanding {
  double cosine = 0;
  /// The rank among all entities, and the rank when other entities known to be true are excluded.
  Rank raw{};
  QueryRank filtered{};
};

/// Not thread-safe.
class EntityRanking {
 public:
  EntityRanking() = default;
  EntityRanking(const EntityRanking&) = delete;
  EntityRanking& operator=(const EntityRanking&) = delete;
  virtual ~EntityRanking() = default;

  /// The number of processes that share the entities.
  [[nodiscard]] virtual std::size_t processes() const noexcept = 0;
  /// The cosine and ranks of each question's true entity. Throws a user error if CosineRanker
  /// rejects a vector, or if a question refers to a nonexistent row.
  [[nodiscard]] virtual std::vector<EntityStanding> standings(
      const EntityVectors& entities, VectorRows queries,
      std::span<const EntityQuestion> questions) = 0;
  /// The k entities nearest to each query; results and errors match those of CosineRanker::nearest.
  [[nodiscard]] virtual std::vector<std::vector<NearEntity>> nearest(const EntityVectors& entities,
                                                                     VectorRows queries,
                                                                     std::size_t k) = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
