// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a candidate's rank among all candidates?
//
// Ranks start at 1. With ties, a candidate has three ranks: optimistic (ahead of its equals),
// pessimistic (after them) and realistic (the mean of the two), which is the one reported. For all
// measures, this header defines Hit@k, accuracy and when a fact counts as known:
//   Hit@k     realistic: clamp((k − above) / (equal + 1), 0, 1), the mean over its positions among
//             its equals; optimistic and pessimistic: 1 if that rank is at most k, else 0
//   accuracy  Hit@1: 1/n if n candidates tie for the best, the expected value of a random choice
//   known     only one candidate is best: a tie does not show that the model knows the fact

#include <algorithm>
#include <cstddef>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where a candidate is placed among those with an equal score.
enum class Ties { optimistic, realistic, pessimistic };

struct Rank {
  /// The number of candidates with a higher score, and the number of other candidates with the same
  /// score.
  std::size_t above = 0;
  std::size_t equal = 0;

  [[nodiscard]] double optimistic() const { return 1 + static_cast<double>(above); }
  [[nodiscard]] double pessimistic() const { return 1 + static_cast<double>(above + equal); }
  [[nodiscard]] double realistic() const { return (optimistic() + pessimistic()) / 2; }

  /// The rank, from 1, with ties treated as `ties` specifies.
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
  /// The realistic hit rate.
  [[nodiscard]] double expected_hit(std::size_t k) const {
    if (k <= above) return 0;
    return (std::min)(1.0, static_cast<double>(k - above) / static_cast<double>(equal + 1));
  }
  [[nodiscard]] double expected_accuracy() const { return expected_hit(1); }
  [[nodiscard]] bool known() const { return above == 0 && equal == 0; }

  friend bool operator==(const Rank&, const Rank&) = default;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
