// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is such a correlation among numbers that have nothing to do with one another?
//
// Two-sided p of Pearson's r over n pairs, from t = r √((n−2) / (1−r²)) with n − 2 degrees of
// freedom. Source: Student 1908, as scipy.stats.pearsonr.

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <optional>

namespace plumb {

/// Nothing for fewer than three pairs; 0 where |r| is 1.
[[nodiscard]] inline std::optional<double> p_value(double r, std::size_t n) {
  if (n < 3) return std::nullopt;
  if (std::abs(r) >= 1) return 0.0;
  const double freedom = static_cast<double>(n - 2);
  const double t = std::abs(r) * std::sqrt(freedom / (1 - r * r));
  const boost::math::students_t distribution(freedom);
  return 2 * boost::math::cdf(boost::math::complement(distribution, t));
}

}  // namespace plumb
