// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do the terminal, the page, CSV and JSON show a run's number next to a published one?

#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/measure/published_comparison.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The columns that describe a published number; `of(row)` returns a row's published number.
template <class Row, class Of>
[[nodiscard]] std::vector<Column<Row>> columns_of_published(Of of) {
  return {{.key = "table",
           .heading = "table",
           .value = [of](const Row& row) -> CellValue { return of(row).table; }},
          {.key = "model",
           .heading = "published model",
           .value = [of](const Row& row) -> CellValue { return of(row).model; }},
          {.key = "dataset",
           .heading = "dataset",
           .value = [of](const Row& row) -> CellValue { return of(row).dataset; }},
          {.key = "number",
           .heading = "number",
           .meaning = "Number: the number's path in a run's metrics.json.",
           .value = [of](const Row& row) -> CellValue { return of(row).name; }},
          {.key = "published", .heading = "published", .value = [of](const Row& row) -> CellValue {
             return ShownNumber{of(row).value, of(row).printed};
           }}};
}

inline const char* in_interval_word(const PublishedPair& pair) {
  const std::optional<bool> in = pair.in_interval();
  return !in ? "–" : *in ? "yes" : "no";
}

/// Whether the run and the source used the same queries and ranked the same candidates.
inline std::string same_question_word(const PublishedPair& pair) {
  const bool candidates = pair.has_other_candidates(), queries = pair.has_other_queries();
  if (candidates || queries) {
    return std::string("other ") + (candidates ? "candidates" : "") +
           (candidates && queries ? " and " : "") + (queries ? "queries" : "");
  }
  const bool stated = !pair.published.candidates.empty() && !pair.published.queries.empty() &&
                      !pair.number.candidates.empty() && !pair.number.queries.empty();
  return stated ? "yes" : "unknown";
}

/// The cells that describe a published number in files.
inline std::vector<std::string> published_cells(const PublishedNumber& one) {
  return {one.table, one.model, one.dataset, one.candidates, one.queries, one.name, one.printed};
}

inline Json published_json(const PublishedNumber& one) {
  return {{"table", one.table},           {"model", one.model},     {"dataset", one.dataset},
          {"candidates", one.candidates}, {"queries", one.queries}, {"number", one.name},
          {"published", one.value},       {"note", one.note}};
}

[[nodiscard]] inline std::vector<Column<PublishedPair>> published_columns() {
  using P = PublishedPair;
  // The numbers come first and next to each other, so that they are visible even on a narrow page.
  std::vector<Column<P>> columns{
      {.key = "number",
       .heading = "number",
       .meaning = "Number: its path in a run's metrics.json.",
       .value = [](const P& p) -> CellValue { return p.published.name; }},
      {.key = "value",
       .heading = "run's",
       .value = [](const P& p) -> CellValue {
         const RunNumber& made = p.number;
         if (p.published.name.ends_with(".p")) return correlation_p_cell(made.value);
         if (!made.low || !made.high) return PlainNumber{made.value, 3};
         return Estimate{made.value, *made.low, *made.high, 1, ""};
       },
       .interval = true},
      {.key = "difference",
       .heading = "difference",
       .meaning = "Difference: the run's number minus the published one.",
       .value = [](const P& p) -> CellValue {
         return PlainNumber{p.difference(), 3};
       }},
      {.key = "in_interval",
       .heading = "in interval",
       .meaning = "In interval: whether the published number, allowing for its rounding, lies in "
                  "the run's 95% interval.",
       .value = [](const P& p) -> CellValue { return OwnWord{detail::in_interval_word(p)}; }},
      {.key = "run", .heading = "run", .value = [](const P& p) -> CellValue { return p.run; }}};
  for (auto& column : detail::columns_of_published<P>(
           [](const P& pair) -> const PublishedNumber& { return pair.published; })) {
    if (column.key == "published") {
      columns.insert(columns.begin() + 1, std::move(column));
    } else if (column.key != "number") {
      columns.push_back(std::move(column));
    }
  }
  columns.push_back(
      {.key = "same_model",
       .heading = "same model",
       .meaning = "Same model: whether the run's model has the same name as the published one.",
       .value = [](const P& p) -> CellValue { return OwnWord{p.same_model ? "yes" : "no"}; }});
  columns.push_back(
      {.key = "same_question",
       .heading = "same question",
       .meaning =
           "Same question: whether the candidates and the queries are the same; unknown unless "
           "both the source and the run specify them.",
       .value = [](const P& p) -> CellValue { return OwnWord{detail::same_question_word(p)}; }});
  columns.push_back({.key = "note",
                     .heading = "note",
                     .value = [](const P& p) -> CellValue { return p.published.note; },
                     .place = ColumnPlace::page});
  weigh(columns, {"number", "published", "value"}, ColumnWeight::major);
  weigh(columns, {"dataset", "same_model", "same_question"}, ColumnWeight::minor);
  return columns;
}

[[nodiscard]] inline std::vector<Column<PublishedNumber>> unmatched_columns() {
  using N = PublishedNumber;
  auto columns = detail::columns_of_published<N>([](const N& one) -> const N& { return one; });
  columns.push_back({.key = "note",
                     .heading = "note",
                     .value = [](const N& one) -> CellValue { return one.note; },
                     .place = ColumnPlace::page});
  return columns;
}

/// The contents of metrics.json.
[[nodiscard]] inline Json to_json(const PublishedComparison& made) {
  Json json = {{"runs", made.runs},
               {"numbers", Json::array()},
               {"without_counterpart", Json::array()},
               {"remarks", made.remarks}};
  for (const PublishedPair& pair : made.pairs) {
    Json one = detail::published_json(pair.published);
    const std::optional<bool> in = pair.in_interval();
    one["run"] = pair.run;
    one["same_model"] = pair.same_model;
    one["same_question"] = detail::same_question_word(pair);
    one["run_candidates"] = pair.number.candidates;
    one["run_queries"] = pair.number.queries;
    one["value"] = pair.number.value;
    one["low"] = number_or_null(pair.number.low);
    one["high"] = number_or_null(pair.number.high);
    one["count"] = pair.number.count;
    one["difference"] = pair.difference();
    one["in_interval"] = in ? Json(*in) : Json();
    json["numbers"].push_back(std::move(one));
  }
  for (const PublishedNumber& one : made.unmatched) {
    json["without_counterpart"].push_back(detail::published_json(one));
  }
  return json;
}

/// published.csv: one row for each pair of a published number and a run.
[[nodiscard]] inline std::string published_csv(const PublishedComparison& made) {
  std::string text = csv_line({"table", "model", "dataset", "candidates", "queries", "number",
                               "published", "run", "same_model", "same_question", "value", "low",
                               "high", "count", "difference", "in_interval", "note"});
  const auto end = [](const std::optional<double>& value) {
    return value ? csv_number(*value) : std::string();
  };
  for (const PublishedPair& pair : made.pairs) {
    const RunNumber& number = pair.number;
    const std::optional<bool> in = pair.in_interval();
    std::vector<std::string> cells = detail::published_cells(pair.published);
    cells.insert(
        cells.end(),
        {pair.run, pair.same_model ? "yes" : "no", detail::same_question_word(pair),
         csv_number(number.value), end(number.low), end(number.high),
         number.count == 0 ? "" : std::to_string(number.count), csv_number(pair.difference()),
         !in   ? ""
         : *in ? "yes"
               : "no",
         pair.published.note});
    text += csv_line(cells);
  }
  return text;
}

/// without_counterpart.csv: the published numbers that no run reports, with their file and line.
[[nodiscard]] inline std::string unmatched_csv(const PublishedComparison& made) {
  std::string text = csv_line({"table", "model", "dataset", "candidates", "queries", "number",
                               "published", "file", "line", "note"});
  for (const PublishedNumber& one : made.unmatched) {
    std::vector<std::string> cells = detail::published_cells(one);
    cells.insert(cells.end(), {one.file.name(), std::to_string(one.line), one.note});
    text += csv_line(cells);
  }
  return text;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
