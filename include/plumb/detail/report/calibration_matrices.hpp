// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do markers, reductions, votes and option counts affect each of several models?
//
// Kissling et al.: Figures 6 and 11 (models × markers, with the mean over models), Figure 8 (reductions, averaged
// over causal and over masked models), Figure 10 (accuracy if failed votes are rejected), Figure 5
// (option counts) and Figure 12 (accuracy against ACE, with all options and with five).

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A row in a table of models × markers: either one model or the mean over several.
struct MarkerRow {
  std::string name;
  std::vector<MarkerEffect> effects{};

  [[nodiscard]] Estimate effect(const std::string& marker, Estimate MarkerEffect::*number) const {
    const auto found = ranges::find(effects, marker, &MarkerEffect::marker);
    return found == effects.end() ? Estimate{} : (*found).*number;
  }
};

/// For example, "mean of 5 causal models".
[[nodiscard]] inline std::string mean_name(const KindMeans& kind, std::size_t models) {
  return "mean of " + std::to_string(models) +
         (kind.kind == "all" ? (models == 1 ? " model" : " models")
                             : " " + kind.kind + (models == 1 ? " model" : " models"));
}

/// The rows for the models, followed by those for the means.
[[nodiscard]] inline std::vector<MarkerRow> marker_rows(const CalibrationResults& results) {
  std::vector<MarkerRow> rows;
  for (const ModelCalibration& model : results.models) {
    if (!model.markers.empty()) rows.push_back({model.name, model.markers});
  }
  if (rows.empty()) return rows;
  for (KindMeans& kind : means_by_kind(results.models, results.masked)) {
    std::size_t models = 0;  // the number of models with any marker
    for (const MarkerEffect& one : kind.markers) models = (std::max)(models, one.accuracy.count);
    if (models > 0) rows.push_back({mean_name(kind, models), std::move(kind.markers)});
  }
  return rows;
}

/// The columns of a table of one metric, with one column for each marker.
[[nodiscard]] inline std::vector<Column<MarkerRow>> marker_matrix_columns(
    const std::vector<MarkerRow>& rows, Estimate MarkerEffect::*number, bool lower_is_better) {
  using R = MarkerRow;
  std::vector<Column<R>> columns{
      {.key = "model",
       .heading = std::string(number == &MarkerEffect::ace ? "ACE" : "accuracy") +
                  ", marked − base template",
       .value = [](const R& row) -> CellValue { return row.name; }}};
  std::vector<std::string> markers;
  for (const MarkerRow& row : rows) {
    for (const MarkerEffect& one : row.effects) {
      if (ranges::find(markers, one.marker) == markers.end()) markers.push_back(one.marker);
    }
  }
  for (const std::string& marker : markers) {
    columns.push_back(
        {.key = marker,
         .heading = estimator_label(marker),
         .value = [marker, number](const R& row) { return row.effect(marker, number); },
         .interval = true,
         .colour = colour_of_change(lower_is_better)});
  }
  return columns;
}

/// A reduction, averaged over models of a kind.
struct MeanReduction {
  std::string models;
  ReductionResult of;
};

[[nodiscard]] inline std::vector<Column<MeanReduction>> mean_reduction_columns() {
  using R = MeanReduction;
  using E = ReductionResult;
  std::vector<Column<R>> columns{
      {.key = "reduction", .heading = "reduction", .value = [](const R& row) -> CellValue {
         return scoring_label(row.of.scoring);
       }}};
  for (const auto& [key, heading, number] : {std::tuple{"accuracy", "accuracy", &E::accuracy},
                                             {"ace", "ACE", &E::ace},
                                             {"harmonic_mean", "H", &E::harmonic_mean}}) {
    columns.push_back({.key = key, .heading = heading, .value = [of = number](const R& row) {
                         const Estimate& mean = row.of.*of;  // a mean over models has no interval
                         return PlainNumber{mean.exists() ? std::optional(mean.value)
                                                          : std::nullopt};
                       }});
  }
  prepend(columns, {{.key = "models", .heading = "models", .value = [](const R& row) -> CellValue {
                       return row.models;
                     }}});
  return columns;
}

[[nodiscard]] inline std::vector<MeanReduction> mean_reductions(const CalibrationResults& results) {
  std::vector<MeanReduction> rows;
  for (const KindMeans& kind : means_by_kind(results.models, results.masked)) {
    for (const ReductionResult& one : kind.reductions) {
      rows.push_back({mean_name(kind, one.accuracy.count), one});
    }
  }
  return rows;
}

/// The page's sections that cover all models together. The results must outlive this object. Any
/// number of threads may use the same object.
class CalibrationMatrices {
 public:
  explicit CalibrationMatrices(const CalibrationResults& results) : results_(results) {}

  [[nodiscard]] std::string html() const {
    return markers() + reductions() + votes() + option_counts();
  }

 private:
  using M = CalibrationMetric;

  [[nodiscard]] std::string markers() const {
    const std::vector<MarkerRow> rows = marker_rows(results_);
    if (rows.empty()) return "";
    return heading("Effect of epistemic markers on each model",
                   "Marked template minus base template, with paired 95% intervals; green is an "
                   "improvement. Means count each model once and have no interval.") +
           "<h3>ACE</h3>\n" +
           html_table(marker_matrix_columns(rows, &MarkerEffect::ace, true), rows) +
           "<h3>Accuracy</h3>\n" +
           html_table(marker_matrix_columns(rows, &MarkerEffect::accuracy, false), rows);
  }

  [[nodiscard]] std::string reductions() const {
    const std::vector<MeanReduction> rows = mean_reductions(results_);
    if (rows.empty()) return "";
    return heading("Reductions, averaged over models",
                   "Each model counts once. " + meanings(reduction_columns())) +
           html_table(mean_reduction_columns(), rows);
  }

  /// One line for each model. The points of a line are the vote thresholds, from the smallest
  /// number of agreeing paraphrases to all paraphrases.
  [[nodiscard]] std::string votes() const {
    std::vector<ChartSeries> series;
    double most = 0.1, highest = 0.1;
    for (const ModelCalibration& model : results_.models) {
      ChartSeries line{model.name, {}};
      for (const EstimatorResult& made : model.estimators) {
        if (!made.name.starts_with("average_vote") || !made.answered.accuracy.exists()) continue;
        line.points.push_back({made.answered.rejected, made.answered.accuracy.value});
        line.points.back().hover = model.name + ", " + estimator_label(made.name);
        most = (std::max)(most, made.answered.rejected);
        highest = (std::max)(highest, made.answered.accuracy.value);
      }
      ranges::sort(line.points, {}, [](const ChartPoint& point) { return point.x; });
      if (line.points.size() > 1) series.push_back(std::move(line));
    }
    if (series.empty()) return "";
    XyChart chart{"Accuracy when failed votes are rejected", "share of facts rejected", "accuracy"};
    chart.x_range = {0, (std::min)(1.0, most * 1.05)};
    chart.y_range = {0, (std::min)(1.0, highest * 1.1)};
    return heading("Accuracy where failed votes are rejected",
                   "Each point stands for one required number of agreeing paraphrases; it shows "
                   "the share of facts whose vote fails and the accuracy on the other facts.") +
           xy_chart(chart, series);
  }

  [[nodiscard]] std::string option_counts() const {
    std::vector<ChartSeries> ace, accuracy,
        five{{"five options", {}, false}, {"all options", {}, false}};
    double most = 10;
    for (const ModelCalibration& model : results_.models) {
      ChartSeries errors{model.name, {}}, right{model.name, {}};
      for (const OptionCountPoint& point : model.option_counts) {
        const double options = static_cast<double>(point.options);
        if (point.ace.exists()) errors.points.push_back({options, point.ace.value});
        if (point.accuracy.exists()) right.points.push_back({options, point.accuracy.value});
        most = (std::max)(most, options);
        if (point.options == 5 && point.ace.exists() && point.accuracy.exists()) {
          five[0].points.push_back({point.accuracy.value, point.ace.value, {}, model.name});
        }
      }
      if (!errors.points.empty()) ace.push_back(std::move(errors));
      if (!right.points.empty()) accuracy.push_back(std::move(right));
      const EstimatorResult* base = model.estimator("base");
      if (base == nullptr || !estimate_of(base->metrics, M::ace).exists()) continue;
      five[1].points.push_back({model.accuracy.value,
                                estimate_of(base->metrics, M::ace).value,
                                {},
                                model.option_counts.empty() ? model.name : ""});
    }
    if (ace.empty()) return "";
    const auto chart = [&](const std::string& title, const std::string& y,
                           const std::vector<ChartSeries>& series) {
      XyChart made{title, "options", y};
      made.x_range = {0, most * 1.03};
      made.width = 420;
      made.height = 340;
      return "<div><h3>" + title + "</h3>" + xy_chart(made, series) + "</div>\n";
    };
    XyChart scatter{"Accuracy against ACE: five options and all options", "accuracy", "ACE"};
    scatter.width = 420;
    scatter.height = 340;
    return heading("Number of options, by model",
                   "Base confidence on the facts of 1:1 relations; the other options are "
                   "subsampled. The last chart also shows all options of all relations; compare a "
                   "dataset with few options, such as FACTOR, with the points for five options.") +
           "<div class=\"plots two\">\n" + chart("ACE by options", "ACE", ace) +
           chart("Accuracy by options", "accuracy", accuracy) +
           "<div><h3>Accuracy against ACE</h3>" + xy_chart(scatter, five) + "</div>\n</div>\n";
  }

  const CalibrationResults& results_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
