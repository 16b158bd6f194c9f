// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a direction written in 16-bit numbers, and how far off may it be?
//
// A vector u of length 1 is written as whole numbers U near s·u, s its scale, with
//   ‖U − s·u‖ ≤ off,
// so that by Cauchy and Schwarz, for two of them with scales s, t,
//   |U·V − s·t·(u·v)| ≤ (s + off(U)) · off(V) + off(U) · t.
// Scales are as large as 16 bits hold the numbers and 32 bits hold every product ‖U‖ ‖V‖.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "plumb/detail/kernels/rank_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ShortDirection {
  double scale = 1;
  double off = 0;
};

/// The scale for vectors of length 1 of which no number is above `largest`.
inline double short_scale(double largest, std::size_t dimension) {
  // Rounding lengthens a vector by √d/2 at most; 46340² < 2³¹.
  const double longest = 46340 - std::sqrt(static_cast<double>(dimension)) / 2 - 1;
  return (std::min)(32766 / largest, longest);
}

/// Of a row.
inline float largest_magnitude(const float* numbers, std::size_t dimension) {
  return rank_kernels().largest_magnitude(numbers, dimension);
}

/// Writes numbers · scale / length, rounded, and says how far off they are; `shorts` has room for
/// `dimension` numbers.
inline double write_short(const float* numbers, double length, double scale, std::size_t dimension,
                          std::int16_t* shorts) {
  const double sum =
      rank_kernels().write_short(numbers, dimension, static_cast<float>(scale / length), shorts);
  // The sum's own rounding, and that of the factor and the scaled numbers.
  const double slack = 1 + static_cast<double>(dimension) * 0x1.0p-24;
  return std::sqrt(sum) * slack + scale * 0x1.0p-22;
}

/// How far U·V may be from s·t·(u·v), one more for the roundings of thresholds that are compared
/// with it.
inline double product_bound(const ShortDirection& u, const ShortDirection& v) {
  return (u.scale + u.off) * v.off + u.off * v.scale + 1;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
