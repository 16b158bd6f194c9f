// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do many prompts say together?
//
//   plumb::aggregate(answers)                                 // the most frequent answer, by relation and fact
//   plumb::aggregate(answers, plumb::MaxConfidence())
//
// or an AggregationPolicy of one's own. Run: examples/own_aggregation.cpp.

#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/aggregator.hpp"
#include "plumb/detail/aggregate/answer_predictions.hpp"
#include "plumb/detail/aggregate/answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

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

/// The answer that predictions of one fact make together.
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
