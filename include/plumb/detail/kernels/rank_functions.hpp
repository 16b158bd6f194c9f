// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which ranking kernels does this file provide?

#include "plumb/detail/kernels/kernel_tables.hpp"
#include "plumb/detail/kernels/tile_products.hpp"
#include "plumb/detail/kernels/vector_functions.hpp"
#include "plumb/detail/kernels/vector_needs.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

inline constexpr RankKernels rank_kernels_here{
    .width = width_here,
    .needs = needs_here,
    .tile_rows = tile_rows,
    .panel_width = panel_width,
    .tile_products = &tile_products,
    .count_above = &count_above_row,
    .write_short = &write_short_row,
    .largest_magnitude = &largest_magnitude_row,
    .exact_dot = &exact_dot_row,
    .quick_dot = &quick_dot_row,
};
static_assert(tile_rows <= most_tile_rows);

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
