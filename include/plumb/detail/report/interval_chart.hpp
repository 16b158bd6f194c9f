// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do estimates and their 95% intervals compare, row by row?
//
// A dot with a whisker for each estimate, as inline SVG. A row has one dot per series, one below
// the other, in that series' colour and shape, so that every reader can tell the series apart, even
// in print. Names are wrapped, never truncated; on a narrow screen the chart scrolls in its own
// box. The scale is at the top, so that it stays in place if rows are hidden (page_script.hpp).
// Colours come from the page's style.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/axis_ticks.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/name_lines.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model or other series that a dot belongs to.
struct IntervalSeries {
  std::string name;
  /// Whether the series is a model, so that a page can show or hide it.
  bool names_model = true;
};

struct IntervalRow {
  std::string label;
  /// One estimate per series, or a single estimate; estimates without a value are not drawn.
  std::vector<Estimate> estimates;
  /// If there is a single estimate, the index of its series.
  std::size_t series = 0;
};

struct IntervalChart {
  /// For screen readers.
  std::string title;
  /// What is estimated.
  std::string x_label;
  std::vector<IntervalSeries> series;
  std::vector<IntervalRow> rows;
  /// The displayed range; estimates and intervals outside it are clipped to its edges. Must not be
  /// empty.
  std::array<double, 2> x_range{0, 1};
  /// Whether the axis is logarithmic; if so, the range must be positive.
  bool is_logarithmic = false;
};

/// The series names with their marks, below a chart; empty for a single series.
inline std::string interval_legend(const std::vector<IntervalSeries>& series) {
  if (series.size() < 2) return "";
  std::string html = "<figcaption class=\"legend\">";
  for (std::size_t s = 0; s < series.size(); ++s) {
    html += "<span" + model_attribute(series[s].names_model ? series[s].name : "") +
            "><svg class=\"series s" + std::to_string(s % 8) + "\" viewBox=\"0 0 12 12\">" +
            point_shape(s + s / 8, 6, 6) + "</svg>" + label(series[s].name) + "</span> ";
  }
  return html + "</figcaption>";
}

/// If every row has a single estimate, there is no legend, because the row names identify the
/// estimates.
[[nodiscard]] inline std::string interval_chart(const IntervalChart& chart) {
  constexpr double width = 720, right = 18, top = 34, bottom = 10, pitch = 11, line_height = 14;
  constexpr std::size_t characters = 28;
  const auto n = [](double value) { return short_length(value); };
  const auto scaled = [&](double value) {
    return chart.is_logarithmic ? std::log10((std::max)(value, 1e-300)) : value;
  };
  const std::array<double, 2> range{scaled(chart.x_range[0]), scaled(chart.x_range[1])};
  std::size_t longest = 4;
  for (const IntervalRow& row : chart.rows) {
    for (const std::string& line : name_lines(row.label, characters)) {
      longest = (std::max)(longest, count_code_points(line));
    }
  }
  const double left = 7.2 * static_cast<double>(longest) + 14;
  const auto along = [&](double at) {
    return left +
           (width - left - right) * std::clamp((at - range[0]) / (range[1] - range[0]), 0.0, 1.0);
  };
  const auto x = [&](double value) { return along(scaled(value)); };
  std::string rows, description;
  double height = top;
  bool has_single_ones = true;
  for (const IntervalRow& row : chart.rows) {
    const std::vector<std::string> lines = name_lines(row.label, characters);
    const bool is_single = row.estimates.size() == 1;
    has_single_ones = has_single_ones && is_single;
    const double tall = (std::max)(pitch * static_cast<double>(row.estimates.size()) + 12,
                                   line_height * static_cast<double>(lines.size()) + 10);
    const IntervalSeries& own = chart.series[row.series];
    rows += "<g data-row=\"" + n(tall) + "\"" +
            model_attribute(is_single && own.names_model ? own.name : "") + ">";
    rows += "<path class=\"grid\" d=\"M0 " + n(height) + "H" + n(width) + "\"/>";
    rows += text_lines(lines, "class=\"name\"", left - 10, height + tall / 2, line_height);
    double at = height + tall / 2 - pitch * (static_cast<double>(row.estimates.size()) / 2 - 0.5);
    description += " " + row.label + ":";
    for (std::size_t e = 0; e < row.estimates.size(); ++e, at += pitch) {
      const Estimate& estimate = row.estimates[e];
      const std::size_t s = is_single ? row.series : e;
      const IntervalSeries& series = chart.series[s];
      const std::string words = (is_single ? "" : series.name + " ") + with_interval(estimate);
      description += (e == 0 ? " " : ", ") + words;
      if (!estimate.exists()) continue;
      rows += "<g class=\"series s" + std::to_string(s % 8) + "\"" +
              model_attribute(!is_single && series.names_model ? series.name : "") + "><title>" +
              escape_html(row.label + ": " + words) + "</title>";
      if (estimate.has_interval()) {
        rows += "<path class=\"whisker\" d=\"M" + n(x(estimate.low)) + " " + n(at) + "H" +
                n(x(estimate.high)) + "\"/>";
      }
      rows += point_shape(s + s / 8, x(estimate.value), at) + "</g>";
    }
    description += ".";
    rows += "</g>\n";
    height += tall;
  }
  std::string axis;
  for (const AxisTick& tick : chart.is_logarithmic ? log_ticks(range) : linear_ticks(range)) {
    axis += "<path class=\"grid\" d=\"M" + n(along(tick.at)) + " " + n(top) + "V" + n(height) +
            "\"/><text class=\"axis\" x=\"" + n(along(tick.at)) + "\" y=\"" + n(top - 6) + "\">" +
            tick.text + "</text>\n";
  }
  height += bottom;
  std::string svg = chart_begin("chart dots", n(width), n(height), chart.title,
                                chart.x_label + " with 95% intervals." + description, false);
  svg.insert(svg.find(" viewBox"), " data-height=\"" + n(height) + "\"");
  return "<figure class=\"plot\"><div class=\"wide\">" + svg + "<text class=\"axis\" x=\"" +
         n(left + (width - left - right) / 2) + "\" y=\"12\">" + escape_html(chart.x_label) +
         "</text>\n" + axis + rows + "</svg></div>" +
         (has_single_ones ? "" : interval_legend(chart.series)) + "</figure>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
