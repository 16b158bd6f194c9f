// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are a few vectors multiplied by many others while all sums stay in registers?
//
//   products[r][c] = Σ_i rows[r][i] · columns[c][i]
// The products are exact. They are computed from 16-bit numbers, for tile_rows rows in their stored
// layout and a panel of panel_width columns. One instruction multiplies pairs of numbers and adds
// the products to 32-bit sums, so it processes more numbers at a time than a single-precision
// instruction. The pairs of all columns of a panel are contiguous, and all sums stay in registers
// until they are complete. The shape of a tile depends on the widest vectors for which the file is
// compiled. The vector types require the vector_size attribute, which GCC and Clang support.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "plumb/detail/kernels/float_lanes.hpp"
#include "plumb/detail/kernels/kernel_tables.hpp"

#if PLUMB_VECTOR_LEVEL >= 3
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

inline constexpr std::size_t lane_count = float_lanes;
inline constexpr std::size_t tile_rows = 2 * PLUMB_VECTOR_LEVEL,
                             panel_lanes = PLUMB_VECTOR_LEVEL == 4 ? 3 : 2;
inline constexpr std::size_t panel_width = panel_lanes * lane_count;

/// The products of lane_count columns, or one pair of numbers from each of these columns. A
/// comparison yields −1 in the lanes where it is true.
using Lanes [[gnu::vector_size(lane_count * sizeof(std::int32_t))]] = std::int32_t;

inline Lanes load(const std::int32_t* numbers) {
  Lanes lanes;
  std::memcpy(&lanes, numbers, sizeof(lanes));
  return lanes;
}

/// Whether any lane is not 0. Works on any CPU.
[[nodiscard]] inline bool any_by_words(Lanes lanes) {
  std::uint64_t words[sizeof(lanes) / sizeof(std::uint64_t)], found = 0;
  std::memcpy(words, &lanes, sizeof(lanes));
  for (const std::uint64_t word : words) found |= word;
  return found != 0;
}

/// Whether any lane is not 0.
[[nodiscard]] inline bool any(Lanes lanes) {
#if PLUMB_VECTOR_LEVEL == 4
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(lanes),
                                reinterpret_cast<__m512i>(lanes)) != 0;
#elif PLUMB_VECTOR_LEVEL == 3
  return _mm256_testz_si256(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(lanes)) ==
         0;
#else
  return any_by_words(lanes);
#endif
}

/// sum + a.first · b.first + a.second · b.second, in every lane. Works on any CPU.
inline Lanes add_products_by_halves(Lanes sum, Lanes a, Lanes b) {
  const Lanes low = ((a << 16) >> 16) * ((b << 16) >> 16);
  return sum + low + (a >> 16) * (b >> 16);
}

/// sum + a.first · b.first + a.second · b.second, in every lane.
inline Lanes add_products(Lanes sum, Lanes a, Lanes b) {
#if PLUMB_VECTOR_LEVEL == 4 && defined(__AVX512VNNI__)
  return reinterpret_cast<Lanes>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif PLUMB_VECTOR_LEVEL == 4
  return sum + reinterpret_cast<Lanes>(
                   _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif PLUMB_VECTOR_LEVEL == 3 && defined(__AVXVNNI__)
  return reinterpret_cast<Lanes>(_mm256_dpwssd_avx_epi32(
      reinterpret_cast<__m256i>(sum), reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif PLUMB_VECTOR_LEVEL == 3
  return sum + reinterpret_cast<Lanes>(
                   _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return sum + reinterpret_cast<Lanes>(
                   _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return add_products_by_halves(sum, a, b);
#endif
}

/// `products` has the shape [tile_rows][panel_width], with rows `stride` apart. Every partial sum
/// must fit into 32 bits.
[[gnu::noinline]] inline void tile_products(const ShortPair* const* rows, const ShortPair* panel,
                                            std::size_t pairs, std::int32_t* products,
                                            std::size_t stride) {
  // Index sequences unroll the loops, so that every sum has its own register.
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    const auto lane_by_lane = [&]<std::size_t... C>(std::index_sequence<C...>) {
      Lanes sums[tile_rows][panel_lanes] = {};
      const ShortPair* const row[] = {rows[R]...};
      for (std::size_t i = 0; i < pairs; ++i) {
        const Lanes columns[] = {load(panel + i * panel_width + C * lane_count)...};
        const auto add = [&](Lanes(&sum)[panel_lanes], ShortPair pair) {
          const Lanes same = Lanes{} + pair;
          ((sum[C] = add_products(sum[C], columns[C], same)), ...);
        };
        (add(sums[R], row[R][i]), ...);
      }
      const auto store = [&](std::size_t r) {
        (std::memcpy(products + r * stride + C * lane_count, &sums[r][C], sizeof(Lanes)), ...);
      };
      (store(R), ...);
    };
    lane_by_lane(std::make_index_sequence<panel_lanes>{});
  }
  (std::make_index_sequence<tile_rows>{});
}

/// Returns how many products are above `most`. Writes the column indices of the products from
/// `least` to `most` (inclusive) to `undecided`, in ascending order, and the number of these
/// products to `found`.
inline std::size_t count_above_row(const std::int32_t* products, std::size_t columns,
                                   std::int32_t least, std::int32_t most, std::uint32_t* undecided,
                                   std::size_t& found) {
  Lanes above = {};
  std::size_t count = 0, c = 0;
  found = 0;
  const auto decide_from = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (products[i] >= least && products[i] <= most) {
        undecided[found++] = static_cast<std::uint32_t>(i);
      }
    }
  };
  for (; c + lane_count <= columns; c += lane_count) {
    const Lanes lanes = load(products + c);
    const Lanes is_above = lanes > most;
    above -= is_above;
    if (any((lanes >= least) ^ is_above)) decide_from(c, c + lane_count);
  }
  decide_from(c, columns);
  for (; c < columns; ++c) count += products[c] > most ? 1 : 0;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    count += static_cast<std::size_t>(above[lane]);
  }
  return count;
}

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
