// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the products of many queries and many entities computed tile by tile?
//
// Queries are split into blocks and entities into chunks, and both are converted to 16-bit numbers
// (rank/short_direction.hpp). A chunk stays in a core's cache while it is multiplied by all queries
// of a block.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "plumb/detail/core/aligned_allocator.hpp"
#include "plumb/detail/kernels/rank_kernels.hpp"
#include "plumb/detail/rank/short_direction.hpp"
#include "plumb/detail/rank/tile_counts.hpp"
#include "plumb/detail/rank/vectors.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using Pair = ShortPair;

/// Columns packed for tile products; missing columns are zero.
class ColumnPanel {
 public:
  explicit ColumnPanel(std::size_t pairs)
      : width_(rank_kernels().panel_width), values_(pairs * width_, 0) {}

  void set(std::size_t c, const Pair* numbers) {
    for (std::size_t i = 0; i * width_ < values_.size(); ++i) {
      values_[i * width_ + c] = numbers[i];
    }
  }
  [[nodiscard]] const Pair* data() const noexcept { return values_.data(); }

 private:
  std::size_t width_;
  AlignedVector<Pair> values_;  // [pairs][width_]
};

/// Consecutive queries, starting with first_query, as 16-bit numbers.
struct QueryBlock {
  std::size_t first_query;
  std::vector<ShortDirection> queries;
  std::vector<Pair> numbers;  // [queries][pairs]
};

[[nodiscard]] inline std::size_t pairs_of(std::size_t dimension) {
  return (dimension + 1) / 2;
}
/// The number of entities whose packed numbers fit in a core's cache.
[[nodiscard]] inline std::size_t entity_chunk_size(std::size_t dimension) {
  constexpr std::size_t chunk_bytes = 512 * 1024;
  const std::size_t width = rank_kernels().panel_width;
  const std::size_t panel_bytes = pairs_of(dimension) * width * sizeof(Pair);
  const std::size_t panels = chunk_bytes / std::max<std::size_t>(1, panel_bytes);
  return std::clamp<std::size_t>(panels, 1, 16) * width;
}
[[nodiscard]] inline std::size_t entity_chunks(std::size_t entities, std::size_t dimension) {
  const std::size_t chunk = entity_chunk_size(dimension);
  return (entities + chunk - 1) / chunk;
}

/// Splits the queries into blocks of about `bytes` bytes and calls `visit(QueryBlock)` for each, in
/// order.
template <class Visit>
void for_each_query_block(VectorRows queries, const std::vector<double>& lengths, std::size_t bytes,
                          Visit visit) {
  const auto dimension = static_cast<std::size_t>(queries.cols());
  if (lengths.empty() || dimension == 0) return;
  const std::size_t pairs = pairs_of(dimension);
  const std::size_t step = (std::max)(rank_kernels().tile_rows, bytes / (pairs * sizeof(Pair)));
  QueryBlock block;
  std::vector<std::int16_t> shorts(pairs * 2);
  for (std::size_t first = 0; first < lengths.size(); first += step) {
    const std::size_t count = (std::min)(step, lengths.size() - first);
    block.first_query = first;
    block.queries.resize(count);
    block.numbers.resize(count * pairs);
    for (std::size_t q = 0; q < count; ++q) {
      const float* row = queries.data() + (first + q) * dimension;
      const double length = lengths[first + q];
      auto& [scale, off] = block.queries[q];
      scale =
          short_scale(static_cast<double>(largest_magnitude(row, dimension)) / length, dimension);
      off = write_short(row, length, scale, dimension, shorts.data());
      std::memcpy(block.numbers.data() + q * pairs, shorts.data(), pairs * sizeof(Pair));
    }
    visit(block);
  }
}

/// Calls `visit(Tile)` for each tile formed by a chunk of entities and all queries of a block.
template <class Visit>
void for_each_tile(VectorRows vectors, const std::vector<double>& lengths, const QueryBlock& block,
                   std::size_t chunk, Visit visit) {
  const auto dimension = static_cast<std::size_t>(vectors.cols());
  const RankKernels& with = rank_kernels();
  const std::size_t rows_at_once = with.tile_rows, width = with.panel_width;
  const std::size_t pairs = pairs_of(dimension), chunk_size = entity_chunk_size(dimension);
  const std::size_t begin = chunk * chunk_size,
                    end = (std::min)(lengths.size(), begin + chunk_size);
  const auto row_of = [&](std::size_t entity) { return vectors.data() + entity * dimension; };
  double largest = 0;
  for (std::size_t e = begin; e < end; ++e) {
    const double magnitude = largest_magnitude(row_of(e), dimension);
    largest = (std::max)(largest, magnitude / lengths[e]);
  }
  ShortDirection entities{short_scale(largest, dimension), 0};
  std::vector<ColumnPanel> panels;
  std::vector<std::int16_t> shorts(pairs * 2);
  std::vector<Pair> numbers(pairs);
  for (std::size_t e = begin; e < end; ++e) {
    const std::size_t column = (e - begin) % width;
    if (column == 0) panels.emplace_back(pairs);
    entities.off = (std::max)(
        entities.off, write_short(row_of(e), lengths[e], entities.scale, dimension, shorts.data()));
    std::memcpy(numbers.data(), shorts.data(), pairs * sizeof(Pair));
    panels.back().set(column, numbers.data());
  }
  const std::size_t stride = panels.size() * width;
  std::vector<std::int32_t> products(rows_at_once * stride);
  for (std::size_t first = 0; first < block.queries.size(); first += rows_at_once) {
    const std::size_t rows = (std::min)(rows_at_once, block.queries.size() - first);
    std::array<const Pair*, most_tile_rows> row{};
    for (std::size_t r = 0; r < rows_at_once; ++r) {
      row[r] = block.numbers.data() + (first + (std::min)(r, rows - 1)) * pairs;
    }
    for (std::size_t p = 0; p < panels.size(); ++p) {
      with.tile_products(row.data(), panels[p].data(), pairs, products.data() + p * width, stride);
    }
    visit(Tile{block.first_query + first, rows, begin, end - begin, stride, products.data(),
               block.queries.data() + first, entities});
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
