// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do the answers to many paraphrases become a single answer?
//
// An aggregator turns the answers to a fact's paraphrases into one answer, according to its policy:
//   Vote           the most frequent answer, if at least `to_win` paraphrases gave it and no other
//                  answer is as frequent; otherwise the vote fails and there is no answer
//   MinConfidence  the answer of the paraphrase with the lowest Base confidence
//   MaxConfidence  the answer of the paraphrase with the highest; for both, ties go to the lowest
//                  template index
// If several options tie for the best score under a paraphrase, the paraphrase has no answer: it
// does not vote and cannot be chosen. Source: Kissling et al., section 3.2 and appendix C, which do
// not specify the result of a tied vote; here the vote fails. Non-goal: the confidence of the
// answer (calibrate/confidence.hpp).

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An AggregationPolicy picks one of the answers to several prompts.
///
/// Requires: `policy.choose(paraphrases)` returns an option, or nullopt if there is no answer;
/// `policy.name()` is a short lower-case word for tables.
/// Means: the choice is one of the given options. At least one prediction is given, and none of
/// them is a tie.
/// Does not promise: that the choice depends on confidences, or that a choice exists.
template <class P>
concept AggregationPolicy = requires(const P& policy, std::span<const Prediction> paraphrases) {
  { policy.choose(paraphrases) } -> std::same_as<std::optional<std::size_t>>;
  { policy.name() } -> std::convertible_to<std::string>;
};

/// static_assert(plumb::check_aggregation<MyPolicy>()) reports which AggregationPolicy requirements
/// a type does not meet, as backend/check_model.hpp does for models.
template <class P>
consteval bool check_aggregation() {
  static_assert(
      requires(const P& policy, std::span<const Prediction> paraphrases) {
        { policy.choose(paraphrases) } -> std::same_as<std::optional<std::size_t>>;
      },
      "plumb: the aggregation lacks choose. Write: std::optional<std::size_t> "
      "choose(std::span<const plumb::Prediction> paraphrases) const, one of their options, or "
      "std::nullopt for no answer");
  static_assert(
      requires(const P& policy) {
        { policy.name() } -> std::convertible_to<std::string>;
      },
      "plumb: the aggregation lacks name. Write: std::string name() const, a short lower-case word "
      "for tables");
  return AggregationPolicy<P>;
}

struct Vote {
  /// With a value of 2, a plurality is enough; with more than half of the number of paraphrases, an
  /// absolute majority is required; with the number of paraphrases, unanimity is required.
  std::size_t to_win = 2;

  [[nodiscard]] std::optional<std::size_t> choose(std::span<const Prediction> paraphrases) const {
    std::vector<std::pair<std::size_t, std::size_t>> votes;  // option, count
    for (const Prediction& made : paraphrases) {
      const auto known =
          ranges::find(votes, made.option, &std::pair<std::size_t, std::size_t>::first);
      if (known == votes.end()) {
        votes.emplace_back(made.option, 1);
      } else {
        ++known->second;
      }
    }
    std::size_t most = 0;
    std::size_t with_most = 0;
    std::size_t winner = 0;
    for (const auto& [option, count] : votes) {
      if (count > most) {
        most = count;
        with_most = 1;
        winner = option;
      } else if (count == most) {
        ++with_most;
      }
    }
    if (with_most != 1 || most < to_win) return std::nullopt;
    return winner;
  }
  [[nodiscard]] std::string name() const { return "vote" + std::to_string(to_win); }
};

/// The answer of the paraphrase with the lowest Base confidence (the first of them if tied).
struct MinConfidence {
  [[nodiscard]] std::optional<std::size_t> choose(std::span<const Prediction> paraphrases) const {
    return ranges::min_element(paraphrases, {}, &Prediction::confidence)->option;
  }
  [[nodiscard]] std::string name() const { return "min"; }
};

/// The answer of the paraphrase with the highest Base confidence (the first of them if tied).
struct MaxConfidence {
  [[nodiscard]] std::optional<std::size_t> choose(std::span<const Prediction> paraphrases) const {
    return ranges::max_element(paraphrases, {}, &Prediction::confidence)->option;
  }
  [[nodiscard]] std::string name() const { return "max"; }
};

/// An aggregate answer, with the number and confidences of the paraphrases that gave it.
struct Aggregate {
  /// Nullopt if the policy found no answer.
  std::optional<std::size_t> option{};
  /// The number of paraphrases that gave the answer, and the sum of their Base confidences.
  std::size_t agreeing = 0;
  double confidence_sum = 0;
};

/// Combines the answers to a fact's paraphrases into one answer. Any number of threads may use one
/// object if the policy allows it. If a type is not an AggregationPolicy, the compiler reports
/// which requirements it does not meet.
template <class Policy = Vote>
class Aggregator {
  static_assert(check_aggregation<Policy>());

 public:
  explicit Aggregator(Policy policy = {}) : policy_(std::move(policy)) {}

  /// Returns no answer if every paraphrase is a tie. Throws a user error that names `site` if the
  /// policy chooses an option that is not the answer of any paraphrase.
  [[nodiscard]] Aggregate operator()(std::span<const Prediction> paraphrases,
                                     const Site& site = {}) const {
    if (ranges::any_of(paraphrases, &Prediction::is_tie)) {
      std::vector<Prediction> answers;
      for (const Prediction& made : paraphrases) {
        if (!made.is_tie()) answers.push_back(made);
      }
      return answers.empty() ? Aggregate{} : (*this)(answers, site);
    }
    Aggregate aggregate{policy_.choose(paraphrases)};
    if (!aggregate.option) return aggregate;
    for (const Prediction& made : paraphrases) {
      if (made.option != *aggregate.option) continue;
      ++aggregate.agreeing;
      aggregate.confidence_sum += made.confidence;
    }
    if (aggregate.agreeing == 0) {
      throw user_error(site,
                       "the aggregation " + policy_.name() + " chose option " +
                           std::to_string(*aggregate.option) + ", which no paraphrase predicted",
                       "choose an option that a paraphrase predicted, or none");
    }
    return aggregate;
  }

  /// Aggregates the answers to one fact; error messages name that fact.
  [[nodiscard]] Aggregate operator()(const FactPredictions& fact) const {
    return (*this)(fact.paraphrases(), fact.site());
  }

  /// The aggregate answer to each fact of a relation. Throws the same user error as for one fact.
  [[nodiscard]] std::vector<Aggregate> aggregate(const RelationPredictions& relation) const {
    std::vector<Aggregate> all;
    for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
      all.push_back((*this)(FactPredictions{relation, fact}));
    }
    return all;
  }

  [[nodiscard]] const Policy& policy() const noexcept { return policy_; }

 private:
  Policy policy_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
