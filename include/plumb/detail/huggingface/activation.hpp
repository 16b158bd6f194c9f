// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which function is applied between the two products of a feed-forward layer?
//
//   gelu      x Φ(x) = x (1 + erf(x / √2)) / 2
//   gelu_new  x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, also named gelu_pytorch_tanh
//   relu      max(x, 0)
//   silu      x / (1 + e^−x), also named swish
// Source: Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016). Activation names are the ones
// that transformers accepts in config.json.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::pair<std::string_view, Activation> activation_names[] = {
    {"gelu", Activation::gelu},          {"gelu_python", Activation::gelu},
    {"gelu_new", Activation::gelu_new},  {"gelu_pytorch_tanh", Activation::gelu_new},
    {"gelu_fast", Activation::gelu_new}, {"relu", Activation::relu},
    {"silu", Activation::silu},          {"swish", Activation::silu}};

/// The activation with this name; nullopt if there is none.
[[nodiscard]] inline std::optional<Activation> activation_named(std::string_view name) {
  for (const auto& [known, activation] : detail::activation_names) {
    if (known == name) return activation;
  }
  return std::nullopt;
}

/// All names, for messages.
[[nodiscard]] inline std::string activation_list() {
  return text_list(detail::activation_names, [](const auto& one) { return one.first; });
}

/// Replaces each x in a row with f(x), with an error of at most 1e-6 · max(1, |x|).
inline void activate(Activation activation, std::span<float> row) {
  network_kernels().activate(activation, row.data(), row.size());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
