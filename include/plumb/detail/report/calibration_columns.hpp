// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that a calibration reports, each declared once for terminal, page, CSV and JSON.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/calibrate/model_calibration.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A column for a calibration metric, in the paper's colours, for any row type with `metrics`.
template <class Row>
[[nodiscard]] Column<Row> metric_column(CalibrationMetric metric) {
  const DeclaredMetric& declared = declared_metric(metric);
  return {
      .key = std::string(declared.key),
      .heading = std::string(declared.heading),
      .meaning = std::string(declared.meaning),
      .value = [metric](const Row& row) { return estimate_of(row.metrics, metric); },
      .interval = declared.interval,
      .colour = [metric](const Estimate& e) { return std::string(detail::step(metric, e.value)); },
      .weight = declared.is_major ? ColumnWeight::major : ColumnWeight::usual,
      .plain = has_failed_votes<Row>};
}

/// The metrics shown in one table: the terminal's table, or the page's first or second table.
[[nodiscard]] inline std::vector<CalibrationMetric> metrics_of(MetricTable table) {
  std::vector<CalibrationMetric> metrics;
  for (const DeclaredMetric& one : declared_metrics) {
    if (one.is_in(table)) metrics.push_back(one.metric);
  }
  return metrics;
}

/// All metrics, for files.
[[nodiscard]] inline std::vector<Column<MetricEstimates>> metric_numbers() {
  std::vector<Column<MetricEstimates>> columns;
  for (const DeclaredMetric& one : declared_metrics) {
    columns.push_back({.key = std::string(one.key),
                       .heading = std::string(one.heading),
                       .value = [metric = one.metric](const MetricEstimates& all) {
                         return estimate_of(all, metric);
                       }});
  }
  return columns;
}

/// Calibration over the probabilities of all options.
[[nodiscard]] inline std::vector<Column<StaticCalibration>> static_calibration_numbers() {
  using S = StaticCalibration;
  return {
      {.key = "error",
       .heading = "SCE",
       .meaning = "SCE, static calibration error: the mean, over options, of the ECE of each "
                  "option's probabilities.",
       .value = [](const S& made) { return made.error; }},
      {.key = "brier",
       .heading = "Brier",
       .meaning =
           "Brier: Σ (p − y)² over the options; y = 1/n for each of a subject's n right options.",
       .value = [](const S& made) { return made.brier; }},
      {.key = "brier_several_right",
       .heading = "Brier, several right",
       .meaning =
           "Several right: the Brier score over only the subjects with at least two right options.",
       .value = [](const S& made) { return made.brier_several_right; }},
      {.key = "questions",
       .heading = "subjects",
       .value = [](const S& made) { return made.questions; }},
      {.key = "several_right", .heading = "several right", .value = [](const S& made) {
         return made.several_right;
       }}};
}

template <class Row>
[[nodiscard]] std::vector<Column<Row>> metric_columns(
    const std::vector<CalibrationMetric>& metrics) {
  std::vector<Column<Row>> columns;
  for (const CalibrationMetric metric : metrics) columns.push_back(metric_column<Row>(metric));
  return columns;
}

/// The estimator's name, then these metrics, with or without a column for its number of failed
/// votes.
[[nodiscard]] inline std::vector<Column<EstimatorResult>> estimator_columns(
    const std::vector<CalibrationMetric>& metrics, bool failures) {
  using E = EstimatorResult;
  auto columns = metric_columns<E>(metrics);
  columns.insert(
      columns.begin(),
      {.key = "estimator", .heading = "estimator", .value = [](const E& made) -> CellValue {
         return estimator_label(made.name) + estimator_marks(made);
       }});
  if (failures) {
    columns.push_back(
        {.key = "failures",
         .heading = "failed votes",
         .meaning = "Failed votes count as wrong, with confidence 0. Ties for the likeliest option "
                    "also count as wrong, because a tied fact does not count as known.",
         .value = [](const E& made) { return made.failures; }});
    weigh(columns, {"failures"}, ColumnWeight::minor);
  }
  return columns;
}

/// The CSS class of a change: green for an improvement, red for a decline, empty if the interval
/// contains 0 or does not exist.
[[nodiscard]] inline auto colour_of_change(bool lower_is_better) {
  return [lower_is_better](const Estimate& e) -> std::string {
    if (!e.has_interval() || (e.low <= 0 && e.high >= 0)) return "";
    return (e.value < 0) == lower_is_better ? "h1" : "h3";
  };
}

/// The difference between two models on the same facts. The models must outlive the columns.
[[nodiscard]] inline std::vector<Column<CalibrationDifference>> difference_columns(
    const std::vector<ModelCalibration>& models) {
  using D = CalibrationDifference;
  return {{.key = "first",
           .heading = "first model",
           .value = [&models](const D& d) -> CellValue { return models[d.first].name; },
           .names_model = true},
          {.key = "second",
           .heading = "second model",
           .value = [&models](const D& d) -> CellValue { return models[d.second].name; },
           .names_model = true},
          {.key = "estimator",
           .heading = "confidence",
           .value = [](const D& d) -> CellValue { return estimator_label(d.estimator); }},
          {.key = "ace",
           .heading = "ACE, second − first",
           .meaning = "A positive difference means that the second model is less well calibrated. "
                      "Intervals are paired: both models use the same resamples of the facts.",
           .value = [](const D& d) { return d.ace; },
           .interval = true,
           .colour = colour_of_change(true)},
          {.key = "brier",
           .heading = "Brier, second − first",
           .value = [](const D& d) { return d.brier; },
           .interval = true,
           .colour = colour_of_change(true)}};
}

/// The effects of a marker. Improvements are shown in green cells and declines in red cells.
[[nodiscard]] inline std::vector<Column<MarkerEffect>> marker_numbers() {
  using E = MarkerEffect;
  const auto all = ColumnPlace::everywhere;
  return {{.key = "accuracy",
           .heading = "accuracy",
           .value = [](const E& e) { return e.accuracy; },
           .place = all,
           .interval = true,
           .colour = colour_of_change(false)},
          {.key = "ace",
           .heading = "ACE",
           .value = [](const E& e) { return e.ace; },
           .place = all,
           .interval = true,
           .colour = colour_of_change(true)},
          {.key = "brier",
           .heading = "Brier",
           .value = [](const E& e) { return e.brier; },
           .place = all,
           .interval = true,
           .colour = colour_of_change(true)}};
}
[[nodiscard]] inline std::vector<Column<MarkerEffect>> marker_columns() {
  auto columns = marker_numbers();
  prepend(columns,
          {{.key = "marker",
            .heading = "marked − base template",
            .value = [](const MarkerEffect& e) -> CellValue { return estimator_label(e.marker); }},
           {.key = "facts", .heading = "facts", .value = [](const MarkerEffect& e) {
              return e.facts;
            }}});
  weigh(columns, {"facts"}, ColumnWeight::minor);
  return columns;
}

[[nodiscard]] inline std::vector<Column<ReductionResult>> reduction_numbers() {
  using R = ReductionResult;
  const auto all = ColumnPlace::everywhere;
  return {{.key = "accuracy",
           .heading = "accuracy",
           .value = [](const R& r) { return r.accuracy; },
           .place = all,
           .interval = true},
          {.key = "ace",
           .heading = "ACE",
           .value = [](const R& r) { return r.ace; },
           .place = all,
           .interval = true,
           .colour =
               [](const Estimate& e) {
                 return std::string(detail::step(CalibrationMetric::ace, e.value));
               }},
          {.key = "harmonic_mean",
           .heading = "H",
           .meaning = "H: the harmonic mean of accuracy and 1 − ACE.",
           .value = [](const R& r) { return r.harmonic_mean; },
           .place = all,
           .interval = true}};
}
[[nodiscard]] inline std::vector<Column<ReductionResult>> reduction_columns() {
  auto columns = reduction_numbers();
  columns.insert(columns.begin(), {.key = "reduction",
                                   .heading = "reduction",
                                   .value = [](const ReductionResult& r) -> CellValue {
                                     return scoring_label(r.scoring);
                                   }});
  return columns;
}

[[nodiscard]] inline std::vector<Column<RecalibrationResult>> recalibration_columns() {
  using R = RecalibrationResult;
  using enum CalibrationMetric;
  auto columns = metric_columns<R>({mean_confidence, ace, brier, log_loss, auroc});
  for (Column<R>& column : columns) {
    if (column.key == "log_loss" || column.key == "auroc") column.place = ColumnPlace::page;
  }
  prepend(columns, {{.key = "estimator",
                     .heading = "held out",
                     .value = [](const R& r) -> CellValue {
                       return estimator_label(r.estimator) + (has_failed_votes(r) ? " †" : "");
                     }},
                    {.key = "map", .heading = "map", .value = [](const R& r) -> CellValue {
                       return r.map == "temperature"
                                  ? "temperature " + with_decimals(r.temperature, 2)
                                  : r.map;
                     }}});
  return columns;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
