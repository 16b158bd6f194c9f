// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are floats processed a whole vector at a time?
//
// This header contains loads, stores, sums over lanes and e^x for the widest vectors that this file
// is compiled for (vector_width.hpp). The last numbers of a row are processed with the same
// instructions as the others, so results do not depend on a row's place in memory. The vector types
// require the vector_size attribute, which GCC and Clang support.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "plumb/detail/kernels/vector_width.hpp"

#if PLUMB_VECTOR_LEVEL == 4
#include <immintrin.h>
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

inline constexpr std::size_t float_lanes = std::size_t{1} << PLUMB_VECTOR_LEVEL;

using FloatLanes [[gnu::vector_size(float_lanes * sizeof(float))]] = float;
using IntLanes [[gnu::vector_size(float_lanes * sizeof(float))]] = std::int32_t;

[[gnu::always_inline]] inline FloatLanes load_lanes(const float* numbers) {
  FloatLanes lanes;
  std::memcpy(&lanes, numbers, sizeof(lanes));
  return lanes;
}
[[gnu::always_inline]] inline void store_lanes(float* numbers, FloatLanes lanes) {
  std::memcpy(numbers, &lanes, sizeof(lanes));
}

/// The numbers of a row from `at` on, with `missing` in the lanes beyond the row's end.
[[gnu::always_inline]] inline FloatLanes load_some(const float* row, std::size_t size,
                                                   std::size_t at, float missing) {
  if (at + float_lanes <= size) return load_lanes(row + at);
  FloatLanes lanes = FloatLanes{} + missing;
#if PLUMB_VECTOR_LEVEL == 4
  const auto mask = static_cast<__mmask16>((1U << (size - at)) - 1U);
  lanes = reinterpret_cast<FloatLanes>(
      _mm512_mask_loadu_ps(reinterpret_cast<__m512>(lanes), mask, row + at));
#else
  std::memcpy(&lanes, row + at, (size - at) * sizeof(float));
#endif
  return lanes;
}
[[gnu::always_inline]] inline void store_some(float* row, std::size_t size, std::size_t at,
                                              FloatLanes lanes) {
  if (at + float_lanes <= size) return store_lanes(row + at, lanes);
#if PLUMB_VECTOR_LEVEL == 4
  const auto mask = static_cast<__mmask16>((1U << (size - at)) - 1U);
  _mm512_mask_storeu_ps(row + at, mask, reinterpret_cast<__m512>(lanes));
#else
  std::memcpy(row + at, &lanes, (size - at) * sizeof(float));
#endif
}

/// Replaces each x of a row with f(x).
template <class F>
void transform_row(float* row, std::size_t size, F f) {
  std::size_t at = 0;
  for (; at + float_lanes <= size; at += float_lanes) {
    store_lanes(row + at, f(load_lanes(row + at)));
  }
  if (at < size) store_some(row, size, at, f(load_some(row, size, at, 0.0F)));
}

/// Combines all lanes into one by repeated halving: lane i is combined with lane i + half until one
/// lane is left.
template <std::size_t Half = float_lanes / 2, class Join>
[[gnu::always_inline]] inline float fold_lanes(FloatLanes lanes, Join join) {
  const FloatLanes other = [&]<int... At>(std::integer_sequence<int, At...>) {
    return __builtin_shufflevector(lanes, lanes, (At + int{Half}) % int{float_lanes}...);
  }
  (std::make_integer_sequence<int, int{float_lanes}>{});
  if constexpr (Half == 1) {
    return join(lanes, other)[0];
  } else {
    return fold_lanes<Half / 2>(join(lanes, other), join);
  }
}
inline float sum_of_lanes(FloatLanes lanes) {
  return fold_lanes(lanes, [](FloatLanes a, FloatLanes b) { return a + b; });
}
inline float most_of_lanes(FloatLanes lanes) {
  return fold_lanes(lanes, [](FloatLanes a, FloatLanes b) { return a > b ? a : b; });
}

/// e^x with relative error 2e-7; x is clamped to [−87, 88]. x = n ln 2 + r with |r| ≤ ln 2 / 2;
/// then e^r = 1 + r + r² P(r), where P is fitted to minimise the relative error.
inline FloatLanes exp_lanes(FloatLanes x) {
  x = x < -87.0F ? FloatLanes{} - 87.0F : x;
  x = x > 88.0F ? FloatLanes{} + 88.0F : x;
  const FloatLanes scaled = x * 1.44269504F;
  const FloatLanes half = scaled < 0.0F ? FloatLanes{} - 0.5F : FloatLanes{} + 0.5F;
  const IntLanes n = __builtin_convertvector(scaled + half, IntLanes);
  const FloatLanes whole = __builtin_convertvector(n, FloatLanes);
  const FloatLanes r = (x - whole * 0.693359375F) - whole * -2.12194440e-4F;
  FloatLanes p = FloatLanes{} + 0.00138146139F;
  p = p * r + 0.00836871285F;
  p = p * r + 0.0416683890F;
  p = p * r + 0.166665211F;
  p = p * r + 0.499999940F;
  p = p * (r * r) + r + 1.0F;
  const IntLanes power = (n + 127) << 23;  // the bits of 2^n
  FloatLanes scale;
  std::memcpy(&scale, &power, sizeof(scale));
  return p * scale;
}

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
