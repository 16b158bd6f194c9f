// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far do a model's numbers lie apart when other facts are shown before the questions?
//
// Runs of one model that differ in nothing but the seed of their shots are draws; the spread is over their
// accuracies. It says nothing of other facts: that is what each accuracy's own interval is for.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/accuracy_spread.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct DrawSpread {
  /// The runs' names, with commas between.
  std::string runs;
  std::size_t draws = 0;
  /// Of their accuracies; the SD has n − 1.
  double mean = 0, sd = 0, least = 0, most = 0;
};

/// At least two accuracies.
[[nodiscard]] inline DrawSpread draw_spread(std::string runs, std::span<const double> accuracies) {
  DrawSpread made{.runs = std::move(runs), .draws = accuracies.size()};
  for (const double value : accuracies) made.mean += value / static_cast<double>(accuracies.size());
  made.sd = sample_sd(accuracies).value_or(0);
  made.least = *std::min_element(accuracies.begin(), accuracies.end());
  made.most = *std::max_element(accuracies.begin(), accuracies.end());
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
