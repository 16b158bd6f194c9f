// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much do a model's scores vary with the facts that are shown before the questions?
//
// Draws are runs of one model that differ only in the seed of their shots. The spread is computed
// from the accuracies of the draws. It does not cover the choice of the facts that the model is
// asked about; each accuracy's own interval covers that.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/accuracy_spread.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct DrawSpread {
  /// The names of the runs, separated by commas.
  std::string runs;
  std::size_t draws = 0;
  /// Statistics of the draws' accuracies; the SD divides by n − 1.
  double mean = 0, sd = 0, least = 0, most = 0;
};

/// Needs at least two accuracies.
[[nodiscard]] inline DrawSpread draw_spread(std::string runs, std::span<const double> accuracies) {
  DrawSpread made{.runs = std::move(runs), .draws = accuracies.size()};
  for (const double value : accuracies) made.mean += value / static_cast<double>(accuracies.size());
  made.sd = sample_sd(accuracies).value_or(0);
  made.least = *std::min_element(accuracies.begin(), accuracies.end());
  made.most = *std::max_element(accuracies.begin(), accuracies.end());
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
