// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kernels does this file bring?
//
// The set of the instructions that the file is compiled for. In a program without the library plumb::kernels
// each file adds its set to those that kernels() chooses from; in the library each set is a file.

#include "plumb/detail/kernels/kernel_set.hpp"
#include "plumb/detail/kernels/row_functions.hpp"
#include "plumb/detail/kernels/row_products.hpp"
#include "plumb/detail/kernels/tile_products.hpp"
#include "plumb/detail/kernels/vector_functions.hpp"

namespace plumb::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

inline constexpr KernelSet kernels_here {
#if PLUMB_VECTOR_LEVEL == 4
  .width = "v4",
#elif PLUMB_VECTOR_LEVEL == 3
  .width = "v3",
#elif defined(__ARM_NEON)
  .width = "neon",
#else
  .width = "v2",
#endif
  .needs = 0U
#if PLUMB_VECTOR_LEVEL >= 3
           | static_cast<unsigned>(VectorNeeds::avx2)
#endif
#if PLUMB_VECTOR_LEVEL == 4
           | static_cast<unsigned>(VectorNeeds::avx512)
#if defined(__AVX512VNNI__)
           | static_cast<unsigned>(VectorNeeds::vnni)
#endif
#if defined(__AVX512BF16__)
           | static_cast<unsigned>(VectorNeeds::bf16)
#endif
#elif PLUMB_VECTOR_LEVEL == 3 && defined(__AVXVNNI__)
           | static_cast<unsigned>(VectorNeeds::avx_vnni)
#endif
      ,
  .lanes = float_lanes, .product_rows = product_rows, .product_lanes = product_lanes,
  .add_products = &add_any_products<float>, .add_pair_products = &add_any_products<NumberPair>,
#if defined(__AVX512BF16__) && PLUMB_VECTOR_LEVEL == 4
  .has_pair_products = true,
#else
  .has_pair_products = false,
#endif
  .widen_f16 = &widen_f16_row, .widen_bf16 = &widen_bf16_row, .softmax = &softmax_row,
  .layer_norm = &layer_norm_row, .rms_norm = &rms_norm_row, .activate = &activate_row,
  .cap = &cap_row,
  .rotate = &rotate_row,
  .add_scaled = &add_scaled_row,
  .exp_sum = &exp_sum_row, .tile_rows = tile_rows, .panel_width = panel_width,
  .tile_products = &tile_products, .count_above = &count_above_row, .write_short = &write_short_row,
  .largest_magnitude = &largest_magnitude_row, .exact_dot = &exact_dot_row,
  .quick_dot = &quick_dot_row,
};
static_assert(product_rows <= most_product_rows && product_width <= most_product_width &&
              tile_rows <= most_tile_rows);

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::detail
