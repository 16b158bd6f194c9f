// SPDX-License-Identifier: Apache-2.0
#pragma once

// A box chart of several groups of numbers, side by side.
//
// Vertical boxes from the lower to the upper quartile with a line at the median, and whiskers at
// the 5th and 95th percentiles, as inline SVG. The percentiles are computed here from each group's
// numbers. Colours come from the page's style.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/report/axis_ticks.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct BoxGroup {
  std::string label;
  /// Must not be empty.
  std::vector<double> values;
};

struct BoxChart {
  /// For screen readers.
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<BoxGroup> groups;
  /// Whether the axis is logarithmic; if so, all values must be at least 1.
  bool logarithmic = false;
};

/// The scale runs from 0, or from 1 if it is logarithmic, to the end of the highest whisker.
[[nodiscard]] inline std::string box_chart(BoxChart chart) {
  constexpr double left = 66, right = 12, top = 12, bottom = 58, height = 300, box = 34;
  double most = 0;
  for (BoxGroup& group : chart.groups) {
    ranges::sort(group.values);
    most = (std::max)(most, quantile(group.values, 0.95));
  }
  if (most == 0) most = 1;
  if (chart.logarithmic) most = std::log10((std::max)(most, 10.0));
  const double step = 62;
  const double width =
      (std::max)(260.0, left + right + step * static_cast<double>(chart.groups.size()));
  const double inner = height - top - bottom;
  const auto n = [](double value) { return with_decimals(value, 1); };
  const auto y_of = [&](double on_axis) { return top + inner * (1 - on_axis / most); };
  const auto y = [&](double value) {
    return y_of(chart.logarithmic ? std::log10((std::max)(value, 1.0)) : value);
  };
  const auto words = [](const BoxGroup& group) {
    return group.label + ": median " + with_decimals(quantile(group.values, 0.5), 1) + ", n " +
           std::to_string(group.values.size());
  };
  std::string description = chart.y_label + " by " + chart.x_label + ".";
  for (const BoxGroup& group : chart.groups) description += " " + words(group) + ".";
  std::string svg = "<figure class=\"plot\">" +
                    chart_begin("chart xy", n(width), n(height), chart.title, description, true);
  for (const auto& [value, text] :
       chart.logarithmic ? log_ticks({0, most}) : linear_ticks({0, most})) {
    svg += "<line class=\"grid\" x1=\"" + n(left) + "\" x2=\"" + n(width - right) + "\" y1=\"" +
           n(y_of(value)) + "\" y2=\"" + n(y_of(value)) + "\"/><text class=\"axis y\" x=\"" +
           n(left - 6) + "\" y=\"" + n(y_of(value) + 4) + "\">" + text + "</text>\n";
  }
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const BoxGroup& group = chart.groups[g];
    const double middle = left + step * (static_cast<double>(g) + 0.5);
    const auto at = [&](double q) { return y(quantile(group.values, q)); };
    svg += "<g class=\"series s0\"><title>" + escape_html(words(group)) +
           "</title><path class=\"line\" d=\"M" + n(middle) + " " + n(at(0.05)) + "V" +
           n(at(0.25)) + "M" + n(middle) + " " + n(at(0.75)) + "V" + n(at(0.95)) +
           "\"/><rect class=\"box\" x=\"" + n(middle - box / 2) + "\" y=\"" + n(at(0.75)) +
           "\" width=\"" + n(box) + "\" height=\"" + n((std::max)(1.0, at(0.25) - at(0.75))) +
           "\"/><path class=\"median\" d=\"M" + n(middle - box / 2) + " " + n(at(0.5)) + "h" +
           n(box) + "\"/></g><text class=\"axis\" x=\"" + n(middle) + "\" y=\"" +
           n(height - bottom + 16) + "\">" + escape_html(group.label) +
           "</text><text class=\"axis\" x=\"" + n(middle) + "\" y=\"" + n(height - bottom + 30) +
           "\">n " + std::to_string(group.values.size()) + "</text>\n";
  }
  svg += "<text class=\"axis\" x=\"" + n(left + (width - left - right) / 2) + "\" y=\"" +
         n(height - 8) + "\">" + escape_html(chart.x_label) +
         "</text><text class=\"axis\" transform=\"translate(14 " + n(top + inner / 2) +
         ") rotate(-90)\">" + escape_html(chart.y_label) + "</text>\n";
  return svg + "</svg></figure>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
