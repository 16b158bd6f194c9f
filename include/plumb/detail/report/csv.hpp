// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a table written as CSV?
//
// The format follows RFC 4180: cells are separated by commas and quoted if needed, and quotes
// within a cell are doubled. Lines end in a newline instead of CRLF; spreadsheets and pandas read
// both. A spreadsheet would evaluate a cell as a formula if it begins with "=", "+", "-", "@", a
// tab or a carriage return and is not a number. Such cells are prefixed with an apostrophe (OWASP,
// "CSV Injection"); numbers are unchanged, and JSON files contain the original text. A row that
// ends in an estimate has four columns for it: value, low, high and count. Low and high are empty
// if there is no interval; if there is no number, the value is empty too and the count is 0.

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/core/decimal_number.hpp"
#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a spreadsheet would treat the cell as a formula: it starts with a formula character and
/// is not a number.
inline bool is_like_formula(std::string_view cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell.front()) == cell.npos) return false;
  double number = 0;
  // Programs that read the file parse "+3" as a number, but from_chars does not accept the sign.
  const char* const first = cell.data() + (cell.front() == '+' ? 1 : 0);
  const char* const last = cell.data() + cell.size();
  const auto read = read_number(first, last, number);
  const bool signs = cell.size() > 1 && cell.front() == '+' && cell[1] == '-';
  return signs || read.ec == std::errc::invalid_argument || read.ptr != last;
}

/// One line of CSV, including the newline. Control characters other than line breaks and tabs are
/// escaped, as on a terminal.
[[nodiscard]] inline std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    const std::string cell = printable(cells[i], "\t\r\n");
    const std::string shield = detail::is_like_formula(cell) ? "'" : "";
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += shield + cell;
      continue;
    }
    line += '"' + shield;
    for (const char c : cell) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  line += '\n';
  return line;
}

/// A number formatted as a CSV cell; empty for NaN. A number too small for the decimals, such as a
/// p-value, is written with an exponent: "2.41e-38".
inline std::string csv_number(double value, int decimals = 8) {
  if (std::isnan(value)) return "";
  if (value == 0 || std::abs(value) >= 10 * std::pow(10.0, -decimals)) {
    return with_decimals(value, decimals);
  }
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, decimals);
  return {text.data(), end.ptr};
}

/// The fewest digits that identify the double exactly; empty for NaN.
inline std::string csv_digits(double value) {
  if (std::isnan(value)) return "";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

/// The value, the ends of its interval, and the count, as cells; if there is no value, the first
/// three cells are empty.
inline std::vector<std::string> estimate_cells(const Estimate& e) {
  if (!e.exists()) return {"", "", "", "0"};
  if (!e.has_interval()) return {with_decimals(e.value, 8), "", "", std::to_string(e.count)};
  return {with_decimals(e.value, 8), with_decimals(e.low, 8), with_decimals(e.high, 8),
          std::to_string(e.count)};
}

/// Builds a CSV table in which each row ends with an estimate.
class EstimateCsv {
 public:
  explicit EstimateCsv(std::vector<std::string> head) {
    head.insert(head.end(), {"value", "low", "high", "count"});
    text_ = csv_line(head);
  }
  void add(std::vector<std::string> cells, const Estimate& estimate) {
    for (std::string& cell : estimate_cells(estimate)) cells.push_back(std::move(cell));
    text_ += csv_line(cells);
  }
  /// Adds a row whose number has no interval.
  void add(std::vector<std::string> cells, std::size_t count) {
    cells.insert(cells.end(), {std::to_string(count), "", "", ""});
    text_ += csv_line(cells);
  }
  void add_number(std::vector<std::string> cells, const std::optional<double>& number) {
    cells.insert(cells.end(), {number ? csv_number(*number) : "", "", "", ""});
    text_ += csv_line(cells);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
