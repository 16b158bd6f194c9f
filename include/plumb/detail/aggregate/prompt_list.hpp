// SPDX-License-Identifier: Apache-2.0
#pragma once

// Something of each prompt, and which prompts are of one fact?
//
// What a table of outcomes does not hold (how sure an answer is, how long) stands in lists beside
// it: prompt after prompt, fact after fact, relation after relation.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

template <class T>
struct PromptList {
  std::vector<T> prompts;
  /// How many of them each fact has, and how many facts each relation.
  std::vector<std::size_t> facts;
  std::vector<std::size_t> strata;

  void begin_relation() { strata.push_back(0); }
  /// A fact of the latest relation, which must have begun.
  void begin_fact() {
    facts.push_back(0);
    ++strata.back();
  }
  /// A prompt of the latest fact, which must have begun.
  void add(T prompt) {
    prompts.push_back(std::move(prompt));
    ++facts.back();
  }
};

/// A generated answer: how many tokens it has, the sum of their log-probabilities in nats, and
/// whether it is right. Whether the token that ended it is among them is the generator's to say.
struct AnswerLikelihood {
  std::uint32_t tokens = 0;
  double log_probability = 0;
  bool right = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
