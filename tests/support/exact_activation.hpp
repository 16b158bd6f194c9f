// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "plumb/detail/kernels/kernel_tables.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The activation function in double precision.
[[nodiscard]] inline double exact_activation(Activation activation, double x) {
  switch (activation) {
    case Activation::gelu:
      return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
    case Activation::gelu_new:
      return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::silu:
      return x / (1 + std::exp(-x));
  }
  return NAN;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
