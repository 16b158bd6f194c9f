// SPDX-License-Identifier: Apache-2.0
#pragma once

// Converts between 16-bit and F32 numbers.
//
// F16 is IEEE 754's binary16; BF16 is the upper half of a binary32 number. The conversions use
// integer operations, with floating-point arithmetic only where the F16 number is zero or denormal,
// and produce the same results on every machine. They are always inlined, so that files compiled
// with different flags do not share a function.

#include <cstdint>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The number that the 16 bits of a binary16 number represent.
[[gnu::always_inline]] inline float widened_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= 0x7C00U) {  // infinity, or NaN with its payload
    return __builtin_bit_cast(float, sign | 0x7F800000U | (magnitude & 0x3FFU) << 13);
  }
  if (magnitude < 0x400U) {  // zero or denormal: a multiple of 2^−24
    const float number = static_cast<float>(magnitude) * 0x1p-24F;
    return __builtin_bit_cast(float, sign | __builtin_bit_cast(std::uint32_t, number));
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 13) + (std::uint32_t{112} << 23)));
}

/// The bits of the binary16 number nearest to a number, ties to even.
[[gnu::always_inline]] inline std::uint16_t narrowed_half(float number) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, number);
  const std::uint32_t sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);  // too large
  if (magnitude <
      0x38800000U) {  // below 2^−14: adding 0.5 rounds the number to a multiple of 2^−24
    const float sum = __builtin_bit_cast(float, magnitude) + 0.5F;
    return static_cast<std::uint16_t>(
        sign | (__builtin_bit_cast(std::uint32_t, sum) - __builtin_bit_cast(std::uint32_t, 0.5F)));
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + (magnitude >> 13 & 1U);
  return static_cast<std::uint16_t>(sign | (rounded - (std::uint32_t{112} << 23)) >> 13);
}

/// The bits of the BF16 number nearest to a finite number, ties to even.
[[gnu::always_inline]] inline std::uint16_t narrowed_bf16(float number) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, number);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
