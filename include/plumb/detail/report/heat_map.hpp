// SPDX-License-Identifier: Apache-2.0
#pragma once

// A heat map shows a whole table of numbers at a glance.
//
// Cells are tinted according to their number: from the background colour at 0 to the bar colour at
// 1, and towards the wrong-answer colour below 0. Every cell also shows its number, so no
// information depends on colour, whether in a grey printout or for readers who cannot see colours.
// The colours come from the page's style (page.hpp), which supports dark mode.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/html.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct HeatMap {
  /// For screen readers.
  std::string title;
  /// The heading above the row names.
  std::string corner;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  /// [row][column], in [0, 1] or [−1, 1]; an absent value is shown as "–".
  std::vector<std::vector<std::optional<double>>> values;
  /// The group of each column, parallel to the columns; columns of a group are adjacent. Empty if
  /// there are no groups.
  std::vector<std::string> groups{};
  int decimals = 2;
  /// Whether rows and columns are models, so that a page can show or hide them.
  bool rows_are_models = false;
  bool columns_are_models = false;
};

/// The HTML element of a cell: its tint, as a percentage of the full colour, and its number.
inline std::string heat_cell(const std::optional<double>& value, int decimals, bool begins_group) {
  const std::string edge = begins_group ? "edge" : "";
  if (!value) return "<td" + (edge.empty() ? "" : " class=\"" + edge + "\"") + ">–</td>";
  const std::string shown = with_decimals(*value, decimals);
  std::string classes = shown.front() == '-' ? "minus" : "";
  if (!edge.empty()) add_to_list(classes, edge, " ");
  return "<td" + (classes.empty() ? "" : " class=\"" + classes + "\"") +
         " style=\"--v:" + with_decimals(100 * (std::min)(1.0, std::abs(*value)), 0) + "%\">" +
         shown + "</td>";
}

/// Column names are vertical if horizontal ones would be wider than the page. A value outside the
/// range has the colour of the nearest end of the range.
[[nodiscard]] inline std::string heat_map(const HeatMap& map) {
  std::size_t width = 0;  // in characters
  for (const std::string& column : map.columns) {
    width += std::max<std::size_t>(6, count_code_points(column) + 2);
  }
  std::size_t rows_width = 0;
  for (const std::string& row : map.rows) {
    rows_width = (std::max)(rows_width, count_code_points(row));
  }
  const bool upright = width + rows_width > 120;
  const auto begins_group = [&](std::size_t c) {
    return !map.groups.empty() && (c == 0 || map.groups[c] != map.groups[c - 1]);
  };
  const auto edge = [&](std::size_t c) { return begins_group(c) ? " class=\"edge\"" : ""; };
  std::string models = map.rows_are_models ? "rows" : "";
  if (map.columns_are_models) add_to_list(models, "columns", " ");
  std::string html = "<div class=\"wide\"><table class=\"heat" +
                     std::string(upright ? " upright" : "") + "\"" +
                     (models.empty() ? "" : " data-models=\"" + models + "\"") + " aria-label=\"" +
                     escape_html(map.title) + "\"><thead>\n";
  if (!map.groups.empty()) {
    html += "<tr class=\"groups\"><td></td>";
    for (std::size_t c = 0; c < map.columns.size();) {
      std::size_t end = c + 1;
      while (end < map.columns.size() && !begins_group(end)) ++end;
      html += "<th scope=\"colgroup\" class=\"edge\" colspan=\"" + std::to_string(end - c) + "\">" +
              label(map.groups[c]) + "</th>";
      c = end;
    }
    html += "</tr>\n";
  }
  html += "<tr><th scope=\"col\">" + escape_html(map.corner) + "</th>";
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    html += "<th scope=\"col\"" + std::string(edge(c)) + "><span>" + label(map.columns[c]) +
            "</span></th>";
  }
  html += "</tr>\n</thead><tbody>\n";
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    html += "<tr><th scope=\"row\">" + label(map.rows[r]) + "</th>";
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      html += detail::heat_cell(map.values[r][c], map.decimals, begins_group(c));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
