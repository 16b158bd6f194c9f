// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is such a correlation among numbers that have nothing to do with one another?
//
// Two-sided p of Pearson's r over n pairs, from t = r √((n−2) / (1−r²)) with n − 2 degrees of
// freedom. Source: Student 1908, as scipy.stats.pearsonr. Both tails of Student's t together are
// the regularised incomplete beta function I(ν/2, 1/2) at ν / (ν + t²), which is 1 − r² here.

#include <cmath>
#include <cstddef>
#include <optional>

#include "plumb/core/version.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace plumb {

/// Nothing for fewer than three pairs; 0 where |r| is 1; NaN for NaN.
[[nodiscard]] inline std::optional<double> p_value(double r, std::size_t n) {
  if (n < 3) return std::nullopt;
  if (std::abs(r) >= 1) return 0.0;
  return Eigen::numext::betainc(static_cast<double>(n - 2) / 2, 0.5, (1 - r) * (1 + r));
}

}  // namespace plumb
