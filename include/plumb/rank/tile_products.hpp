// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are a few vectors multiplied with many at the speed of the machine's registers?
//
//   products[r][c] = Σ_i rows[r][i] · columns[c][i]
// for tile_rows rows as they lie and a panel of panel_width columns, packed so that the i-th numbers
// of all columns stand side by side. All sums stay in registers until they are whole, so no partial
// result is written; each is added up in the order of i. The shape follows the widest vectors the
// program is compiled for (AVX-512, AVX, or 16 bytes); vector_size is understood by GCC and Clang.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace plumb::detail {

#if defined(__AVX512F__)
inline constexpr std::size_t lane_count = 16, tile_rows = 8;
#elif defined(__AVX__)
inline constexpr std::size_t lane_count = 8, tile_rows = 4;
#else
inline constexpr std::size_t lane_count = 4, tile_rows = 4;
#endif
inline constexpr std::size_t panel_lanes = 3;
inline constexpr std::size_t panel_width = panel_lanes * lane_count;

using Lanes [[gnu::vector_size(lane_count * sizeof(float))]] = float;

/// As many whole numbers; a comparison of Lanes gives −1 where it holds.
using LaneCounts [[gnu::vector_size(lane_count * sizeof(float))]] = int;

[[nodiscard]] inline bool any(const LaneCounts& lanes) {
  std::uint64_t words[sizeof(lanes) / sizeof(std::uint64_t)], found = 0;
  std::memcpy(words, &lanes, sizeof(lanes));
  for (const std::uint64_t word : words) found |= word;
  return found != 0;
}

/// Columns packed for tile_products; missing ones are zero.
class ColumnPanel {
 public:
  explicit ColumnPanel(std::size_t dimension) : values_(dimension * panel_width, 0.0F) {}

  /// Column c is `scale` times these numbers.
  void set(std::size_t c, const float* numbers, float scale) {
    for (std::size_t i = 0; i * panel_width < values_.size(); ++i) {
      values_[i * panel_width + c] = numbers[i] * scale;
    }
  }
  [[nodiscard]] const float* data() const noexcept { return values_.data(); }

 private:
  // [dimension][panel_width]; where a load of Lanes straddles no cache line
  std::vector<float, Eigen::aligned_allocator<float>> values_;
};

inline Lanes load(const float* numbers) {
  Lanes lanes;
  std::memcpy(&lanes, numbers, sizeof(lanes));
  return lanes;
}

/// `products` is [tile_rows][panel_width].
[[gnu::noinline]] inline void tile_products(const float* const* rows, const float* panel,
                                            std::size_t dimension, float* products) {
  // Spelt out by index sequences, so that every sum is a register of its own.
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    Lanes sums[tile_rows][panel_lanes] = {};
    const float* const row[] = {rows[R]...};
    for (std::size_t i = 0; i < dimension; ++i) {
      const float* const columns = panel + i * panel_width;
      const Lanes a = load(columns), b = load(columns + lane_count),
                  c = load(columns + 2 * lane_count);
      ((sums[R][0] += a * row[R][i], sums[R][1] += b * row[R][i], sums[R][2] += c * row[R][i]),
       ...);
    }
    const auto store = [&](std::size_t r, std::size_t c, const Lanes& sum) {
      std::memcpy(products + r * panel_width + c * lane_count, &sum, sizeof(sum));
    };
    ((store(R, 0, sums[R][0]), store(R, 1, sums[R][1]), store(R, 2, sums[R][2])), ...);
  }
  (std::make_index_sequence<tile_rows>{});
}

}  // namespace plumb::detail
