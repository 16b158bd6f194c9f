// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are a few vectors multiplied with many at the speed of the machine's registers?
//
//   products[r][c] = Σ_i rows[r][i] · columns[c][i]
// of 16-bit numbers, exactly, for tile_rows rows as they lie and a panel of panel_width columns.
// Numbers are taken in pairs, which one instruction multiplies and adds to a 32-bit sum, more of
// them at a time than of single precision. The pairs of all columns of a panel stand side by
// side; all sums stay in registers until they are whole. The shape follows the widest vectors the
// program is compiled for; vector_size is understood by GCC and Clang.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "plumb/detail/core/version.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace plumb::detail {

#if defined(__AVX512BW__)
inline constexpr std::size_t lane_count = 16, tile_rows = 8, panel_lanes = 3;
#elif defined(__AVX2__)
inline constexpr std::size_t lane_count = 8, tile_rows = 6, panel_lanes = 2;
#else
inline constexpr std::size_t lane_count = 4, tile_rows = 4, panel_lanes = 2;
#endif
inline constexpr std::size_t panel_width = panel_lanes * lane_count;

/// Products of as many columns, or a pair of numbers of each; a comparison gives −1 where it holds.
using Lanes [[gnu::vector_size(lane_count * sizeof(std::int32_t))]] = std::int32_t;

/// Two neighbouring numbers of a vector.
using Pair = std::int32_t;

inline Lanes load(const std::int32_t* numbers) {
  Lanes lanes;
  std::memcpy(&lanes, numbers, sizeof(lanes));
  return lanes;
}

/// Whether a lane is not 0, on any CPU.
[[nodiscard]] inline bool any_by_words(Lanes lanes) {
  std::uint64_t words[sizeof(lanes) / sizeof(std::uint64_t)], found = 0;
  std::memcpy(words, &lanes, sizeof(lanes));
  for (const std::uint64_t word : words) found |= word;
  return found != 0;
}

/// Whether a lane is not 0.
[[nodiscard]] inline bool any(Lanes lanes) {
#if defined(__AVX512BW__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(lanes),
                                reinterpret_cast<__m512i>(lanes)) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256(reinterpret_cast<__m256i>(lanes), reinterpret_cast<__m256i>(lanes)) ==
         0;
#else
  return any_by_words(lanes);
#endif
}

/// sum + a.first · b.first + a.second · b.second, in every lane, on any CPU.
inline Lanes add_products_by_halves(Lanes sum, Lanes a, Lanes b) {
  const Lanes low = ((a << 16) >> 16) * ((b << 16) >> 16);
  return sum + low + (a >> 16) * (b >> 16);
}

/// sum + a.first · b.first + a.second · b.second, in every lane.
inline Lanes add_products(Lanes sum, Lanes a, Lanes b) {
#if defined(__AVX512BW__) && defined(__AVX512VNNI__)
  return reinterpret_cast<Lanes>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX512BW__)
  return sum + reinterpret_cast<Lanes>(
                   _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVXVNNI__) && defined(__AVX2__)
  return reinterpret_cast<Lanes>(_mm256_dpwssd_avx_epi32(
      reinterpret_cast<__m256i>(sum), reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__AVX2__)
  return sum + reinterpret_cast<Lanes>(
                   _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return sum + reinterpret_cast<Lanes>(
                   _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return add_products_by_halves(sum, a, b);
#endif
}

/// Columns packed for tile_products; missing ones are zero.
class ColumnPanel {
 public:
  explicit ColumnPanel(std::size_t pairs) : values_(pairs * panel_width, 0) {}

  void set(std::size_t c, const Pair* numbers) {
    for (std::size_t i = 0; i * panel_width < values_.size(); ++i) {
      values_[i * panel_width + c] = numbers[i];
    }
  }
  [[nodiscard]] const Pair* data() const noexcept { return values_.data(); }

 private:
  // [pairs][panel_width]; where a load of Lanes straddles no cache line
  std::vector<Pair, Eigen::aligned_allocator<Pair>> values_;
};

/// `products` is [tile_rows][panel_width], its rows `stride` apart; no sum may leave 32 bits on its
/// way.
[[gnu::noinline]] inline void tile_products(const Pair* const* rows, const Pair* panel,
                                            std::size_t pairs, std::int32_t* products,
                                            std::size_t stride) {
  // Spelt out by index sequences, so that every sum is a register of its own.
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    const auto lane_by_lane = [&]<std::size_t... C>(std::index_sequence<C...>) {
      Lanes sums[tile_rows][panel_lanes] = {};
      const Pair* const row[] = {rows[R]...};
      for (std::size_t i = 0; i < pairs; ++i) {
        const Lanes columns[] = {load(panel + i * panel_width + C * lane_count)...};
        const auto add = [&](Lanes(&sum)[panel_lanes], Pair pair) {
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

}  // namespace plumb::detail
