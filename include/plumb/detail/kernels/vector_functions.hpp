// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which vector computations precede and follow the 16-bit products of a ranking?
//
// They are dot products in a fixed order, and the rounding of a vector to 16-bit numbers. All are
// plain loops that accumulate several vectors' worth of sums; compilers turn them into vector
// instructions of this file's width. Ranks are the same at every width: exact_dot's products are
// exact, and the other results are only used as bounds.

#include <cstddef>
#include <cstdint>

#include "plumb/detail/kernels/vector_width.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

/// The largest magnitude. Floats whose sign bit is cleared are ordered like their bit patterns, and
/// one instruction computes the maximum of many bit patterns.
inline float largest_magnitude_row(const float* numbers, std::size_t size) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, numbers[i]) & 0x7fffffffU;
    largest = bits > largest ? bits : largest;
  }
  return __builtin_bit_cast(float, largest);
}

/// Writes numbers · factor, rounded to the nearest integer or, rarely, to a neighbouring one.
/// Returns the sum of the squared rounding errors.
inline double write_short_row(const float* numbers, std::size_t size, float factor,
                              std::int16_t* shorts) {
  constexpr std::size_t lanes = 16;
  float squares[lanes] = {};
  const auto write = [&](std::size_t i, float& sum) {
    const float scaled = numbers[i] * factor;
    const auto rounded = static_cast<std::int32_t>(scaled + __builtin_copysignf(0.5F, scaled));
    const auto whole = static_cast<float>(rounded);
    shorts[i] = static_cast<std::int16_t>(rounded);
    sum += (scaled - whole) * (scaled - whole);
  };
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) write(i + lane, squares[lane]);
  }
  for (; i < size; ++i) write(i, squares[0]);
  double sum = 0;
  for (const float lane : squares) sum += static_cast<double>(lane);
  return sum;
}

/// Σ a·b in double precision, always in the same order. The products are exact.
inline double exact_dot_row(const float* a, const float* b, std::size_t size) {
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  for (; i < size; ++i) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  double sum = 0;
  for (const double lane : sums) sum += lane;
  return sum;
}

/// Σ a·b in single precision, in an unspecified order.
inline float quick_dot_row(const float* a, const float* b, std::size_t size) {
  constexpr std::size_t lanes = 64;
  float sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < size; ++i) sums[0] += a[i] * b[i];
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  }
  return sums[0];
}

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
