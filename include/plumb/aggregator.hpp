// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do a model's answers to many prompts become one answer?
//
//   plumb::aggregate(answers)    // the most frequent answer for each relation and fact
//   plumb::aggregate(answers, plumb::MaxConfidence())
//
// You can also write an AggregationPolicy of your own. Run: examples/own_aggregation.cpp.

#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/aggregator.hpp"
#include "plumb/detail/aggregate/answer_predictions.hpp"
#include "plumb/detail/aggregate/answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Returns one answer for each fact, aggregated over its templates and indexed by relation, then
/// fact. Templates with an epistemic marker are ignored. An answer is empty if the policy finds
/// none. Throws a user error if the policy chooses an option that is not the answer under any
/// template.
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

/// Aggregates the predictions of one fact into one answer.
template <class Policy = Vote>
[[nodiscard]] Aggregate aggregate(std::span<const Prediction> paraphrases, Policy policy = {}) {
  return Aggregator(std::move(policy))(paraphrases);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::aggregate;
using detail::Aggregate;
using detail::AggregationPolicy;
using detail::check_aggregation;
using detail::MaxConfidence;
using detail::Prediction;
using detail::Vote;

}  // namespace plumb
