// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a layer's matrix multiplied with many rows at the speed of the machine's registers?
//
//   out[r][c] = bias[c] + Σ_k rows[r][k] · weights[c][k]
// The weights are packed once, when a model is read: panels of a few outputs each, in which the
// numbers of one k stand side by side, which are multiplied with tiles of rows (row_products.hpp).
// So a row's result does not depend on which rows, or how many, it is computed with, bit by bit, nor
// on the number of threads; a general product (Eigen, BLAS) does not promise that, and packs the
// weights anew at each call.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "plumb/core/parallel.hpp"
#include "plumb/huggingface/row_products.hpp"

namespace plumb {
/// Weights [outputs, inputs] and a bias. Any number of threads may read one.
class PackedMatrix {
 public:
  PackedMatrix() = default;

  /// Zeros, and a bias of zeros, to be `set`.
  PackedMatrix(std::size_t outputs, std::size_t inputs)
      : outputs_(outputs),
        inputs_(inputs),
        panels_((outputs + width - 1) / width),
        weights_(panels_ * inputs * width, 0.0F),
        bias_(panels_ * width, 0.0F) {}

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  /// Outputs are computed by whole panels of this many.
  static constexpr std::size_t width = detail::product_width;
  [[nodiscard]] std::size_t panels() const noexcept { return panels_; }

  /// The weights of one output; different outputs may be set at once.
  void set_output(std::size_t output, std::span<const float> weights) {
    float* to = at(output, 0);
    for (std::size_t k = 0; k < inputs_; ++k) to[k * width] = weights[k];
  }
  /// The weights of one input, for `weights.size()` outputs from `first` on.
  void set_input(std::size_t input, std::size_t first, std::span<const float> weights) {
    for (std::size_t c = 0; c < weights.size(); ++c) *at(first + c, input) = weights[c];
  }
  void set_bias(std::size_t first, std::span<const float> bias) {
    std::copy(bias.begin(), bias.end(), bias_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  /// Adds the weights of one output to `row`, `inputs()` numbers: an embedding, where the matrix is
  /// a tied decoder too.
  void add_output_to(std::size_t output, float* row) const {
    const float* from = at(output, 0);
    for (std::size_t k = 0; k < inputs_; ++k) row[k] += from[k * width];
  }

  /// Products of `count` rows, `stride` apart, with the outputs of panels [first, last). `out` is
  /// where output 0 of row 0 would stand, its rows `out_stride` apart.
  void multiply(const float* rows, std::size_t count, std::size_t stride, float* out,
                std::size_t out_stride, std::size_t first, std::size_t last) const {
    alignas(64) float sums[detail::product_rows * width];
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t used = (std::min)(width, outputs_ - p * width);
      const float* panel = at(p * width, 0);
      for (std::size_t r = 0; r < count; r += detail::product_rows) {
        const std::size_t height = (std::min)(detail::product_rows, count - r);
        std::fill_n(sums, height * width, 0.0F);
        detail::add_products(
            height, detail::product_lanes,
            {rows + r * stride, stride, panel, width, detail::float_lanes, inputs_, sums, width});
        for (std::size_t i = 0; i < height; ++i) {
          float* to = out + (r + i) * out_stride + p * width;
          for (std::size_t c = 0; c < used; ++c) to[c] = sums[i * width + c] + bias_[p * width + c];
        }
      }
    }
  }

  /// All outputs, on the thread that calls.
  void multiply(const float* rows, std::size_t count, std::size_t stride, float* out,
                std::size_t out_stride) const {
    multiply(rows, count, stride, out, out_stride, 0, panels_);
  }

  /// All outputs, shared among threads: for a few rows and many outputs, as of a vocabulary.
  void multiply_shared(const float* rows, std::size_t count, std::size_t stride, float* out,
                       std::size_t out_stride) const {
    const std::size_t slice = std::clamp<std::size_t>(panels_ / 16, 1, 32);  // panels
    parallel_for((panels_ + slice - 1) / slice, [&](std::size_t s) {
      multiply(rows, count, stride, out, out_stride, s * slice,
               (std::min)(panels_, (s + 1) * slice));
    });
  }

 private:
  [[nodiscard]] std::size_t offset(std::size_t output, std::size_t input) const {
    return (output / width * inputs_ + input) * width + output % width;
  }
  [[nodiscard]] float* at(std::size_t output, std::size_t input) {
    return weights_.data() + offset(output, input);
  }
  [[nodiscard]] const float* at(std::size_t output, std::size_t input) const {
    return weights_.data() + offset(output, input);
  }

  std::size_t outputs_ = 0, inputs_ = 0, panels_ = 0;
  // [panels][inputs][width]; where a load of lanes straddles no cache line
  std::vector<float, Eigen::aligned_allocator<float>> weights_;
  std::vector<float> bias_;
};

}  // namespace plumb
