// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do the answers to many paraphrases amount to?
//
// An aggregator makes one answer of a fact's paraphrases by its policy:
//   Vote           the most frequent answer if at least `to_win` paraphrases gave it and no other
//                  answer is as frequent; otherwise the vote fails and there is no answer
//   MinConfidence  the answer of the paraphrase with the lowest Base confidence
//   MaxConfidence  the same with the highest; ties of both go to the lowest template index
// A paraphrase under which options share the best score gives no answer: it does not vote and cannot
// be chosen. Source: Kissling et al., section 3.2 and appendix C, which leave ties of a vote open;
// there, as here, a tie is a failure. Non-goal: how sure the answer is (calibrate/confidence.hpp).

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

/// An AggregationPolicy picks one answer from those to several prompts.
///
/// Requires: `policy.choose(paraphrases)` returns an option, or nothing when there is no answer;
/// `policy.name()` is a short lower-case word for tables.
/// Means: a choice is one of the given options. At least one prediction is given, none of them a
/// tie.
/// Does not promise: that the choice depends on confidences, or that there is one.
template <class P>
concept AggregationPolicy = requires(const P& policy, std::span<const Prediction> paraphrases) {
  { policy.choose(paraphrases) } -> std::same_as<std::optional<std::size_t>>;
  { policy.name() } -> std::convertible_to<std::string>;
};

/// static_assert(plumb::check_aggregation<MyPolicy>()) names what a type lacks of an
/// AggregationPolicy, as backend/check_model.hpp does of models.
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
  /// 2 is a plurality, more than half of the paraphrases an absolute majority, all unanimity.
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

/// The answer of the paraphrase with the lowest Base confidence, the first of equal ones.
struct MinConfidence {
  [[nodiscard]] std::optional<std::size_t> choose(std::span<const Prediction> paraphrases) const {
    return ranges::min_element(paraphrases, {}, &Prediction::confidence)->option;
  }
  [[nodiscard]] std::string name() const { return "min"; }
};

/// The answer of the paraphrase with the highest Base confidence, the first of equal ones.
struct MaxConfidence {
  [[nodiscard]] std::optional<std::size_t> choose(std::span<const Prediction> paraphrases) const {
    return ranges::max_element(paraphrases, {}, &Prediction::confidence)->option;
  }
  [[nodiscard]] std::string name() const { return "max"; }
};

/// An aggregate answer and what stands behind it.
struct Aggregate {
  /// Nothing when the policy found no answer.
  std::optional<std::size_t> option{};
  /// How many paraphrases gave it, and the sum of their Base confidences.
  std::size_t agreeing = 0;
  double confidence_sum = 0;
};

/// Makes one answer of the paraphrases of a fact. Any number of threads may use one, as far as the
/// policy allows it. That is an AggregationPolicy; of any other type the compiler says what it lacks.
template <class Policy = Vote>
class Aggregator {
  static_assert(check_aggregation<Policy>());

 public:
  explicit Aggregator(Policy policy = {}) : policy_(std::move(policy)) {}

  /// There is no answer where every paraphrase is a tie. Throws a user error, which names `site`, where
  /// the policy chooses an option that no paraphrase gave.
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
                           std::to_string(*aggregate.option) + ", which no paraphrase gave",
                       "choose one of theirs, or none");
    }
    return aggregate;
  }

  /// The same of a fact, which an error names.
  [[nodiscard]] Aggregate operator()(const FactPredictions& fact) const {
    return (*this)(fact.paraphrases(), fact.site());
  }

  /// The aggregate answer to each fact of a relation. Throws a user error as for one.
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
