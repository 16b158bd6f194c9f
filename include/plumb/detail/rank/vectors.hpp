// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is the exact cosine of two vectors computed?
//
// Vectors are single-precision rows that are read in place. Their products are summed in double
// precision and in a fixed order, so equal vectors have equal cosines with any other vector.

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/kernels/rank_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Vectors as the rows of a row-major matrix, [count, dimension]; they are not copied.
using VectorRows =
    Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// Σ a·b in double precision, always in the same order; the products are exact.
inline double exact_dot(const float* a, const float* b, std::size_t dimension) {
  return rank_kernels().exact_dot(a, b, dimension);
}

/// Σ a·b in single precision. The error is less than single_precision_bound() times the product of
/// the vectors' lengths.
inline float quick_dot(const float* a, const float* b, std::size_t dimension) {
  return rank_kernels().quick_dot(a, b, dimension);
}

/// |fl(a·b) − a·b| ≤ γ ‖a‖ ‖b‖ with γ = d u / (1 − d u), u = 2⁻²⁴, regardless of the order in which
/// the d products are summed (Higham 2002, section 3.1). Eight more steps allow for underflow.
inline double single_precision_bound(std::size_t dimension) {
  const double steps = static_cast<double>(dimension + 8) * 0x1.0p-24;
  return steps / (1 - steps);
}

/// The reason why a vector of this length cannot be ranked; null if it can be ranked.
inline const char* fault_of_length(double length) {
  // For these lengths, single precision can represent the length itself, its inverse, and products
  // and sums of two such vectors.
  if (length >= 0x1.0p-40 && length <= 0x1.0p40) return nullptr;
  return length == 0              ? "is a zero vector, so it has no direction"
         : !std::isfinite(length) ? "is not finite, so it has no direction"
         : length < 1             ? "is too short for single precision"
                                  : "is too long for single precision";
}

/// The lengths of the rows. Throws a user error if a row is zero or not finite. In the error
/// message, `what` describes the rows, which are numbered from `first`.
inline std::vector<double> checked_lengths(VectorRows rows, const char* what,
                                           std::size_t first = 0) {
  std::vector<double> lengths(static_cast<std::size_t>(rows.rows()));
  const auto dimension = static_cast<std::size_t>(rows.cols());
  parallel_for(lengths.size(), [&](std::size_t i) {
    const float* row = rows.data() + i * dimension;
    lengths[i] = std::sqrt(exact_dot(row, row, dimension));
    if (const char* fault = fault_of_length(lengths[i])) {
      throw user_error({.field = what}, "row " + std::to_string(first + i) + " " + fault,
                       "remove it or embed it again");
    }
  });
  return lengths;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
