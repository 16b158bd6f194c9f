// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who counts where the true entities stand: this process, or several together?
//
// A ranking of entities asks an EntityRanking, which is chosen at run time, so that a command that
// is compiled once may count in one process or over MPI (run/mpi_ranking.hpp); hence the virtual
// functions. All count the same: ranks, ties and nearest entities are those of CosineRanker.

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

/// Vectors of entities: rows of a matrix, all in their order or those that are chosen. The matrix
/// must outlive it.
struct EntityVectors {
  EntityVectors(VectorRows all,  // NOLINT(google-explicit-constructor): rows are vectors
                std::filesystem::path of = {},
                std::optional<std::vector<std::uint32_t>> rows_chosen = {})
      : rows(all), file(std::move(of)), chosen(std::move(rows_chosen)) {}

  VectorRows rows;
  /// The .npy file that holds the matrix, which other processes map. May be empty.
  std::filesystem::path file;
  /// Rows, one an entity; nothing where all rows are entities in their order.
  std::optional<std::vector<std::uint32_t>> chosen;

  [[nodiscard]] std::size_t size() const {
    return chosen ? chosen->size() : static_cast<std::size_t>(rows.rows());
  }
  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(rows.cols()); }
  /// The row of the matrix that an entity's vector is.
  [[nodiscard]] std::size_t place(std::size_t entity) const {
    return chosen ? (*chosen)[entity] : entity;
  }
  [[nodiscard]] const float* row(std::size_t entity) const {
    return rows.data() + place(entity) * dimension();
  }
  /// Of some of the entities.
  [[nodiscard]] EntityVectors narrowed(std::span<const std::uint32_t> entities) const {
    std::vector<std::uint32_t> places;
    for (const std::uint32_t entity : entities) {
      places.push_back(static_cast<std::uint32_t>(place(entity)));
    }
    return {rows, file, std::move(places)};
  }
};

/// Which entity is true of which query, and which others are too: `known` ascends, has each once
/// and not `gold`.
struct EntityQuestion {
  std::uint32_t query = 0, gold = 0;
  std::vector<std::uint32_t> known{};
};

/// Where the true entity of a question stands.
struct EntityStanding {
  double cosine = 0;
  /// Among all, and without those that are known to be true too.
  Rank raw{};
  QueryRank filtered{};
};

/// One thread at a time.
class EntityRanking {
 public:
  EntityRanking() = default;
  EntityRanking(const EntityRanking&) = delete;
  EntityRanking& operator=(const EntityRanking&) = delete;
  virtual ~EntityRanking() = default;

  /// How many processes share the entities.
  [[nodiscard]] virtual std::size_t processes() const noexcept = 0;
  /// Of each question. Throws a user error for vectors that CosineRanker refuses and for questions
  /// about rows that are not there.
  [[nodiscard]] virtual std::vector<EntityStanding> standings(
      const EntityVectors& entities, VectorRows queries,
      std::span<const EntityQuestion> questions) = 0;
  /// The k nearest entities of each query, as CosineRanker::nearest. Throws as it does.
  [[nodiscard]] virtual std::vector<std::vector<NearEntity>> nearest(const EntityVectors& entities,
                                                                     VectorRows queries,
                                                                     std::size_t k) = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
