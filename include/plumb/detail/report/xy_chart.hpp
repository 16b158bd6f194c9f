// SPDX-License-Identifier: Apache-2.0
#pragma once

// A chart of series of points on two axes.
//
// Points, connecting lines and 95% whiskers as inline SVG; optionally the diagonal (perfect
// calibration), dashed lines at given heights and a histogram along the bottom. Series differ in
// colour and in the shape of their points, so that they are distinguishable in print. Colours come
// from the page's style.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/axis_ticks.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/name_lines.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ChartPoint {
  double x = 0;
  double y = 0;
  /// The endpoints of the whisker.
  std::optional<std::pair<double, double>> interval{};
  /// Shown next to the point.
  std::string label{};
  /// Shown while the mouse pointer is over the point.
  std::string hover{};
  /// Drawn as a star, larger and above all series.
  bool star = false;
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  bool line = true;
  /// The index of its colour and shape; if absent, the series' own index is used.
  std::optional<std::size_t> style{};
  /// The size of a point relative to the usual size.
  double point_size = 1;
};

/// A dashed horizontal line with its label above its left end.
struct ReferenceLine {
  double y = 0;
  std::string label{};
};

struct XyChart {
  /// For screen readers.
  std::string title;
  std::string x_label;
  std::string y_label;
  std::array<double, 2> x_range{0, 1};
  /// Whether x is given as log10 of the values on the axis.
  bool x_is_log10 = false;
  std::array<double, 2> y_range{0, 1};
  /// Whether y is given as log10 of the values on the axis.
  bool y_is_log10 = false;
  double width = 520;
  double height = 380;
  bool diagonal = false;
  /// Heights of equal-width bars spanning the x range, drawn faintly in the lowest quarter of the
  /// chart.
  std::vector<double> histogram{};
  /// Drawn above the series.
  std::vector<ReferenceLine> references{};
};

inline std::string point_shape(std::size_t style, double x, double y, double size = 1) {
  const auto l = [&](double length) { return short_length(length * size); };
  const std::string at = with_decimals(x, 1) + " " + with_decimals(y, 1);
  switch (style % 4) {
    case 0:
      return "<circle cx=\"" + with_decimals(x, 1) + "\" cy=\"" + with_decimals(y, 1) + "\" r=\"" +
             l(3.2) + "\"/>";
    case 1:
      return "<path d=\"M" + at + "m" + l(-3) + " " + l(-3) + "h" + l(6) + "v" + l(6) + "h" +
             l(-6) + "z\"/>";
    case 2:
      return "<path d=\"M" + at + "m0 " + l(-4) + "l" + l(4) + " " + l(7) + "h" + l(-8) + "z\"/>";
    default:
      return "<path d=\"M" + at + "m0 " + l(-4.4) + "l" + l(4.4) + " " + l(4.4) + "l" + l(-4.4) +
             " " + l(4.4) + "l" + l(-4.4) + " " + l(-4.4) + "z\"/>";
  }
}

/// A five-pointed star; the outer points are 8 units from the centre.
inline std::string star_shape(double x, double y) {
  std::string path;
  for (int corner = 0; corner < 10; ++corner) {
    const double angle = std::numbers::pi * (corner / 5.0 - 0.5);
    const double radius = corner % 2 == 0 ? 8 : 3.4;
    path += corner == 0 ? 'M' : 'L';
    path += with_decimals(x + radius * std::cos(angle), 1) + " " +
            with_decimals(y + radius * std::sin(angle), 1);
  }
  return "<path class=\"star\" d=\"" + path + "z\"/>";
}

/// A point with text that is shown while the mouse pointer is over it.
inline std::string with_hover(const std::string& shape, const std::string& text) {
  return text.empty() ? shape : "<g><title>" + escape_html(text) + "</title>" + shape + "</g>";
}

/// The number of points in each series, and the range of their y values.
inline std::string chart_in_words(const XyChart& chart, const std::vector<ChartSeries>& series) {
  std::string description = chart.y_label + " against " + chart.x_label + ".";
  for (const ChartSeries& one : series) {
    description +=
        " " + (one.name.empty() ? "" : one.name + ": ") + counted(one.points.size(), "point");
    if (!one.points.empty()) {
      const auto [low, high] =
          std::minmax_element(one.points.begin(), one.points.end(),
                              [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; });
      const auto height = [&](double y) {
        return chart.y_is_log10 ? with_decimals(std::pow(10.0, y), 1) : with_decimals(y, 3);
      };
      description += ", from " + height(low->y) + " to " + height(high->y);
    }
    description += ".";
  }
  return description;
}

/// Ranges must not be empty. If there are several series, a legend is shown below the chart.
[[nodiscard]] inline std::string xy_chart(const XyChart& chart,
                                          const std::vector<ChartSeries>& series) {
  constexpr double right = 16, top = 12, bottom = 46;
  const auto y_ticks = chart.y_is_log10 ? log_ticks(chart.y_range) : linear_ticks(chart.y_range);
  // A label such as "0.25" fits next to the axis title; each further digit needs 7 more units.
  const int digits =
      chart.y_is_log10
          ? static_cast<int>(y_ticks.empty() ? 0 : y_ticks.back().text.size()) - 2
          : detail::tick_decimals(detail::tick_step(chart.y_range[1] - chart.y_range[0]));
  const double left = 62 + 7 * (std::max)(0, digits - 2);
  const double inner_width = chart.width - left - right;
  const double inner_height = chart.height - top - bottom;
  const auto along = [](double value, const std::array<double, 2>& range) {
    return std::clamp((value - range[0]) / (range[1] - range[0]), 0.0, 1.0);
  };
  const auto px = [&](double x) { return left + inner_width * along(x, chart.x_range); };
  const auto py = [&](double y) { return top + inner_height * (1 - along(y, chart.y_range)); };
  const auto n = [](double value) { return with_decimals(value, 1); };
  std::string svg =
      "<figure class=\"plot\">" + chart_begin("chart xy", with_decimals(chart.width, 0),
                                              with_decimals(chart.height, 0), chart.title,
                                              detail::chart_in_words(chart, series), true);
  const double tallest = chart.histogram.empty() ? 0 : *ranges::max_element(chart.histogram);
  for (std::size_t i = 0; i < chart.histogram.size() && tallest > 0; ++i) {
    const double bar = inner_width / static_cast<double>(chart.histogram.size());
    const double height = inner_height / 4 * chart.histogram[i] / tallest;
    svg += "<rect class=\"histogram\" x=\"" + n(left + bar * static_cast<double>(i) + 0.5) +
           "\" y=\"" + n(top + inner_height - height) + "\" width=\"" + n(bar - 1) +
           "\" height=\"" + n(height) + "\"/>";
  }
  for (const auto& [x, text] :
       chart.x_is_log10 ? log_ticks(chart.x_range) : linear_ticks(chart.x_range)) {
    svg += "<line class=\"grid\" x1=\"" + n(px(x)) + "\" x2=\"" + n(px(x)) + "\" y1=\"" + n(top) +
           "\" y2=\"" + n(top + inner_height) + "\"/><text class=\"axis\" x=\"" + n(px(x)) +
           "\" y=\"" + n(top + inner_height + 16) + "\">" + text + "</text>\n";
  }
  for (const auto& [y, text] : y_ticks) {
    svg += "<line class=\"grid\" x1=\"" + n(left) + "\" x2=\"" + n(left + inner_width) +
           "\" y1=\"" + n(py(y)) + "\" y2=\"" + n(py(y)) + "\"/><text class=\"axis y\" x=\"" +
           n(left - 6) + "\" y=\"" + n(py(y) + 4) + "\">" + text + "</text>\n";
  }
  svg += "<text class=\"axis\" x=\"" + n(left + inner_width / 2) + "\" y=\"" + n(chart.height - 8) +
         "\">" + escape_html(chart.x_label) + "</text><text class=\"axis\" " +
         "transform=\"translate(14 " + n(top + inner_height / 2) + ") rotate(-90)\">" +
         escape_html(chart.y_label) + "</text>\n";
  if (chart.diagonal) {
    const double from = (std::max)(chart.x_range[0], chart.y_range[0]);
    const double to = (std::min)(chart.x_range[1], chart.y_range[1]);
    svg += "<line class=\"diagonal\" x1=\"" + n(px(from)) + "\" y1=\"" + n(py(from)) + "\" x2=\"" +
           n(px(to)) + "\" y2=\"" + n(py(to)) + "\"/>\n";
  }
  const auto style = [&](std::size_t s) { return series[s].style.value_or(s); };
  const auto colour = [&](std::size_t s) { return "series s" + std::to_string(style(s) % 8); };
  const auto text_beside = [&](const ChartPoint& point, double apart) -> std::string {
    if (point.label.empty()) return "";
    const bool flip = along(point.x, chart.x_range) > 0.75;  // labels stay inside
    return "<text class=\"point\" x=\"" + n(px(point.x) + (flip ? -apart : apart)) + "\" y=\"" +
           n((std::max)(py(point.y) - 5, top + 10)) + "\"" + (flip ? " text-anchor=\"end\"" : "") +
           ">" + escape_html(point.label) + "</text>";
  };
  for (std::size_t s = 0; s < series.size(); ++s) {
    svg += "<g class=\"" + colour(s) + "\">";
    std::string path;
    for (const ChartPoint& point : series[s].points) {
      path += path.empty() ? 'M' : 'L';
      path += n(px(point.x)) + " " + n(py(point.y));
      if (!point.interval) continue;
      svg += "<line class=\"whisker\" x1=\"" + n(px(point.x)) + "\" x2=\"" + n(px(point.x)) +
             "\" y1=\"" + n(py(point.interval->first)) + "\" y2=\"" +
             n(py(point.interval->second)) + "\"/>";
    }
    if (series[s].line && !path.empty()) svg += "<path class=\"line\" d=\"" + path + "\"/>";
    for (const ChartPoint& point : series[s].points) {
      if (point.star) continue;
      svg += detail::with_hover(
          detail::point_shape(style(s), px(point.x), py(point.y), series[s].point_size),
          point.hover);
      svg += text_beside(point, 6);
    }
    svg += "</g>\n";
  }
  for (const ReferenceLine& line : chart.references) {
    const double y = py(line.y);
    svg += "<line class=\"reference\" x1=\"" + n(left) + "\" x2=\"" + n(left + inner_width) +
           "\" y1=\"" + n(y) + "\" y2=\"" + n(y) + "\"/>";
    if (!line.label.empty()) {
      svg += "<text class=\"reference-label\" x=\"" + n(left + 4) + "\" y=\"" +
             n(y < top + 16 ? y + 14 : y - 5) + "\">" + escape_html(line.label) + "</text>";
    }
    svg += "\n";
  }
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (const ChartPoint& point : series[s].points) {
      if (!point.star) continue;
      svg += "<g class=\"" + colour(s) + " starred\">" +
             detail::with_hover(detail::star_shape(px(point.x), py(point.y)), point.hover) +
             text_beside(point, 11) + "</g>\n";
    }
  }
  svg += "</svg>";
  if (series.size() > 1) {
    svg += "<figcaption class=\"legend\">";
    for (std::size_t s = 0; s < series.size(); ++s) {
      svg += "<span><svg class=\"" + colour(s) + "\" viewBox=\"0 0 12 12\">" +
             detail::point_shape(style(s), 6, 6) + "</svg>" + label(series[s].name) + "</span> ";
    }
    svg += "</figcaption>";
  }
  return svg + "</figure>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
