// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which computations process many numbers at a time?
//
// They are the inner loops of the networks and of ranking, collected in tables of functions. There
// is one table for each vector width, and the code that calls the functions is compiled once for
// all widths. Matrices are in C order.

#include <cstddef>
#include <cstdint>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Two BF16 numbers for neighbouring values of the summation index k.
struct NumberPair {
  std::uint16_t first, second;
};

/// The memory layout for multiplying a few rows by a few vectors of columns.
template <class Number = float>
struct ProductTile {
  const Number* rows;
  /// The distance from one row to the next, in numbers.
  std::size_t row_stride;
  const Number* columns;
  /// The distance from one k to the next, and from one vector of columns to the next, in numbers.
  std::size_t step, lane_step;
  /// The number of values of k.
  std::size_t depth;
  float* sums;
  /// The distance from one row's sums to those of the next row, in numbers. The sums of one row are
  /// contiguous.
  std::size_t sum_stride;
  /// If true, continues the chain of additions from the existing sums. If false, starts at 0 and
  /// sums in parts (row_products.hpp).
  bool adds = true;
  /// If `finished` is not null, the finished sums are written there, with rows `finished_stride`
  /// apart and with `bias` added, one number for each column. `sums` then holds only partial sums.
  float* finished = nullptr;
  std::size_t finished_stride = 0;
  const float* bias = nullptr;
};

/// The activation function between the two matrix products of a feed-forward layer
/// (huggingface/activation.hpp).
enum class Activation : std::uint8_t { gelu, gelu_new, relu, silu };

/// A norm's parameters. `weight` and `bias` are as long as the row. A null `weight` means 1, and a
/// null `bias` means 0.
struct NormNumbers {
  const float* weight;
  const float* bias;
  float epsilon;
};

/// Two neighbouring 16-bit numbers of a vector, packed into 32 bits.
using ShortPair = std::int32_t;

/// The instruction sets that a table requires beyond the processor's baseline. Of two tables, the
/// one with the higher sum of these values is faster.
enum class VectorNeeds : std::uint8_t { avx2 = 1, avx_vnni = 2, avx512 = 4, vnni = 8, bf16 = 16 };

/// The kernels that compute probabilities.
struct RowKernels {
  /// The width: "v2", "v3", "v4" or "neon". Tables of the same width produce the same numbers.
  const char* width;
  /// A sum of VectorNeeds.
  unsigned needs;

  /// The largest number in a row, which must not be empty; NaN if any number is NaN.
  float (*highest)(const float* row, std::size_t size);
  /// Σ e^(x − highest); no number may exceed `highest`.
  double (*exp_sum)(const float* row, std::size_t size, float highest);
};

/// The kernels that evaluate networks.
struct NetworkKernels {
  /// The width: "v2", "v3", "v4" or "neon". Tables of the same width produce the same numbers,
  /// except for add_pair_products, which rounds less often if has_pair_products is true.
  const char* width;
  /// A sum of VectorNeeds.
  unsigned needs;

  /// The number of floats in a vector, and the maximum number of rows and the maximum number of
  /// vectors of columns in a tile whose sums fit into the registers.
  std::size_t lanes, product_rows, product_lanes;
  [[nodiscard]] constexpr std::size_t product_width() const { return lanes * product_lanes; }
  /// Adds the products of 1 … product_rows rows and 1 … product_lanes vectors of columns to the
  /// sums.
  void (*add_products)(std::size_t rows, std::size_t lanes, const ProductTile<>& tile);
  /// Does the same with pairs of numbers for two values of k; depth and strides count pairs. If
  /// has_pair_products is true, one instruction adds both products of a pair; otherwise, the
  /// function is slower than add_products.
  void (*add_pair_products)(std::size_t rows, std::size_t lanes,
                            const ProductTile<NumberPair>& tile);
  bool has_pair_products;
  /// Converts `count` 16-bit numbers to F32.
  void (*widen_f16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*widen_bf16)(const std::uint16_t* from, std::size_t count, float* to);
  /// Rounds `count` finite numbers to the nearest BF16 number, ties to even.
  void (*round_bf16)(const float* from, std::size_t count, std::uint16_t* to);

  // Each of the following works in place on a row of `size` numbers.
  /// e^(x − max) / Σ e^(x − max). At least one score must be finite.
  void (*softmax)(float* row, std::size_t size);
  /// (x − mean) / √(variance + ε) · weight + bias.
  void (*layer_norm)(float* row, std::size_t size, const NormNumbers& norm);
  /// x / √(mean of x² + ε) · weight + bias.
  void (*rms_norm)(float* row, std::size_t size, const NormNumbers& norm);
  /// f(x), with an error of at most 1e-6 · max(1, |x|).
  void (*activate)(Activation activation, float* row, std::size_t size);
  /// cap · tanh(x / cap).
  void (*cap)(float* row, std::size_t size, float cap);
  /// Rotates pairs of numbers by angles with the given cosines and sines. A pair consists of x[i]
  /// and x[i + pairs] or, if `interleaved` is true, of x[2i] and x[2i + 1].
  void (*rotate)(float* x, std::size_t pairs, const float* cosines, const float* sines,
                 bool interleaved);
  /// row + from · scale.
  void (*add_scaled)(float* row, const float* from, std::size_t size, float scale);
};

/// The kernels that compute rankings by cosine.
struct RankKernels {
  /// The width: "v2", "v3", "v4" or "neon". Tables of the same width produce the same numbers.
  const char* width;
  /// A sum of VectorNeeds.
  unsigned needs;

  /// The numbers of rows and columns in a tile of 16-bit products.
  std::size_t tile_rows, panel_width;
  /// products[r][c] = Σ rows[r][i] · panel[i][c], exactly, where each i stands for a pair of
  /// numbers. The result has the shape [tile_rows][panel_width], with rows `stride` apart. Every
  /// partial sum must fit into 32 bits.
  void (*tile_products)(const ShortPair* const* rows, const ShortPair* panel, std::size_t pairs,
                        std::int32_t* products, std::size_t stride);
  /// Returns how many of the `columns` products are above `most`. Writes the column indices of the
  /// products from `least` to `most` (inclusive) to `undecided`, in ascending order, and the number
  /// of these products to `found`.
  std::size_t (*count_above)(const std::int32_t* products, std::size_t columns, std::int32_t least,
                             std::int32_t most, std::uint32_t* undecided, std::size_t& found);
  /// Writes numbers · factor, rounded to integers. Returns the sum of the squared rounding errors.
  double (*write_short)(const float* numbers, std::size_t size, float factor, std::int16_t* shorts);
  /// The largest magnitude of a row.
  float (*largest_magnitude)(const float* numbers, std::size_t size);
  /// exact_dot computes Σ a·b in double precision, in the same order at every width. quick_dot
  /// computes it in single precision.
  double (*exact_dot)(const float* a, const float* b, std::size_t size);
  float (*quick_dot)(const float* a, const float* b, std::size_t size);
};

/// All tables of a width.
struct KernelSet {
  RowKernels row;
  NetworkKernels network;
  RankKernels rank;
};

/// The maximum of each size across all tables, for stack buffers.
inline constexpr std::size_t most_product_rows = 8, most_product_width = 48, most_tile_rows = 8;

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
