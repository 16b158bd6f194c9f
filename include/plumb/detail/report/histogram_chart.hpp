// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do several distributions of one quantity lie, and how wide is each?
//
// Histograms stacked along a shared axis, as inline SVG: each row has bars with an outline, a tick
// at the mean, and a line that marks an interval. Each histogram fills the height of its row
// regardless of its counts, so that a narrow distribution does not flatten the rest. Compare
// heights only within a row; positions are comparable between rows. Colours come from the page's
// style.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/report/axis_ticks.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct HistogramBar {
  double from = 0;
  double to = 0;
  double height = 0;
};

struct HistogramRow {
  std::string label;
  /// Below the label.
  std::string remark;
  /// Adjacent bars in ascending order.
  std::vector<HistogramBar> bars;
  /// The position of the tick.
  double mean = 0;
  /// Ends of the line below the bars.
  std::pair<double, double> span;
  /// Text shown on the right.
  std::string value;
  /// The index of one of the page's colours.
  std::size_t style = 0;
};

struct HistogramChart {
  /// For screen readers.
  std::string title;
  std::string x_label;
  std::vector<HistogramRow> rows;
};

/// The range from the smallest to the largest value shown in the rows, widened to whole ticks; not
/// empty.
inline std::array<double, 2> histogram_range(const std::vector<HistogramRow>& rows) {
  std::array<double, 2> range{1e300, -1e300};
  const auto hold = [&](double value) {
    range = {(std::min)(range[0], value), (std::max)(range[1], value)};
  };
  for (const HistogramRow& row : rows) {
    for (const double value : {row.mean, row.span.first, row.span.second}) hold(value);
    if (row.bars.empty()) continue;
    hold(row.bars.front().from);
    hold(row.bars.back().to);
  }
  if (range[0] > range[1]) return {0, 1};
  if (range[1] - range[0] < 1e-9) range = {range[0] - 0.05, range[1] + 0.05};
  const double step = tick_step(range[1] - range[0]);
  return {std::floor(range[0] / step + 1e-9) * step, std::ceil(range[1] / step - 1e-9) * step};
}

/// Bars of height 0 are gaps. A row without bars shows only its tick and line.
[[nodiscard]] inline std::string histogram_chart(const HistogramChart& chart) {
  constexpr double left = 210, width = 500, right = 170, row_height = 46, top = 8, bottom = 46;
  const double height = top + row_height * static_cast<double>(chart.rows.size()) + bottom;
  const auto range = detail::histogram_range(chart.rows);
  const auto n = [](double value) { return with_decimals(value, 1); };
  const auto x = [&](double value) {
    return n(left + width * std::clamp((value - range[0]) / (range[1] - range[0]), 0.0, 1.0));
  };
  const auto words = [](const HistogramRow& row) {
    return row.label + (row.remark.empty() ? "" : ", " + row.remark) + ": " + row.value;
  };
  std::string description = "Distributions of " + chart.x_label + ".";
  for (const HistogramRow& row : chart.rows) description += " " + words(row) + ".";
  std::string svg =
      "<div class=\"wide\">" +
      chart_begin("chart", n(left + width + right), n(height), chart.title, description, false);
  for (const auto& [at, text] : linear_ticks(range)) {
    svg += "<line class=\"grid\" x1=\"" + x(at) + "\" x2=\"" + x(at) + "\" y1=\"" + n(top) +
           "\" y2=\"" + n(height - bottom) + "\"/><text class=\"axis\" x=\"" + x(at) + "\" y=\"" +
           n(height - bottom + 16) + "\">" + text + "</text>\n";
  }
  double base = top;  // base line of the row's bars
  for (const HistogramRow& row : chart.rows) {
    base += row_height;
    const double foot = base - 9;
    double tallest = 0;
    for (const HistogramBar& bar : row.bars) tallest = (std::max)(tallest, bar.height);
    svg += "<text class=\"name\" x=\"" + n(left - 8) + "\" y=\"" + n(base - 20) + "\">" +
           escape_html(row.label) + "</text><text class=\"name value\" x=\"" + n(left - 8) +
           "\" y=\"" + n(base - 6) + "\">" + escape_html(row.remark) + "</text>";
    svg += "<g class=\"series s" + std::to_string(row.style % 8) + "\"><title>" +
           escape_html(words(row)) + "</title>";
    if (tallest > 0) {
      std::string path = "M" + x(row.bars.front().from) + " " + n(foot);
      for (const HistogramBar& bar : row.bars) {
        path += "V" + n(foot - (row_height - 14) * bar.height / tallest) + "H" + x(bar.to);
      }
      svg += "<path class=\"box\" d=\"" + path + "V" + n(foot) + "z\"/>";
    }
    svg += "<path class=\"median\" d=\"M" + x(row.mean) + " " + n(foot + 5) + "V" +
           n(foot - row_height + 14) + "\"/><path class=\"whisker\" d=\"M" + x(row.span.first) +
           " " + n(foot + 4) + "H" + x(row.span.second) + "\"/></g><text class=\"value\" x=\"" +
           n(left + width + 10) + "\" y=\"" + n(base - 14) + "\">" + escape_html(row.value) +
           "</text>\n";
  }
  svg += "<text class=\"axis\" x=\"" + n(left + width / 2) + "\" y=\"" + n(height - 8) + "\">" +
         escape_html(chart.x_label) + "</text>\n";
  return svg + "</svg></div>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
