// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns a prediction into a tie.

#include <cstdint>

#include "plumb/detail/measure/prediction.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A tie between `options` options for the best score.
inline void make_tie(Prediction& made, std::uint32_t options, BestTie tie = BestTie::with_answer) {
  made.correct = false;
  made.tie = tie;
  made.tied_options = options;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
