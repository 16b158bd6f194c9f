// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a row of activations normalised?
//
//   layer  (x − mean) / √(variance + ε) · weight + bias
//   rms    x / √(mean of x² + ε) · weight + bias
// Sources: Ba, Kiros and Hinton, "Layer Normalization" (2016); Zhang and Sennrich, "Root Mean Square
// Layer Normalization" (2019).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class NormKind : std::uint8_t { layer, rms };

/// The settings of a network's norms.
struct NormShape {
  NormKind kind = NormKind::layer;
  float epsilon = 1e-5F;
  bool has_weight = true, has_bias = true;
  /// Added to each stored weight: 1 in Gemma.
  float weight_offset = 0;
};

/// A norm's weight and bias. An empty weight means 1, and an empty bias means 0. Any number of
/// threads may use the same object.
struct Norm {
  std::vector<float> weight, bias;
  float epsilon = 1e-12F;
  NormKind kind = NormKind::layer;

  /// Normalises each of `count` consecutive rows.
  void apply(float* rows, std::size_t count, std::size_t size) const {
    const auto normalise =
        kind == NormKind::layer ? network_kernels().layer_norm : network_kernels().rms_norm;
    const NormNumbers numbers{weight.empty() ? nullptr : weight.data(),
                              bias.empty() ? nullptr : bias.data(), epsilon};
    for (std::size_t r = 0; r < count; ++r) {
      normalise(rows + r * size, size, numbers);
    }
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
