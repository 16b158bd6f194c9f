// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns of results, each declared once and exported by number_table.hpp.
//
// Metrics are declared only in lists of columns. A column added to a list appears on the terminal,
// on the page, in CSV and in JSON.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/report/number_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A `ColumnHead` with the function that computes a row's value.
template <class Row>
struct Column {
  std::string key;
  std::string heading;
  std::string meaning{};
  std::function<CellValue(const Row&)> value;
  ColumnPlace place = ColumnPlace::everywhere;
  int decimals = 3;
  bool interval = false;
  /// Maps a value to the CSS class of its cell on a page; empty if the column's cells have no
  /// class.
  std::function<std::string(const Estimate&)> colour{};
  ColumnWeight weight = ColumnWeight::usual;
  /// Returns whether a row's cell is never coloured, regardless of its value; empty if there are no
  /// such rows.
  std::function<bool(const Row&)> plain{};
  bool names_model = false;
  bool heading_is_name = false;
  std::size_t name_width = 0;
};

/// Sets the weight of the columns with these keys.
template <class Row>
void weigh(std::vector<Column<Row>>& columns, const std::vector<std::string>& keys,
           ColumnWeight weight) {
  for (Column<Row>& column : columns) {
    if (ranges::find(keys, column.key) != keys.end()) column.weight = weight;
  }
}

/// With a braced list, `vector::insert` would also consider the overload for one Column, which
/// libc++ 16 rejects.
template <class Row>
void prepend(std::vector<Column<Row>>& columns, std::initializer_list<Column<Row>> first) {
  columns.insert(columns.begin(), first);
}

/// Columns for a part of a row: the inner columns are applied to `part(row)`. `path` is prepended
/// to their keys.
template <class Row, class Inner, class Part>
[[nodiscard]] std::vector<Column<Row>> columns_of(const std::vector<Column<Inner>>& inner,
                                                  Part part, const std::string& path = {}) {
  std::vector<Column<Row>> columns;
  for (const Column<Inner>& one : inner) {
    columns.push_back(
        {.key = path + one.key,
         .heading = one.heading,
         .meaning = one.meaning,
         .value = [value = one.value, part](const Row& row) { return value(part(row)); },
         .place = one.place,
         .decimals = one.decimals,
         .interval = one.interval,
         .colour = one.colour,
         .weight = one.weight,
         .plain = {},
         .names_model = one.names_model,
         .heading_is_name = one.heading_is_name,
         .name_width = one.name_width});
    if (!one.plain) continue;
    columns.back().plain = [plain = one.plain, part](const Row& row) { return plain(part(row)); };
  }
  return columns;
}

template <class Row>
[[nodiscard]] std::vector<ColumnHead> heads_of(const std::vector<Column<Row>>& columns) {
  std::vector<ColumnHead> heads;
  for (const Column<Row>& one : columns) {
    heads.push_back({one.key, one.heading, one.meaning, one.place, one.decimals, one.interval,
                     one.weight, one.names_model, one.heading_is_name, one.name_width});
  }
  return heads;
}

template <class Row>
[[nodiscard]] NumberRow row_of(const std::vector<Column<Row>>& columns, const Row& row) {
  NumberRow made;
  for (const Column<Row>& column : columns) {
    made.cells.push_back(column.value(row));
    const auto* estimate = std::get_if<Estimate>(&made.cells.back());
    const bool coloured = estimate && column.colour && !(column.plain && column.plain(row));
    made.classes.push_back(coloured ? column.colour(*estimate) : std::string());
  }
  return made;
}

/// The values of the columns for all rows. A row whose `begins_section` is set starts a new
/// section.
template <class Row>
[[nodiscard]] NumberTable table_of(const std::vector<Column<Row>>& columns,
                                   const std::vector<Row>& rows) {
  NumberTable table{heads_of(columns)};
  for (const Row& row : rows) {
    table.rows.push_back(row_of(columns, row));
    if constexpr (requires { row.begins_section; }) {
      table.rows.back().begins_section = row.begins_section;
    }
  }
  return table;
}

/// Versions of the number_table.hpp exporters that take columns and rows.
template <class Row>
[[nodiscard]] Json json_of(const std::vector<Column<Row>>& columns, const Row& row) {
  return json_of(heads_of(columns), row_of(columns, row));
}
template <class Row>
void add_numbers(EstimateCsv& csv, const std::vector<std::string>& of,
                 const std::vector<Column<Row>>& columns, const Row& row) {
  add_numbers(csv, of, heads_of(columns), row_of(columns, row));
}
template <class Row>
[[nodiscard]] std::string text_table(const std::vector<Column<Row>>& columns,
                                     const std::vector<Row>& rows, const TableWidth& width = {}) {
  return text_table(table_of(columns, rows), width);
}
template <class Row>
[[nodiscard]] std::string csv_file(const std::vector<Column<Row>>& columns,
                                   const std::vector<Row>& rows) {
  return csv_file(table_of(columns, rows));
}
template <class Row>
[[nodiscard]] std::string html_table(const std::vector<Column<Row>>& columns,
                                     const std::vector<Row>& rows) {
  return html_table(table_of(columns, rows));
}
template <class Row>
[[nodiscard]] std::string meanings(const std::vector<Column<Row>>& columns) {
  return meanings(heads_of(columns));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
