// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are confidences grouped into bins?
//
// The confidences in a bin are compared with accuracy as a group. Bins divide [0, 1] by equal count
// or by equal width, as in scikit-learn's calibration_curve. The inner edges of equal-count bins
// are numpy's linear-interpolation percentiles of the confidences; those of equal-width bins are i
// / bins. Duplicate edges are kept. A confidence falls into the bin after the last inner edge below
// it, so a confidence that equals an edge is in the lower bin. Source: scikit-learn 1.5,
// calibration.py; numpy 1.26, percentile.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The product rounded to a double, even if the compiler would fuse it with a sum. numpy does not
/// fuse the two operations, and an edge that is off by a bit can move a value to another bin.
inline double rounded(double product) {
  volatile double value = product;
  return value;
}

/// i / bins, computed as numpy's linspace does.
inline double linspace(std::size_t i, std::size_t bins) {
  return i == bins ? 1.0 : static_cast<double>(i) * (1.0 / static_cast<double>(bins));
}

/// The position of edge i of `bins` among `count` sorted values: an index, and the fraction of the
/// way to the next value.
struct PercentilePlace {
  std::size_t index = 0;
  double way = 0;
};
inline PercentilePlace percentile_place(std::size_t i, std::size_t bins, std::size_t count) {
  // multiplied and divided by 100 to round as numpy does
  const double share = linspace(i, bins) * 100 / 100;
  const double place = rounded(static_cast<double>(count - 1) * share);
  const double below = std::floor(place);
  return {static_cast<std::size_t>(below), place - below};
}

/// numpy's interpolation, which starts at the nearer end.
inline double percentile_between(double low, double high, double way) {
  return way >= 0.5 ? high - rounded((high - low) * (1 - way)) : low + rounded((high - low) * way);
}

/// The inner edges (bins − 1, ascending) of equal-count bins over `count` > 0 values. `at(i)`
/// returns the value at index i in ascending order.
template <class At>
[[nodiscard]] std::vector<double> quantile_edges(At at, std::size_t count, std::size_t bins) {
  std::vector<double> edges;
  edges.reserve(bins - 1);
  for (std::size_t i = 1; i < bins; ++i) {
    const auto [index, way] = detail::percentile_place(i, bins, count);
    const double low = at(index);
    edges.push_back(detail::percentile_between(low, at((std::min)(index + 1, count - 1)), way));
  }
  return edges;
}

/// Does the same for values in memory. `sorted` must not be empty.
[[nodiscard]] inline std::vector<double> quantile_edges(std::span<const double> sorted,
                                                        std::size_t bins) {
  return quantile_edges([&](std::size_t i) { return sorted[i]; }, sorted.size(), bins);
}

/// The inner edges of equal-width bins.
[[nodiscard]] inline std::vector<double> uniform_edges(std::size_t bins) {
  std::vector<double> edges;
  for (std::size_t i = 1; i < bins; ++i) edges.push_back(detail::linspace(i, bins));
  return edges;
}

/// The index of a confidence's bin, counted from 0.
[[nodiscard]] inline std::size_t bin_of(double confidence, std::span<const double> edges) {
  return static_cast<std::size_t>(ranges::lower_bound(edges, confidence) - edges.begin());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
