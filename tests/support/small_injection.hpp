// SPDX-License-Identifier: Apache-2.0
#pragma once

// An injection experiment with ten pairs.

#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/measure/injection_results.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// There are ten pairs. In the second panel, positions 2, 3 and 7 are injected; in the third, 4, 5
/// and 6; the last two panels inject the same positions. Position 8 is highlighted.
[[nodiscard]] inline InjectionDesign small_injection_design() {
  const std::vector<std::string> names{"correct", "unknown, spread", "unknown, block",
                                       "incorrect, spread", "incorrect, block"};
  InjectionDesign design{"birth", {}, {}, 8};
  for (std::size_t i = 0; i < 5; ++i) {
    InjectionPanel panel{names[i], {}};
    for (std::size_t p = 0; p < 10; ++p) {
      panel.pairs.push_back({"P<" + std::to_string(p) + ">", "18" + std::to_string(p)});
    }
    const auto mark = [&](std::size_t p, PairKind kind) { panel.pairs[p].kind = kind; };
    const bool spread = i % 2 == 1;
    for (const std::size_t p : spread ? std::vector{2, 3, 7} : std::vector{4, 5, 6}) {
      if (i > 0) mark(p, PairKind::injected);
    }
    for (const std::size_t p : spread ? std::vector{4, 8} : std::vector{7}) {
      if (i > 0) mark(p, PairKind::after_injected);
    }
    design.panels.push_back(panel);
  }
  return design;
}

/// In panel 0, the probabilities are 0.05, 0.15, … 0.95 by position. In the other panels, correct
/// pairs have 0.1 less than in panel 0 (except at positions 0 and 9), pairs after an injected one
/// have half of panel 0's probability, and injected pairs have 0.01.
[[nodiscard]] inline std::vector<std::vector<double>> small_injection_scores(
    const InjectionDesign& design) {
  std::vector<std::vector<double>> logs(5);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t p = 0; p < 10; ++p) {
      const double first = 0.05 + 0.1 * static_cast<double>(p);
      const PairKind kind = design.panels[i].pairs[p].kind;
      logs[i].push_back(std::log(i == 0                             ? first
                                 : kind == PairKind::injected       ? 0.01
                                 : kind == PairKind::after_injected ? first / 2
                                 : p == 0 || p == 9                 ? first
                                                                    : first - 0.1));
    }
  }
  return logs;
}

[[nodiscard]] inline InjectionResults small_injections() {
  const InjectionDesign design = small_injection_design();
  return injection_results(design, small_injection_scores(design));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
