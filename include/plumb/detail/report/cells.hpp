// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values that a table cell may have, and how a page shows each of them.
//
// The type of a value determines how it is shown. A table is then only a list of headings and
// values, and each kind of value is formatted in one place.

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/measure/pearson_p_value.hpp"
#include "plumb/detail/report/page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A number without an interval; empty or NaN if it does not exist.
struct PlainNumber {
  std::optional<double> value{};
  int decimals = 3;

  [[nodiscard]] bool exists() const noexcept { return value && !std::isnan(*value); }
};

/// An estimate with a remark in small print below it; shown as "–" if there is no number.
struct RemarkedEstimate {
  Estimate estimate;
  std::string remark;
};

/// A longer text that may wrap. If tables sort the cell by a number, the remark is shown in small
/// print below the text.
struct LongText {
  std::string text;
  std::optional<double> sorted_by{};
  std::string remark{};
};

/// A cell that is shown as `text`; tables sort it by `sorted_by`.
struct ShownNumber {
  double sorted_by = 0;
  std::string text;
};

/// Text that plumb itself supplies. Unlike a name from a dataset, it does not need a bdi element to
/// isolate its text direction.
struct OwnWord {
  std::string text;
};

/// A count that is not meaningful for its row: files contain it, tables show a dash.
struct DashedCount {
  std::size_t count = 0;
};

/// A cell in a column that does not apply to its row; omitted from JSON and CSV.
struct NoCell {};

/// Three decimals, or two significant digits below 0.001: "0.049", "9.9e-5".
[[nodiscard]] inline std::string small_number(double value) {
  if (value >= 0.001 || value <= 0) return with_decimals(value, 3);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, 1);
  const std::string digits(text.data(), end.ptr);  // "9.9e-05"
  const std::size_t e = digits.find("e-");
  return digits.substr(0, e + 2) + digits.substr(digits.find_first_not_of('0', e + 2));
}

/// The value of a column in a row. An estimate with a count of 0 means that there is no number.
using CellValue = std::variant<std::string, std::size_t, Estimate, PlainNumber, RemarkedEstimate,
                               LongText, ShownNumber, OwnWord, DashedCount, NoCell>;

/// A p-value; NaN means none. A p-value of 0 means that the actual value is too small for a double.
[[nodiscard]] inline CellValue p_value_cell(double p) {
  if (std::isnan(p)) return PlainNumber{};
  return ShownNumber{p, p > 0 ? small_number(p) : "< 1e-300"};
}

/// The p-value of a correlation. Below `smallest_shown_p`, only that bound is shown.
[[nodiscard]] inline std::string p_text(const std::optional<double>& p) {
  if (!p) return "–";
  return *p < smallest_shown_p ? "< 1e-15" : small_number(*p);
}
[[nodiscard]] inline CellValue correlation_p_cell(const std::optional<double>& p) {
  if (!p) return PlainNumber{};
  return ShownNumber{*p, p_text(p)};
}

inline std::string html_cell(const NoCell&) {
  return no_number_cell;
}
inline std::string html_cell(const DashedCount&) {
  return no_number_cell;
}

inline std::string html_cell(const std::string& text) {
  return "<td>" + label(text) + "</td>";
}
inline std::string html_cell(const OwnWord& word) {
  return "<td>" + escape_html(word.text) + "</td>";
}
inline std::string html_cell(std::size_t count) {
  return number_cell(count);
}
inline std::string html_cell(const Estimate& estimate) {
  return cell(estimate);
}
inline std::string html_cell(const ShownNumber& number) {
  return "<td data-v=\"" + with_decimals(number.sorted_by, 8) + "\">" + escape_html(number.text) +
         "</td>";
}
inline std::string html_cell(const PlainNumber& number) {
  if (!number.exists()) return no_number_cell;
  return html_cell(ShownNumber{*number.value, with_decimals(*number.value, number.decimals)});
}
inline std::string html_cell(const RemarkedEstimate& remarked) {
  std::string made = cell(remarked.estimate);
  if (remarked.remark.empty() || !remarked.estimate.exists()) return made;
  return made.insert(made.rfind("</td>"), "<small>" + escape_html(remarked.remark) + "</small>");
}
inline std::string html_cell(const LongText& long_text) {
  if (!long_text.sorted_by) {
    return "<td style=\"text-align:left;white-space:normal;overflow-wrap:anywhere\">" +
           label(long_text.text) + "</td>";
  }
  return "<td data-v=\"" + with_decimals(*long_text.sorted_by, 8) +
         "\" style=\"text-align:left;white-space:normal;min-width:170px\">" +
         label(long_text.text) + "<small>" + escape_html(long_text.remark) + "</small></td>";
}

/// A note below a table.
inline std::string words_below(const std::string& html) {
  return "<p class=\"dim\">" + html + "</p>\n";
}

/// A collapsed section that opens on a click; `summary` is plain text.
inline std::string fold_away(const std::string& summary, const std::string& html) {
  return "<details><summary>" + escape_html(summary) + "</summary>\n" + html + "</details>\n";
}

/// A column that appears only on a page: its heading, and a function or member that returns a row's
/// value.
template <class Row>
using PageColumn = std::pair<std::string, std::function<CellValue(const Row&)>>;

/// The rows as a table on a page; clicking a heading sorts the table. Empty if there are no rows.
template <class Row>
[[nodiscard]] std::string page_table(const std::vector<PageColumn<Row>>& columns,
                                     const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::vector<std::string> heads;
  for (const auto& [heading, value] : columns) heads.push_back(escape_html(heading));
  std::string html = table_begin(heads);
  for (const Row& row : rows) {
    html += "<tr>";
    for (const auto& [heading, value] : columns) {
      html += std::visit([](const auto& one) { return detail::html_cell(one); }, value(row));
    }
    html += "</tr>\n";
  }
  return html + table_end;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
