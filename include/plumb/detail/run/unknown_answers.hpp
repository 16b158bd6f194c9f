// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many facts and statements of a relation have an answer that the model's vocabulary cannot
// spell?

#include <cstddef>
#include <vector>

#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe while it counts.
class UnknownAnswers {
 public:
  /// `facts` is the number of facts of the relation.
  explicit UnknownAnswers(std::size_t facts) : is_unknown_(facts, false) {}

  /// Adds a fact's statements under a template, one per candidate. `unknown` is true for candidates
  /// that the vocabulary cannot spell.
  void add(std::size_t fact, std::size_t answer, const std::vector<bool>& unknown) {
    statements_ += static_cast<std::size_t>(ranges::count(unknown, true));
    if (unknown[answer]) is_unknown_[fact] = true;
  }

  /// The number of facts whose right answer the vocabulary cannot spell under at least one
  /// template.
  [[nodiscard]] std::size_t facts() const {
    return static_cast<std::size_t>(ranges::count(is_unknown_, true));
  }
  /// The number of statements whose candidate the vocabulary cannot spell.
  [[nodiscard]] std::size_t statements() const noexcept { return statements_; }

 private:
  std::vector<bool> is_unknown_;
  std::size_t statements_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
