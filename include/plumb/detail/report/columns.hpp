// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns of results, each declared once and shown on a terminal, on a page, as CSV and as JSON.
//
// A column has a key (for programs), a heading and an explanation (for people), and what it says of a
// row (cells.hpp): a text, a count, a number, or an estimate with its interval. A list of columns is a metric's
// only home: what is added to it is in all four.

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "plumb/detail/core/over.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Where a column is shown beside JSON and CSV, which have all.
enum class ColumnPlace { everywhere, page, terminal, files };

template <class Row>
struct Column {
  /// In CSV and JSON: lower case with underscores.
  std::string key;
  /// Above it on a terminal; on a page it begins with a capital.
  std::string heading;
  /// What the number means, in a sentence or less; a page shows it with the heading.
  std::string meaning{};
  std::function<CellValue(const Row&)> value;
  ColumnPlace place = ColumnPlace::everywhere;
  int decimals = 3;
  /// Whether a terminal shows an estimate's interval too.
  bool interval = false;
  /// The class of a page's cell, by its value; empty for none.
  std::function<std::string(const Estimate&)> colour{};
  /// How long a terminal that is too narrow shows it.
  ColumnWeight weight = ColumnWeight::usual;
  /// Rows whose cell has no colour, whatever its value; empty for none.
  std::function<bool(const Row&)> plain{};
};

/// Gives the columns of these keys another weight.
template <class Row>
void weigh(std::vector<Column<Row>>& columns, const std::vector<std::string>& keys,
           ColumnWeight weight) {
  for (Column<Row>& column : columns) {
    if (over::find(keys, column.key) != keys.end()) column.weight = weight;
  }
}

/// Columns over a part of a row: `part(row)` is what the inner columns are of.
template <class Row, class Inner, class Part>
[[nodiscard]] std::vector<Column<Row>> columns_of(const std::vector<Column<Inner>>& inner,
                                                  Part part) {
  std::vector<Column<Row>> columns;
  for (const Column<Inner>& one : inner) {
    columns.push_back(
        {.key = one.key,
         .heading = one.heading,
         .meaning = one.meaning,
         .value = [value = one.value, part](const Row& row) { return value(part(row)); },
         .place = one.place,
         .decimals = one.decimals,
         .interval = one.interval,
         .colour = one.colour,
         .weight = one.weight});
    if (!one.plain) continue;
    columns.back().plain = [plain = one.plain, part](const Row& row) { return plain(part(row)); };
  }
  return columns;
}

/// All columns of a row by their keys.
template <class Row>
[[nodiscard]] Json json_of(const std::vector<Column<Row>>& columns, const Row& row) {
  Json json = Json::object();
  for (const Column<Row>& column : columns) {
    json[column.key] = std::visit(
        [](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, Estimate>)
            return to_json(value);
          else if constexpr (std::is_same_v<Value, PlainNumber>)
            return number_or_null(value.value);
          else if constexpr (std::is_same_v<Value, RemarkedEstimate>)
            return to_json(value.estimate);
          else if constexpr (requires { value.text; })
            return Json(value.text);
          else
            return Json(value);
        },
        column.value(row));
  }
  return json;
}

/// A row's numbers as lines of a CSV file, one each: the cells `of`, the column's key, and the number.
template <class Row>
void add_numbers(detail::EstimateCsv& csv, const std::vector<std::string>& of,
                 const std::vector<Column<Row>>& columns, const Row& row) {
  for (const Column<Row>& column : columns) {
    const CellValue value = column.value(row);
    std::vector<std::string> cells = of;
    cells.push_back(column.key);
    if (const auto* estimate = std::get_if<Estimate>(&value)) csv.add(std::move(cells), *estimate);
    if (const auto* count = std::get_if<std::size_t>(&value)) csv.add(std::move(cells), *count);
    if (const auto* number = std::get_if<PlainNumber>(&value)) {
      csv.add_number(std::move(cells), number->value);
    }
  }
}

/// Rows for a terminal; rules may be added. Not for sharing between threads.
template <class Row>
class ColumnTable {
 public:
  explicit ColumnTable(std::vector<Column<Row>> columns) {
    std::vector<std::string> heads;
    std::vector<ColumnWeight> weights;
    for (Column<Row>& column : columns) {
      if (column.place != ColumnPlace::everywhere && column.place != ColumnPlace::terminal)
        continue;
      weights.push_back(column.weight);
      heads.push_back(column.heading +
                      std::string(column.interval ? detail::interval_heading : ""));
      columns_.push_back(std::move(column));
    }
    table_ = TextTable(heads, weights);
  }

  void add(const Row& row) {
    std::vector<std::string> cells;
    for (const Column<Row>& column : columns_) cells.push_back(shown(column, column.value(row)));
    table_.add(std::move(cells));
  }
  void add_rule() { table_.add_rule(); }
  [[nodiscard]] std::string text(const TableWidth& width = {}) const { return table_.text(width); }

 private:
  static std::string shown(const Column<Row>& column, const CellValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* text = std::get_if<LongText>(&value)) return text->text;
    if (const auto* number = std::get_if<ShownNumber>(&value)) return number->text;
    if (const auto* word = std::get_if<OwnWord>(&value)) return word->text;
    if (const auto* count = std::get_if<std::size_t>(&value)) return std::to_string(*count);
    if (const auto* number = std::get_if<PlainNumber>(&value)) {
      return number->exists() ? with_decimals(*number->value, number->decimals) : "–";
    }
    const auto* remarked = std::get_if<RemarkedEstimate>(&value);
    const Estimate& estimate = remarked ? remarked->estimate : std::get<Estimate>(value);
    return column.interval ? with_interval(estimate, column.decimals)
                           : number_or_dash(estimate, column.decimals);
  }

  std::vector<Column<Row>> columns_;
  TextTable table_{{}};
};

/// The rows as a terminal shows them.
template <class Row>
[[nodiscard]] std::string text_table(const std::vector<Column<Row>>& columns,
                                     const std::vector<Row>& rows, const TableWidth& width = {}) {
  ColumnTable<Row> table(columns);
  for (const Row& row : rows) table.add(row);
  return table.text(width);
}

/// The rows as a page shows them, sorted by a click on a heading.
template <class Row>
[[nodiscard]] std::string html_table(const std::vector<Column<Row>>& columns,
                                     const std::vector<Row>& rows) {
  const auto is_shown = [](const Column<Row>& column) {
    return column.place == ColumnPlace::everywhere || column.place == ColumnPlace::page;
  };
  std::vector<std::string> heads;
  for (const Column<Row>& column : columns) {
    if (!is_shown(column)) continue;
    std::string head = column.heading;
    if (head[0] >= 'a' && head[0] <= 'z') head[0] = static_cast<char>(head[0] - 'a' + 'A');
    heads.push_back(escape_html(head));
  }
  std::string html = table_begin(heads);
  for (const Row& row : rows) {
    html += "<tr>";
    for (const Column<Row>& column : columns) {
      if (!is_shown(column)) continue;
      const CellValue value = column.value(row);
      if (const auto* estimate = std::get_if<Estimate>(&value)) {
        const bool coloured = column.colour && !(column.plain && column.plain(row));
        html += detail::cell(*estimate, coloured ? column.colour(*estimate) : "", column.decimals);
      } else {
        html += std::visit([](const auto& one) { return detail::html_cell(one); }, value);
      }
    }
    html += "</tr>\n";
  }
  return html + table_end;
}

/// What the columns mean, for the text above a table on a page: "MRR: mean reciprocal rank. …".
template <class Row>
[[nodiscard]] std::string meanings(const std::vector<Column<Row>>& columns) {
  std::string text;
  for (const Column<Row>& column : columns) {
    if (column.place == ColumnPlace::files || column.place == ColumnPlace::terminal ||
        column.meaning.empty()) {
      continue;
    }
    add_to_list(text, column.meaning, " ");
  }
  return escape_html(text);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
