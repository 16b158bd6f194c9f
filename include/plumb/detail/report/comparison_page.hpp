// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model comparison's page show?
//
// The page shows leaderboards of models and relations, paired tests, and a heat map of models
// against relations. Then it shows how far models agree: best and worst relations, correlations,
// shared knowledge, base against fine-tuned models, and the facts on which models differ.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/compared_facts_section.hpp"
#include "plumb/detail/report/comparison_columns.hpp"
#include "plumb/detail/report/comparison_curves.hpp"
#include "plumb/detail/report/heat_map.hpp"
#include "plumb/detail/report/interval_chart.hpp"
#include "plumb/detail/report/paired_columns.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The comparison must outlive this object. Any number of threads may use the same object.
class ComparisonPage {
 public:
  explicit ComparisonPage(const Comparison& made)
      : made_(made), table_(made.table), order_(models_by_family(made)) {}

  /// `settings` is an object of names and values that are shown in the last table.
  [[nodiscard]] std::string html(const Json& settings) const {
    return whole_page({"Comparison of " + counted(table_.models.size(), "model"),
                       "Under the setting " + label(setting_name(table_.group)) + ": " + asked(),
                       made_.remarks, settings},
                      cards() + models() + accuracy_by_model() + accuracy_by_size(made_) +
                          accuracy_by_setting(made_) + draws() + changes() + paired() +
                          relation_map() + accuracy_by_group(made_) + accuracy_by_relation() +
                          relations() + extremes() + correlations() + subsumption() + pairs() +
                          compared_facts_section(made_));
  }

 private:
  [[nodiscard]] std::string asked() const {
    const Setting& group = table_.group;
    std::string text = group.by == "choice"
                           ? "a fact is known if its answer is the single likeliest choice"
                           : "a fact is known if the generated text contains its answer";
    return text + "; accuracies are means over " +
           (group.varies_by_template() ? "templates" : "seeds") + ".";
  }

  static std::optional<double> shown(const Estimate& estimate) {
    if (estimate.count == 0) return std::nullopt;
    return estimate.value;
  }

  [[nodiscard]] std::string cards() const {
    const ModelStanding& best = made_.models.front();
    const RelationStanding& easiest = made_.relations.front();
    std::size_t facts = 0;
    for (const std::size_t count : table_.facts) facts += count;
    double lowest = 2;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < table_.models.size(); ++i) {
      for (std::size_t j = i + 1; j < table_.models.size(); ++j) {
        if (made_.correlations[i][j].count == 0) continue;
        lowest = (std::min)(lowest, made_.correlations[i][j].value);
        ++pairs;
      }
    }
    return "<div class=\"cards\">\n" +
           card("Best model", number_or_dash(best.spread.overall.accuracy),
                table_.models[best.model]) +
           card("Best-known relation", number_or_dash(easiest.accuracy),
                table_.relations[easiest.relation]) +
           card("Models", std::to_string(table_.models.size()),
                made_.families.families.empty()
                    ? ""
                    : counted(made_.families.families.size(), "family")) +
           card("Relations", std::to_string(table_.relations.size()),
                std::to_string(table_.shared.size()) + " shared by all") +
           card("Facts", std::to_string(facts), "of all relations, each once") +
           card("Lowest correlation", pairs == 0 ? "–" : with_decimals(lowest, 2),
                counted(pairs, "pair") + " of models") +
           "</div>\n";
  }

  [[nodiscard]] std::string models() const {
    const auto columns = named_model_columns(made_);
    return heading("Leaderboard of models",
                   "Mean accuracy with its 95% interval, over the relations that all models have; "
                   "each relation counts once. " +
                       meanings(columns)) +
           html_table(columns, made_.models);
  }

  [[nodiscard]] std::string paired() const {
    if (made_.paired.empty()) return "";
    const auto columns = named_paired_columns(made_);
    return heading("Paired tests",
                   "Each pair of models over the facts that both were asked about. If a fact was "
                   "asked under several variants, a model knows it if its answer is right under "
                   "more than half of the variants that both models have; a tie counts as wrong. "
                   "For a paper, use the column “Difference, mean of relations” with its 95% "
                   "interval. This interval resamples whole relations, so it shows how much the "
                   "difference would vary with other relations. If only one relation is shared, "
                   "its facts are resampled instead. With few relations the interval is rough. "
                   "Numbers marked “overall” pool all shared facts, so large relations weigh more. "
                   "p is the probability of a difference at least this large if the models were "
                   "equally accurate; it assumes that facts are independent.") +
           words_below(meanings(columns)) + html_table(columns, made_.paired) +
           paired_by_relation();
  }

  /// Rows in ascending order of p, in a collapsed section.
  [[nodiscard]] std::string paired_by_relation() const {
    constexpr std::size_t most = 500;
    std::vector<PairedRow> rows = paired_rows(made_);
    if (rows.empty()) return "";
    ranges::stable_sort(rows, {}, [](const PairedRow& row) { return row.test->p; });
    const std::size_t all = rows.size();
    rows.resize((std::min)(all, most));
    return fold_away(
        "Paired tests by relation",
        words_below(
            "Each pair of models in each relation, the smallest p first. p (Holm) is "
            "adjusted for all pairs and relations together. Intervals resample facts." +
            (all > most ? " " + counted(all - most, "more row") + " in " : " All rows are in ") +
            "<code>paired_tests_by_relation.csv</code>.") +
            html_table(paired_row_columns(made_), rows));
  }

  /// One row for each model, best first.
  [[nodiscard]] std::string accuracy_by_model() const {
    IntervalChart chart{"Accuracy by model", "accuracy", {}, {}};
    for (const ModelStanding& standing : made_.models) {
      const std::string& name = table_.models[standing.model];
      chart.rows.push_back({name, {standing.spread.overall.accuracy}, chart.series.size()});
      chart.series.push_back({name});
    }
    return heading("Accuracy by model",
                   "Mean accuracy over the relations that all models have, with 95% intervals.") +
           interval_chart(chart);
  }

  /// One row for each relation, best known first, with a dot for each model.
  [[nodiscard]] std::string accuracy_by_relation() const {
    constexpr std::size_t most = 12;
    IntervalChart chart{"Accuracy by relation", "accuracy", {}, {}};
    for (const ModelStanding& standing : made_.models) {
      if (chart.series.size() < most) chart.series.push_back({table_.models[standing.model]});
    }
    for (const RelationStanding& standing : made_.relations) {
      IntervalRow& row = chart.rows.emplace_back();
      row.label = table_.relations[standing.relation];
      for (std::size_t m = 0; m < chart.series.size(); ++m) {
        row.estimates.push_back(table_.cells[made_.models[m].model][standing.relation].accuracy);
      }
    }
    const std::string kept = "the " + std::to_string(most) + " best models";
    return heading("Accuracy by relation",
                   "Accuracy of " + (made_.models.size() > most ? kept : "each model") +
                       " with its 95% interval. Best-known relations come first.") +
           interval_chart(chart);
  }

  /// A heat map with the models as both rows and columns.
  template <class Value>
  [[nodiscard]] std::string model_map(const char* title, const char* corner, Value value) const {
    HeatMap map{title, corner, {}, {}, {}};
    for (const std::size_t i : order_) {
      map.rows.push_back(table_.models[i]);
      auto& row = map.values.emplace_back();
      for (const std::size_t j : order_) row.push_back(value(i, j));
    }
    map.columns = map.rows;
    map.rows_are_models = map.columns_are_models = true;
    return heat_map(map);
  }

  [[nodiscard]] std::string relation_map() const {
    HeatMap map{"Accuracy by model and relation", "Relation", {}, {}, {}};
    map.columns_are_models = true;
    for (const std::size_t m : order_) {
      map.columns.push_back(table_.models[m]);
      if (made_.families.families.empty()) continue;
      map.groups.push_back(made_.family[m]);
    }
    for (const RelationStanding& standing : made_.relations) {
      map.rows.push_back(table_.relations[standing.relation]);
      auto& row = map.values.emplace_back();
      for (const std::size_t m : order_) {
        row.push_back(shown(table_.cells[m][standing.relation].accuracy));
      }
    }
    return heading(
               "Models by relations",
               "Accuracy. Best-known relations come first. Models are grouped by family, starting "
               "with the best model's family, and sorted by accuracy within each family.") +
           heat_map(map);
  }

  [[nodiscard]] std::string relations() const {
    return heading(
               "Leaderboard of relations",
               "Mean accuracy over the models that have the relation, with its 95% interval and "
               "the sample standard deviation over models.") +
           html_table(named_relation_columns(made_), made_.relations);
  }

  [[nodiscard]] std::string extremes() const {
    std::string html =
        heading("Best and least known relations of each model",
                "Up to three of each (at most half of all relations), with the model's accuracy; "
                "better-known relations come first.") +
        "<div class=\"wide\"><table class=\"extremes\"><thead><tr><th scope=\"col\">Model</th>"
        "<th scope=\"col\">Best known</th><th scope=\"col\">Least known</th></tr></thead><tbody>\n";
    for (const ModelStanding& standing : made_.models) {
      const auto [top, bottom] = extreme_relations(table_, standing.model);
      html += "<tr><td>" + label(table_.models[standing.model]) + "</td>";
      for (const auto& list : {top, bottom}) {
        const std::string known = text_list(list, [&](std::size_t r) {
          return label(table_.relations[r]) + " " +
                 with_decimals(table_.cells[standing.model][r].accuracy.value, 2);
        });
        html += "<td>" + (known.empty() ? "–" : known) + "</td>";
      }
      html += "</tr>\n";
    }
    return html + table_end;
  }

  [[nodiscard]] std::string correlations() const {
    if (table_.models.size() < 2) return "";
    std::string html =
        heading("Do models agree on which relations are known?",
                "Pearson's r of two models' accuracies over the relations that both have; not "
                "shown (–) if there are fewer than three relations.") +
        model_map("Correlation between models", "r",
                  [&](std::size_t i, std::size_t j) { return shown(made_.correlations[i][j]); });
    const FamilyCorrelations& families = made_.families;
    if (families.families.empty()) return html;
    HeatMap map{
        "Mean correlation between families", "mean r", families.families, families.families, {}};
    for (const auto& means : families.means) {
      auto& row = map.values.emplace_back();
      for (const MeanCorrelation& mean : means) {
        row.push_back(mean.pairs == 0 ? std::nullopt : std::optional(mean.value));
      }
    }
    return html +
           "<h3>Between families</h3>\n<p class=\"dim\">Mean over the pairs with one model from "
           "each family. Within a family, no model is paired with itself; – for a family of "
           "one.</p>\n" +
           heat_map(map);
  }

  [[nodiscard]] std::string subsumption() const {
    if (table_.models.size() < 2) return "";
    return heading("Shared knowledge",
                   "η(row|column): of the facts that the row's model knows, the share that the "
                   "column's model knows too. Mean over the relations and variants in which the "
                   "row's model knows at least one fact.") +
           model_map("Subsumption", "knows ↓ also known by →",
                     [&](std::size_t i, std::size_t j) { return shown(rate(i, j)); }) +
           families();
  }
  /// What is lost when a model is changed: accuracy, calibration, likelihood and facts.
  [[nodiscard]] std::string changes() const {
    if (made_.changes.empty()) return "";
    const auto columns = change_columns(made_);
    return heading("Changes from the first model",
                   "Compared with " + label(table_.models.front()) + ". " + meanings(columns) +
                       " Calibration: the Base confidence under the first shared template, over 20 "
                       "bins.") +
           html_table(columns, made_.changes);
  }
  /// How strongly accuracy depends on the choice of the facts that are shown.
  [[nodiscard]] std::string draws() const {
    if (made_.draws.empty()) return "";
    const auto columns = draw_columns();
    return heading("Spread between draws of the shots",
                   "Runs that differ only in the seed of their shots. " + meanings(columns)) +
           html_table(columns, made_.draws);
  }
  [[nodiscard]] std::string families() const {
    const std::vector<FamilyEnds> ends = ends_of_families(made_);
    if (ends.empty()) return "";
    const auto columns = family_ends_columns(made_);
    return "<h3>The smallest and the largest model of each family</h3>\n<p class=\"dim\">" +
           meanings(columns) + "</p>\n" + html_table(columns, ends);
  }
  [[nodiscard]] const Estimate& rate(std::size_t i, std::size_t j) const {
    return made_.subsumption[i][j].rate;
  }

  [[nodiscard]] std::string pairs() const {
    if (made_.pairs.empty()) return "";
    return heading(
               "Base against fine-tuned",
               "Over the relations, variants and facts that both models have. Accuracy: the share "
               "of facts known; a tie counts as wrong. η(tuned|base): of the facts that the tuned "
               "model knows, the share that its base model knows too.") +
           html_table(named_tuned_columns(made_), made_.pairs);
  }

  const Comparison& made_;
  const AccuracyTable& table_;
  std::vector<std::size_t> order_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
