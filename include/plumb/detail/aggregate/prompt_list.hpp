// SPDX-License-Identifier: Apache-2.0
#pragma once

// A value for each prompt, grouped by fact and relation.
//
// Data that a table of outcomes does not contain (such as the confidence or the length of an
// answer) is stored in such lists next to the table: prompt after prompt, fact after fact, relation
// after relation.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <class T>
struct PromptList {
  std::vector<T> prompts;
  /// The number of prompts of each fact, and the number of facts of each relation.
  std::vector<std::size_t> facts;
  std::vector<std::size_t> strata;

  void begin_relation() { strata.push_back(0); }
  /// Starts a fact of the latest relation; a relation must have been started.
  void begin_fact() {
    facts.push_back(0);
    ++strata.back();
  }
  /// Adds a prompt to the latest fact; a fact must have been started.
  void add(T prompt) {
    prompts.push_back(std::move(prompt));
    ++facts.back();
  }
};

/// A generated answer: its number of tokens, the sum of their log-probabilities in nats, and
/// whether it is right. Whether the token that ended the answer is included depends on the
/// generator.
struct AnswerLikelihood {
  std::uint32_t tokens = 0;
  double log_probability = 0;
  bool right = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
