// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do many prompts say together?
//
//   plumb::aggregate(answers)                                 // the most frequent answer, by relation and fact
//   plumb::aggregate(answers, plumb::MaxConfidence())
//
// or an AggregationPolicy of one's own. Run: examples/own_aggregation.cpp.

#include <utility>
#include <vector>

#include "plumb/aggregate/aggregator.hpp"
#include "plumb/aggregate/answer_predictions.hpp"
#include "plumb/aggregate/answers.hpp"

namespace plumb {

/// The answer that the templates of each fact make together, by relation, then fact; templates with an
/// epistemic marker are left out. Nothing where the policy finds none. Throws a user error where the
/// policy chooses an option that no template gave.
template <class Policy = Vote>
[[nodiscard]] std::vector<std::vector<Aggregate>> aggregate(const Answers& answers,
                                                            Policy policy = {}) {
  const Aggregator aggregator(std::move(policy));
  std::vector<std::vector<Aggregate>> made;
  for (const RelationPredictions& relation : predictions_of(answers).relations) {
    made.push_back(aggregator.aggregate(relation));
  }
  return made;
}

}  // namespace plumb
