// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fixed calibration results in which all numbers differ, so that a test notices if a table mixes up
// two of them.

#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "support/markup.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

[[nodiscard]] inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// An estimate with an interval of ± 0.002.
[[nodiscard]] inline Estimate around(double value, std::size_t count = 40) {
  return {value, value - 0.002, value + 0.002, count, "wilson"};
}

/// Metric i is `first` + 0.01 · i: accuracy is `first`, ACE is 0.02 higher, Brier 0.05 and AURC
/// 0.13.
[[nodiscard]] inline MetricEstimates numbered(double first) {
  MetricEstimates metrics;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    metrics[i] = around(first + 0.01 * static_cast<double>(i));
  }
  return metrics;
}

inline Estimate& metric_of(EstimatorResult& made, CalibrationMetric metric) {
  return made.metrics[static_cast<std::size_t>(metric)];
}

/// The metrics start at `first` for all facts and are 0.2, 0.201, 0.202, … higher for the groups;
/// each curve has two points.
[[nodiscard]] inline EstimatorResult small_estimator(const std::string& name, double first) {
  EstimatorResult made;
  made.name = name;
  made.metrics = numbered(first);
  made.curve = {{0.3, around(0.25, 20)}, {0.75, around(0.5, 20)}};
  made.histogram = {4, 16, 12, 8};
  made.rejection = {{0.1, 0.125, around(first + 0.031, 35)}, {0.2, 1, {}}};
  made.answered = {0, 0.05, around(first + 0.032, 38)};
  made.domains = {{"Geography", numbered(first + 0.2)}, {"Water", numbered(first + 0.201)}};
  made.cardinality = {{"1:1", numbered(first + 0.202)}};
  made.relations = {{"capital", numbered(first + 0.203)}, {"river", numbered(first + 0.204)}};
  return made;
}

/// A model in which every field has a value, with base, margin and one estimator of each other
/// kind.
[[nodiscard]] inline ModelCalibration small_calibration(const std::string& name = "tiny") {
  ModelCalibration model;
  model.name = name;
  model.dataset = "small";
  model.notes = {"A note on the data."};
  model.remarks = {"Something is left out."};
  model.relations = 2;
  model.facts = 40;
  model.fewest_paraphrases = 2;
  model.most_paraphrases = 5;
  model.accuracy = around(0.451);
  model.paraphrase_accuracy = around(0.452);
  model.ties = {0, 120};
  model.domain_accuracy = {{"Geography", around(0.453, 25)}, {"Water", around(0.454, 15)}};
  model.brier_one_hot = around(0.455);
  model.brier_one_hot_per_option = around(0.456);
  model.static_calibration = StaticCalibration{38, 2, around(0.021), around(0.444), around(0.466)};
  model.estimators = {small_estimator("base", 0.1),          small_estimator("margin", 0.3),
                      small_estimator("average_vote2", 0.5), small_estimator("average_min", 0.7),
                      small_estimator("consistency_min", 0), small_estimator("25%", 0.65)};
  model.estimators[2].failures = 2;
  model.estimators[4].discrete = true;
  model.markers = {{"25%", 33, around(-0.061, 33), around(0.062, 33), around(-0.063, 33)}};
  model.reductions = {
      {{Reduction::sum, Span::statement}, around(0.471), around(0.072), around(0.473)},
      {{Reduction::mean, Span::answer}, around(0.474), around(0.275), around(0.476)}};
  model.option_counts = {{2, 21, around(0.881, 21), around(0.782, 21), around(0.083, 21)},
                         {4, 21, around(0.584, 21), around(0.485, 21), {}}};
  model.held_out = 19;
  model.recalibration = {{"base", "none", 1, numbered(0.611)},
                         {"base", "temperature", 1.75, numbered(0.411)},
                         {"base", "isotonic", 1, numbered(0.211)}};
  return model;
}

/// One model, or one for each name; every second model is masked.
[[nodiscard]] inline CalibrationResults small_results(const std::vector<std::string>& names = {
                                                          "tiny"}) {
  CalibrationResults results;
  for (const std::string& name : names) {
    results.masked.push_back(results.models.size() % 2 == 1);
    results.models.push_back(small_calibration(name));
  }
  results.options.bins = 4;
  results.options.bootstrap = {7, 50};
  return results;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
