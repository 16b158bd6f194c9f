// SPDX-License-Identifier: Apache-2.0
#pragma once

// When a test takes two numbers for the same.

#include <cmath>

namespace plumb::test {

/// Whether they differ by at most `by`; NaN is near NaN alone.
[[nodiscard]] inline bool near(double one, double other, double by = 1e-12) {
  if (std::isnan(one) || std::isnan(other)) return std::isnan(one) && std::isnan(other);
  return one == other || std::abs(one - other) <= by;
}

}  // namespace plumb::test
