// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which network kernels does this file provide?

#include "plumb/detail/kernels/kernel_tables.hpp"
#include "plumb/detail/kernels/row_functions.hpp"
#include "plumb/detail/kernels/row_products.hpp"
#include "plumb/detail/kernels/vector_needs.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

inline constexpr NetworkKernels network_kernels_here{
    .width = width_here,
    .needs = needs_here,
    .lanes = float_lanes,
    .product_rows = product_rows,
    .product_lanes = product_lanes,
    .add_products = &add_any_products<float>,
    .add_pair_products = &add_any_products<NumberPair>,
    .has_pair_products = (needs_here & static_cast<unsigned>(VectorNeeds::bf16)) != 0,
    .widen_f16 = &widen_f16_row,
    .widen_bf16 = &widen_bf16_row,
    .round_bf16 = &round_bf16_row,
    .softmax = &softmax_row,
    .layer_norm = &layer_norm_row,
    .rms_norm = &rms_norm_row,
    .activate = &activate_row,
    .cap = &cap_row,
    .rotate = &rotate_row,
    .add_scaled = &add_scaled_row,
};
static_assert(product_rows <= most_product_rows && product_width <= most_product_width);

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
