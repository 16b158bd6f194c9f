// SPDX-License-Identifier: Apache-2.0
#pragma once

// How confident is the model in its answer?
//
//   Base         C = max_i softmax(ℓ)_i, under the base template
//   Margin       C = softmax(ℓ)_[1] − softmax(ℓ)_[2], under the base template
//   Average      C = Σ_t 1(ỹ_t = ŷ) · C_Base(ỹ_t) / T over the T paraphrases, ŷ the aggregate answer
//   Consistency  C = Σ_t 1(ỹ_t = ŷ) / T
//   Weighted     Base of ℓ = Σ_t w_t ℓ_t / Σ_t w_t, if templates have weights w_t (LPAQA's)
//   Marked       Base under the template with an epistemic marker
// If a vote fails, there is no answer: the confidence is 0, and the fact is not excluded but counts
// as wrong. An answer is right if the fact is known, so a tie for the best score is wrong
// (measure/ties.hpp). A paraphrase with a tie agrees with no other paraphrase
// (aggregate/aggregator.hpp) but is counted in T. Source: Kissling et al., equations 1–4 and
// section 3.3. The paper uses T = 5; here T is at least 2.

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

#include "plumb/detail/aggregate/aggregator.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The answer to one fact: how confident the model is, and whether the answer is correct (a tie is
/// not).
struct Judgement {
  double confidence = 0;
  bool correct = false;
  /// False if a vote failed.
  bool answered = true;
};

/// A ConfidenceEstimator measures how confident a model is in its answer to a fact.
///
/// Requires: `estimator(fact)` returns a Judgement. `estimator.name()` returns a short lower-case
/// name for tables. `estimator.check(relation)` throws a user error for a relation that it cannot
/// judge.
/// Means: a confidence is in [0, 1] and represents the probability that the answer is correct. Does
/// not promise: that the answer is the base template's, or that an answer exists.
template <class E>
concept ConfidenceEstimator = requires(const E& estimator, const FactPredictions& fact,
                                       const RelationPredictions& relation) {
  { estimator(fact) } -> std::same_as<Judgement>;
  { estimator.name() } -> std::convertible_to<std::string>;
  (estimator.check)(relation);
};

/// static_assert(plumb::check_confidence_estimator<MyConfidence>()) reports which requirements of a
/// ConfidenceEstimator a type does not meet, as backend/check_model.hpp does for models.
template <class E>
consteval bool check_confidence_estimator() {
  static_assert(
      requires(const E& estimator, const FactPredictions& fact) {
        { estimator(fact) } -> std::same_as<Judgement>;
      },
      "plumb: the confidence estimator lacks operator(). Write: plumb::Judgement operator()(const "
      "plumb::FactPredictions& fact) const, its confidence in the answer and whether the answer is "
      "right");
  static_assert(
      requires(const E& estimator) {
        { estimator.name() } -> std::convertible_to<std::string>;
      },
      "plumb: the confidence estimator lacks name. Write: std::string name() const, a short "
      "lower-case name for tables");
  static_assert(
      requires(const E& estimator, const RelationPredictions& relation) {
        (estimator.check)(relation);
      },
      "plumb: the confidence estimator lacks check. Write: void check(const "
      "plumb::RelationPredictions& relation) const, which throws plumb::user_error(…) for a "
      "relation that it cannot judge, or does nothing");
  return ConfidenceEstimator<E>;
}

/// The probability of the answer under the base template.
struct Base {
  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    return {fact.base().confidence, fact.base().correct};
  }
  [[nodiscard]] std::string name() const { return "base"; }
  void(check)(const RelationPredictions&) const {}
};

/// The probability of the answer minus the probability of the second most likely option, both under
/// the base template.
struct Margin {
  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    return {fact.base().margin, fact.base().correct};
  }
  [[nodiscard]] std::string name() const { return "margin"; }
  void(check)(const RelationPredictions& relation) const {
    if (relation.closed_set) return;
    throw user_error({.field = relation.relation.code},
                     "has generated answers, which have no margin over other options",
                     "remove margin from `estimators`, or probe a closed set");
  }
};

inline void need_paraphrases(const RelationPredictions& relation, const std::string& name) {
  if (relation.paraphrases >= 2) return;
  throw user_error({.field = relation.relation.code},
                   name + " needs at least two paraphrases; this relation has " +
                       std::to_string(relation.paraphrases),
                   "score more templates (set `templates` to all)");
}

/// The common part of Average and Consistency: an aggregate answer, then a sum over the paraphrases
/// that gave it. As thread-safe as the policy.
template <AggregationPolicy Policy, bool weighted>
class StructuralConfidence {
 public:
  explicit StructuralConfidence(Policy policy = {}) : aggregator_(std::move(policy)) {}

  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    const Aggregate aggregate = aggregator_(fact);
    if (!aggregate.option) return {0, false, false};
    const double sum =
        weighted ? aggregate.confidence_sum : static_cast<double>(aggregate.agreeing);
    return {sum / static_cast<double>(fact.in.paraphrases), *aggregate.option == fact.answer()};
  }
  [[nodiscard]] std::string name() const {
    return (weighted ? "average_" : "consistency_") + aggregator_.policy().name();
  }
  void(check)(const RelationPredictions& relation) const {
    detail::need_paraphrases(relation, name());
  }

 private:
  Aggregator<Policy> aggregator_;
};

/// The sum of the Base confidences of the paraphrases that agree, divided by T. As thread-safe as
/// the policy.
template <AggregationPolicy Policy = Vote>
class Average : public StructuralConfidence<Policy, true> {
 public:
  explicit Average(Policy policy = {}) : StructuralConfidence<Policy, true>(std::move(policy)) {}
};

/// The fraction of the paraphrases that agree. As thread-safe as the policy.
template <AggregationPolicy Policy = Vote>
class Consistency : public StructuralConfidence<Policy, false> {
 public:
  explicit Consistency(Policy policy = {})
      : StructuralConfidence<Policy, false>(std::move(policy)) {}
};

/// Base confidence of the templates' joint answer, computed from the weighted mean of their scores.
struct Weighted {
  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    const Prediction& made = fact.in.weighted[fact.fact];
    return {made.confidence, made.correct};
  }
  [[nodiscard]] std::string name() const { return "weighted"; }
  void(check)(const RelationPredictions& relation) const {
    if (relation.weighted.size() == relation.facts()) return;
    throw user_error({.field = relation.relation.code},
                     "has no weighted templates that were scored together",
                     "set `template_file` to LPAQA's folder and score its templates");
  }
};

/// The fraction of sampled answers that match the greedy one. Any number of threads may use the
/// same object.
struct Sampled {
  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    const Prediction& made = fact.in.sampled[fact.fact];
    return {made.confidence, made.correct};
  }
  [[nodiscard]] std::string name() const { return "sampled"; }
  void(check)(const RelationPredictions& relation) const {
    if (relation.sampled.size() == relation.facts()) return;
    throw user_error({.field = relation.relation.code}, "has facts without sampled answers",
                     "sample all of them with plumb generate");
  }
};

/// Base confidence under the template with this marker. Any number of threads may use the same
/// object.
class Marked {
 public:
  explicit Marked(std::string marker) : marker_(std::move(marker)) {}

  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    const Prediction& made = fact.in.row(fact.fact)[fact.in.place_of(marker_).value()];
    return {made.confidence, made.correct};
  }
  [[nodiscard]] std::string name() const { return marker_; }
  void(check)(const RelationPredictions& relation) const {
    if (relation.place_of(marker_)) return;
    throw user_error({.field = relation.relation.code},
                     "has no template with the marker '" + marker_ + "'",
                     "score such a template, or inject the marker with `inject`");
  }

 private:
  std::string marker_;
};

static_assert(ConfidenceEstimator<Base> && ConfidenceEstimator<Margin>);
static_assert(ConfidenceEstimator<Average<Vote>> && ConfidenceEstimator<Weighted>);
static_assert(ConfidenceEstimator<Marked>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
