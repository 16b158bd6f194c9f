// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does one candidate stand among all?
//
// Ranks start at 1. With ties there are three: optimistic (before its equals), pessimistic (behind
// them) and realistic, their mean, which is the one reported.

#include <cstddef>

namespace plumb {

struct Rank {
  /// Candidates that score above it, and others that score the same.
  std::size_t above = 0;
  std::size_t equal = 0;

  [[nodiscard]] double optimistic() const { return 1 + static_cast<double>(above); }
  [[nodiscard]] double pessimistic() const { return 1 + static_cast<double>(above + equal); }
  [[nodiscard]] double realistic() const { return (optimistic() + pessimistic()) / 2; }

  friend bool operator==(const Rank&, const Rank&) = default;
};

}  // namespace plumb
