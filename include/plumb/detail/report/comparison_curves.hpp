// SPDX-License-Identifier: Apache-2.0
#pragma once

// The accuracy of several models, plotted against their size, by setting, and by a column of the
// facts.
//
// Source: "Towards Reliable Latent Knowledge Estimation in LLMs", Figures 1, 3, 8, 12 and 16:
// methods × models, and a curve over the number of shots for each model.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/interval_chart.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One point for each model of known size; empty if all sizes are equal. Models of a family share a
/// colour and a line.
[[nodiscard]] inline std::string accuracy_by_size(const Comparison& made) {
  std::vector<ChartSeries> series;
  double low = 0, high = 0;
  std::size_t points = 0;
  for (const ModelStanding& standing : made.models) {
    const auto& count = made.parameters[standing.model];
    const Estimate& accuracy = standing.spread.overall.accuracy;
    if (!count || !accuracy.exists()) continue;
    const std::string& family = made.family[standing.model];
    auto of = ranges::find(series, family, &ChartSeries::name);
    if (of == series.end()) {
      series.push_back({family, {}, !family.empty()});
      of = series.end() - 1;
    }
    const double x = std::log10(*count / 1e6);
    of->points.push_back(
        {x, accuracy.value, accuracy.interval(), made.table.models[standing.model]});
    low = points == 0 ? x : (std::min)(low, x);
    high = points == 0 ? x : (std::max)(high, x);
    ++points;
  }
  if (points < 2 || low == high) return "";
  for (ChartSeries& one : series) {
    ranges::sort(one.points, {}, [](const ChartPoint& point) { return point.x; });
    if (one.name.empty()) one.name = "model";
  }
  XyChart chart{"Accuracy against size", "million parameters", "accuracy"};
  chart.x_is_log10 = true;
  const double room = (std::max)(0.15, (high - low) * 0.08);
  chart.x_range = {low - room, high + room};
  return heading("Accuracy against size",
                 "Mean accuracy over the relations that all models have, with its 95% interval, "
                 "against the number of parameters.") +
         xy_chart(chart, series);
}

/// Adds a column for each model, best first; `Row::accuracy` contains one number per model.
template <class Row>
void add_model_columns(std::vector<Column<Row>>& columns, const Comparison& made) {
  for (const ModelStanding& standing : made.models) {
    const std::size_t m = standing.model;
    columns.push_back({.key = made.table.models[m],
                       .heading = made.table.models[m],
                       .value = [m](const Row& one) { return one.accuracy[m]; },
                       .heading_is_name = true});
  }
}

/// The rows are the values of the column that groups the facts; the columns are the models.
[[nodiscard]] inline NumberTable group_accuracy_table(const Comparison& made) {
  std::vector<Column<ColumnGroup>> columns{
      {.key = "value",
       .heading = made.groups.column,
       .value = [](const ColumnGroup& one) -> CellValue { return one.name; }},
      {.key = "facts", .heading = "facts", .value = [](const ColumnGroup& one) {
         return one.facts;
       }}};
  add_model_columns(columns, made);
  return table_of(columns, made.groups.groups);
}

/// Empty if facts are not grouped.
[[nodiscard]] inline std::string accuracy_by_group(const Comparison& made) {
  if (made.groups.column.empty()) return "";
  IntervalChart chart{"Accuracy by group of facts", "accuracy", {}, {}};
  for (const ModelStanding& standing : made.models) {
    chart.series.push_back({made.table.models[standing.model]});
  }
  for (const ColumnGroup& one : made.groups.groups) {
    IntervalRow& row = chart.rows.emplace_back();
    row.label = one.name;
    for (const ModelStanding& standing : made.models) {
      row.estimates.push_back(one.accuracy[standing.model]);
    }
  }
  return heading("Accuracy by " + label(made.groups.column),
                 "Each fact counts once. " +
                     (made.groups.without == 0
                          ? std::string()
                          : counted(made.groups.without, "fact") + " without a value.")) +
         interval_chart(chart) + html_table(group_accuracy_table(made));
}

/// Rows are the settings; columns are the models.
[[nodiscard]] inline NumberTable setting_accuracy_table(const Comparison& made) {
  std::vector<Column<SettingAccuracies>> columns{
      {.key = "setting",
       .heading = "setting",
       .value = [](const SettingAccuracies& one) -> CellValue {
         return setting_name(one.setting);
       }}};
  add_model_columns(columns, made);
  return table_of(columns, made.settings);
}

/// Shows every setting that all models have; empty if there is only one. If the settings differ in
/// the number of shots, there is also a curve for each model.
[[nodiscard]] inline std::string accuracy_by_setting(const Comparison& made) {
  if (made.settings.empty()) return "";
  std::string html =
      heading("All settings",
              "Mean accuracy under each setting, over the relations that all models have.") +
      html_table(setting_accuracy_table(made));
  const auto is_curve = [](const Setting& setting) {
    return setting.method == "ic" && setting.by == "choice" && setting.separator == " ";
  };
  std::size_t shots = 0;
  double most = 1;
  for (const SettingAccuracies& one : made.settings) {
    if (!is_curve(one.setting)) continue;
    ++shots;
    most = (std::max)(most, static_cast<double>(one.setting.shots));
  }
  if (shots < 2) return html;
  std::vector<ChartSeries> series;
  for (const ModelStanding& standing : made.models) {
    ChartSeries& line = series.emplace_back(ChartSeries{made.table.models[standing.model], {}});
    for (const SettingAccuracies& one : made.settings) {
      const Estimate& accuracy = one.accuracy[standing.model];
      if (!is_curve(one.setting) || !accuracy.exists()) continue;
      line.points.push_back(
          {static_cast<double>(one.setting.shots), accuracy.value, accuracy.interval(), {}});
    }
    ranges::sort(line.points, {}, [](const ChartPoint& point) { return point.x; });
  }
  XyChart chart{"Accuracy against shots", "shots", "accuracy"};
  chart.x_range = {0, most * 1.05};
  return html + xy_chart(chart, series);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
