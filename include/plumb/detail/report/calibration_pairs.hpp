// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do causal models compare with masked models of similar accuracy?
//
// Tables 2 and 5 of Kissling et al., combined into one table, on the page and on a terminal. For
// each pair, the page also shows every estimator, with the causal model next to the masked one, and
// their calibration curves.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_plots.hpp"
#include "plumb/detail/report/number_table.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

class PairSections {
 public:
  explicit PairSections(const CalibrationResults& results) : results_(results) {}

  /// Empty if there are no pairs.
  [[nodiscard]] std::string html() const {
    if (results_.comparison.pairs.empty()) return "";
    std::string html =
        heading(
            "Causal and masked models of similar accuracy",
            "Pairs with the closest accuracies come first; each model is in one pair. Accuracy is "
            "the mean over paraphrases and differs by at most 0.02; a single causal model and a "
            "single masked model are paired whatever the difference. Brier scores are computed "
            "over all facts, and over the domain in which the two models are closest.") +
        table_begin({"Model", "Kind", "Accuracy", "Margin", "Average, min", "Domain", "Facts",
                     "Accuracy", "Margin", "Average, min"},
                    {true});
    for (const MatchedModels& pair : results_.comparison.pairs) {
      for (const std::size_t i : {pair.causal, pair.masked}) {
        const ModelCalibration& model = results_.models[i];
        const bool has_domain = !pair.domain.empty();
        html += "<tr><td>" + label(model.name) + "</td><td>" + kind(i) + "</td>" +
                cell(model.paraphrase_accuracy) + coloured(model, "margin", M::brier) +
                coloured(model, "average_min", M::brier) + "<td>" +
                (has_domain ? label(pair.domain) : "–") + "</td>" +
                (has_domain ? number_cell(model.domain_accuracy.at(pair.domain).count)
                            : cell(Estimate{})) +
                cell(accuracy(model, pair.domain)) +
                coloured(model, "margin", M::brier, pair.domain, true) +
                coloured(model, "average_min", M::brier, pair.domain, true) + "</tr>\n";
      }
    }
    html += table_end;
    for (const MatchedModels& pair : results_.comparison.pairs) html += side_by_side(pair);
    return html;
  }

  /// The page's first table, without intervals, for display on a terminal.
  [[nodiscard]] NumberTable rows() const {
    NumberTable table{
        {{"pair", "pair", "", ColumnPlace::everywhere, 3, false, ColumnWeight::usual, true},
         {"kind", "kind", ""},
         {"accuracy", "accuracy", ""},
         {"brier_margin", "Brier Margin", ""},
         {"brier_average_min", "Brier Average, min", ""},
         {"domain", "closest in", ""},
         {"facts", "facts", ""},
         {"accuracy_in_domain", "accuracy there", ""},
         {"brier_margin_in_domain", "Brier Margin there", ""},
         {"brier_average_min_in_domain", "Brier Average, min there", ""}}};
    for (const MatchedModels& pair : results_.comparison.pairs) {
      for (const std::size_t i : {pair.causal, pair.masked}) {
        const ModelCalibration& model = results_.models[i];
        const auto brier = [&](const char* name, bool in_domain) {
          return metric(model, name, M::brier, pair.domain, in_domain);
        };
        const bool has_domain = !pair.domain.empty();
        NumberRow& row = table.rows.emplace_back();
        row.begins_section = i == pair.causal;
        row.cells = {model.name,
                     OwnWord{kind(i)},
                     model.paraphrase_accuracy,
                     brier("margin", false),
                     brier("average_min", false),
                     has_domain ? CellValue(pair.domain) : CellValue(NoCell{}),
                     has_domain ? CellValue(model.domain_accuracy.at(pair.domain).count)
                                : CellValue(NoCell{}),
                     accuracy(model, pair.domain),
                     brier("margin", true),
                     brier("average_min", true)};
        row.classes.resize(row.cells.size());
      }
    }
    return table;
  }

  /// The same table as text; empty if there are no pairs.
  [[nodiscard]] std::string text(const TableWidth& width = {}) const {
    return results_.comparison.pairs.empty() ? "" : text_table(rows(), width);
  }

 private:
  using M = CalibrationMetric;

  [[nodiscard]] std::string kind(std::size_t model) const {
    return results_.masked[model] ? "masked" : "causal";
  }

  /// The accuracy in a domain; no number if the model has no such domain.
  static Estimate accuracy(const ModelCalibration& model, const std::string& domain) {
    return domain.empty() ? Estimate{} : model.domain_accuracy.at(domain);
  }

  /// A model's metric under an estimator, over all facts or in a domain; no number if the metric
  /// does not exist.
  static Estimate metric(const ModelCalibration& model, const std::string& estimator, M metric,
                         const std::string& domain, bool in_domain) {
    const EstimatorResult* made = model.estimator(estimator);
    if (made == nullptr) return {};
    if (!in_domain) return estimate_of(made->metrics, metric);
    const auto found =
        ranges::find_if(made->domains, [&](const auto& group) { return group.first == domain; });
    return found == made->domains.end() ? Estimate{} : estimate_of(found->second, metric);
  }

  static std::string coloured(const ModelCalibration& model, const std::string& estimator, M which,
                              const std::string& domain = "", bool in_domain = false) {
    const Estimate number = metric(model, estimator, which, domain, in_domain);
    const EstimatorResult* made = model.estimator(estimator);
    const bool plain = !number.exists() || (made != nullptr && has_failed_votes(*made));
    return cell(number, plain ? "" : step(which, number.value));
  }

  /// All estimators for one pair of models, side by side.
  [[nodiscard]] std::string side_by_side(const MatchedModels& pair) const {
    const std::vector<const ModelCalibration*> models{&results_.models[pair.causal],
                                                      &results_.models[pair.masked]};
    const std::string causal = label(models[0]->name), masked = label(models[1]->name);
    std::string html = "<h3>" + causal + " (causal) and " + masked + " (masked)</h3>\n" +
                       "<div class=\"plots\">\n";
    for (const char* name : {"base", "margin", "average_min"}) {
      XyChart chart{"Calibration of " + estimator_label(name), "confidence", "accuracy"};
      chart.width = 330;
      chart.height = 280;
      chart.diagonal = true;
      std::vector<ChartSeries> series;
      for (const ModelCalibration* model : models) {
        const EstimatorResult* made = model->estimator(name);
        if (made == nullptr) continue;
        const bool is_masked = model == models[1];
        series.push_back(curve_series(*made, is_masked ? "masked" : "causal", true));
      }
      if (series.size() < 2) continue;
      html += "<div><h3>" + label(estimator_label(name)) + "</h3>" + xy_chart(chart, series) +
              "</div>\n";
    }
    html += "</div>\n";
    std::vector<std::string> heads{"Number", "Causal", "Masked"};
    const std::string& domain = pair.domain;
    if (!domain.empty()) {
      heads.push_back("Causal, " + label(domain));
      heads.push_back("Masked, " + label(domain));
    }
    html += table_begin(heads);
    const auto row = [&](const std::string& name, const auto& of) {
      html += "<tr><td>" + label(name) + "</td>";
      for (const bool in_domain : {false, true}) {
        if (in_domain && domain.empty()) break;
        for (const ModelCalibration* model : models) html += of(*model, in_domain);
      }
      html += "</tr>\n";
    };
    row("Accuracy", [&](const ModelCalibration& model, bool in_domain) {
      return cell(in_domain ? accuracy(model, domain) : model.paraphrase_accuracy);
    });
    for (const auto& [which, title] :
         {std::pair<M, std::string>{M::ace, "ACE, "}, {M::brier, "Brier, "}}) {
      for (const std::string& name : estimator_names(results_.models)) {
        if (which == M::ace && name.starts_with("consistency_")) continue;
        const auto has_none = [&](const ModelCalibration* model) {
          return model->estimator(name) == nullptr;
        };
        if (ranges::all_of(models, has_none)) continue;
        const M metric_shown = which;
        row(title + estimator_label(name), [&](const ModelCalibration& model, bool in_domain) {
          return coloured(model, name, metric_shown, domain, in_domain);
        });
      }
    }
    return html + table_end;
  }

  const CalibrationResults& results_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
