// SPDX-License-Identifier: Apache-2.0
#pragma once

// A bar chart of estimates with intervals, side by side.
//
// Horizontal bars on a scale from 0 to 1 as inline SVG, with a whisker for the 95% interval and an
// optional tick at the accuracy of guessing. Numbers are next to the names, so that on a narrow
// screen, where the chart scrolls, both are visible first. Colours come from the page's style, so
// the chart follows dark mode and print.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/axis_ticks.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/name_lines.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct Bar {
  std::string label;
  Estimate estimate;
  /// The expected value of guessing, if it is meaningful for this bar.
  std::optional<double> chance{};
};

/// `title` is the chart's name for screen readers. Bars without a number are drawn as "–".
[[nodiscard]] inline std::string bar_chart(const std::vector<Bar>& bars, const std::string& title) {
  constexpr double width = 500, right = 20, row = 22, top = 8, bottom = 30;
  // Each character of a name is 7 units wide; names of more than 28 characters are broken into
  // lines.
  std::size_t longest = 3;
  std::vector<std::vector<std::string>> lines;
  double height = top + bottom;
  const auto row_height = [](std::size_t count) {
    return row + 14 * static_cast<double>(count - 1);
  };
  for (const Bar& bar : bars) {
    lines.push_back(name_lines(bar.label, 28));
    for (const std::string& line : lines.back()) {
      longest = (std::max)(longest, count_code_points(line));
    }
    height += row_height(lines.back().size());
  }
  const double names = 7 * static_cast<double>(longest) + 4;
  const double left = names + 150;
  const auto x = [&](double value) { return with_decimals(left + width * value, 1); };
  std::string description;
  for (const Bar& bar : bars) {
    description += (description.empty() ? "Bars from 0 to 1: " : "; ") + bar.label + " " +
                   with_interval(bar.estimate);
  }
  std::string svg = "<div class=\"wide\">" +
                    chart_begin("chart", with_decimals(left + width + right, 0),
                                with_decimals(height, 0), title, description + ".", false);
  for (const auto& [value, text] : linear_ticks({0, 1})) {
    svg += "<line class=\"grid\" x1=\"" + x(value) + "\" x2=\"" + x(value) + "\" y1=\"" +
           with_decimals(top, 0) + "\" y2=\"" + with_decimals(height - bottom, 0) +
           "\"/><text class=\"axis\" x=\"" + x(value) + "\" y=\"" +
           with_decimals(height - bottom + 16, 0) + "\">" + text + "</text>\n";
  }
  double begin = top;
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const Bar& bar = bars[b];
    const double y = begin + (row_height(lines[b].size()) - row) / 2;  // the top of the bar itself
    const std::string middle = with_decimals(y + row / 2, 1);
    svg += text_lines(lines[b], "class=\"name\"", names, y + row / 2);
    if (bar.estimate.count > 0) {
      const Estimate& e = bar.estimate;
      svg += "<rect class=\"bar\" x=\"" + x(0) + "\" y=\"" + with_decimals(y + 4, 1) +
             "\" width=\"" + with_decimals(width * e.value, 1) + "\" height=\"" +
             with_decimals(row - 8, 1) + "\"/>";
      if (bar.chance) {
        svg += "<line class=\"chance\" x1=\"" + x(*bar.chance) + "\" x2=\"" + x(*bar.chance) +
               "\" y1=\"" + with_decimals(y + 2, 1) + "\" y2=\"" + with_decimals(y + row - 2, 1) +
               "\"/>";
      }
      if (e.has_interval()) {
        svg += "<path class=\"whisker\" d=\"M" + x(e.low) + " " + middle + "H" + x(e.high) + "M" +
               x(e.low) + " " + with_decimals(y + 7, 1) + "v" + with_decimals(row - 14, 1) + "M" +
               x(e.high) + " " + with_decimals(y + 7, 1) + "v" + with_decimals(row - 14, 1) +
               "\"/>";
      }
    }
    svg += "<text class=\"value\" x=\"" + with_decimals(names + 10, 0) + "\" y=\"" +
           with_decimals(y + row / 2 + 4, 1) + "\">" + with_interval(bar.estimate) + "</text>\n";
    begin += row_height(lines[b].size());
  }
  return svg + "</svg></div>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
