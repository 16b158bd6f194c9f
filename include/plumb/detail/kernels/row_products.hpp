// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are a few rows multiplied by many columns while all sums stay in registers?
//
//   sums[r][c] += Σ_k rows[r][k] · columns[k][c]
// A tile consists of a few rows and one to three vectors of columns. Its sums are held in
// registers, and each sum is accumulated in order of ascending k. The bits of a sum therefore do
// not depend on the other sums that are computed with it. Sums that start at 0 are computed in
// parts of 64 products, and each part is added to the total in memory; a bias may be added to the
// finished total. Sums that continue existing ones form a single chain of additions, so that they
// may be computed in any number of calls. The numbers for the same k are contiguous in
// `float_lanes` columns; the caller chooses where these vectors are in memory (packed_matrix.hpp,
// attention.hpp). The shape of a tile depends on the widest vectors for which this file is
// compiled. The vector types require the vector_size attribute, which GCC and Clang support. Sums
// are in single precision. Numbers are F32, or pairs of BF16 numbers for two neighbouring values of
// k; the two products of a pair are added together.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "plumb/detail/kernels/float_lanes.hpp"
#include "plumb/detail/kernels/kernel_tables.hpp"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

// Chosen so that the sums, the columns and one number of a row fit into the registers.
inline constexpr std::size_t product_rows = float_lanes == 16 ? 8 : 6;
inline constexpr std::size_t product_lanes = float_lanes == 16 ? 3 : 2;
inline constexpr std::size_t product_width = product_lanes * float_lanes;

using PairLanes [[gnu::vector_size(float_lanes * sizeof(float))]] = std::uint32_t;

[[gnu::always_inline]] inline PairLanes load_lanes(const NumberPair* pairs) {
  PairLanes lanes;
  std::memcpy(&lanes, pairs, sizeof(lanes));
  return lanes;
}

[[gnu::always_inline]] inline FloatLanes add_product(FloatLanes sums, FloatLanes columns,
                                                     float number) {
  return sums + columns * number;
}
/// Uses AVX512-BF16 if the file is compiled for it. Otherwise, the computation is slower than in
/// F32 and rounds after each product.
[[gnu::always_inline]] inline FloatLanes add_product(FloatLanes sums, PairLanes columns,
                                                     NumberPair pair) {
  const auto bits = __builtin_bit_cast(std::uint32_t, pair);
#if defined(__AVX512BF16__) && defined(__clang_major__) && __clang_major__ == 16
  // Clang 16 crashes on vectors of BF16 numbers.
  const PairLanes same = PairLanes{} + bits;
  asm("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(columns), "v"(same));
  return sums;
#elif defined(__AVX512BF16__)
  return reinterpret_cast<FloatLanes>(
      _mm512_dpbf16_ps(reinterpret_cast<__m512>(sums), reinterpret_cast<__m512bh>(columns),
                       reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(bits)))));
#else
  const PairLanes first = columns << 16, second = columns & 0xFFFF0000U;
  FloatLanes one, other;
  std::memcpy(&one, &first, sizeof(one));
  std::memcpy(&other, &second, sizeof(other));
  return sums + one * __builtin_bit_cast(float, bits << 16) +
         other * __builtin_bit_cast(float, bits & 0xFFFF0000U);
#endif
}

/// The type of a vector of stored numbers. The type is a class member because GCC drops a vector
/// type's size attribute from template arguments.
template <class Number>
struct LanesOf {
  using Type = FloatLanes;
};
template <>
struct LanesOf<NumberPair> {
  using Type = PairLanes;
};

/// One row's sums, and the operations that add to them. This is a separate type, not an array
/// shared by lambdas, so that the lanes stay in registers regardless of what else the program
/// contains.
template <std::size_t Lanes>
struct TileRow {
  FloatLanes sums[Lanes];

  [[gnu::always_inline]] TileRow(const float* from, bool adds) {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      ((sums[C] = adds ? load_lanes(from + C * float_lanes) : FloatLanes{}), ...);
    }
    (std::make_index_sequence<Lanes>{});
  }
  template <class Number>
  [[gnu::always_inline]] void add(const typename LanesOf<Number>::Type (&columns)[Lanes],
                                  Number number) {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      ((sums[C] = add_product(sums[C], columns[C], number)), ...);
    }
    (std::make_index_sequence<Lanes>{});
  }
  /// `joins`: whether to add the sums to the existing numbers.
  [[gnu::always_inline]] void store(float* to, bool joins) const {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      (store_lanes(to + C * float_lanes, joined(to, joins, C)), ...);
    }
    (std::make_index_sequence<Lanes>{});
  }
  /// Writes the sums, joined with `partial` if `joins`, plus `bias` to `finished`.
  [[gnu::always_inline]] void finish(const float* partial, bool joins, const float* bias,
                                     float* finished) const {
    [&]<std::size_t... C>(std::index_sequence<C...>) __attribute__((always_inline)) {
      (store_lanes(finished + C * float_lanes,
                   joined(partial, joins, C) + load_lanes(bias + C * float_lanes)),
       ...);
    }
    (std::make_index_sequence<Lanes>{});
  }

 private:
  [[gnu::always_inline]] FloatLanes joined(const float* partial, bool joins, std::size_t c) const {
    return joins ? load_lanes(partial + c * float_lanes) + sums[c] : sums[c];
  }
};

/// The number of products, or pairs of products, that are summed before the sum is added to the
/// total. The rounding error of a sum then grows with the square root of 64 (within a part) and
/// with the square root of the number of parts, not with the square root of the depth.
inline constexpr std::size_t summed_at_once = 64;

template <std::size_t Rows, std::size_t Lanes, class Number, std::size_t... R, std::size_t... C>
[[gnu::always_inline]] inline void add_spelt_out(const ProductTile<Number>& tile,
                                                 std::index_sequence<R...>,
                                                 std::index_sequence<C...>) {
  const Number* const row[] = {tile.rows + R * tile.row_stride...};
  const Number* at = tile.columns;
  const std::size_t step = tile.step, lane_step = tile.lane_step, depth = tile.depth;
  std::size_t k = 0;
  do {
    const bool is_first = k == 0;
    const bool is_last = tile.adds || depth - k <= summed_at_once;
    const std::size_t end = is_last ? depth : k + summed_at_once;
    TileRow<Lanes> sums[] = {TileRow<Lanes>(tile.sums + R * tile.sum_stride, tile.adds)...};
    for (; k < end; ++k, at += step) {
      const typename LanesOf<Number>::Type columns[] = {load_lanes(at + C * lane_step)...};
      (sums[R].add(columns, row[R][k]), ...);
    }
    if (is_last && tile.finished != nullptr) {
      (sums[R].finish(tile.sums + R * tile.sum_stride, !is_first, tile.bias,
                      tile.finished + R * tile.finished_stride),
       ...);
    } else {
      (sums[R].store(tile.sums + R * tile.sum_stride, !is_first), ...);
    }
  } while (k < depth);
}

template <std::size_t Rows, std::size_t Lanes, class Number>
[[gnu::noinline]] void add_tile_products(const ProductTile<Number>& tile) {
  add_spelt_out<Rows, Lanes>(tile, std::make_index_sequence<Rows>{},
                             std::make_index_sequence<Lanes>{});
}

/// Sums the products of 1 … product_rows rows and 1 … product_lanes vectors of columns. For BF16,
/// `depth` and the strides count pairs.
template <class Number>
void add_any_products(std::size_t rows, std::size_t lanes, const ProductTile<Number>& tile) {
  [&]<std::size_t... At>(std::index_sequence<At...>) {
    static constexpr void (*tiles[])(const ProductTile<Number>&) = {
        &add_tile_products<At / product_lanes + 1, At % product_lanes + 1, Number>...};
    tiles[(rows - 1) * product_lanes + lanes - 1](tile);
  }
  (std::make_index_sequence<product_rows * product_lanes>{});
}

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
