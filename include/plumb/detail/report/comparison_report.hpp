// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a comparison of models writes to a folder and shows on a terminal.
//
// Writes metrics.json, a CSV file for each table and heat map, and report.html. Each row of the CSV
// files ends with value, low, high and count; if there is no number, the first three are empty and
// the count is 0.

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using ComparisonReport = ReportOf<Comparison>;

/// The conditions that were asserted about two runs: a list for metrics.json, and one line for each
/// condition that is false.
struct AssertedConditions {
  Json json{};
  std::vector<std::string> failed{};
};

/// `settings` is the object shown in the page's last table.
[[nodiscard]] ComparisonReport comparison_report(Comparison made, Json settings,
                                                 AssertedConditions asserted = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/report/compared_facts_section.hpp"
#include "plumb/detail/report/comparison_json.hpp"
#include "plumb/detail/report/comparison_page.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/paired_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline std::string optional_cell(const std::optional<double>& value) {
  return value ? with_decimals(*value, 8) : "";
}

inline std::string pair_csv(const Comparison& made) {
  EstimateCsv pairs({"base", "tuned", "metric"});
  for (const TunedComparison& pair : made.pairs) {
    for (const auto& [metric, estimate] : {std::pair{"base_accuracy", &pair.base_accuracy},
                                           {"tuned_accuracy", &pair.tuned_accuracy},
                                           {"difference", &pair.difference},
                                           {"tuned_given_base", &pair.tuned_given_base.rate},
                                           {"base_given_tuned", &pair.base_given_tuned.rate}}) {
      pairs.add({made.table.models[pair.base], made.table.models[pair.tuned], metric}, *estimate);
    }
  }
  return pairs.text();
}

inline std::string family_csv(const FamilyCorrelations& made) {
  std::string text = csv_line({"family", "other", "mean_r", "pairs"});
  for (std::size_t i = 0; i < made.families.size(); ++i) {
    for (std::size_t j = i; j < made.families.size(); ++j) {
      const auto& [value, pairs] = made.means[i][j];
      text +=
          csv_line({made.families[i], made.families[j], csv_number(value), std::to_string(pairs)});
    }
  }
  return text;
}

/// The file name and text of each table.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> comparison_csv(
    const Comparison& made) {
  const AccuracyTable& table = made.table;
  detail::EstimateCsv models({"model", "family", "rank", "relations", "sd_over_relations",
                              "variants", "sd_over_variants"});
  detail::EstimateCsv cells({"model", "relation", "variants", "sd_over_variants"});
  detail::EstimateCsv relations({"relation", "models", "sd_over_models"});
  detail::EstimateCsv correlation({"model", "other"});
  detail::EstimateCsv subsumption({"of", "given", "cells", "cells_without_knowledge"});
  std::string extremes = csv_line({"model", "end", "place", "relation", "accuracy"});
  for (const auto& [m, spread] : made.models) {
    const std::string& name = table.models[m];
    const auto& rank = made.ranks[m];
    models.add(
        {name, made.family[m], rank ? std::to_string(*rank) : "",
         std::to_string(spread.relations.size()), detail::optional_cell(spread.sd_over_relations),
         std::to_string(spread.overall.variants), detail::optional_cell(spread.overall.sd)},
        spread.overall.accuracy);
    for (const RelationStanding& standing : made.relations) {
      const AccuracySpread& cell = table.cells[m][standing.relation];
      cells.add({name, table.relations[standing.relation], std::to_string(cell.variants),
                 detail::optional_cell(cell.sd)},
                cell.accuracy);
    }
    const auto [top, bottom] = extreme_relations(table, m);
    for (const auto& [end, list] : {std::pair{"top", &top}, {"bottom", &bottom}}) {
      for (std::size_t i = 0; i < list->size(); ++i) {
        const std::size_t r = (*list)[i];
        extremes += csv_line({name, end, std::to_string(i + 1), table.relations[r],
                              detail::csv_number(table.cells[m][r].accuracy.value)});
      }
    }
    for (const auto& [other, unused] : made.models) {
      if (other == m) continue;
      correlation.add({name, table.models[other]}, made.correlations[m][other]);
      const Subsumption& rate = made.subsumption[m][other];
      subsumption.add(
          {name, table.models[other], std::to_string(rate.cells), std::to_string(rate.empty)},
          rate.rate);
    }
  }
  for (const RelationStanding& standing : made.relations) {
    relations.add({table.relations[standing.relation], std::to_string(standing.models),
                   detail::optional_cell(standing.sd)},
                  standing.accuracy);
  }
  EstimateCsv metrics({"model", "relation", "metric"});
  for (const ModelStanding& standing : made.models) {
    const std::string& name = table.models[standing.model];
    add_numbers(metrics, {name, ""}, model_standing_columns(made), standing);
    for (std::size_t r = 0; r < table.relations.size(); ++r) {
      const AccuracySpread& cell = table.cells[standing.model][r];
      if (cell.accuracy.count == 0) continue;
      add_numbers(metrics, {name, table.relations[r]}, spread_columns("sd_over_variants", false),
                  cell);
    }
  }
  return {{"metrics.csv", metrics.text()},
          {"model_leaderboard.csv", models.text()},
          {"accuracy.csv", cells.text()},
          {"relation_leaderboard.csv", relations.text()},
          {"top_and_bottom.csv", extremes},
          {"correlation.csv", correlation.text()},
          {"family_correlation.csv", detail::family_csv(made.families)},
          {"subsumption.csv", subsumption.text()},
          {"paired_tests.csv", csv_file(named_paired_columns(made), made.paired)},
          {"paired_tests_by_relation.csv", csv_file(paired_row_columns(made), paired_rows(made))},
          {"facts.csv", facts_csv(made)},
          {"base_and_tuned.csv", detail::pair_csv(made)}};
}

/// The page, tables and metrics of a comparison.
class ComparisonReportBody {
 public:
  /// `settings` is an object for the page's last table.
  ComparisonReportBody(Comparison made, Json settings, Json asserted = {})
      : made_(std::move(made)), settings_(std::move(settings)), asserted_(std::move(asserted)) {}

  [[nodiscard]] const Comparison& results() const noexcept { return made_; }
  [[nodiscard]] Json metrics() const {
    Json json = to_json(made_);
    if (!asserted_.is_null()) json["asserted"] = asserted_;
    return json;
  }
  [[nodiscard]] std::vector<ReportFile> files() const {
    std::vector<ReportFile> files;
    for (auto& [name, text] : comparison_csv(made_)) files.push_back({name, std::move(text)});
    return files;
  }
  [[nodiscard]] std::string page() const { return ComparisonPage(made_).html(settings_); }

  /// Notes about the numbers.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return made_.remarks; }

  /// The model leaderboard, then any settings, groups, draws, changes, families and pairs.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    std::vector<NamedTable> tables{{"models", table_of(named_model_columns(made_), made_.models)}};
    if (!made_.settings.empty()) {
      tables.push_back({"settings", setting_accuracy_table(made_)});
    }
    if (!made_.groups.column.empty()) {
      tables.push_back({"groups", group_accuracy_table(made_)});
    }
    if (!made_.draws.empty()) tables.push_back({"draws", table_of(draw_columns(), made_.draws)});
    if (!made_.changes.empty()) {
      tables.push_back({"changes", table_of(change_columns(made_), made_.changes)});
    }
    if (const auto ends = ends_of_families(made_); !ends.empty()) {
      tables.push_back({"families", table_of(family_ends_columns(made_), ends)});
    }
    // If there are many models, their pairs are shown only on the page.
    if (made_.models.size() > 1 && made_.models.size() <= 5) {
      tables.push_back({"shared", table_of(model_pair_columns(made_), model_pairs(made_))});
      tables.push_back(
          {"paired_tests", paired_terminal_table(made_.table.models, made_.paired), paired_note});
    }
    if (!made_.pairs.empty()) {
      tables.push_back({"pairs", table_of(named_tuned_columns(made_), made_.pairs)});
    }
    return tables;
  }

 private:
  Comparison made_;
  Json settings_, asserted_;
};

PLUMB_INLINE ComparisonReport comparison_report(Comparison made, Json settings,
                                                AssertedConditions asserted) {
  return report_of<Comparison>(std::make_shared<const ComparisonReportBody>(
                                   std::move(made), std::move(settings), std::move(asserted.json)),
                               std::move(asserted.failed));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
