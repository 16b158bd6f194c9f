// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can results on other facts improve a confidence?
//
//   Tempered<E>  divides all options' scores by one temperature, then judges as E does
//   Isotonic<E>  judges as E does, then maps the confidence to the share that was right
// Both are fitted on some facts and are ConfidenceEstimators for others. On the facts used for
// fitting, they look better than they are, so `split_facts` separates these facts from the others.
// recalibration.hpp contains the maps and their sources.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/weighted_likelihood.hpp"
#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/calibrate/recalibration.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Predictions for the facts used for fitting, and for the other facts.
struct SplitFacts {
  std::vector<RelationPredictions> fitting, held_out;
};

/// A relation without its facts.
inline RelationPredictions without_facts(const RelationPredictions& relation) {
  RelationPredictions made;
  made.relation.code = relation.relation.code;
  made.relation.options = relation.relation.options;
  made.relation.option_ids = relation.relation.option_ids;
  made.relation.domains = relation.relation.domains;
  made.relation.templates = relation.relation.templates;
  made.relation.template_weights = relation.relation.template_weights;
  made.relation.cardinality = cardinality_of(relation.relation);
  made.settings = relation.settings;
  made.roles = relation.roles;
  made.paraphrases = relation.paraphrases;
  made.base = relation.base;
  return made;
}

/// Appends a fact of `from`; both relations have the same options, templates and settings.
inline void append_fact(RelationPredictions& to, const RelationPredictions& from,
                        std::size_t fact) {
  to.relation.facts.push_back(from.relation.facts[fact]);
  const auto cells = from.row(fact);
  to.cells.insert(to.cells.end(), cells.begin(), cells.end());
  if (!from.weighted.empty()) to.weighted.push_back(from.weighted[fact]);
  if (from.scores.empty()) return;
  const std::size_t numbers = from.settings.size() * from.relation.options.size();
  const auto scores = std::span(from.scores).subspan(fact * numbers, numbers);
  to.scores.insert(to.scores.end(), scores.begin(), scores.end());
}

/// A random half of each relation's facts for fitting, and the rest. If a relation has only one
/// fact, that fact is held out. Each half omits relations that have no facts in that half. With
/// equal seeds, equal relations are split in the same way.
[[nodiscard]] inline SplitFacts split_facts(const std::vector<RelationPredictions>& relations,
                                            std::uint64_t seed = 0) {
  const std::vector<bool> fitting = fitting_half(strata_of(relations), seed);
  SplitFacts split;
  std::size_t at = 0;
  for (const RelationPredictions& relation : relations) {
    RelationPredictions fit = detail::without_facts(relation);
    RelationPredictions rest = fit;
    for (std::size_t fact = 0; fact < relation.facts(); ++fact, ++at) {
      detail::append_fact(fitting[at] ? fit : rest, relation, fact);
    }
    if (fit.facts() > 0) split.fitting.push_back(std::move(fit));
    if (rest.facts() > 0) split.held_out.push_back(std::move(rest));
  }
  return split;
}

/// Judges as `E` does, after dividing the scores by the temperature with the lowest mean −ln
/// p(answer) under the base template (Guo et al. 2017). Answers stay the same. Needs stored scores.
/// As thread-safe as E.
template <class E = Base>
class Tempered {
  static_assert(check_confidence_estimator<E>());

 public:
  /// Fits the temperature, which is 1 if there are no facts. Throws a user error if scores were not
  /// stored.
  explicit Tempered(std::span<const RelationPredictions> fitting, E estimator = E{})
      : estimator_(std::move(estimator)) {
    std::vector<ScoredFact> facts;
    for (const RelationPredictions& relation : fitting) {
      relation.need_scores(name());
      for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
        const FactPredictions predictions{relation, fact};
        facts.push_back({predictions.scores(), predictions.answer()});
      }
    }
    temperature_ = fit_temperature(facts);
  }

  /// It may lie at an end of the search range (is_end_of_range); the best temperature is then
  /// outside the range.
  [[nodiscard]] double temperature() const noexcept { return temperature_; }

  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    RelationPredictions one = detail::without_facts(fact.in);
    detail::append_fact(one, fact.in, fact.fact);
    const std::size_t options = one.relation.options.size();
    for (std::size_t place = 0; place < one.cells.size(); ++place) {
      const auto scores = std::span(one.scores).subspan(place * options, options);
      one.cells[place] = predict(scores, fact.answer(), temperature_);
    }
    if (!one.weighted.empty()) {
      WeightedLikelihood together;
      for (std::size_t place = 0; place < one.cells.size(); ++place) {
        together.add(std::span(one.scores).subspan(place * options, options),
                     weight_of(fact.in.relation.template_weights, one.template_at(place)));
      }
      one.weighted[0] = predict(together.scores(), fact.answer(), temperature_);
    }
    for (double& score : one.scores) score /= temperature_;
    return estimator_(FactPredictions{one, 0});
  }
  [[nodiscard]] std::string name() const { return "tempered_" + std::string(estimator_.name()); }
  void(check)(const RelationPredictions& relation) const {
    relation.need_scores(name());
    (estimator_.check)(relation);
  }

 private:
  E estimator_;
  double temperature_ = 1;
};

/// Maps the confidence of `E` to the probability of being correct, using the non-decreasing step
/// function with the smallest squared error from correctness (Zadrozny & Elkan 2002). A missing
/// answer keeps confidence 0. As thread-safe as E.
template <class E = Base>
class Isotonic {
  static_assert(check_confidence_estimator<E>());

 public:
  /// Fits the map. Throws a user error if there are no facts, and for a relation that E cannot
  /// judge.
  explicit Isotonic(std::span<const RelationPredictions> fitting, E estimator = E{})
      : estimator_(std::move(estimator)), map_(fitted(fitting, estimator_)) {}

  [[nodiscard]] Judgement operator()(const FactPredictions& fact) const {
    Judgement made = estimator_(fact);
    if (made.answered) made.confidence = map_(made.confidence);
    return made;
  }
  [[nodiscard]] std::string name() const { return "isotonic_" + std::string(estimator_.name()); }
  void(check)(const RelationPredictions& relation) const { (estimator_.check)(relation); }

 private:
  static IsotonicMap fitted(std::span<const RelationPredictions> fitting, const E& estimator) {
    const std::vector<Judgement> judgements = Calibrator(estimator).judge(fitting);
    if (judgements.empty()) {
      throw user_error({.field = "fitting"}, "contains no facts to fit a map to",
                       "pass relations with at least two facts");
    }
    return IsotonicMap(judgements);
  }

  E estimator_;
  IsotonicMap map_;
};

static_assert(ConfidenceEstimator<Tempered<Base>> && ConfidenceEstimator<Isotonic<Margin>>);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
