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

#include "plumb/detail/core/version.hpp"

namespace plumb::detail {

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

inline float largest_magnitude(const float* numbers, std::size_t dimension) {
  // Without their signs, floats are in the order of their bits, whose maximum takes one instruction
  // for many of them.
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    largest = (std::max)(largest, std::bit_cast<std::uint32_t>(numbers[i]) & 0x7fffffffU);
  }
  return std::bit_cast<float>(largest);
}

/// Writes numbers · scale / length, rounded, and says how far off they are; `shorts` has room for
/// `dimension` numbers.
inline double write_short(const float* numbers, double length, double scale, std::size_t dimension,
                          std::int16_t* shorts) {
  const auto factor = static_cast<float>(scale / length);
  std::array<float, 16> squares{};
  const auto write = [&](std::size_t i, float& sum) {
    const float scaled = numbers[i] * factor;
    // Towards the nearest, or all but; what it is off is measured.
    const auto rounded = static_cast<std::int32_t>(scaled + std::copysign(0.5F, scaled));
    const auto whole = static_cast<float>(rounded);
    shorts[i] = static_cast<std::int16_t>(rounded);
    sum += (scaled - whole) * (scaled - whole);
  };
  std::size_t i = 0;
  for (; i + squares.size() <= dimension; i += squares.size()) {
    for (std::size_t lane = 0; lane < squares.size(); ++lane) write(i + lane, squares[lane]);
  }
  for (; i < dimension; ++i) write(i, squares[0]);
  double sum = 0;
  for (const float lane : squares) sum += static_cast<double>(lane);
  // The sum's own rounding, and that of the factor and the scaled numbers.
  const double slack = 1 + static_cast<double>(dimension) * 0x1.0p-24;
  return std::sqrt(sum) * slack + scale * 0x1.0p-22;
}

/// How far U·V may be from s·t·(u·v), one more for the roundings of thresholds that are compared
/// with it.
inline double product_bound(const ShortDirection& u, const ShortDirection& v) {
  return (u.scale + u.off) * v.off + u.off * v.scale + 1;
}

}  // namespace plumb::detail
