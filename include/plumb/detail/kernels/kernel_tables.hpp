// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is computed many numbers at a time?
//
// The inner loops of networks and of ranking, as tables of functions, one for each width of vectors. What
// calls them is compiled once, whatever the width. Rows and products are in C order.

#include <cstddef>
#include <cstdint>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Two BF16 numbers of neighbouring k.
struct NumberPair {
  std::uint16_t first, second;
};

/// Where the numbers of a product of a few rows with a few vectors of columns lie.
template <class Number = float>
struct ProductTile {
  const Number* rows;
  /// Numbers from one row to the next.
  std::size_t row_stride;
  const Number* columns;
  /// Numbers from one k to the next, and from one vector of columns to the next.
  std::size_t step, lane_step;
  /// How many k.
  std::size_t depth;
  float* sums;
  /// Numbers from one row's sums to the next; those of one row lie side by side.
  std::size_t sum_stride;
  /// Whether sums begin with what is there and grow in one chain, or begin at 0 and are made in parts
  /// (row_products.hpp).
  bool adds = true;
};

/// What stands between the two products of a feed-forward layer (huggingface/activation.hpp).
enum class Activation : std::uint8_t { gelu, gelu_new, relu, silu };

/// A norm's numbers; `weight` and `bias` are as long as the row, or null for 1 and 0.
struct NormNumbers {
  const float* weight;
  const float* bias;
  float epsilon;
};

/// 16-bit products in pairs: two neighbouring numbers of a vector.
using ShortPair = std::int32_t;

/// What a processor needs to have beyond its base. A table with a higher sum is faster.
enum class VectorNeeds : std::uint8_t { avx2 = 1, avx_vnni = 2, avx512 = 4, vnni = 8, bf16 = 16 };

/// What probabilities are made of.
struct RowKernels {
  /// The width: "v2", "v3", "v4" or "neon". Tables of one width give the same numbers.
  const char* width;
  /// VectorNeeds, added up.
  unsigned needs;

  /// The largest of at least one number; NaN where one is NaN.
  float (*highest)(const float* row, std::size_t size);
  /// Σ e^(x − highest) of numbers that are not above `highest`.
  double (*exp_sum)(const float* row, std::size_t size, float highest);
};

/// What networks are made of.
struct NetworkKernels {
  /// The width: "v2", "v3", "v4" or "neon". Tables of one width give the same numbers, but for
  /// add_pair_products, which rounds less where has_pair_products.
  const char* width;
  /// VectorNeeds, added up.
  unsigned needs;

  /// Floats in a vector; rows of a tile and vectors of columns, so that its sums fit the registers.
  std::size_t lanes, product_rows, product_lanes;
  [[nodiscard]] constexpr std::size_t product_width() const { return lanes * product_lanes; }
  /// Adds to the sums the products of 1 … product_rows rows with 1 … product_lanes vectors of columns.
  void (*add_products)(std::size_t rows, std::size_t lanes, const ProductTile<>& tile);
  /// The same with two k in a number: depth and strides count pairs. By one instruction where
  /// has_pair_products, else slower than floats.
  void (*add_pair_products)(std::size_t rows, std::size_t lanes,
                            const ProductTile<NumberPair>& tile);
  bool has_pair_products;
  /// `count` numbers of 16 bits as F32.
  void (*widen_f16)(const std::uint16_t* from, std::size_t count, float* to);
  void (*widen_bf16)(const std::uint16_t* from, std::size_t count, float* to);

  // Each over a row of `size` numbers, in place.
  /// e^(x − max) / Σ e^(x − max) of finite scores; at least one.
  void (*softmax)(float* row, std::size_t size);
  /// (x − mean) / √(variance + ε) · weight + bias.
  void (*layer_norm)(float* row, std::size_t size, const NormNumbers& norm);
  /// x / √(mean of x² + ε) · weight + bias.
  void (*rms_norm)(float* row, std::size_t size, const NormNumbers& norm);
  /// f(x), to 1e-6 · max(1, |x|).
  void (*activate)(Activation activation, float* row, std::size_t size);
  /// cap · tanh(x / cap).
  void (*cap)(float* row, std::size_t size, float cap);
  /// Turns pairs of numbers by angles whose cosines and sines are given: x[i] and x[i + pairs], or
  /// x[2i] and x[2i + 1].
  void (*rotate)(float* x, std::size_t pairs, const float* cosines, const float* sines,
                 bool interleaved);
  /// row + from · scale.
  void (*add_scaled)(float* row, const float* from, std::size_t size, float scale);
};

/// What rankings by cosine are made of.
struct RankKernels {
  /// The width: "v2", "v3", "v4" or "neon". Tables of one width give the same numbers.
  const char* width;
  /// VectorNeeds, added up.
  unsigned needs;

  /// Rows and columns of a tile of 16-bit products.
  std::size_t tile_rows, panel_width;
  /// products[r][c] = Σ rows[r][i] · panel[i][c], pairs added up, exactly: [tile_rows][panel_width],
  /// rows `stride` apart. No sum may leave 32 bits on its way.
  void (*tile_products)(const ShortPair* const* rows, const ShortPair* panel, std::size_t pairs,
                        std::int32_t* products, std::size_t stride);
  /// How many of `columns` products are above `most`; into `undecided` the columns of those from
  /// `least` to `most`, ascending, and their number.
  std::size_t (*count_above)(const std::int32_t* products, std::size_t columns, std::int32_t least,
                             std::int32_t most, std::uint32_t* undecided, std::size_t& found);
  /// Writes numbers · factor, rounded, and gives the sum of squares of what rounding took off.
  double (*write_short)(const float* numbers, std::size_t size, float factor, std::int16_t* shorts);
  /// The largest magnitude of a row.
  float (*largest_magnitude)(const float* numbers, std::size_t size);
  /// Σ a·b in double precision, in one order whatever the width, and in single precision.
  double (*exact_dot)(const float* a, const float* b, std::size_t size);
  float (*quick_dot)(const float* a, const float* b, std::size_t size);
};

/// All tables of a width.
struct KernelSet {
  RowKernels row;
  NetworkKernels network;
  RankKernels rank;
};

/// The most that any table has of each, for memory on the stack.
inline constexpr std::size_t most_product_rows = 8, most_product_width = 48, most_tile_rows = 8;

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
