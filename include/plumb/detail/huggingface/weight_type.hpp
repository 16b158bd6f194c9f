// SPDX-License-Identifier: Apache-2.0
#pragma once

// What type does a network use to store its weights in memory?
//
// In memory, weights keep the type that they have in the file. F32 can represent every BF16 and F16
// number, so widening each number on use yields bitwise the same products as F32 weights, in half
// the memory. For products in BF16, all weights are rounded to BF16 and stored as pairs
// (row_products.hpp).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "plumb/detail/kernels/half_number.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class WeightType : std::uint8_t { f32, f16, bf16, bf16_pairs };

/// How a network multiplies: exactly, or with activations and weights rounded to BF16.
enum class ProductType : std::uint8_t { exact, bf16 };

/// The names of types in safetensors.
[[nodiscard]] constexpr std::string_view name_of(WeightType type) noexcept {
  return type == WeightType::f32 ? "F32" : type == WeightType::f16 ? "F16" : "BF16";
}
[[nodiscard]] constexpr std::optional<WeightType> weight_type_named(
    std::string_view name) noexcept {
  for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::bf16}) {
    if (name == name_of(type)) return type;
  }
  return std::nullopt;
}

/// The F32 value of a number of that type, given its 16 bits.
[[nodiscard]] inline float widened(WeightType type, std::uint16_t bits) {
  if (type == WeightType::bf16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  return widened_half(bits);
}

/// The 16 bits of a number after rounding it to the nearest value that this type can represent.
[[nodiscard]] inline std::uint16_t narrowed(WeightType type, float number) {
  return type == WeightType::bf16 ? narrowed_bf16(number) : narrowed_half(number);
}

/// Converts `count` numbers of a 16-bit type to F32.
inline void widen(WeightType type, const std::uint16_t* from, std::size_t count, float* to) {
  (type == WeightType::bf16 ? network_kernels().widen_bf16 : network_kernels().widen_f16)(
      from, count, to);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
