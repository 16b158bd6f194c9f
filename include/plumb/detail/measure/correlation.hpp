// SPDX-License-Identifier: Apache-2.0
#pragma once

// How strongly do two lists of numbers correlate?
//
// Pearson's r = Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²), with the 95% interval of Fisher's transform,
//   tanh(artanh r ± z/√(n−3)),  z = 1.959964.
// The transform's standard error needs four pairs, and the transform is infinite at −1 and 1; r has
// no interval with fewer pairs or at these values. Source: Fisher 1921.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether |r| is 1 except for rounding. Such a correlation gives no basis for estimating how much
/// other pairs would change it, or how likely it is to arise by chance.
[[nodiscard]] inline bool is_whole_correlation(double r) {
  return no_spread(std::abs(r), 1);
}

/// Pearson's correlation of two lists of equal length. There is no value (count 0) if there are
/// fewer than three pairs or if either list is constant. There is no interval if there are only
/// three pairs, or if |r| is 1 except for rounding.
[[nodiscard]] inline Estimate pearson(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = (std::min)(x.size(), y.size());
  const auto constant = [n](std::span<const double> values) {
    return ranges::all_of(values.first(n), [&](double v) { return v == values.front(); });
  };
  if (n < 3 || constant(x) || constant(y)) return {};
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean_x += x[i] / static_cast<double>(n);
    mean_y += y[i] / static_cast<double>(n);
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  if (xx == 0 || yy == 0) return {};  // underflow
  const double r = std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
  if (n == 3 || is_whole_correlation(r)) return without_interval(r, n);
  const double half = normal_95 / std::sqrt(static_cast<double>(n - 3));
  const double at = std::atanh(r);
  return {r, std::tanh(at - half), std::tanh(at + half), n, "fisher"};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
