// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table of numbers, and its exporters: JSON, CSV, terminal, page, LaTeX and Markdown. They are
// independent of any particular job.
//
// A column has a key (for programs), and a heading and a meaning (for people). A row has a value
// for each column (cells.hpp): a string, a count, a number, or an estimate with its interval. A key
// with dots is a path: "coverage.average" is `average` in the object `coverage` in metrics.json.
// columns.hpp declares how a column computes a row's value.

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/core/printable.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where a column is shown in addition to JSON and CSV, which contain all columns.
enum class ColumnPlace { everywhere, page, terminal, files };

/// The parts of a column that do not depend on rows.
struct ColumnHead {
  /// In CSV and JSON: lower case with underscores, and dots between the parts of a path.
  std::string key;
  /// Shown above the column; a page capitalises it.
  std::string heading;
  /// The meaning of the number, in one or two sentences; a page shows it above the table.
  std::string meaning;
  ColumnPlace place = ColumnPlace::everywhere;
  int decimals = 3;
  /// Whether a terminal shows an estimate's interval too.
  bool interval = false;
  /// The column's priority when a terminal is too narrow for all columns.
  ColumnWeight weight = ColumnWeight::usual;
  /// Whether the cells are model names, so that a page can show or hide rows by model.
  bool names_model = false;
  /// Whether the heading is a name, in which case a page does not capitalise it.
  bool heading_is_name = false;
  /// The maximum number of characters that a terminal shows of each name in a cell; 0 for no limit.
  /// Names in a cell are joined by " − ".
  std::size_t name_width = 0;
};

struct NumberRow {
  /// `cells`, and `classes` (the CSS classes of a page's cells), are parallel to the columns;
  /// `classes` may be empty.
  std::vector<CellValue> cells;
  std::vector<std::string> classes;
  /// Whether the preceding row is of a different kind.
  bool begins_section = false;
};

struct NumberTable {
  std::vector<ColumnHead> columns;
  std::vector<NumberRow> rows{};
};

/// The value at a path of keys, created if it does not exist.
[[nodiscard]] inline Json& below_path(Json& json, std::string_view path) {
  Json* place = &json;
  for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.')) {
    place = &(*place)[std::string(path.substr(0, dot))];
    path.remove_prefix(dot + 1);
  }
  return (*place)[std::string(path)];
}

/// A cell in metrics.json.
[[nodiscard]] inline Json to_json(const CellValue& value) {
  return std::visit(
      [](const auto& one) {
        using Value = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<Value, Estimate>) {
          return to_json(one);
        } else if constexpr (std::is_same_v<Value, PlainNumber>) {
          return number_or_null(one.value);
        } else if constexpr (std::is_same_v<Value, RemarkedEstimate>) {
          return to_json(one.estimate);
        } else if constexpr (std::is_same_v<Value, ShownNumber>) {
          return Json(one.sorted_by);
        } else if constexpr (std::is_same_v<Value, DashedCount>) {
          return Json(one.count);
        } else if constexpr (std::is_same_v<Value, NoCell>) {
          return Json();
        } else if constexpr (requires { one.text; }) {
          return Json(one.text);
        } else {
          return Json(one);
        }
      },
      value);
}

/// All numbers in a row, stored under their keys.
[[nodiscard]] inline Json json_of(const std::vector<ColumnHead>& columns, const NumberRow& row) {
  Json json = Json::object();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (std::holds_alternative<NoCell>(row.cells[c])) continue;
    below_path(json, columns[c].key) = to_json(row.cells[c]);
  }
  return json;
}

/// Adds one line for each number in a row, consisting of the cells in `of`, the column's key, and
/// the number.
inline void add_numbers(EstimateCsv& csv, const std::vector<std::string>& of,
                        const std::vector<ColumnHead>& columns, const NumberRow& row) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const CellValue& value = row.cells[c];
    std::vector<std::string> cells = of;
    cells.push_back(columns[c].key);
    if (const auto* estimate = std::get_if<Estimate>(&value)) csv.add(std::move(cells), *estimate);
    if (const auto* of_remark = std::get_if<RemarkedEstimate>(&value)) {
      csv.add(std::move(cells), of_remark->estimate);
    }
    if (const auto* count = std::get_if<std::size_t>(&value)) csv.add(std::move(cells), *count);
    if (const auto* dashed = std::get_if<DashedCount>(&value)) {
      csv.add(std::move(cells), dashed->count);
    }
    if (const auto* number = std::get_if<PlainNumber>(&value)) {
      csv.add_number(std::move(cells), number->value);
    }
    if (const auto* number = std::get_if<ShownNumber>(&value)) {
      csv.add_number(std::move(cells), number->sorted_by);
    }
  }
}

/// A cell on a terminal.
[[nodiscard]] inline std::string shown(const ColumnHead& column, const CellValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* text = std::get_if<LongText>(&value)) return text->text;
  if (const auto* number = std::get_if<ShownNumber>(&value)) return number->text;
  if (const auto* word = std::get_if<OwnWord>(&value)) return word->text;
  if (const auto* count = std::get_if<std::size_t>(&value)) return std::to_string(*count);
  if (std::holds_alternative<NoCell>(value) || std::holds_alternative<DashedCount>(value)) {
    return "–";
  }
  if (const auto* number = std::get_if<PlainNumber>(&value)) {
    return number->exists() ? with_decimals(*number->value, number->decimals) : "–";
  }
  const auto* remarked = std::get_if<RemarkedEstimate>(&value);
  const Estimate& estimate = remarked ? remarked->estimate : std::get<Estimate>(value);
  return column.interval ? with_interval(estimate, column.decimals)
                         : number_or_dash(estimate, column.decimals);
}

/// A list of names with each name truncated to `width` characters.
[[nodiscard]] inline std::string with_cut_names(const std::string& text, std::size_t width) {
  constexpr std::string_view between = " − ";
  std::string made;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(between, at);
    made += cut_to(text.substr(at, end == std::string::npos ? end : end - at), width);
    if (end == std::string::npos) return made;
    made += between;
    at = end + between.size();
  }
}

/// Indices of the columns that a terminal shows; other exports of the terminal's rows use the same
/// columns.
[[nodiscard]] inline std::vector<std::size_t> terminal_columns(const NumberTable& table) {
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ColumnPlace place = table.columns[c].place;
    if (place == ColumnPlace::everywhere || place == ColumnPlace::terminal) places.push_back(c);
  }
  return places;
}

/// The rows as shown on a terminal.
[[nodiscard]] inline std::string text_table(const NumberTable& table,
                                            const TableWidth& width = {}) {
  std::vector<std::string> heads;
  std::vector<ColumnWeight> weights;
  const std::vector<std::size_t> places = terminal_columns(table);
  for (const std::size_t c : places) {
    const ColumnHead& column = table.columns[c];
    weights.push_back(column.weight);
    heads.push_back(column.heading + std::string(column.interval ? interval_heading : ""));
  }
  TextTable text(heads, weights);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (r > 0 && table.rows[r].begins_section) text.add_rule();
    std::vector<std::string> cells;
    for (const std::size_t c : places) {
      const ColumnHead& column = table.columns[c];
      std::string cell = shown(column, table.rows[r].cells[c]);
      if (column.name_width > 0) cell = with_cut_names(cell, column.name_width);
      cells.push_back(std::move(cell));
    }
    text.add(std::move(cells));
  }
  return text.text(width);
}

/// The rows as shown on a page, where clicking a heading sorts them.
[[nodiscard]] inline std::string html_table(const NumberTable& table) {
  const auto is_shown = [](const ColumnHead& column) {
    return column.place == ColumnPlace::everywhere || column.place == ColumnPlace::page;
  };
  std::vector<std::string> heads;
  std::vector<bool> names_model;
  for (const ColumnHead& column : table.columns) {
    if (!is_shown(column)) continue;
    std::string head = column.heading;
    // Symbols (such as the "r" in "r of ranks") and model names are not capitalised.
    const bool is_word = head.size() > 1 && head[1] >= 'a' && head[1] <= 'z';
    if (is_word && !column.heading_is_name && head[0] >= 'a' && head[0] <= 'z') {
      head[0] = static_cast<char>(head[0] - 'a' + 'A');
    }
    heads.push_back(escape_html(head));
    names_model.push_back(column.names_model);
  }
  std::string html = table_begin(heads, names_model);
  for (const NumberRow& row : table.rows) {
    html += "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (!is_shown(table.columns[c])) continue;
      if (const auto* estimate = std::get_if<Estimate>(&row.cells[c])) {
        html += cell(*estimate, row.classes[c], table.columns[c].decimals);
      } else {
        html += std::visit([](const auto& one) { return html_cell(one); }, row.cells[c]);
      }
    }
    html += "</tr>\n";
  }
  return html + table_end;
}

/// The estimate in a cell, or null.
[[nodiscard]] inline const Estimate* estimate_in(const CellValue& value) {
  const auto* remarked = std::get_if<RemarkedEstimate>(&value);
  return remarked ? &remarked->estimate : std::get_if<Estimate>(&value);
}

/// Whether any cell of a column is of one of these kinds.
template <class... Kinds>
[[nodiscard]] bool has_cell(const NumberTable& table, std::size_t column) {
  return ranges::any_of(table.rows, [&](const NumberRow& row) {
    return (std::holds_alternative<Kinds>(row.cells[column]) || ...);
  });
}

/// A CSV cell for a value that is not an estimate; `number` formats numbers. Empty if there is no
/// value.
template <class NumberText>
[[nodiscard]] std::string csv_cell(const CellValue& value, NumberText number) {
  if (const auto* count = std::get_if<std::size_t>(&value)) return std::to_string(*count);
  if (const auto* dashed = std::get_if<DashedCount>(&value)) return std::to_string(dashed->count);
  if (const auto* text = std::get_if<ShownNumber>(&value)) return number(text->sorted_by);
  if (const auto* plain = std::get_if<PlainNumber>(&value)) {
    return number(plain->value.value_or(no_number));
  }
  const std::string text = shown({}, value);
  return text == "–" ? "" : text;
}

/// The columns at these indices as CSV: a line of keys, then one line for each row. A column for
/// which `has_ends` is true is followed by two more, KEY_low and KEY_high, for the interval bounds.
/// `number` formats a number and returns an empty string for NaN; `estimate_of` returns the
/// estimate in a cell, or null.
template <class NumberText, class EstimateOf>
[[nodiscard]] std::string csv_lines(const NumberTable& table,
                                    const std::vector<std::size_t>& places,
                                    const std::vector<bool>& has_ends, NumberText number,
                                    EstimateOf estimate_of) {
  std::vector<std::string> heads;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string& key = table.columns[places[i]].key;
    heads.push_back(key);
    if (has_ends[i]) heads.insert(heads.end(), {key + "_low", key + "_high"});
  }
  std::string text = csv_line(heads);
  for (const NumberRow& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const CellValue& value = row.cells[places[i]];
      const Estimate* estimate = estimate_of(value);
      cells.push_back(estimate ? number(estimate->exists() ? estimate->value : no_number)
                               : csv_cell(value, number));
      if (!has_ends[i]) continue;
      const auto ends = estimate ? estimate->interval() : std::nullopt;
      const auto [low, high] = ends.value_or(std::pair{no_number, no_number});
      cells.insert(cells.end(), {number(low), number(high)});
    }
    text += csv_line(cells);
  }
  return text;
}

/// The whole table as CSV: all columns except terminal-only ones. Columns with `interval` include
/// the interval bounds. Numbers are written with full precision, as in metrics.json.
[[nodiscard]] inline std::string csv_file(const NumberTable& table) {
  std::vector<std::size_t> places;
  std::vector<bool> has_ends;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].place == ColumnPlace::terminal) continue;
    places.push_back(c);
    has_ends.push_back(table.columns[c].interval);
  }
  return csv_lines(table, places, has_ends, csv_digits,
                   [](const CellValue& value) { return std::get_if<Estimate>(&value); });
}

/// The terminal's columns as CSV, with interval bounds for all estimates. Numbers have eight
/// decimal places.
[[nodiscard]] inline std::string csv_table(const NumberTable& table) {
  const std::vector<std::size_t> places = terminal_columns(table);
  std::vector<bool> has_ends;
  for (const std::size_t c : places) {
    has_ends.push_back(has_cell<Estimate, RemarkedEstimate>(table, c));
  }
  return csv_lines(
      table, places, has_ends, [](double value) { return csv_number(value); }, estimate_in);
}

/// The terminal's rows as JSON: a list of objects like those that json_of returns.
[[nodiscard]] inline Json json_table(const NumberTable& table) {
  const std::vector<std::size_t> places = terminal_columns(table);
  Json rows = Json::array();
  for (const NumberRow& row : table.rows) {
    NumberRow kept;
    std::vector<ColumnHead> columns;
    for (const std::size_t c : places) {
      columns.push_back(table.columns[c]);
      kept.cells.push_back(row.cells[c]);
    }
    rows.push_back(json_of(columns, kept));
  }
  return rows;
}

/// Text escaped for LaTeX: special characters, and symbols in plumb's headings, become commands.
/// Other characters are left unchanged, for UTF-8 documents.
[[nodiscard]] inline std::string latex_text(std::string_view text) {
  static const std::vector<std::pair<std::string_view, std::string_view>> commands{
      {"\\", "\\textbackslash{}"},
      {"{", "\\{"},
      {"}", "\\}"},
      {"&", "\\&"},
      {"%", "\\%"},
      {"$", "\\$"},
      {"#", "\\#"},
      {"_", "\\_"},
      {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"},
      {"<", "\\textless{}"},
      {">", "\\textgreater{}"},
      {"|", "\\textbar{}"},
      {"\"", "\\textquotedbl{}"},
      {"[", "{[}"},  // LaTeX would read a bare "[" as an option of the preceding "\\"
      {"–", "--"},
      {"−", "$-$"},
      {"→", "$\\to$"},
      {"↓", "$\\downarrow$"},
      {"η", "$\\eta$"},
      {"κ", "$\\kappa$"},
      {"…", "\\ldots{}"}};
  const std::string safe = printable(text);
  std::string made;
  for (std::size_t at = 0; at < safe.size();) {
    const std::string_view rest = std::string_view(safe).substr(at);
    const auto found =
        ranges::find_if(commands, [&](const auto& one) { return rest.starts_with(one.first); });
    made += found == commands.end() ? rest.substr(0, 1) : found->second;
    at += found == commands.end() ? 1 : found->first.size();
  }
  return made;
}

/// A cell in LaTeX, with numbers in math mode so that negative ones get a proper minus sign.
[[nodiscard]] inline std::string latex_cell(const ColumnHead& column, const CellValue& value) {
  const std::string text = shown(column, value);
  if (text == "–") return "--";
  if (const Estimate* estimate = estimate_in(value)) {
    const std::size_t interval = text.find(" [");
    if (interval == text.npos || !estimate->has_interval()) {
      return "$" + text.substr(0, interval) + "$";
    }
    return "$" + text.substr(0, interval) + "\\," + text.substr(interval + 1) + "$";
  }
  const bool is_number =
      std::holds_alternative<std::size_t>(value) || std::holds_alternative<PlainNumber>(value);
  return is_number ? "$" + text + "$" : latex_text(text);
}

/// Whether a column contains text, which is aligned left.
[[nodiscard]] inline bool is_flush_left(const NumberTable& table, std::size_t column) {
  return has_cell<std::string, LongText>(table, column);
}

/// The rows that a terminal shows, as a LaTeX tabular with rules from the booktabs package. Cells
/// are rounded as on a terminal, with each interval in the same column as its number.
[[nodiscard]] inline std::string latex_table(const NumberTable& table) {
  std::string alignment, text;
  const std::vector<std::size_t> places = terminal_columns(table);
  for (const std::size_t c : places) {
    alignment += c == places.front() || is_flush_left(table, c) ? 'l' : 'r';
    const ColumnHead& column = table.columns[c];
    add_to_list(text,
                latex_text(column.heading + std::string(column.interval ? interval_heading : "")),
                " & ");
  }
  text = "\\begin{tabular}{" + alignment + "}\n\\toprule\n" + text + " \\\\\n\\midrule\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (r > 0 && table.rows[r].begins_section) text += "\\midrule\n";
    std::string line;
    for (const std::size_t c : places) {
      if (c != places.front()) line += " & ";
      line += latex_cell(table.columns[c], table.rows[r].cells[c]);
    }
    text += line + " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

/// Text escaped for a Markdown cell: markup characters are preceded by a backslash (CommonMark
/// 0.31, 2.4).
[[nodiscard]] inline std::string markdown_text(std::string_view text) {
  std::string made;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>|~&#$").find(c) != std::string_view::npos) made += '\\';
    made += c;
  }
  return made;
}

/// The rows that a terminal shows, as a GitHub-flavored Markdown table, rounded as on a terminal,
/// without rules between rows.
[[nodiscard]] inline std::string markdown_table(const NumberTable& table) {
  std::string heads = "|", rule = "|";
  const std::vector<std::size_t> places = terminal_columns(table);
  for (const std::size_t c : places) {
    const ColumnHead& column = table.columns[c];
    heads += " " +
             markdown_text(column.heading + std::string(column.interval ? interval_heading : "")) +
             " |";
    rule += c == places.front() || is_flush_left(table, c) ? " :-- |" : " --: |";
  }
  std::string text = heads + "\n" + rule + "\n";
  for (const NumberRow& row : table.rows) {
    text += "|";
    for (const std::size_t c : places) {
      const std::string cell = shown(table.columns[c], row.cells[c]);
      text += " " + (estimate_in(row.cells[c]) ? cell : markdown_text(cell)) + " |";
    }
    text += "\n";
  }
  return text;
}

/// The meanings of the columns, for the text above a table on a page, such as "MRR: mean reciprocal
/// rank. …".
[[nodiscard]] inline std::string meanings(const std::vector<ColumnHead>& columns) {
  std::string text;
  for (const ColumnHead& column : columns) {
    if (column.place == ColumnPlace::files || column.place == ColumnPlace::terminal ||
        column.meaning.empty()) {
      continue;
    }
    add_to_list(text, column.meaning, " ");
  }
  return escape_html(text);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
