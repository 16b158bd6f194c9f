// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are the highest logit of a row and the sum of the logits' exponentials?
//
// Within blocks, numbers are summed in single precision, many at a time. The sums of the blocks are
// added in double precision.

#include <cstddef>

#include "plumb/detail/kernels/float_lanes.hpp"
#include "plumb/detail/kernels/vector_needs.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
inline namespace PLUMB_VECTOR_NAMESPACE {

/// Σ e^(x − highest), in single precision within blocks.
inline double exp_sum_row(const float* row, std::size_t size, float highest) {
  constexpr std::size_t block = 1024;
  double sum = 0;
  for (std::size_t first = 0; first < size; first += block) {
    const std::size_t end = first + block < size ? first + block : size;
    FloatLanes sums{};
    for (std::size_t at = first; at < end; at += float_lanes) {
      const FloatLanes x = load_some(row, end, at, -__builtin_inff());
      const FloatLanes power = exp_lanes(x - highest);
      sums += x < -__FLT_MAX__ ? FloatLanes{} : power;
    }
    sum += static_cast<double>(sum_of_lanes(sums));
  }
  return sum;
}

/// The largest number; NaN if the row contains NaN. A row must contain at least one number.
inline float highest_of_row(const float* row, std::size_t size) {
  FloatLanes most = load_some(row, size, 0, -__builtin_inff());
  IntLanes is_nan = most != most;
  for (std::size_t at = float_lanes; at < size; at += float_lanes) {
    const FloatLanes x = load_some(row, size, at, -__builtin_inff());
    is_nan |= x != x;
    most = x > most ? x : most;
  }
  const FloatLanes found = is_nan ? FloatLanes{} + 1.0F : FloatLanes{};
  return most_of_lanes(found) > 0 ? __builtin_nanf("") : most_of_lanes(most);
}

inline constexpr RowKernels row_kernels_here{
    .width = width_here, .needs = needs_here, .highest = &highest_of_row, .exp_sum = &exp_sum_row};

}  // namespace PLUMB_VECTOR_NAMESPACE
}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
