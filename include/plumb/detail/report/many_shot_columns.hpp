// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of a many-shot study's settings, each declared once.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Accuracy over variants, which are seeds or templates. `sd_key` is the key of its standard
/// deviation. The accuracy computed by letting the first of tied choices win is shown only if there
/// is a tie.
[[nodiscard]] inline std::vector<Column<AccuracySpread>> spread_columns(const char* sd_key,
                                                                        bool has_ties) {
  using S = AccuracySpread;
  std::vector<Column<S>> columns{
      {.key = "accuracy",
       .heading = "accuracy",
       .value = [](const S& s) { return s.accuracy; },
       .interval = true},
      {.key = sd_key,
       .heading = "SD",
       .meaning = "SD: sample standard deviation over seeds or templates.",
       .value = [](const S& s) { return PlainNumber{s.sd}; }},
      {.key = "variants",
       .heading = "variants",
       .meaning = "Variants: seeds or templates.",
       .value = [](const S& s) { return s.variants; }},
      {.key = "answers",
       .heading = "answers",
       .value = [](const S& s) { return s.ties.answers; },
       .place = has_ties ? ColumnPlace::page : ColumnPlace::files},
      {.key = "ties",
       .heading = "ties",
       .meaning =
           "Ties: answers in which several choices share the best score. If n choices tie and one "
           "is right, the answer counts as 1/n in accuracy, and the fact does not count as known.",
       .value = [](const S& s) { return s.ties.tied; }},
      {.key = "accuracy_first_wins",
       .heading = first_wins_heading,
       .meaning = "First wins: the first of the tied choices is the answer.",
       .value = [](const S& s) { return s.accuracy_first_wins; },
       .place = has_ties ? ColumnPlace::everywhere : ColumnPlace::files,
       .interval = true}};
  weigh(columns, {"accuracy"}, ColumnWeight::major);
  weigh(columns, {"variants", "ties"}, ColumnWeight::minor);
  return columns;
}

/// A setting's numbers, averaged over its relations.
[[nodiscard]] inline std::vector<Column<GroupSpread>> group_spread_columns(bool has_ties) {
  using G = GroupSpread;
  std::vector<Column<G>> columns{{.key = "relations_asked",
                                  .heading = "relations",
                                  .value = [](const G& g) { return g.relations.size(); },
                                  .weight = ColumnWeight::minor},
                                 {.key = "facts", .heading = "facts", .value = [](const G& g) {
                                    return g.overall.accuracy.count;
                                  }}};
  for (auto& one : columns_of<G>(spread_columns("sd", has_ties),
                                 [](const G& g) -> const AccuracySpread& { return g.overall; })) {
    columns.push_back(std::move(one));
  }
  for (Column<G>& column : columns) {
    if (column.key != "ties") continue;
    // Generated text cannot tie.
    column.value = [value = column.value](const G& g) -> CellValue {
      return g.group.by == "choice" ? value(g) : CellValue(DashedCount{});
    };
  }
  columns.push_back({.key = "sd_over_relations",
                     .heading = "SD over relations",
                     .value = [](const G& g) { return PlainNumber{g.sd_over_relations}; },
                     .place = ColumnPlace::page});
  return columns;
}

/// The columns of `group_spread_columns`, plus the accuracy of guessing, which depends on the run.
/// `made` must outlive the columns.
[[nodiscard]] inline std::vector<Column<GroupSpread>> setting_columns(const ManyShotResults& made) {
  using G = GroupSpread;
  auto columns = group_spread_columns(made.ties.tied > 0);
  columns.push_back({.key = "chance",
                     .heading = "chance",
                     .meaning = "Chance: the expected accuracy of guessing.",
                     .value = [&made](const G& g) { return PlainNumber{chance_of(made, g)}; },
                     .place = ColumnPlace::page});
  return columns;
}

/// The columns of `setting_columns`, preceded by the setting's name.
[[nodiscard]] inline std::vector<Column<GroupSpread>> named_setting_columns(
    const ManyShotResults& made) {
  auto columns = setting_columns(made);
  columns.insert(columns.begin(),
                 {.key = "setting",
                  .heading = "setting",
                  .value = [](const GroupSpread& g) -> CellValue { return setting_name(g.group); },
                  .weight = ColumnWeight::major});
  return columns;
}

/// One level of Accuracy@K.
[[nodiscard]] inline std::vector<Column<AccuracyAtK>> at_k_columns() {
  using A = AccuracyAtK;
  return {{.key = "k",
           .heading = "K",
           .value =
               [](const A& a) {
                 return PlainNumber{a.threshold, 2};
               }},
          {.key = "accuracy",
           .heading = "accuracy",
           .value = [](const A& a) { return a.accuracy; },
           .interval = true},
          {.key = "answers", .heading = "answers", .value = [](const A& a) { return a.answers; }}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
