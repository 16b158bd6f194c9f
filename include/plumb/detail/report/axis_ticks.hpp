// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where are an axis's grid lines, and what are their labels?
//
// Grid lines are at round numbers: on a linear axis, at multiples of 1, 2 or 5 times a power of
// ten; on a logarithmic axis, at 1, 2 or 5 times the powers of ten. The range of a logarithmic axis
// is specified in log10 units.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/core/number_words.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct AxisTick {
  /// The position in the axis's units: log10 of the value if the axis is logarithmic.
  double at = 0;
  std::string text;
};

/// A step of 1, 2 or 5 times a power of ten that divides the range into four to nine intervals.
inline double tick_step(double range) {
  double step = std::pow(10.0, std::floor(std::log10(range)));
  if (range / step < 2) return step / 5;
  return range / step < 5 ? step / 2 : step;
}

/// The number of decimals needed to distinguish neighbouring ticks at that step.
inline int tick_decimals(double step) {
  return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
}

/// The range must not be empty.
[[nodiscard]] inline std::vector<AxisTick> linear_ticks(const std::array<double, 2>& range) {
  const double step = tick_step(range[1] - range[0]);
  const int decimals = tick_decimals(step);
  std::vector<AxisTick> ticks;
  for (double k = std::ceil(range[0] / step - 1e-9); k * step <= range[1] + step * 1e-9; ++k) {
    ticks.push_back({k * step, with_decimals(k * step + 0.0, decimals)});
  }
  return ticks;
}

/// A range of more than three decades has ticks only at powers of ten, and a range of more than
/// eight decades only at some of these powers.
[[nodiscard]] inline std::vector<AxisTick> log_ticks(const std::array<double, 2>& range) {
  const double decades = range[1] - range[0];
  const int apart = (std::max)(1, static_cast<int>(std::ceil(decades / 8)));
  std::vector<AxisTick> ticks;
  const int first = static_cast<int>(std::floor(range[0]));
  for (int decade = first; decade <= range[1]; decade += decades > 3 ? apart : 1) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (digit > 1 && decades > 3) break;
      const double at = decade + std::log10(digit);
      if (at < range[0] - 1e-9 || at > range[1] + 1e-9) continue;
      ticks.push_back({at, with_decimals(digit * std::pow(10.0, decade), (std::max)(0, -decade))});
    }
  }
  return ticks;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
