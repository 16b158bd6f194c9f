// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a direction written in 16-bit numbers, and how large is the error?
//
// A vector u of length 1 is written as integers U near s·u, where s is its scale, with
//   ‖U − s·u‖ ≤ off,
// By the Cauchy–Schwarz inequality, two such vectors with scales s and t satisfy
//   |U·V − s·t·(u·v)| ≤ (s + off(U)) · off(V) + off(U) · t.
// Each scale is the largest for which the numbers fit in 16 bits and every product ‖U‖ ‖V‖ fits in
// 32 bits.

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

/// The scale for vectors of length 1 whose numbers are at most `largest` in magnitude.
inline double short_scale(double largest, std::size_t dimension) {
  // Rounding lengthens a vector by at most √d/2; 46340² < 2³¹.
  const double longest = 46340 - std::sqrt(static_cast<double>(dimension)) / 2 - 1;
  return (std::min)(32766 / largest, longest);
}

/// The largest magnitude in a row.
inline float largest_magnitude(const float* numbers, std::size_t dimension) {
  return rank_kernels().largest_magnitude(numbers, dimension);
}

/// Writes numbers · scale / length, rounded, and returns `off`, the bound on the error. `shorts`
/// must have room for `dimension` numbers.
inline double write_short(const float* numbers, double length, double scale, std::size_t dimension,
                          std::int16_t* shorts) {
  const double sum =
      rank_kernels().write_short(numbers, dimension, static_cast<float>(scale / length), shorts);
  // The slack allows for rounding errors in the sum, the factor and the scaled numbers.
  const double slack = 1 + static_cast<double>(dimension) * 0x1.0p-24;
  return std::sqrt(sum) * slack + scale * 0x1.0p-22;
}

/// A bound on |U·V − s·t·(u·v)|, plus 1 for the rounding of thresholds that are compared with U·V.
inline double product_bound(const ShortDirection& u, const ShortDirection& v) {
  return (u.scale + u.off) * v.off + u.off * v.scale + 1;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
