// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that paired tests between models report, each declared once.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A paired test of two models. `over`, such as ", overall", is appended to the headings to
/// indicate which facts are covered.
[[nodiscard]] inline std::vector<Column<PairedTest>> paired_test_columns(
    const std::string& over = {}) {
  using T = PairedTest;
  using enum ColumnPlace;
  std::vector<Column<T>> columns{
      {.key = "p",
       .heading = "p" + over,
       .meaning = "p: McNemar's exact test, two-sided.",
       .value = [](const T& t) { return p_value_cell(t.p); },
       .place = page},
      {.key = "p_holm",
       .heading = "p (Holm)" + over,
       .meaning = "p (Holm): adjusted for the number of tests.",
       .value = [](const T& t) { return p_value_cell(t.p_holm); }},
      {.key = "difference",
       .heading = "difference" + over,
       .meaning = "Difference: the first model's accuracy minus the second's.",
       .value = [](const T& t) { return t.difference; },
       .place = page,
       .interval = true},
      {.key = "cohens_g",
       .heading = "Cohen's g" + over,
       .meaning = "Cohen's g: the first model's share of the facts that only one of the two knows, "
                  "minus 0.5.",
       .value = [](const T& t) { return PlainNumber{cohens_g(t.counts)}; },
       .place = page},
      {.key = "facts",
       .heading = "facts",
       .meaning = "Facts: the facts that both models were tested on.",
       .value = [](const T& t) { return t.counts.facts(); },
       .place = page},
      {.key = "both",
       .heading = "both",
       .meaning = "Both, only first, only second, neither: the number of these facts known by both "
                  "models, by only one of them, or by neither. Facts that only the first model "
                  "knows are lost in the second; facts that only the second knows are gained.",
       .value = [](const T& t) { return t.counts.both; },
       .place = page},
      {.key = "only_first",
       .heading = "only first",
       .value = [](const T& t) { return t.counts.only_first; },
       .place = page},
      {.key = "only_second",
       .heading = "only second",
       .value = [](const T& t) { return t.counts.only_second; },
       .place = page},
      {.key = "neither",
       .heading = "neither",
       .value = [](const T& t) { return t.counts.neither; },
       .place = page},
      {.key = "first_accuracy",
       .heading = "accuracy of first" + over,
       .meaning = "Accuracy: the share of the facts that the model knows.",
       .value = [](const T& t) { return PlainNumber{t.counts.first_accuracy()}; },
       .place = page},
      {.key = "second_accuracy",
       .heading = "accuracy of second" + over,
       .value = [](const T& t) { return PlainNumber{t.counts.second_accuracy()}; },
       .place = page},
      {.key = "agreement",
       .heading = "agreement" + over,
       .meaning =
           "Agreement: the share of facts that are known either by both models or by neither.",
       .value = [](const T& t) { return PlainNumber{t.counts.agreement()}; },
       .place = page},
      {.key = "kappa",
       .heading = "Cohen's κ" + over,
       .meaning = "Cohen's κ: agreement beyond chance.",
       .value = [](const T& t) { return PlainNumber{cohens_kappa(t.counts)}; },
       .place = page},
      {.key = "same_answer",
       .heading = "same answer" + over,
       .meaning = "Same answer: the share of facts to which both models gave the same answer, "
                  "right or wrong, under the first variant (seed or template) that they share.",
       .value = [](const T& t) { return PlainNumber{t.same_answer()}; },
       .place = page}};
  weigh(columns, {"p_holm"}, ColumnWeight::major);
  return columns;
}

/// A pair of models: means over relations, then all shared facts pooled.
[[nodiscard]] inline std::vector<Column<PairedComparison>> paired_comparison_columns() {
  using P = PairedComparison;
  using enum ColumnPlace;
  std::vector<Column<P>> columns{
      {.key = "shared_relations",
       .heading = "relations",
       .value = [](const P& p) { return p.relations.size(); },
       .place = page},
      {.key = "mean_first_accuracy",
       .heading = "accuracy of first, mean of relations",
       .value = [](const P& p) { return PlainNumber{p.mean_accuracy[0]}; },
       .place = page},
      {.key = "mean_second_accuracy",
       .heading = "accuracy of second, mean of relations",
       .value = [](const P& p) { return PlainNumber{p.mean_accuracy[1]}; },
       .place = page},
      {.key = "mean_difference",
       .heading = "difference, mean of relations",
       .meaning = "Mean of relations: each relation counts once. Overall: each fact counts once.",
       .value = [](const P& p) { return p.mean_difference; },
       .interval = true,
       .weight = ColumnWeight::major}};
  for (auto& one : columns_of<P>(paired_test_columns(", overall"),
                                 [](const P& p) -> const PairedTest& { return p.overall; })) {
    columns.push_back(std::move(one));
  }
  return columns;
}

/// The columns of `paired_comparison_columns`, preceded by the models' names. `names` must outlive
/// the columns.
[[nodiscard]] inline std::vector<Column<PairedComparison>> named_paired_columns(
    const std::vector<std::string>& names) {
  using P = PairedComparison;
  auto columns = paired_comparison_columns();
  const auto name = [&names](std::size_t model) -> CellValue { return names[model]; };
  prepend(columns, {{.key = "pair",
                     .heading = "first − second",
                     .value = [&names](const P& p) -> CellValue {
                       return names[p.first] + " − " + names[p.second];
                     },
                     .place = ColumnPlace::terminal,
                     .name_width = 20},
                    {.key = "first",
                     .heading = "first",
                     .value = [name](const P& p) { return name(p.first); },
                     .place = ColumnPlace::page},
                    {.key = "second",
                     .heading = "second",
                     .value = [name](const P& p) { return name(p.second); },
                     .place = ColumnPlace::page}});
  return columns;
}
[[nodiscard]] inline std::vector<Column<PairedComparison>> named_paired_columns(
    const Comparison& made) {
  return named_paired_columns(made.table.models);
}

/// The model pairs on a terminal: two numbers with short headings, so that two names of 20
/// characters and the interval fit in 80 columns. `paired_note` explains which facts each number
/// covers.
[[nodiscard]] inline NumberTable paired_terminal_table(const std::vector<std::string>& names,
                                                       const std::vector<PairedComparison>& pairs) {
  auto columns = named_paired_columns(names);
  for (Column<PairedComparison>& column : columns) {
    if (column.key == "mean_difference") column.heading = "mean difference";
    if (column.key == "p_holm") column.heading = "p (Holm)";
  }
  return table_of(columns, pairs);
}
inline constexpr const char* paired_note =
    "Mean difference: difference of accuracies, mean over relations.\n"
    "p (Holm): over all shared facts, pooled.\n";

/// A pair of models compared on one relation.
struct PairedRow {
  const PairedComparison* pair = nullptr;
  std::string relation;
  const PairedTest* test = nullptr;
};

/// Columns of a `PairedRow`: models, relation, then the test. `made` must outlive the columns.
[[nodiscard]] inline std::vector<Column<PairedRow>> paired_row_columns(const Comparison& made) {
  using R = PairedRow;
  auto columns =
      columns_of<R>(paired_test_columns(), [](const R& r) -> const PairedTest& { return *r.test; });
  prepend(
      columns,
      {{.key = "first",
        .heading = "first",
        .value = [&made](const R& r) -> CellValue { return made.table.models[r.pair->first]; }},
       {.key = "second",
        .heading = "second",
        .value = [&made](const R& r) -> CellValue { return made.table.models[r.pair->second]; }},
       {.key = "relation", .heading = "relation", .value = [](const R& r) -> CellValue {
          return r.relation;
        }}});
  return columns;
}

/// One row for each relation of each pair, pair by pair. `made` must outlive the rows.
[[nodiscard]] inline std::vector<PairedRow> paired_rows(const Comparison& made) {
  std::vector<PairedRow> rows;
  for (const PairedComparison& pair : made.paired) {
    for (const auto& [code, test] : pair.relations) rows.push_back({&pair, code, &test});
  }
  return rows;
}

/// The list under `paired_tests` in metrics.json.
[[nodiscard]] inline Json paired_json(const Comparison& made) {
  Json list = Json::array();
  for (const PairedComparison& pair : made.paired) {
    Json one = {{"models", {made.table.models[pair.first], made.table.models[pair.second]}}};
    one.update(json_of(paired_comparison_columns(), pair));
    one["relations"] = Json::object();
    for (const auto& [code, test] : pair.relations) {
      one["relations"][code] = json_of(paired_test_columns(), test);
    }
    list.push_back(std::move(one));
  }
  return list;
}

/// Counts of the facts that at least two models were asked about.
[[nodiscard]] inline std::vector<Column<ComparedFactCounts>> compared_fact_columns() {
  using C = ComparedFactCounts;
  return {{.key = "compared",
           .heading = "facts",
           .meaning = "Facts: the facts that at least two models were tested on.",
           .value = [](const C& c) { return c.compared; }},
          {.key = "known_by_all",
           .heading = "known by all",
           .meaning = "Known by all, known by none: facts known by all, or by none, of the models "
                      "that were tested on them.",
           .value = [](const C& c) { return c.known_by_all; }},
          {.key = "known_by_none",
           .heading = "known by none",
           .value = [](const C& c) { return c.known_by_none; }},
          {.key = "differ",
           .heading = "differ",
           .meaning = "Differ: facts that some of these models know and others do not.",
           .value = [](const C& c) { return c.differ; }}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
