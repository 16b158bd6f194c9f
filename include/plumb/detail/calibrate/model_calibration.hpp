// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results of the calibration probe for one model: only the numbers, not how
// they are computed.
//
// calibrate_model (calibration_study.hpp) fills it in; reports and comparisons of models read it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/calibrate/curves.hpp"
#include "plumb/detail/calibrate/option_count.hpp"
#include "plumb/detail/calibrate/static_calibration.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using MetricEstimates = std::array<Estimate, calibration_metric_count>;

[[nodiscard]] inline const Estimate& estimate_of(const MetricEstimates& metrics,
                                                 CalibrationMetric metric) {
  return metrics[static_cast<std::size_t>(metric)];
}

[[nodiscard]] inline MetricEstimates estimates_of(const Calibration& calibration) {
  MetricEstimates all;
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = calibration[static_cast<CalibrationMetric>(i)];
  return all;
}

/// One estimator's answers and how well they are calibrated.
struct EstimatorResult {
  std::string name;
  MetricEstimates metrics;
  /// Facts without an answer because a vote failed.
  std::size_t failures = 0;
  /// Whether confidences have so few distinct values that ACE is of little use (Consistency).
  bool discrete = false;
  std::vector<CurvePoint> curve;
  std::vector<std::size_t> histogram;
  std::vector<RejectionPoint> rejection;
  /// The point at which only failed votes are rejected.
  RejectionPoint answered;
  /// By name, in the order of the groups; `values` has one entry for each value of the column that
  /// groups the facts.
  std::vector<std::pair<std::string, MetricEstimates>> domains, cardinality, relations, values;
  /// One value for each resample, so that models with the same facts have paired differences.
  Draws ace{}, brier{};
};

/// How a template was used.
struct TemplateUse {
  std::size_t index = 0;
  TemplateRole role;
  std::size_t relations = 0;
  /// The template's text in the first relation; empty if the metadata contains none.
  std::string example{};
};

struct MarkerEffect {
  std::string marker;
  std::size_t facts = 0;
  /// Marked minus base template, over the facts of relations that have the marker.
  Estimate accuracy, ace, brier;
};

struct ReductionResult {
  Scoring scoring;
  Estimate accuracy, ace, harmonic_mean;
};

/// An estimator on the held-out half, unchanged or after applying a map fitted on the other half.
struct RecalibrationResult {
  std::string estimator;
  std::string map;  // "none", "temperature" or "isotonic"
  double temperature = 1;
  MetricEstimates metrics;
  /// Facts without an answer because a vote failed.
  std::size_t failures = 0;
};

/// The two halves of a relation's facts, by instance: the half on which a map is fitted, and the
/// half on which it is evaluated.
struct FactHalves {
  std::string relation;
  std::vector<std::size_t> fitted, held_out;
};

struct ModelCalibration {
  std::string name;
  std::string dataset;
  /// How a statement is scored, such as "sum over the statement".
  std::string scoring;
  std::vector<std::string> notes;
  std::size_t relations = 0;
  std::size_t facts = 0;
  std::vector<TemplateUse> templates;
  std::size_t fewest_paraphrases = 0;
  std::size_t most_paraphrases = 0;
  /// Accuracy under the base template, and the mean over paraphrases; for domains, only the latter
  /// is stored. If n options tie for the best score, the answer counts as 1/n here, but as wrong in
  /// all calibration numbers.
  Estimate accuracy;
  Estimate paraphrase_accuracy;
  std::map<std::string, Estimate> domain_accuracy;
  /// The two accuracies above, computed with the first of the tied options as the answer; unchanged
  /// if there are no ties.
  Estimate accuracy_first_wins;
  Estimate paraphrase_accuracy_first_wins;
  /// Ties among the answers to all templates.
  TieCount ties;
  AskedBy asked_by = AskedBy::templates;
  /// Mean of Σ_k (p_k − y_k)² under the base template, and the mean of this sum divided by the
  /// number of options.
  Estimate brier_one_hot;
  Estimate brier_one_hot_per_option;
  /// Calibration of every option's probability; nullopt unless the facts share a closed set.
  std::optional<StaticCalibration> static_calibration{};
  std::vector<EstimatorResult> estimators;
  std::vector<MarkerEffect> markers;
  std::vector<ReductionResult> reductions;
  std::vector<OptionCountPoint> option_counts;
  std::vector<RecalibrationResult> recalibration;
  std::size_t held_out = 0;
  /// Which facts are in which half; empty if nothing was recalibrated.
  std::vector<FactHalves> halves;
  /// The column that groups the facts (empty if there is none), and the number of facts without a
  /// value in that column.
  std::string column{};
  std::size_t facts_without = 0;
  /// Hash of the facts' relations, subjects, options and answers, in order. Equal hashes mean that
  /// models answered the same facts.
  std::uint64_t facts_hash = 0;
  /// Remarks that explain what was omitted and why.
  std::vector<std::string> remarks;

  [[nodiscard]] const EstimatorResult* estimator(const std::string& wanted) const {
    const auto found = ranges::find(estimators, wanted, &EstimatorResult::name);
    return found == estimators.end() ? nullptr : &*found;
  }
};

/// The names of all estimators that at least one of the models has, in the order used in tables.
[[nodiscard]] inline std::vector<std::string> estimator_names(
    const std::vector<ModelCalibration>& models) {
  std::vector<std::string> names;
  for (const ModelCalibration& model : models) {
    for (const EstimatorResult& made : model.estimators) {
      if (ranges::find(names, made.name) == names.end()) names.push_back(made.name);
    }
  }
  return names;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
