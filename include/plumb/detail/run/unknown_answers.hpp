// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many facts and statements of a relation have an answer that cannot be spelled with the
// model's vocabulary?

#include <cstddef>
#include <vector>

#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe while counting.
class UnknownAnswers {
 public:
  /// `facts` is the number of facts in the relation.
  explicit UnknownAnswers(std::size_t facts) : is_unknown_(facts, false) {}

  /// Adds a fact's statements for one template, one per candidate. `unknown` is true for candidates
  /// that cannot be spelled with the vocabulary.
  void add(std::size_t fact, std::size_t answer, const std::vector<bool>& unknown) {
    statements_ += static_cast<std::size_t>(ranges::count(unknown, true));
    if (unknown[answer]) is_unknown_[fact] = true;
  }

  /// The number of facts whose correct answer, under at least one template, cannot be spelled with
  /// the vocabulary.
  [[nodiscard]] std::size_t facts() const {
    return static_cast<std::size_t>(ranges::count(is_unknown_, true));
  }
  /// The number of statements whose candidate cannot be spelled with the vocabulary.
  [[nodiscard]] std::size_t statements() const noexcept { return statements_; }

 private:
  std::vector<bool> is_unknown_;
  std::size_t statements_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
