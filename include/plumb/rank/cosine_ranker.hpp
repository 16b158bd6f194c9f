// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many entities lie nearer to a query than the true one?
//
//   rank(q, t) = 1 + #{e : cos(q, e) > cos(q, t)}
// counted over tiles of the product of entities and queries as they are made: no sort, and no
// |Q| × |E| matrix (rank/tile_products.hpp). A tile is single precision and decides all entities
// whose cosine differs from the true one's by more than a proven bound of its rounding,
//   |fl(q·e) − q·e| ≤ γ ‖q‖ ‖e‖,  γ = d u / (1 − d u),  u = 2⁻²⁴,
// whatever the order of its d sums (Higham 2002, section 3.1). For the few others the cosine is
// taken in double precision and one order, which is what ranks are defined by: equal vectors tie
// wherever they stand. Entities are read where they lie, so they may be a mapped file. Source of
// the rank: "Cosine Similarity as Logits?", section 3.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/parallel.hpp"
#include "plumb/measure/rank.hpp"
#include "plumb/rank/tile_counts.hpp"
#include "plumb/rank/tile_products.hpp"
#include "plumb/rank/vectors.hpp"

namespace plumb {

/// Which entity is true of which query, by row.
struct RankQuestion {
  std::uint32_t query = 0;
  std::uint32_t gold = 0;
};

struct NearEntity {
  std::uint32_t entity = 0;
  double cosine = 0;
};

/// Any number of threads may ask it.
class CosineRanker {
 public:
  /// `entities` must outlive it. Throws a user error for a vector that is zero or not finite.
  explicit CosineRanker(VectorRows entities)
      : entities_(entities), lengths_(detail::checked_lengths(entities, "entities")) {
    for (const double length : lengths_) inverse_lengths_.push_back(static_cast<float>(1 / length));
  }

  [[nodiscard]] std::size_t size() const noexcept { return lengths_.size(); }
  [[nodiscard]] std::size_t dimension() const { return static_cast<std::size_t>(entities_.cols()); }

  /// Of each question, among all entities. Throws a user error for queries of another dimension, for
  /// one that is zero or not finite, and for a question about a row that is not there.
  [[nodiscard]] std::vector<Rank> ranks(VectorRows queries,
                                        std::span<const RankQuestion> questions) const {
    const std::vector<double> lengths = checked_queries(queries);
    std::vector<std::vector<std::uint32_t>> of_query(lengths.size());
    std::vector<double> gold(questions.size());
    for (std::uint32_t i = 0; i < questions.size(); ++i) {
      const auto [query, entity] = questions[i];
      if (query >= lengths.size() || entity >= size()) {
        throw user_error({.field = "questions"},
                         "question " + std::to_string(i) + " is about row " +
                             std::to_string(query) + " and entity " + std::to_string(entity) +
                             ", which are not all there",
                         "ask about rows that are");
      }
      of_query[query].push_back(i);
      gold[i] = cosine(query_row(queries, query), lengths[query], entity);
    }
    std::vector<Rank> ranks(questions.size());
    std::mutex merging;
    for_each_block(queries, lengths, [&](const Block& block) {
      std::vector<detail::Thresholds> thresholds;
      for (std::size_t p = 0; p < block.panels.size(); ++p) {
        thresholds.push_back(thresholds_of(block, p, of_query, gold));
      }
      parallel_for(chunks(), [&](std::size_t chunk) {
        std::vector<std::pair<std::uint32_t, Rank>> found;
        const auto decide = [&](std::uint32_t question, std::size_t entity) {
          const auto [query, true_one] = questions[question];
          if (entity == true_one) return;
          const double exact = cosine(query_row(queries, query), lengths[query], entity);
          found.push_back(
              {question, {exact > gold[question] ? 1U : 0U, exact == gold[question] ? 1U : 0U}});
        };
        std::vector<detail::Counts> above(block.panels.size());
        for_each_tile(block, chunk, [&](const detail::Tile& tile) {
          detail::count_tile(tile, thresholds[tile.panel], above[tile.panel], decide, found);
        });
        const std::lock_guard lock(merging);
        for (std::size_t p = 0; p < above.size(); ++p) {
          for (std::size_t lane = 0; lane < detail::panel_width; ++lane) {
            const std::uint32_t question = thresholds[p].question[lane];
            if (question != detail::Thresholds::none) ranks[question].above += above[p].of(lane);
          }
        }
        for (const auto& [question, rank] : found) {
          ranks[question].above += rank.above;
          ranks[question].equal += rank.equal;
        }
      });
    });
    return ranks;
  }

  /// The k nearest entities of each query, nearest first, equals by row; fewer where there are fewer.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(VectorRows queries,
                                                             std::size_t k) const {
    const std::vector<double> lengths = checked_queries(queries);
    std::vector<std::vector<NearEntity>> all(lengths.size());
    std::mutex merging;
    for_each_block(queries, lengths, [&](const Block& block) {
      parallel_for(chunks(), [&](std::size_t chunk) {
        std::vector<std::vector<NearEntity>> near(block.queries);
        for_each_tile(block, chunk, [&](const detail::Tile& tile) {
          const std::size_t first = tile.panel * detail::panel_width;
          const std::size_t count = std::min(detail::panel_width, block.queries - first);
          for (std::size_t lane = 0; lane < count; ++lane) {
            for (std::size_t r = 0; r < tile.rows; ++r) {
              near[first + lane].push_back({static_cast<std::uint32_t>(tile.first_entity + r),
                                            static_cast<double>(tile.cosine(r, lane))});
            }
          }
        });
        for (std::size_t q = 0; q < near.size(); ++q) {
          keep_nearest(near[q], k);
          const std::size_t query = block.first_query + q;
          for (NearEntity& one : near[q]) {
            one.cosine = cosine(query_row(queries, query), lengths[query], one.entity);
          }
        }
        const std::lock_guard lock(merging);
        for (std::size_t q = 0; q < near.size(); ++q) {
          auto& best = all[block.first_query + q];
          best.insert(best.end(), near[q].begin(), near[q].end());
        }
      });
    });
    for (auto& best : all) {
      std::ranges::sort(best, [](const NearEntity& a, const NearEntity& b) {
        return a.cosine != b.cosine ? a.cosine > b.cosine : a.entity < b.entity;
      });
      best.resize(std::min(best.size(), k));
    }
    return all;
  }

  /// cos(query, entity) as ranks are defined by it.
  [[nodiscard]] double cosine(std::span<const float> query, std::size_t entity) const {
    return cosine(query.data(),
                  std::sqrt(detail::exact_dot(query.data(), query.data(), dimension())), entity);
  }

 private:
  // Entities that a thread takes at a time, and the size of the packed queries that stay in a core's
  // cache meanwhile.
  static constexpr std::size_t chunk_size = 512, block_bytes = 1024 * 1024;

  /// Queries at length 1, packed.
  struct Block {
    std::size_t first_query, queries;
    std::vector<detail::ColumnPanel> panels;
  };

  [[nodiscard]] const float* entity_row(std::size_t entity) const {
    return entities_.data() + entity * dimension();
  }
  static const float* query_row(VectorRows queries, std::size_t query) {
    return queries.data() + query * static_cast<std::size_t>(queries.cols());
  }
  [[nodiscard]] double cosine(const float* query, double length, std::size_t entity) const {
    return detail::exact_dot(query, entity_row(entity), dimension()) / lengths_[entity] / length;
  }

  [[nodiscard]] std::vector<double> checked_queries(VectorRows queries) const {
    if (static_cast<std::size_t>(queries.cols()) != dimension()) {
      throw user_error({.field = "queries"},
                       "have " + std::to_string(queries.cols()) + " dimensions, the entities " +
                           std::to_string(dimension()),
                       "embed both with the same model");
    }
    return detail::checked_lengths(queries, "queries");
  }

  /// How far a tile's cosine may be from the exact one: the sum's rounding, and eight more for the
  /// lengths, their inverses, the products with them and the thresholds.
  [[nodiscard]] double bound() const {
    const double steps = static_cast<double>(dimension() + 8) * 0x1.0p-24;
    return steps / (1 - steps);
  }

  [[nodiscard]] std::size_t chunks() const { return (size() + chunk_size - 1) / chunk_size; }

  template <class Visit>
  void for_each_block(VectorRows queries, const std::vector<double>& lengths, Visit visit) const {
    if (lengths.empty()) return;  // there may be no dimension either
    const std::size_t panel_bytes = dimension() * detail::panel_width * sizeof(float);
    const std::size_t panels = std::max<std::size_t>(1, block_bytes / panel_bytes);
    const std::size_t step = panels * detail::panel_width;
    for (std::size_t first = 0; first < lengths.size(); first += step) {
      Block block{first, std::min(step, lengths.size() - first), {}};
      for (std::size_t q = 0; q < block.queries; ++q) {
        const std::size_t lane = q % detail::panel_width;
        if (lane == 0) block.panels.emplace_back(dimension());
        block.panels.back().set(lane, query_row(queries, first + q),
                                static_cast<float>(1 / lengths[first + q]));
      }
      visit(block);
    }
  }

  /// A chunk of entities with all panels of a block.
  template <class Visit>
  void for_each_tile(const Block& block, std::size_t chunk, Visit visit) const {
    std::array<float, detail::tile_rows * detail::panel_width> products;
    const std::size_t end = std::min(size(), (chunk + 1) * chunk_size);
    for (std::size_t first = chunk * chunk_size; first < end; first += detail::tile_rows) {
      const std::size_t rows = std::min(detail::tile_rows, end - first);
      std::array<const float*, detail::tile_rows> row;
      for (std::size_t r = 0; r < row.size(); ++r) {
        row[r] = entity_row(first + std::min(r, rows - 1));
      }
      for (std::size_t p = 0; p < block.panels.size(); ++p) {
        fetch_ahead(first + detail::tile_rows, end, p, block.panels.size());
        detail::tile_products(row.data(), block.panels[p].data(), dimension(), products.data());
        visit(detail::Tile{first, rows, p, products.data(), inverse_lengths_.data() + first});
      }
    }
  }

  /// Asks the memory for the rows that come next, a part of them for each panel.
  void fetch_ahead(std::size_t first, std::size_t end, std::size_t part, std::size_t parts) const {
    const std::size_t rows = std::min(detail::tile_rows, end - std::min(first, end));
    const std::size_t numbers = rows * dimension();
    const float* at = entity_row(first);
    for (std::size_t i = numbers * part / parts; i < numbers * (part + 1) / parts; i += 16) {
      __builtin_prefetch(at + i, 0, 2);
    }
  }

  [[nodiscard]] detail::Thresholds thresholds_of(
      const Block& block, std::size_t panel,
      const std::vector<std::vector<std::uint32_t>>& of_query,
      const std::vector<double>& gold) const {
    detail::Thresholds made;
    for (std::size_t lane = 0; lane < detail::panel_width; ++lane) {
      const std::size_t q = panel * detail::panel_width + lane;
      if (q >= block.queries) break;
      for (const std::uint32_t question : of_query[block.first_query + q]) {
        made.add(lane, question, static_cast<float>(gold[question] + bound()),
                 static_cast<float>(gold[question] - bound()));
      }
    }
    return made;
  }

  /// Leaves those that may be among the k nearest.
  void keep_nearest(std::vector<NearEntity>& near, std::size_t k) const {
    if (near.size() <= k) return;
    if (k == 0) return near.clear();
    std::ranges::nth_element(near, near.begin() + static_cast<std::ptrdiff_t>(k - 1),
                             std::ranges::greater{}, &NearEntity::cosine);
    const double least = near[k - 1].cosine - 2 * bound();
    std::erase_if(near, [&](const NearEntity& one) { return one.cosine < least; });
  }

  VectorRows entities_;
  std::vector<double> lengths_;
  std::vector<float> inverse_lengths_;
};

}  // namespace plumb
