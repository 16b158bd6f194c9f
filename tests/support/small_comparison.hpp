// SPDX-License-Identifier: Apache-2.0
#pragma once

// Three models, two of which form a family, small enough to count by hand.

#include <string>
#include <vector>

#include "plumb/detail/measure/model_comparison.hpp"
#include "support/small_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The accuracies in P1, P2, P3 and P4, and the mean of the first three:
///   ant   2/4  2/4  4/4  –      2/3
///   bee   1/4  2/4  3/4  1/1    1/2
///   cat   0/4  1/4  1/4  –      1/6
/// Bee knows 1/2, 1/2 and 3/4 of what ant knows; ant knows 1, 1/2 and 1 of what bee knows.
[[nodiscard]] inline std::vector<ModelAnswers> three_models() {
  return {{"cat", {by_seed("P1", {"0000"}), by_seed("P2", {"0001"}), by_seed("P3", {"1000"})}},
          {"ant", {by_seed("P1", {"1100"}), by_seed("P2", {"1100"}), by_seed("P3", {"1111"})}},
          {"bee",
           {by_seed("P1", {"1000"}), by_seed("P2", {"0110"}), by_seed("P3", {"1110"}),
            by_seed("P4", {"1"})}}};
}

/// Ant and cat form the family "F & G"; bee has no family and is tuned from ant.
[[nodiscard]] inline ComparisonOptions three_options() {
  ComparisonOptions options;
  options.families = {{"ant", "F & G"}, {"cat", "F & G"}};
  options.pairs = {{"ant", "bee"}};
  options.bootstrap = {.seed = 5, .resamples = 50};
  return options;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
