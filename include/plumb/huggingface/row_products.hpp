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

/// One row's sums and how they grow. A type of its own, not an array that lambdas share: whatever
/// else the program has, its lanes then stay in registers.
template <std::size_t Lanes>
struct TileRow {
  FloatLanes sums[Lanes];

  [[gnu::always_inline]] explicit TileRow(const float* from) {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      ((sums[C] = load_lanes(from + C * float_lanes)), ...);
    }
    (std::make_index_sequence<Lanes>{});
  }
  [[gnu::always_inline]] void add(const FloatLanes (&columns)[Lanes], float number) {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      ((sums[C] = sums[C] + columns[C] * number), ...);
    }
    (std::make_index_sequence<Lanes>{});
  }
  [[gnu::always_inline]] void store(float* to) const {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      (store_lanes(to + C * float_lanes, sums[C]), ...);
    }
    (std::make_index_sequence<Lanes>{});
  }
};

template <std::size_t Rows, std::size_t Lanes, std::size_t... R, std::size_t... C>
[[gnu::always_inline]] inline void add_spelt_out(const ProductTile& tile, std::index_sequence<R...>,
                                                 std::index_sequence<C...>) {
  TileRow<Lanes> sums[] = {TileRow<Lanes>(tile.sums + R * tile.sum_stride)...};
  const float* const row[] = {tile.rows + R * tile.row_stride...};
  const float* at = tile.columns;
  const std::size_t step = tile.step, lane_step = tile.lane_step, depth = tile.depth;
  for (std::size_t k = 0; k < depth; ++k, at += step) {
    const FloatLanes columns[] = {load_lanes(at + C * lane_step)...};
    (sums[R].add(columns, row[R][k]), ...);
  }
  (sums[R].store(tile.sums + R * tile.sum_stride), ...);
}

template <std::size_t Rows, std::size_t Lanes>
[[gnu::noinline]] void add_tile_products(const ProductTile& tile) {
  add_spelt_out<Rows, Lanes>(tile, std::make_index_sequence<Rows>{},
                             std::make_index_sequence<Lanes>{});
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
