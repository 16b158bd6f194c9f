// SPDX-License-Identifier: Apache-2.0
#pragma once

// When does a test treat two numbers as equal?

#include <cmath>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Whether two numbers differ by at most `by`; nothing is near NaN or infinity.
[[nodiscard]] inline bool near(double one, double other, double by = 1e-12) {
  return std::abs(one - other) <= by;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
