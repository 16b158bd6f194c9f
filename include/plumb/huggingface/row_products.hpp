// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are a few rows multiplied with many columns at the speed of the machine's registers?
//
//   sums[r][c] += Σ_k rows[r][k] · columns[k][c]
// The sums of a tile of rows and of one to three vectors of columns stay in registers until they are
// whole, and k runs upwards in each of them. So a sum does not depend on which others are computed
// with it, bit by bit. Numbers of one k stand side by side in `float_lanes` columns; where these
// lie in memory is the caller's choice (packed_matrix.hpp, attention.hpp). The shape follows the
// widest vectors the program is compiled for; vector_size is understood by GCC and Clang. Sums are
// single precision, with a relative error of about 1e-6 at k = 3,072.

#include <cstddef>
#include <utility>

#include "plumb/huggingface/float_lanes.hpp"

namespace plumb::detail {

// So that sums, columns and row fit the registers there are.
inline constexpr std::size_t product_rows = float_lanes == 16 ? 8 : 6;
inline constexpr std::size_t product_lanes = float_lanes == 16 ? 3 : 2;
inline constexpr std::size_t product_width = product_lanes * float_lanes;

/// Where a tile's numbers lie.
struct ProductTile {
  const float* rows;
  /// Numbers from one row to the next.
  std::size_t row_stride;
  const float* columns;
  /// Numbers from one k to the next, and from one vector of columns to the next.
  std::size_t step, lane_step;
  /// How many k.
  std::size_t depth;
  float* sums;
  /// Numbers from one row's sums to the next; those of one row lie side by side.
  std::size_t sum_stride;
};

template <std::size_t Rows, std::size_t Lanes>
[[gnu::noinline]] void add_tile_products(const ProductTile& tile) {
  // Spelt out by index sequences, so that every sum is a register of its own.
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    const auto lane_by_lane = [&]<std::size_t... C>(std::index_sequence<C...>) {
      FloatLanes sum[Rows][Lanes];
      const auto begin = [&](std::size_t r) {
        ((sum[r][C] = load_lanes(tile.sums + r * tile.sum_stride + C * float_lanes)), ...);
      };
      (begin(R), ...);
      const float* const row[] = {tile.rows + R * tile.row_stride...};
      const float* at = tile.columns;
      const std::size_t step = tile.step, lane_step = tile.lane_step, depth = tile.depth;
      for (std::size_t k = 0; k < depth; ++k, at += step) {
        const FloatLanes columns[] = {load_lanes(at + C * lane_step)...};
        const auto add = [&](FloatLanes(&to)[Lanes], float number) {
          ((to[C] = to[C] + columns[C] * number), ...);
        };
        (add(sum[R], row[R][k]), ...);
      }
      const auto end = [&](std::size_t r) {
        (store_lanes(tile.sums + r * tile.sum_stride + C * float_lanes, sum[r][C]), ...);
      };
      (end(R), ...);
    };
    lane_by_lane(std::make_index_sequence<Lanes>{});
  }
  (std::make_index_sequence<Rows>{});
}

/// Adds the products of 1 … product_rows rows with 1 … product_lanes vectors of columns.
inline void add_products(std::size_t rows, std::size_t lanes, const ProductTile& tile) {
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    static constexpr void (*tiles[])(const ProductTile&) = {
        &add_tile_products<At / product_lanes + 1, At % product_lanes + 1>...};
    tiles[(rows - 1) * product_lanes + lanes - 1](tile);
  }
  (std::make_index_sequence<product_rows * product_lanes>{});
}

}  // namespace plumb::detail
