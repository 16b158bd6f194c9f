// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that the calibration probe reports about one model.
//
// It is computed from one table of predictions: every estimator with all metrics over all facts and
// over groups of relations, curves, marker effects, a comparison of reductions, smaller option
// sets, and recalibration on held-out facts. Base and Margin use the base template; aggregators use
// only the paraphrases. In the templates' accuracies, an answer counts as 1/n if n options tie for
// the best score; in estimators' judgements, it counts as wrong. Marker effects are paired
// differences, marked minus base template (Kissling et al., Figures 6 and 11). H = 2·A·(1−ACE)/(A +
// 1−ACE) is computed for Base on the base template (Figure 8).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/fact_groups.hpp"
#include "plumb/detail/calibrate/estimators.hpp"
#include "plumb/detail/calibrate/held_out.hpp"
#include "plumb/detail/calibrate/model_calibration.hpp"
#include "plumb/detail/calibrate/static_calibration.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/column_groups.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct StudyOptions {
  std::size_t bins = 20;
  Bootstrap bootstrap;
  /// Names of the estimators to compute; if empty, all estimators that the table allows.
  std::vector<std::string> estimators{};
  /// A column of the facts' table; the facts are also measured separately for each of its values.
  /// If empty, the facts are not grouped.
  std::string group_by{};
};

/// Computes a ModelCalibration and stores the numbers that its parts share.
class Study {
 public:
  Study(const ScoredModel& model, const StudyOptions& options)
      : model_(model),
        relations_(model.predictions.relations),
        options_(options),
        strata_(strata_of(relations_)),
        resamples_(strata_, options.bootstrap, "bootstrap/calibrate"),
        groups_(groups_of(relations_)),
        estimators_(chosen_estimators(relations_, options.estimators, result_.remarks)) {}

  ModelCalibration run() {
    result_.name = model_.predictions.name;
    result_.dataset = model_.dataset;
    result_.scoring = model_.reduction + " over the " + model_.span;
    result_.notes = model_.notes;
    result_.relations = relations_.size();
    result_.facts = resamples_.items();
    result_.facts_hash = hash_of_facts();
    if (result_.facts < options_.bins) {
      result_.remarks.push_back(detail::too_few_for_bins("ACE, the Brier decomposition and H are",
                                                         result_.facts, "fact", options_.bins));
    }
    templates();
    accuracies();
    estimators();
    markers();
    reductions();
    result_.asked_by = model_.asked_by;
    every_option();
    result_.option_counts = option_count_curve(model_, options_.bins, options_.bootstrap);
    HeldOutRecalibration held_out =
        recalibrate_held_out(model_, strata_, estimators_, options_.bins, options_.bootstrap);
    result_.held_out = held_out.facts;
    result_.halves = std::move(held_out.halves);
    result_.recalibration = std::move(held_out.results);
    result_.remarks.insert(result_.remarks.end(), held_out.remarks.begin(), held_out.remarks.end());
    return std::move(result_);
  }

 private:
  /// The calibration of an estimator over all facts, computed once.
  const Calibration& whole(const std::string& name, const std::vector<Judgement>& judgements) {
    const auto known = whole_.find(name);
    if (known != whole_.end()) return known->second;
    return whole_.emplace(name, calibration_of(judgements, options_.bins, resamples_))
        .first->second;
  }

  void templates() {
    std::map<std::pair<std::size_t, std::string>, TemplateUse> uses;
    std::set<std::size_t> unlisted;
    for (std::size_t r = 0; r < relations_.size(); ++r) {
      const std::vector<std::string>& texts = relations_[r].relation.templates;
      for (std::size_t place = 0; place < relations_[r].roles.size(); ++place) {
        const std::size_t index = relations_[r].template_at(place);
        const TemplateRole& role = relations_[r].roles[place];
        TemplateUse& use = uses[{index, role.marker}];
        if (use.relations++ > 0) continue;
        use = {index, role, 1, index < texts.size() ? texts[index] : ""};
        if (use.example.empty() && model_.asked_by == AskedBy::shots) {
          use.example = "shots drawn with seed " + std::to_string(index);
        }
      }
      unlisted.insert(model_.base[r].unlisted.begin(), model_.base[r].unlisted.end());
    }
    for (auto& [key, use] : uses) result_.templates.push_back(std::move(use));
    for (const std::size_t index : unlisted) {
      result_.remarks.push_back("Template " + std::to_string(index) +
                                " is left out: no list of template kinds contains it.");
    }
  }

  void accuracies() {
    std::vector<double> base, base_first, paraphrases, paraphrases_first, one_hot, per_option;
    const auto mean = [](std::span<const Prediction> answers, double (Prediction::*of)() const) {
      double sum = 0;
      for (const Prediction& made : answers) sum += (made.*of)();
      return sum / static_cast<double>(answers.size());
    };
    result_.fewest_paraphrases = relations_.empty() ? 0 : relations_.front().paraphrases;
    for (const RelationPredictions& relation : relations_) {
      result_.fewest_paraphrases = (std::min)(result_.fewest_paraphrases, relation.paraphrases);
      result_.most_paraphrases = (std::max)(result_.most_paraphrases, relation.paraphrases);
      for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
        const FactPredictions seen{relation, fact};
        for (const Prediction& made : relation.row(fact)) result_.ties.add(made.is_tie());
        paraphrases.push_back(mean(seen.paraphrases(), &Prediction::accuracy));
        paraphrases_first.push_back(mean(seen.paraphrases(), &Prediction::accuracy_first_wins));
        base.push_back(seen.base().accuracy());
        base_first.push_back(seen.base().accuracy_first_wins());
        if (!relation.closed_set) continue;
        one_hot.push_back(seen.base().one_hot_brier);
        per_option.push_back(one_hot.back() / static_cast<double>(candidates_of(relation, fact)));
      }
    }
    if (const auto warning = tie_warning(result_.ties)) {
      result_.remarks.push_back(*warning + " Calibration counts a tie as wrong.");
    }
    const auto share = [](const std::vector<double>& values) {
      const double right = std::accumulate(values.begin(), values.end(), 0.0);
      return wilson_share(right / static_cast<double>(values.size()), values.size());
    };
    result_.accuracy = share(base);
    result_.accuracy_first_wins = share(base_first);
    result_.paraphrase_accuracy = share(paraphrases);
    result_.paraphrase_accuracy_first_wins = share(paraphrases_first);
    for (const FactGroup& domain : groups_.domains) {
      result_.domain_accuracy[domain.name] = share(domain.of(paraphrases));
    }
    if (one_hot.size() != base.size()) return;
    result_.brier_one_hot = resampled_mean(one_hot, resamples_);
    result_.brier_one_hot_per_option = resampled_mean(per_option, resamples_);
  }

  /// The number of options among which the model chose for a fact of a closed set.
  [[nodiscard]] std::size_t candidates_of(const RelationPredictions& relation,
                                          std::size_t fact) const {
    const auto place = static_cast<std::size_t>(&relation - relations_.data());
    return model_.base[place].of(relation.relation, fact).size();
  }

  void every_option() {
    if (!relations_.front().closed_set) return;
    result_.static_calibration = static_calibration(model_, options_.bins, options_.bootstrap);
    if (result_.static_calibration) return;
    result_.remarks.push_back(
        "The static calibration error is left out: facts have their own option texts.");
  }

  void estimators() {
    std::vector<std::vector<Judgement>> judged;
    for (const NamedEstimator& estimator : estimators_) {
      const std::vector<Judgement>& judgements = judged.emplace_back(estimator.judge(relations_));
      EstimatorResult made;
      made.name = estimator.name;
      made.discrete = estimator.discrete;
      const Calibration& calibration = whole(estimator.name, judgements);
      made.metrics = estimates_of(calibration);
      made.ace = calibration.draws(CalibrationMetric::ace);
      made.brier = calibration.draws(CalibrationMetric::brier);
      made.failures =
          static_cast<std::size_t>(ranges::count(judgements, false, &Judgement::answered));
      made.curve = calibration_curve(judgements, options_.bins);
      made.histogram = confidence_histogram(judgements, options_.bins);
      made.rejection = rejection_curve(judgements);
      made.answered = reject_below(judgements, 0);
      result_.estimators.push_back(std::move(made));
    }
    // Only one group's resamples exist at a time, because they may be as large as the resamples of
    // all facts.
    const auto over = [&](const std::vector<FactGroup>& groups, auto into) {
      for (const FactGroup& group : groups) {
        const Resamples resamples = resamples_.part(group.ranges);
        for (std::size_t e = 0; e < judged.size(); ++e) {
          (result_.estimators[e].*into)
              .emplace_back(group.name, estimates_of(calibration_of(group.of(judged[e]),
                                                                    options_.bins, resamples)));
        }
      }
    };
    over(groups_.domains, &EstimatorResult::domains);
    over(groups_.cardinality, &EstimatorResult::cardinality);
    over(groups_.relations, &EstimatorResult::relations);
    if (!options_.group_by.empty()) by_column(judged);
  }

  /// A group that contains only some of a relation's facts has its own resamples.
  void by_column(const std::vector<std::vector<Judgement>>& judged) {
    const FactsByColumn by(relations_of(relations_), options_.group_by);
    result_.column = options_.group_by;
    result_.facts_without = by.without();
    for (std::size_t g = 0; g < by.names().size(); ++g) {
      FactGroup group{by.names()[g], {}}, whole;
      std::vector<std::size_t> strata;
      std::size_t first = 0;
      bool is_whole = true;
      for (const RelationPredictions& relation : relations_) {
        std::size_t inside = 0;
        for (std::size_t f = 0; f < relation.facts(); ++f) {
          if (!by.is_in(relation.relation, relation.relation.facts[f], g)) continue;
          group.ranges.emplace_back(first + f, 1);
          ++inside;
        }
        if (inside > 0) {
          strata.push_back(inside);
          whole.ranges.emplace_back(first, relation.facts());
          is_whole = is_whole && inside == relation.facts();
        }
        first += relation.facts();
      }
      // A group of whole relations is resampled as a domain of these relations would be, so both
      // have the same interval.
      const Resamples resamples =
          is_whole ? resamples_.part(whole.ranges)
                   : Resamples(strata, options_.bootstrap,
                               "bootstrap/calibrate/" + options_.group_by + "/" + group.name);
      for (std::size_t e = 0; e < judged.size(); ++e) {
        result_.estimators[e].values.emplace_back(
            group.name,
            estimates_of(calibration_of(group.of(judged[e]), options_.bins, resamples)));
      }
    }
  }

  [[nodiscard]] std::uint64_t hash_of_facts() const {
    std::uint64_t hash = fnv1a("");
    for (const RelationPredictions& relation : relations_) {
      hash = fnv1a(relation.relation.code + "\n", hash);
      for (const std::string& option : relation.relation.options) hash = fnv1a(option + "\n", hash);
      for (const Fact& fact : relation.relation.facts) {
        hash = fnv1a(std::to_string(fact.instance) + " " + std::to_string(fact.answer) + " " +
                         fact.subject + "\n",
                     hash);
        for (const std::string& choice : fact.choices) hash = fnv1a(choice + "\n", hash);
      }
    }
    return hash;
  }

  void markers() {
    for (const std::string& marker : markers_of(relations_)) {
      FactGroup with;
      std::size_t first = 0;
      std::vector<Judgement> plain, marked;
      for (const RelationPredictions& relation : relations_) {
        if (relation.place_of(marker)) {
          with.ranges.emplace_back(first, relation.facts());
          for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
            plain.push_back(Base{}(FactPredictions{relation, fact}));
            marked.push_back(Marked(marker)(FactPredictions{relation, fact}));
          }
        }
        first += relation.facts();
      }
      const bool everywhere = marked.size() == resamples_.items();
      const Resamples part = everywhere ? Resamples() : resamples_.part(with.ranges);
      const auto over = [&](const std::string& name, const std::vector<Judgement>& judgements) {
        return everywhere ? whole(name, judgements)
                          : calibration_of(judgements, options_.bins, part);
      };
      const Calibration before = over("base", plain);
      const Calibration after = over(marker, marked);
      const auto effect = [&](CalibrationMetric metric) {
        return combine([](double a, double b) { return a - b; }, after.draws(metric),
                       before.draws(metric))
            .within(-1, 1)
            .estimate();
      };
      using enum CalibrationMetric;
      result_.markers.push_back(
          {marker, marked.size(), effect(accuracy), effect(ace), effect(brier)});
    }
  }

  void reductions() {
    for (std::size_t i = 0; i < all_scorings.size(); ++i) {
      std::vector<Judgement> judgements;
      bool complete = !model_.base.empty();
      for (std::size_t r = 0; r < relations_.size() && complete; ++r) {
        const auto& made = model_.base[r].reductions[i];
        complete = made.size() == relations_[r].facts();
        for (const Prediction& one : made) judgements.push_back({one.confidence, one.correct});
      }
      if (!complete) continue;
      const Calibration calibration = calibration_of(judgements, options_.bins, resamples_);
      using enum CalibrationMetric;
      const auto harmonic = [](double a, double error) {
        const double sum = a + 1 - error;
        return sum > 0 ? 2 * a * (1 - error) / sum : sum;
      };
      result_.reductions.push_back(
          {all_scorings[i], calibration[accuracy], calibration[ace],
           combine(harmonic, calibration.draws(accuracy), calibration.draws(ace))
               .within(0, 1)
               .estimate()});
    }
    if (result_.reductions.size() < all_scorings.size()) {
      result_.remarks.push_back(
          !relations_.front().closed_set
              ? "The comparison of reductions is left out: there is no closed set."
          : result_.reductions.empty()
              ? "The comparison of reductions is left out: the results store one number for each "
                "statement."
              : "Some reductions are left out: an answer shares its tokens with other text.");
    }
  }

  const ScoredModel& model_;
  const std::vector<RelationPredictions>& relations_;
  const StudyOptions& options_;
  std::vector<std::size_t> strata_;
  Resamples resamples_;
  FactGroups groups_;
  ModelCalibration result_;
  std::vector<NamedEstimator> estimators_;
  /// The calibration over all facts, by estimator name.
  std::map<std::string, Calibration> whole_;
};

/// Throws a user error for results without facts, and for a requested estimator that the results do
/// not allow.
[[nodiscard]] inline ModelCalibration calibrate_model(const ScoredModel& model,
                                                      const StudyOptions& options = {}) {
  if (model.predictions.facts() == 0) {
    throw user_error({.file = model.predictions.name}, "contains no scored facts",
                     "run plumb probe first");
  }
  return detail::Study(model, options).run();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
