// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the steps between a network's products done many numbers at a time?
//
// Softmax and layer norm over a row, and e^x for both and for the activations, each on as many lanes
// as the widest vectors the program is compiled for. The last numbers of a row go through the same
// instructions as the others, so results do not depend on where a row lies in memory. vector_size
// is understood by GCC and Clang.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "plumb/detail/core/version.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace plumb::detail {

#if defined(__AVX512F__)
inline constexpr std::size_t float_lanes = 16;
#elif defined(__AVX__)
inline constexpr std::size_t float_lanes = 8;
#else
inline constexpr std::size_t float_lanes = 4;
#endif

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

/// The numbers of a row that are there, from `at` on, and `missing` in the other lanes.
[[gnu::always_inline]] inline FloatLanes load_some(std::span<const float> row, std::size_t at,
                                                   float missing) {
  if (at + float_lanes <= row.size()) return load_lanes(row.data() + at);
  FloatLanes lanes = FloatLanes{} + missing;
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask16>((1U << (row.size() - at)) - 1U);
  lanes = reinterpret_cast<FloatLanes>(
      _mm512_mask_loadu_ps(reinterpret_cast<__m512>(lanes), mask, row.data() + at));
#else
  std::memcpy(&lanes, row.data() + at, (row.size() - at) * sizeof(float));
#endif
  return lanes;
}
[[gnu::always_inline]] inline void store_some(std::span<float> row, std::size_t at,
                                              FloatLanes lanes) {
  if (at + float_lanes <= row.size()) return store_lanes(row.data() + at, lanes);
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask16>((1U << (row.size() - at)) - 1U);
  _mm512_mask_storeu_ps(row.data() + at, mask, reinterpret_cast<__m512>(lanes));
#else
  std::memcpy(row.data() + at, &lanes, (row.size() - at) * sizeof(float));
#endif
}

/// Puts f(x) for each x of a row.
template <class F>
void transform_row(std::span<float> row, F f) {
  std::size_t at = 0;
  for (; at + float_lanes <= row.size(); at += float_lanes) {
    store_lanes(row.data() + at, f(load_lanes(row.data() + at)));
  }
  if (at < row.size()) store_some(row, at, f(load_some(row, at, 0.0F)));
}

/// All lanes as one by halves: lane i with lane i + half, until one is left.
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

/// e^x to 2e-7 of it, x taken within [−87, 88]. x = n ln 2 + r with |r| ≤ ln 2 / 2; then
/// e^r = 1 + r + r² P(r), P fitted for the least relative error.
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

/// Makes finite scores probabilities: e^(x − max) / Σ e^(x − max). A row has one number at least.
inline void softmax_row(std::span<float> row) {
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  FloatLanes most = FloatLanes{} + nothing;
  for (std::size_t at = 0; at < row.size(); at += float_lanes) {
    const FloatLanes lanes = load_some(row, at, nothing);
    most = lanes > most ? lanes : most;
  }
  const float highest = most_of_lanes(most);
  FloatLanes sum{};
  for (std::size_t at = 0; at < row.size(); at += float_lanes) {
    const FloatLanes missing = load_some(row, at, nothing);
    FloatLanes power = exp_lanes(missing - highest);
    power = missing < -(std::numeric_limits<float>::max)() ? FloatLanes{} : power;
    sum += power;
    store_some(row, at, power);
  }
  const float scale = 1.0F / sum_of_lanes(sum);
  transform_row(row, [&](FloatLanes x) { return x * scale; });
}

/// (x − mean) / √(variance + epsilon) · weight + bias, the variance that of the row itself, not an
/// estimate. `weight` and `bias` are as long as the row, or empty for 1 and 0.
inline void layer_norm_row(std::span<float> row, std::span<const float> weight,
                           std::span<const float> bias, float epsilon) {
  const auto size = static_cast<float>(row.size());
  FloatLanes sum{};
  for (std::size_t at = 0; at < row.size(); at += float_lanes) sum += load_some(row, at, 0.0F);
  const float mean = sum_of_lanes(sum) / size;
  FloatLanes squares{};
  for (std::size_t at = 0; at < row.size(); at += float_lanes) {
    const FloatLanes away = load_some(row, at, mean) - mean;
    squares += away * away;
  }
  const float scale = 1.0F / std::sqrt(sum_of_lanes(squares) / size + epsilon);
  for (std::size_t at = 0; at < row.size(); at += float_lanes) {
    FloatLanes x = (load_some(row, at, 0.0F) - mean) * scale;
    if (!weight.empty()) x = x * load_some(weight, at, 0.0F);
    if (!bias.empty()) x = x + load_some(bias, at, 0.0F);
    store_some(row, at, x);
  }
}

/// x / √(mean of x² + epsilon) · weight + bias, by the same rules.
inline void rms_norm_row(std::span<float> row, std::span<const float> weight,
                         std::span<const float> bias, float epsilon) {
  FloatLanes squares{};
  for (std::size_t at = 0; at < row.size(); at += float_lanes) {
    const FloatLanes x = load_some(row, at, 0.0F);
    squares += x * x;
  }
  const float scale =
      1.0F / std::sqrt(sum_of_lanes(squares) / static_cast<float>(row.size()) + epsilon);
  for (std::size_t at = 0; at < row.size(); at += float_lanes) {
    FloatLanes x = load_some(row, at, 0.0F) * scale;
    if (!weight.empty()) x = x * load_some(weight, at, 0.0F);
    if (!bias.empty()) x = x + load_some(bias, at, 0.0F);
    store_some(row, at, x);
  }
}

}  // namespace plumb::detail
