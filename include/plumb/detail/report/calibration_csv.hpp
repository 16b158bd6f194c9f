// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CSV files of the calibration probe.
//
// One file for each plot and table. Each row ends with value, low, high and count; if there is no
// number, the first three are empty and the count is 0.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {
/// The file name and contents of each table.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> calibration_csv(
    const CalibrationResults& results) {
  detail::EstimateCsv metrics({"model", "estimator", "group", "name", "metric"});
  detail::EstimateCsv curve({"model", "estimator", "confidence"});
  detail::EstimateCsv rejection({"model", "estimator", "threshold", "rejected"});
  detail::EstimateCsv options({"model", "options", "metric"});
  detail::EstimateCsv markers({"model", "marker", "difference_in"});
  detail::EstimateCsv reductions({"model", "reduction", "metric"});
  detail::EstimateCsv recalibration({"model", "estimator", "map", "temperature", "metric"});
  detail::EstimateCsv correlation({"estimator"});
  std::string histogram = csv_line({"model", "estimator", "from", "to", "answers"});
  detail::EstimateCsv pairs({"pair", "model", "kind", "facts_of", "metric"});
  for (const ModelCalibration& model : results.models) {
    metrics.add({model.name, "", "accuracy", "base template", "accuracy"}, model.accuracy);
    metrics.add({model.name, "", "accuracy", "mean over paraphrases", "accuracy"},
                model.paraphrase_accuracy);
    metrics.add({model.name, "base", "overall", "all facts", "brier_one_hot"}, model.brier_one_hot);
    metrics.add({model.name, "base", "overall", "all facts", "brier_one_hot_per_option"},
                model.brier_one_hot_per_option);
    if (const auto& made = model.static_calibration) {
      add_numbers(metrics, {model.name, "", "all options", "all subjects"},
                  static_calibration_numbers(), *made);
    }
    for (const EstimatorResult& made : model.estimators) {
      const auto add = [&](const char* kind, const std::string& name, const MetricEstimates& all) {
        add_numbers(metrics, {model.name, made.name, kind, name}, metric_numbers(), all);
      };
      add("overall", "all facts", made.metrics);
      for (const auto& [name, group] : made.domains) add("domain", name, group);
      for (const auto& [name, group] : made.cardinality) add("cardinality", name, group);
      for (const auto& [name, group] : made.relations) add("relation", name, group);
      for (const auto& [name, group] : made.values) add("value", name, group);
      for (const CurvePoint& point : made.curve) {
        curve.add({model.name, made.name, with_decimals(point.confidence, 8)}, point.accuracy);
      }
      for (const RejectionPoint& point : made.rejection) {
        rejection.add({model.name, made.name, with_decimals(point.threshold, 1),
                       detail::csv_number(point.rejected)},
                      point.accuracy);
      }
      rejection.add({model.name, made.name, "answered", detail::csv_number(made.answered.rejected)},
                    made.answered.accuracy);
      const double width = 1 / static_cast<double>(made.histogram.size());
      for (std::size_t b = 0; b < made.histogram.size(); ++b) {
        const double from = static_cast<double>(b) * width;
        histogram += csv_line({model.name, made.name, with_decimals(from, 4),
                               with_decimals(from + width, 4), std::to_string(made.histogram[b])});
      }
    }
    for (const OptionCountPoint& point : model.option_counts) {
      const std::string k = std::to_string(point.options);
      options.add({model.name, k, "mean_confidence"}, point.confidence);
      options.add({model.name, k, "accuracy"}, point.accuracy);
      options.add({model.name, k, "ace"}, point.ace);
    }
    for (const MarkerEffect& effect : model.markers) {
      add_numbers(markers, {model.name, effect.marker}, marker_numbers(), effect);
    }
    for (const ReductionResult& r : model.reductions) {
      add_numbers(reductions, {model.name, scoring_label(r.scoring)}, reduction_numbers(), r);
    }
    for (const RecalibrationResult& r : model.recalibration) {
      add_numbers(recalibration,
                  {model.name, r.estimator, r.map,
                   r.map == "temperature" ? with_decimals(r.temperature, 6) : ""},
                  metric_numbers(), r.metrics);
    }
  }
  for (const auto& [estimator, r] : results.comparison.correlation) correlation.add({estimator}, r);
  for (std::size_t p = 0; p < results.comparison.pairs.size(); ++p) {
    const MatchedModels& pair = results.comparison.pairs[p];
    for (const std::size_t i : {pair.causal, pair.masked}) {
      const ModelCalibration& model = results.models[i];
      const auto add = [&](const std::string& facts, const std::string& metric, const Estimate& e) {
        pairs.add({std::to_string(p + 1), model.name, i == pair.masked ? "masked" : "causal", facts,
                   metric},
                  e);
      };
      add("all", "accuracy", model.paraphrase_accuracy);
      if (!pair.domain.empty()) add(pair.domain, "accuracy", model.domain_accuracy.at(pair.domain));
      for (const EstimatorResult& made : model.estimators) {
        if (made.name != "margin" && made.name != "average_min") continue;
        add("all", "brier " + made.name, estimate_of(made.metrics, CalibrationMetric::brier));
        for (const auto& [domain, numbers] : made.domains) {
          if (domain == pair.domain) {
            add(domain, "brier " + made.name, estimate_of(numbers, CalibrationMetric::brier));
          }
        }
      }
    }
  }
  detail::EstimateCsv differences({"first", "second", "estimator", "second_minus_first"});
  for (const CalibrationDifference& one : results.comparison.differences) {
    const std::string &first = results.models[one.first].name,
                      &second = results.models[one.second].name;
    differences.add({first, second, one.estimator, "ace"}, one.ace);
    differences.add({first, second, one.estimator, "brier"}, one.brier);
  }
  return {{"calibration.csv", metrics.text()},
          {"differences.csv", differences.text()},
          {"calibration_curve.csv", curve.text()},
          {"confidence_histogram.csv", histogram},
          {"rejection.csv", rejection.text()},
          {"option_counts.csv", options.text()},
          {"markers.csv", markers.text()},
          {"reductions.csv", reductions.text()},
          {"recalibration.csv", recalibration.text()},
          {"ace_accuracy_correlation.csv", correlation.text()},
          {"pairs.csv", pairs.text()}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
