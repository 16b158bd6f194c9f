// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table of numbers, and its four exporters, which know of no job: JSON, CSV, terminal and page.
//
// A column has a key (for programs), a heading and a meaning (for people); a row has a value for each
// (cells.hpp): a text, a count, a number, or an estimate with its interval. A key with dots is a path:
// "coverage.average" is `average` of the object `coverage` in metrics.json. What a column says of a
// row is declared in columns.hpp.

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/core/over.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where a column is shown beside JSON and CSV, which have all.
enum class ColumnPlace { everywhere, page, terminal, files };

/// What is known of a column without its rows.
struct ColumnHead {
  /// In CSV and JSON: lower case with underscores, dots between the parts of a path.
  std::string key;
  /// Above it on a terminal; on a page it begins with a capital.
  std::string heading;
  /// What the number means, in a sentence or less; a page shows it with the heading.
  std::string meaning;
  ColumnPlace place = ColumnPlace::everywhere;
  int decimals = 3;
  /// Whether a terminal shows an estimate's interval too.
  bool interval = false;
  /// How long a terminal that is too narrow shows it.
  ColumnWeight weight = ColumnWeight::usual;
};

struct NumberRow {
  /// Parallel to the columns, as are the classes of a page's cells; empty for none.
  std::vector<CellValue> cells;
  std::vector<std::string> classes;
  /// Whether rows of another sort come before it.
  bool begins_section = false;
};

struct NumberTable {
  std::vector<ColumnHead> columns;
  std::vector<NumberRow> rows{};
};

/// The value below a path of keys, which is made where it is not there.
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

/// All numbers of a row below their keys.
[[nodiscard]] inline Json json_of(const std::vector<ColumnHead>& columns, const NumberRow& row) {
  Json json = Json::object();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (std::holds_alternative<NoCell>(row.cells[c])) continue;
    below_path(json, columns[c].key) = to_json(row.cells[c]);
  }
  return json;
}

/// A row's numbers as lines of a CSV file, one each: the cells `of`, the column's key, and the number.
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

/// The rows as CSV, a line each, and a column for each key but those of a terminal alone. An estimate
/// has its interval in two more columns, KEY_low and KEY_high, where its heading speaks of one.
/// Numbers have all their digits, as in metrics.json.
[[nodiscard]] inline std::string csv_table(const NumberTable& table) {
  const auto line_of = [&](auto add) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].place != ColumnPlace::terminal) add(c, cells);
    }
    return csv_line(cells);
  };
  std::string text = line_of([&](std::size_t c, std::vector<std::string>& cells) {
    const ColumnHead& column = table.columns[c];
    cells.push_back(column.key);
    if (column.interval) cells.insert(cells.end(), {column.key + "_low", column.key + "_high"});
  });
  for (const NumberRow& row : table.rows) {
    text += line_of([&](std::size_t c, std::vector<std::string>& cells) {
      const CellValue& value = row.cells[c];
      if (const auto* estimate = std::get_if<Estimate>(&value)) {
        cells.push_back(csv_digits(estimate->exists() ? estimate->value : no_number));
        if (!table.columns[c].interval) return;
        const auto [low, high] = estimate->interval().value_or(std::pair{no_number, no_number});
        cells.insert(cells.end(), {csv_digits(low), csv_digits(high)});
      } else if (const auto* plain = std::get_if<PlainNumber>(&value)) {
        cells.push_back(csv_digits(plain->value.value_or(no_number)));
      } else if (const auto* number = std::get_if<ShownNumber>(&value)) {
        cells.push_back(csv_digits(number->sorted_by));
      } else if (const auto* dashed = std::get_if<DashedCount>(&value)) {
        cells.push_back(std::to_string(dashed->count));
      } else if (std::holds_alternative<NoCell>(value)) {
        cells.emplace_back();
      } else {
        cells.push_back(shown(table.columns[c], value));
      }
    });
  }
  return text;
}

/// The rows as a terminal shows them.
[[nodiscard]] inline std::string text_table(const NumberTable& table,
                                            const TableWidth& width = {}) {
  std::vector<std::string> heads;
  std::vector<ColumnWeight> weights;
  std::vector<std::size_t> places;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ColumnHead& column = table.columns[c];
    if (column.place != ColumnPlace::everywhere && column.place != ColumnPlace::terminal) continue;
    places.push_back(c);
    weights.push_back(column.weight);
    heads.push_back(column.heading + std::string(column.interval ? interval_heading : ""));
  }
  TextTable text(heads, weights);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (r > 0 && table.rows[r].begins_section) text.add_rule();
    std::vector<std::string> cells;
    for (const std::size_t c : places) {
      cells.push_back(shown(table.columns[c], table.rows[r].cells[c]));
    }
    text.add(std::move(cells));
  }
  return text.text(width);
}

/// The rows as a page shows them, sorted by a click on a heading.
[[nodiscard]] inline std::string html_table(const NumberTable& table) {
  const auto is_shown = [](const ColumnHead& column) {
    return column.place == ColumnPlace::everywhere || column.place == ColumnPlace::page;
  };
  std::vector<std::string> heads;
  for (const ColumnHead& column : table.columns) {
    if (!is_shown(column)) continue;
    std::string head = column.heading;
    if (head[0] >= 'a' && head[0] <= 'z') head[0] = static_cast<char>(head[0] - 'a' + 'A');
    heads.push_back(escape_html(head));
  }
  std::string html = table_begin(heads);
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

/// What the columns mean, for the text above a table on a page: "MRR: mean reciprocal rank. …".
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
