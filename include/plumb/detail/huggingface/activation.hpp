// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which function stands between the two products of a feed-forward layer?
//
//   gelu      x Φ(x) = x (1 + erf(x / √2)) / 2
//   gelu_new  x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, also named gelu_pytorch_tanh
//   relu      max(x, 0)
//   silu      x / (1 + e^−x), also named swish
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016). The names are those of
// config.json, as transformers reads them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/huggingface/float_lanes.hpp"

namespace plumb::detail {

enum class Activation { gelu, gelu_new, relu, silu };

inline constexpr std::pair<std::string_view, Activation> activation_names[] = {
    {"gelu", Activation::gelu},          {"gelu_python", Activation::gelu},
    {"gelu_new", Activation::gelu_new},  {"gelu_pytorch_tanh", Activation::gelu_new},
    {"gelu_fast", Activation::gelu_new}, {"relu", Activation::relu},
    {"silu", Activation::silu},          {"swish", Activation::silu}};

/// erf to 4e-7: z P(z²) / Q(z²) within |z| ≤ 4, where it is 1 to 2e-8; fitted for the least relative
/// error.
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

/// The activation of that name, or nothing.
[[nodiscard]] inline std::optional<Activation> activation_named(std::string_view name) {
  for (const auto& [known, activation] : detail::activation_names) {
    if (known == name) return activation;
  }
  return std::nullopt;
}

/// All names, for a message.
[[nodiscard]] inline std::string activation_list() {
  return text_list(detail::activation_names, [](const auto& one) { return one.first; });
}

/// Puts f(x) for each x of a row, to 1e-6 · max(1, |x|).
inline void activate(Activation activation, std::span<float> row) {
  using detail::FloatLanes;
  switch (activation) {
    case Activation::gelu:
      return detail::transform_row(row, [](FloatLanes x) {
        return x * 0.5F * (1.0F + detail::erf_lanes(x * 0.707106781F));
      });
    case Activation::gelu_new:  // (1 + tanh u) / 2 = 1 / (1 + e^−2u)
      return detail::transform_row(row, [](FloatLanes x) {
        const FloatLanes u = 0.797884561F * (x + 0.044715F * x * x * x);
        return x / (1.0F + detail::exp_lanes(-2.0F * u));
      });
    case Activation::relu:
      return detail::transform_row(row, [](FloatLanes x) { return x > 0.0F ? x : FloatLanes{}; });
    case Activation::silu:
      return detail::transform_row(row,
                                   [](FloatLanes x) { return x / (1.0F + detail::exp_lanes(-x)); });
  }
}

}  // namespace plumb::detail
