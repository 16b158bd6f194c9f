// SPDX-License-Identifier: Apache-2.0
#pragma once

// A prediction made a tie by hand.

#include <cstdint>

#include "plumb/detail/measure/prediction.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Of `options` for the best.
inline void make_tie(Prediction& made, std::uint32_t options, BestTie tie = BestTie::with_answer) {
  made.correct = false;
  made.tie = tie;
  made.tied_options = options;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
