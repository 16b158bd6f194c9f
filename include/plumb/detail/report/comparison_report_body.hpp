// SPDX-License-Identifier: Apache-2.0
#pragma once

// How comparison_report.hpp measures, writes and shows.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/records/whole_file.hpp"
#include "plumb/detail/report/comparison_json.hpp"
#include "plumb/detail/report/comparison_page.hpp"
#include "plumb/detail/report/csv.hpp"

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

/// File name and text of each table.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> comparison_csv(
    const Comparison& made) {
  const AccuracyTable& table = made.table;
  detail::EstimateCsv models(
      {"model", "family", "relations", "sd_over_relations", "variants", "sd_over_variants"});
  detail::EstimateCsv cells({"model", "relation", "variants", "sd_over_variants"});
  detail::EstimateCsv relations({"relation", "models", "sd_over_models"});
  detail::EstimateCsv correlation({"model", "other"});
  detail::EstimateCsv subsumption({"of", "given", "cells", "cells_without_knowledge"});
  std::string extremes = csv_line({"model", "end", "place", "relation", "accuracy"});
  for (const auto& [m, spread] : made.models) {
    const std::string& name = table.models[m];
    models.add({name, made.family[m], std::to_string(spread.relations.size()),
                detail::optional_cell(spread.sd_over_relations),
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
  return {{"model_leaderboard.csv", models.text()},
          {"accuracy.csv", cells.text()},
          {"relation_leaderboard.csv", relations.text()},
          {"top_and_bottom.csv", extremes},
          {"correlation.csv", correlation.text()},
          {"family_correlation.csv", detail::family_csv(made.families)},
          {"subsumption.csv", subsumption.text()},
          {"base_and_tuned.csv", detail::pair_csv(made)}};
}

/// Page, tables and metrics of a comparison. One thread at a time may write into a folder.
class ComparisonReportBody {
 public:
  /// `settings` is an object for the page's last table.
  ComparisonReportBody(Comparison made, Json settings)
      : made_(std::move(made)), settings_(std::move(settings)) {}

  /// Writes all files into `target`, which exists.
  void write(const DiskPath& target) const {
    write_atomically(target / "metrics.json", to_json(made_).dump(2) + "\n");
    for (const auto& [name, text] : comparison_csv(made_)) write_atomically(target / name, text);
    write_atomically(target / "report.html", ComparisonPage(made_).html(settings_));
  }

  /// What must be known of the numbers.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return made_.remarks; }

  /// The leaderboard of models, of few models what they share, and pairs.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    const Comparison& made = made_;
    const AccuracyTable& table = made.table;
    const auto sd = [](const std::optional<double>& value) {
      return value ? with_decimals(*value, 3) : "–";
    };
    const bool any = has_ties(made);
    std::vector<std::string> heads{
        "model", "accuracy [95%]", "SD over relations", "SD over variants", "relations", "facts",
        "ties"};
    if (any) heads.push_back(detail::first_wins_heading);
    using enum ColumnWeight;
    TextTable models(heads, {major, major, usual, minor, minor, minor, minor});
    for (const auto& [m, spread] : made.models) {
      std::vector<std::string> row{table.models[m],
                                   with_interval(spread.overall.accuracy),
                                   sd(spread.sd_over_relations),
                                   sd(spread.overall.sd),
                                   std::to_string(spread.relations.size()),
                                   std::to_string(spread.overall.accuracy.count),
                                   std::to_string(spread.overall.ties.tied)};
      if (any) row.push_back(with_interval(spread.overall.accuracy_first_wins));
      models.add(row);
    }
    std::string text = models.text(width);
    TextTable rates({"of what it knows, known by", "η [95%]", "r of accuracies"});
    for (const auto& [m, unused] : made.models) {
      for (const auto& [other, spread] : made.models) {
        if (other == m) continue;
        rates.add({table.models[m] + " → " + table.models[other],
                   with_interval(made.subsumption[m][other].rate),
                   number_or_dash(made.correlations[m][other])});
      }
    }
    // All pairs of many models are for the page.
    if (made.models.size() > 1 && made.models.size() <= 5) text += "\n" + rates.text(width);
    if (made.pairs.empty()) return text;
    TextTable pairs({"base → tuned", "base", "tuned", "tuned − base [95%]", "η(tuned|base) [95%]",
                     "η(base|tuned) [95%]"});
    for (const TunedComparison& pair : made.pairs) {
      pairs.add({table.models[pair.base] + " → " + table.models[pair.tuned],
                 number_or_dash(pair.base_accuracy), number_or_dash(pair.tuned_accuracy),
                 with_interval(pair.difference), with_interval(pair.tuned_given_base.rate),
                 with_interval(pair.base_given_tuned.rate)});
    }
    return text + "\n" + pairs.text(width);
  }

 private:
  Comparison made_;
  Json settings_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
