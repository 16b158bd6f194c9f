// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does one candidate stand among all?
//
// Ranks start at 1. With ties there are three: optimistic (before its equals), pessimistic (behind
// them) and realistic, their mean, which is the one reported. Hit@k and whether a fact is known are
// defined here for every measure:
//   Hit@k     realistic: clamp((k − above) / (equal + 1), 0, 1), the mean over the places among its
//             equals; optimistic and pessimistic: 1 where that rank is at most k, else 0
//   accuracy  Hit@1: of n that are level for the best 1/n, the mean of a random choice
//   known     alone at the best: a tie tells nothing of what the model knows

#include <algorithm>
#include <cstddef>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where among its equals a candidate is said to stand.
enum class Ties { optimistic, realistic, pessimistic };

struct Rank {
  /// Candidates that score above it, and others that score the same.
  std::size_t above = 0;
  std::size_t equal = 0;

  [[nodiscard]] double optimistic() const { return 1 + static_cast<double>(above); }
  [[nodiscard]] double pessimistic() const { return 1 + static_cast<double>(above + equal); }
  [[nodiscard]] double realistic() const { return (optimistic() + pessimistic()) / 2; }

  /// From 1.
  [[nodiscard]] double by(Ties ties) const {
    return ties == Ties::optimistic    ? optimistic()
           : ties == Ties::pessimistic ? pessimistic()
                                       : realistic();
  }

  /// The hit rate at k, in [0, 1]; `k` from 1.
  [[nodiscard]] double hit(std::size_t k, Ties ties) const {
    if (ties == Ties::realistic) return expected_hit(k);
    return by(ties) <= static_cast<double>(k) ? 1 : 0;
  }
  /// The realistic one.
  [[nodiscard]] double expected_hit(std::size_t k) const {
    if (k <= above) return 0;
    return (std::min)(1.0, static_cast<double>(k - above) / static_cast<double>(equal + 1));
  }
  [[nodiscard]] double expected_accuracy() const { return expected_hit(1); }
  [[nodiscard]] bool known() const { return above == 0 && equal == 0; }

  friend bool operator==(const Rank&, const Rank&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
