// SPDX-License-Identifier: Apache-2.0
#pragma once

// How can many rows be multiplied by a layer's matrix efficiently?
//
//   out[r][c] = bias[c] + Σ_k rows[r][k] · weights[c][k]
// The weights are packed once, when a model is read, into panels of a few outputs. Within a panel,
// the numbers for the same k are adjacent. Panels are multiplied with tiles of rows
// (row_products.hpp). A row's result is therefore bitwise identical regardless of the other rows,
// the number of rows and the number of threads. General matrix products (Eigen, BLAS) do not
// guarantee that, and they repack the weights in every call. 16-bit weights stay 16-bit, and a
// panel is widened once for all rows of a call (weight_type.hpp). For products in BF16, rows are
// rounded and nothing is widened.

#include <sys/mman.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/core/aligned_allocator.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/huggingface/weight_type.hpp"
#include "plumb/detail/kernels/network_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Calls `work(first, count)` for blocks of rows, shared among threads.
template <class Work>
void for_row_blocks(std::size_t rows, Work work) {
  const std::size_t size = std::max<std::size_t>(16, (rows + 15) / 16);
  parallel_for((rows + size - 1) / size,
               [&](std::size_t b) { work(b * size, (std::min)(size, rows - b * size)); });
}

/// An allocator that leaves its memory uninitialised, so that the threads that fill in the numbers
/// are the first to touch the pages. Large matrices use huge pages where the system provides them.
/// With 4 kB pages, page faults would take a third of the loading time.
template <class T>
struct UnsetAllocator : AlignedAllocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  explicit(false) UnsetAllocator(const UnsetAllocator<U>&) noexcept {}  // NOLINT: a vector needs it
  [[nodiscard]] T* allocate(std::size_t count) {
    T* const made = AlignedAllocator<T>::allocate(count);
#ifdef MADV_HUGEPAGE
    constexpr std::size_t page = std::size_t{1} << 21;
    const auto begin = (reinterpret_cast<std::uintptr_t>(made) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(made + count) / page * page;
    // Results do not depend on whether the system follows this advice.
    if (end > begin) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
    return made;
  }
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};

/// Weights [outputs, inputs] and a bias. Any number of threads may read the same object.
class PackedMatrix {
 public:
  PackedMatrix() = default;

  /// Starts with a bias of zeros. All weights must be set before multiplication.
  PackedMatrix(std::size_t outputs, std::size_t inputs, WeightType type = WeightType::f32)
      : outputs_(outputs),
        inputs_(inputs),
        kernels_(&network_kernels()),
        width_(kernels_->product_width()),
        panels_((outputs + width_ - 1) / width_),
        type_(type),
        bias_(panels_ * width_, 0.0F) {
    const std::size_t numbers = panels_ * inputs * width_;
    type == WeightType::f32          ? weights_.resize(numbers)
    : type == WeightType::bf16_pairs ? pairs_.resize(panels_ * pair_count(inputs) * width_)
                                     : halves_.resize(numbers);
    if (outputs % width_ == 0) return;
    const std::size_t last =
        numbers - inputs * width_;  // start of the last panel, which may have unused outputs
    std::fill(weights_.begin() + static_cast<std::ptrdiff_t>((std::min)(last, weights_.size())),
              weights_.end(), 0.0F);
    std::fill(halves_.begin() + static_cast<std::ptrdiff_t>((std::min)(last, halves_.size())),
              halves_.end(), std::uint16_t{0});
  }

  [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
  /// The type of the stored weights. Weights must be representable in that type.
  [[nodiscard]] WeightType type() const noexcept { return type_; }
  /// The number of outputs in a panel; outputs are computed in whole panels.
  [[nodiscard]] std::size_t width() const noexcept { return width_; }
  [[nodiscard]] std::size_t panels() const noexcept { return panels_; }

  /// Sets the weights of one output; different outputs may be set at the same time.
  void set_output(std::size_t output, std::span<const float> weights) {
    for (std::size_t k = 0; k < inputs_; ++k) set(output, k, weights[k]);
  }
  /// Sets the weights of `count` outputs of one panel, starting at `first`. Reads them from
  /// consecutive rows of F32 numbers, or of the bits of a 16-bit type. Different panels may be set
  /// at the same time.
  template <class Number>
  void set_rows(std::size_t first, std::size_t count, const Number* rows) {
    Number* to = nullptr;
    if constexpr (std::same_as<Number, float>) {
      to = weights_.data();
    } else {
      to = halves_.data();
    }
    to += offset(first, 0);
    constexpr std::size_t block =
        16;  // in inputs; small enough that the numbers read and written stay in the cache
    for (std::size_t begin = 0; begin < inputs_; begin += block) {
      const std::size_t end = (std::min)(begin + block, inputs_);
      for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t k = begin; k < end; ++k) to[k * width_ + c] = rows[c * inputs_ + k];
      }
    }
  }
  /// Sets the weights of one input, for `weights.size()` outputs starting at `first`.
  void set_input(std::size_t input, std::size_t first, std::span<const float> weights) {
    for (std::size_t c = 0; c < weights.size(); ++c) set(first + c, input, weights[c]);
  }
  void set_bias(std::size_t first, std::span<const float> bias) {
    std::copy(bias.begin(), bias.end(), bias_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  /// Adds the weights of one output to `row`, which has `inputs()` numbers. For an embedding
  /// matrix, which may also serve as a tied decoder, this looks up an embedding.
  void add_output_to(std::size_t output, float* row) const {
    if (type_ == WeightType::bf16_pairs) {
      for (std::size_t k = 0; k < inputs_; ++k) row[k] += weight(output, k);
      return;
    }
    const std::size_t first = offset(output, 0);
    for (std::size_t k = 0; k < inputs_; ++k) {
      const std::size_t at = first + k * width_;
      row[k] += type_ == WeightType::f32 ? weights_[at] : detail::widened(type_, halves_[at]);
    }
  }

  /// Multiplies `count` rows, which are `stride` apart, by the outputs of panels [first, last).
  /// `out` points to the first row's output 0; rows of outputs are `out_stride` apart.
  void multiply(const float* rows, std::size_t count, std::size_t stride, float* out,
                std::size_t out_stride, std::size_t first, std::size_t last) const {
    if (type_ == WeightType::bf16_pairs) {
      Pairs pairs(count * pair_count(inputs_));
      round_rows(rows, count, stride, pairs.data());
      return multiply(pairs.data(), count, out, out_stride, first, last);
    }
    Numbers wide(type_ == WeightType::f32 ? 0 : inputs_ * width_);
    multiply_panels(rows, count, stride, inputs_, out, out_stride, first, last, [&](std::size_t p) {
      const std::size_t at = offset(p * width_, 0);
      if (type_ == WeightType::f32) return weights_.data() + at;
      detail::widen(type_, halves_.data() + at, wide.size(), wide.data());
      return static_cast<const float*>(wide.data());
    });
  }

  /// Computes all outputs on the calling thread.
  void multiply(const float* rows, std::size_t count, std::size_t stride, float* out,
                std::size_t out_stride) const {
    multiply(rows, count, stride, out, out_stride, 0, panels_);
  }

  /// Computes all outputs. Threads share the panels, so that each weight is read once for all rows.
  void multiply_shared(const float* rows, std::size_t count, std::size_t stride, float* out,
                       std::size_t out_stride) const {
    const std::size_t slice = std::clamp<std::size_t>(panels_ / 16, 1, 32);  // panels
    Pairs pairs;
    if (type_ == WeightType::bf16_pairs) {
      const std::size_t wide = pair_count(inputs_);
      pairs.resize(count * wide);
      for_row_blocks(count, [&](std::size_t first, std::size_t in_block) {
        round_rows(rows + first * stride, in_block, stride, pairs.data() + first * wide);
      });
    }
    parallel_for((panels_ + slice - 1) / slice, [&](std::size_t s) {
      const std::size_t first = s * slice, last = (std::min)(panels_, first + slice);
      pairs.empty() ? multiply(rows, count, stride, out, out_stride, first, last)
                    : multiply(pairs.data(), count, out, out_stride, first, last);
    });
  }

 private:
  using Numbers = std::vector<float, detail::UnsetAllocator<float>>;
  using Pairs = AlignedVector<detail::NumberPair>;

  static constexpr std::size_t pair_count(std::size_t inputs) { return (inputs + 1) / 2; }

  /// Rounds rows to BF16. `pairs` receives them pair_count(inputs()) apart, with a zero appended to
  /// each if the number of inputs is odd.
  void round_rows(const float* rows, std::size_t count, std::size_t stride,
                  detail::NumberPair* pairs) const {
    const std::size_t wide = pair_count(inputs_);
    std::vector<std::uint16_t> row(2 * wide, 0);
    for (std::size_t r = 0; r < count; ++r) {
      kernels_->round_bf16(rows + r * stride, inputs_, row.data());
      std::memcpy(pairs + r * wide, row.data(), wide * sizeof(detail::NumberPair));
    }
  }

  /// Multiplies rounded rows in the same way as F32 rows.
  void multiply(const detail::NumberPair* rows, std::size_t count, float* out,
                std::size_t out_stride, std::size_t first, std::size_t last) const {
    const std::size_t wide = pair_count(inputs_);
    multiply_panels(rows, count, wide, wide, out, out_stride, first, last,
                    [&](std::size_t p) { return pairs_.data() + p * wide * width_; });
  }

  /// `panel(p)` returns the numbers of panel p, `depth` for each output.
  template <class Number, class Panel>
  void multiply_panels(const Number* rows, std::size_t count, std::size_t stride, std::size_t depth,
                       float* out, std::size_t out_stride, std::size_t first, std::size_t last,
                       Panel panel) const {
    alignas(64) float sums[most_product_rows * most_product_width];
    const std::size_t width = width_, lanes = kernels_->lanes,
                      rows_at_once = kernels_->product_rows;
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t used = (std::min)(width, outputs_ - p * width);
      const bool fits = used == width;  // otherwise, a tile is wider than the space in `out`
      const Number* const columns = panel(p);
      for (std::size_t r = 0; r < count; r += rows_at_once) {
        const std::size_t height = (std::min)(rows_at_once, count - r);
        float* const to = out + r * out_stride + p * width;
        const ProductTile<Number> tile{.rows = rows + r * stride,
                                       .row_stride = stride,
                                       .columns = columns,
                                       .step = width,
                                       .lane_step = lanes,
                                       .depth = depth,
                                       .sums = sums,
                                       .sum_stride = width,
                                       .adds = false,
                                       .finished = fits ? to : sums,
                                       .finished_stride = fits ? out_stride : width,
                                       .bias = bias_.data() + p * width};
        if constexpr (std::same_as<Number, float>) {
          kernels_->add_products(height, kernels_->product_lanes, tile);
        } else {
          kernels_->add_pair_products(height, kernels_->product_lanes, tile);
        }
        for (std::size_t i = 0; i < height && !fits; ++i) {
          std::copy_n(sums + i * width, used, to + i * out_stride);
        }
      }
    }
  }

  [[nodiscard]] std::size_t offset(std::size_t output, std::size_t input) const {
    return (output / width_ * inputs_ + input) * width_ + output % width_;
  }
  /// The index of the pair that contains a weight; the weight is the first one in the pair if its
  /// input is even.
  [[nodiscard]] std::size_t pair_offset(std::size_t output, std::size_t input) const {
    return (output / width_ * pair_count(inputs_) + input / 2) * width_ + output % width_;
  }
  [[nodiscard]] float weight(std::size_t output, std::size_t input) const {
    if (type_ == WeightType::f32) return weights_[offset(output, input)];
    if (type_ != WeightType::bf16_pairs) {
      return detail::widened(type_, halves_[offset(output, input)]);
    }
    const detail::NumberPair pair = pairs_[pair_offset(output, input)];
    return detail::widened(WeightType::bf16, input % 2 == 0 ? pair.first : pair.second);
  }
  void set(std::size_t output, std::size_t input, float weight) {
    if (type_ == WeightType::f32) {
      weights_[offset(output, input)] = weight;
    } else if (type_ == WeightType::bf16_pairs) {
      detail::NumberPair& pair = pairs_[pair_offset(output, input)];
      (input % 2 == 0 ? pair.first : pair.second) = detail::narrowed(WeightType::bf16, weight);
    } else {
      halves_[offset(output, input)] = detail::narrowed(type_, weight);
    }
  }

  std::size_t outputs_ = 0, inputs_ = 0;
  const NetworkKernels* kernels_ = nullptr;
  std::size_t width_ = 0, panels_ = 0;
  WeightType type_ = WeightType::f32;
  // [panels][inputs][width]. Only one of these three is used. Aligned so that no vector load
  // crosses a cache line.
  Numbers weights_;
  std::vector<std::uint16_t, detail::UnsetAllocator<std::uint16_t>> halves_;
  Pairs pairs_;  // [panels][inputs / 2][width]
  std::vector<float> bias_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
