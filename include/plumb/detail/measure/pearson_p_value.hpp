// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is a correlation of this size between unrelated numbers?
//
// This is the two-sided p of Pearson's r over n pairs, computed from t = r √((n−2) / (1−r²)) with n
// − 2 degrees of freedom. Source: Student 1908, as in scipy.stats.pearsonr. The sum of both tails
// of Student's t is the regularised incomplete beta function I(ν/2, 1/2) at ν / (ν + t²), which
// equals 1 − r² here.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "plumb/detail/core/version.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include "plumb/detail/measure/correlation.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Tables show "< 1e-15" for a smaller p: r is not known to more digits, and the test's assumptions
/// do not hold that far into the tail. Files contain the computed p.
inline constexpr double smallest_shown_p = 1e-15;

/// Always above 0: if p is smaller than the smallest positive double, returns that double. Nullopt
/// if there are fewer than three pairs, if r is NaN, or if |r| equals 1 up to rounding.
[[nodiscard]] inline std::optional<double> p_value(double r, std::size_t n) {
  if (n < 3 || std::isnan(r) || is_whole_correlation(r)) return std::nullopt;
  return (std::max)((std::numeric_limits<double>::min)(),
                    Eigen::numext::betainc(static_cast<double>(n - 2) / 2, 0.5, (1 - r) * (1 + r)));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
