// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the steps between a network's matrix products vectorised?
//
// The steps are softmax, norms, activations and caps over a row, and conversions of a row's numbers
// to wider types.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "plumb/detail/kernels/float_lanes.hpp"
#include "plumb/detail/kernels/half_number.hpp"
#include "plumb/detail/kernels/kernel_tables.hpp"

#if PLUMB_VECTOR_LEVEL >= 3
#include <immintrin.h>
#endif

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

/// Turns scores into probabilities: e^(x − max) / Σ e^(x − max). At least one number of the row
/// must be finite.
inline void softmax_row(float* row, std::size_t size) {
  constexpr float nothing = -__builtin_inff();
  FloatLanes most = FloatLanes{} + nothing;
  for (std::size_t at = 0; at < size; at += float_lanes) {
    const FloatLanes lanes = load_some(row, size, at, nothing);
    most = lanes > most ? lanes : most;
  }
  const float highest = most_of_lanes(most);
  FloatLanes sum{};
  for (std::size_t at = 0; at < size; at += float_lanes) {
    const FloatLanes missing = load_some(row, size, at, nothing);
    FloatLanes power = exp_lanes(missing - highest);
    power = missing < -__FLT_MAX__ ? FloatLanes{} : power;
    sum += power;
    store_some(row, size, at, power);
  }
  const float scale = 1.0F / sum_of_lanes(sum);
  transform_row(row, size, [&](FloatLanes x) { return x * scale; });
}

/// (x − mean) / √(variance + ε) · weight + bias. The variance is the row's own (the sum is divided
/// by n), not an estimate of a population variance.
inline void layer_norm_row(float* row, std::size_t size, const NormNumbers& norm) {
  const auto count = static_cast<float>(size);
  FloatLanes sum{};
  for (std::size_t at = 0; at < size; at += float_lanes) sum += load_some(row, size, at, 0.0F);
  const float mean = sum_of_lanes(sum) / count;
  FloatLanes squares{};
  for (std::size_t at = 0; at < size; at += float_lanes) {
    const FloatLanes away = load_some(row, size, at, mean) - mean;
    squares += away * away;
  }
  const float scale = 1.0F / __builtin_sqrtf(sum_of_lanes(squares) / count + norm.epsilon);
  for (std::size_t at = 0; at < size; at += float_lanes) {
    FloatLanes x = (load_some(row, size, at, 0.0F) - mean) * scale;
    if (norm.weight != nullptr) x = x * load_some(norm.weight, size, at, 0.0F);
    if (norm.bias != nullptr) x = x + load_some(norm.bias, size, at, 0.0F);
    store_some(row, size, at, x);
  }
}

/// x / √(mean of x² + ε) · weight + bias.
inline void rms_norm_row(float* row, std::size_t size, const NormNumbers& norm) {
  FloatLanes squares{};
  for (std::size_t at = 0; at < size; at += float_lanes) {
    const FloatLanes x = load_some(row, size, at, 0.0F);
    squares += x * x;
  }
  const float scale =
      1.0F / __builtin_sqrtf(sum_of_lanes(squares) / static_cast<float>(size) + norm.epsilon);
  for (std::size_t at = 0; at < size; at += float_lanes) {
    FloatLanes x = load_some(row, size, at, 0.0F) * scale;
    if (norm.weight != nullptr) x = x * load_some(norm.weight, size, at, 0.0F);
    if (norm.bias != nullptr) x = x + load_some(norm.bias, size, at, 0.0F);
    store_some(row, size, at, x);
  }
}

/// erf with an error of at most 4e-7: z P(z²) / Q(z²), fitted to minimise the relative error. z is
/// clamped to |z| ≤ 4; at 4, erf is 1 to within 2e-8.
inline FloatLanes erf_lanes(FloatLanes z) {
  z = z < -4.0F ? FloatLanes{} - 4.0F : z;
  z = z > 4.0F ? FloatLanes{} + 4.0F : z;
  const FloatLanes t = z * z;
  FloatLanes p = FloatLanes{} + 1.9869117e-6F;
  p = p * t + 2.845338e-4F;
  p = p * t + 3.882182e-3F;
  p = p * t + 0.053098176F;
  p = p * t + 0.19351882F;
  p = p * t + 1.1283791F;
  FloatLanes q = FloatLanes{} + 3.7419824e-5F;
  q = q * t + 1.1852775e-3F;
  q = q * t + 0.015204943F;
  q = q * t + 0.115339056F;
  q = q * t + 0.5048342F;
  q = q * t + 1.0F;
  return z * p / q;
}

/// Replaces each x of a row with f(x), to within 1e-6 · max(1, |x|).
inline void activate_row(Activation activation, float* row, std::size_t size) {
  switch (activation) {
    case Activation::gelu:
      return transform_row(
          row, size, [](FloatLanes x) { return x * 0.5F * (1.0F + erf_lanes(x * 0.707106781F)); });
    case Activation::gelu_new:  // (1 + tanh u) / 2 = 1 / (1 + e^−2u)
      return transform_row(row, size, [](FloatLanes x) {
        const FloatLanes u = 0.797884561F * (x + 0.044715F * x * x * x);
        return x / (1.0F + exp_lanes(-2.0F * u));
      });
    case Activation::relu:
      return transform_row(row, size, [](FloatLanes x) { return x > 0.0F ? x : FloatLanes{}; });
    case Activation::silu:
      return transform_row(row, size, [](FloatLanes x) { return x / (1.0F + exp_lanes(-x)); });
  }
}

/// c · tanh(x / c), where tanh u = 1 − 2 / (1 + e^2u).
inline void cap_row(float* row, std::size_t size, float cap) {
  transform_row(row, size, [&](FloatLanes x) {
    return cap * (1.0F - 2.0F / (1.0F + exp_lanes(x * (2.0F / cap))));
  });
}

[[gnu::always_inline]] inline void rotate_pair(float& x, float& y, float cosine, float sine) {
  const float was = x;
  x = was * cosine - y * sine;
  y = y * cosine + was * sine;
}
/// Rotates pairs of numbers: x[i] and x[i + pairs] or, if `interleaved` is true, x[2i] and x[2i +
/// 1].
inline void rotate_row(float* x, std::size_t pairs, const float* cosines, const float* sines,
                       bool interleaved) {
  if (interleaved) {
    for (std::size_t i = 0; i < pairs; ++i) {
      rotate_pair(x[2 * i], x[2 * i + 1], cosines[i], sines[i]);
    }
  } else {
    for (std::size_t i = 0; i < pairs; ++i) rotate_pair(x[i], x[i + pairs], cosines[i], sines[i]);
  }
}

/// row + from · scale.
inline void add_scaled_row(float* row, const float* from, std::size_t size, float scale) {
  for (std::size_t i = 0; i < size; ++i) row[i] += from[i] * scale;
}

/// Converts `count` 16-bit numbers to F32.
inline void widen_bf16_row(const std::uint16_t* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::uint32_t{from[i]} << 16;
    std::memcpy(to + i, &bits, sizeof(bits));
  }
}
/// Rounds `count` finite numbers to the nearest BF16 number, ties to even.
inline void round_bf16_row(const float* from, std::size_t count, std::uint16_t* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = narrowed_bf16(from[i]);
}
inline void widen_f16_row(const std::uint16_t* from, std::size_t count, float* to) {
  std::size_t i = 0;
#if PLUMB_VECTOR_LEVEL == 4
  for (; i + 16 <= count; i += 16) {
    _mm512_storeu_ps(
        to + i, _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
  }
#elif PLUMB_VECTOR_LEVEL == 3
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
#endif
  for (; i < count; ++i) to[i] = widened_half(from[i]);
}

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
