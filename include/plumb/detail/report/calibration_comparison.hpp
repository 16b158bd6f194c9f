// SPDX-License-Identifier: Apache-2.0
#pragma once

// The page's comparison of several models' calibrations.
//
// It shows Tables 1 and 4 and Figure 4 of Kissling et al., and causal–masked pairs
// (calibration_pairs.hpp).

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/calibration_matrices.hpp"
#include "plumb/detail/report/calibration_pairs.hpp"
#include "plumb/detail/report/calibration_plots.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

class ComparisonSections {
 public:
  explicit ComparisonSections(const CalibrationResults& results) : results_(results) {}

  [[nodiscard]] std::string html() const {
    // The columns used in the paper; the other policies are in the third table.
    const std::vector<std::string> with_ace{"base", "margin", "average_vote2", "average_min"};
    const std::vector<std::string> with_brier{
        "base", "margin", "average_vote2", "average_min", "consistency_vote2", "consistency_min"};
    std::vector<std::string> plain, all, averages;
    for (const std::string& name : estimator_names(results_.models)) {
      const auto among = [&](const std::vector<std::string>& list) {
        return ranges::find(list, name) != list.end();
      };
      const bool asked = !results_.options.estimators.empty();
      if (among(with_ace) || (asked && !name.starts_with("consistency_"))) plain.push_back(name);
      if (among(with_brier) || asked) all.push_back(name);
      if (name.starts_with("average_")) averages.push_back(name);
    }
    std::string html =
        heading("Adaptive calibration error by model",
                "Lower is better; the model's best value is bold. Values below 0.1 count as well "
                "calibrated. ACE is not shown for Consistency, which has so few distinct values "
                "that the bins are arbitrary. † votes failed: such facts have confidence 0, so the "
                "cell is neither coloured nor bold.") +
        model_table(plain, M::ace) +
        heading("Brier score by model",
                "Mean (confidence − correct)². A constant confidence of 0.5 scores 0.25. † as "
                "above.") +
        model_table(all, M::brier);
    if (!averages.empty()) {
      html += heading("Brier score of Average by aggregation",
                      "“vote ≥ k”: at least k paraphrases agree and no other answer has as many "
                      "votes.") +
              model_table(averages, M::brier);
    }
    html += heading("Calibration error against accuracy",
                    "Each point is a model; accuracy is the mean over paraphrases.") +
            "<div class=\"plots two\">" + scatter() + correlation_table() + "</div>\n";
    return html + differences() + curves_of_all() + CalibrationMatrices(results_).html() +
           PairSections(results_).html();
  }

 private:
  using M = CalibrationMetric;

  [[nodiscard]] std::string model_table(const std::vector<std::string>& estimators,
                                        M metric) const {
    std::vector<std::string> heads{"Model", "Kind", "Facts", "Accuracy", "Mean over paraphrases"};
    for (const std::string& name : estimators) heads.push_back(escape_html(estimator_label(name)));
    std::string html = table_begin(heads, {true});
    for (std::size_t i = 0; i < results_.models.size(); ++i) {
      const ModelCalibration& model = results_.models[i];
      double best = 2;
      for (const std::string& name : estimators) {
        const EstimatorResult* made = model.estimator(name);
        if (made != nullptr && !has_failed_votes(*made) &&
            estimate_of(made->metrics, metric).exists()) {
          best = (std::min)(best, estimate_of(made->metrics, metric).value);
        }
      }
      html += "<tr><td>" + label(model.name) + "</td><td>" +
              (results_.masked[i] ? "masked" : "causal") + "</td>" + number_cell(model.facts) +
              cell(model.accuracy) + cell(model.paraphrase_accuracy);
      for (const std::string& name : estimators) {
        const EstimatorResult* made = model.estimator(name);
        html += made == nullptr ? cell(Estimate{})
                                : cell(*made, made->metrics, metric,
                                       estimate_of(made->metrics, metric).value == best);
      }
      html += "</tr>\n";
    }
    return html + table_end;
  }

  [[nodiscard]] std::string differences() const {
    const auto& all = results_.comparison.differences;
    const auto columns = difference_columns(results_.models);
    if (all.empty()) return "";
    return heading("Paired differences", meanings(columns)) + html_table(columns, all);
  }

  /// For each of the paper's estimators, one chart with the curves of all models.
  [[nodiscard]] std::string curves_of_all() const {
    std::string charts;
    for (const char* name : {"base", "margin", "average_min"}) {
      XyChart chart{"Calibration of " + estimator_label(name) + ", all models", "confidence",
                    "accuracy"};
      chart.width = 420;
      chart.height = 340;
      chart.diagonal = true;
      std::vector<ChartSeries> series;
      for (const ModelCalibration& model : results_.models) {
        const EstimatorResult* made = model.estimator(name);
        if (made != nullptr) series.push_back(curve_series(*made, model.name, false));
      }
      if (series.size() < 2) continue;
      charts += "<div><h3>" + label(estimator_label(name)) + "</h3>" + xy_chart(chart, series) +
                "</div>\n";
    }
    if (charts.empty()) return "";
    return heading("Calibration curves of all models",
                   "Mean confidence against accuracy in equal-count bins. Below the dashed line a "
                   "model is overconfident. Each model's own page shows its intervals.") +
           "<div class=\"plots two\">\n" + charts + "</div>\n";
  }

  [[nodiscard]] std::string scatter() const {
    std::vector<ChartSeries> series;
    std::set<std::string> labelled;
    XyChart chart{"ACE against accuracy", "accuracy", "ACE"};
    double top = 0.1;
    double across = 0.1;
    for (const char* name : {"base", "margin", "average_vote2", "average_min"}) {
      ChartSeries points{estimator_label(name), {}, false};
      for (const ModelCalibration& model : results_.models) {
        const EstimatorResult* made = model.estimator(name);
        if (made == nullptr || !estimate_of(made->metrics, M::ace).exists() ||
            !model.paraphrase_accuracy.exists()) {
          continue;
        }
        const Estimate& ace = estimate_of(made->metrics, M::ace);
        points.points.push_back({model.paraphrase_accuracy.value, ace.value, ace.interval(),
                                 labelled.insert(model.name).second ? model.name : std::string()});
        top = (std::max)(top, ace.has_interval() ? ace.high : ace.value);
        across = (std::max)(across, model.paraphrase_accuracy.value);
      }
      if (!points.points.empty()) series.push_back(std::move(points));
    }
    if (series.empty()) {
      return "<div>" +
             words_below(
                 "No points: there are fewer facts than bins, or the estimators do not include "
                 "Base, Margin and Average.") +
             "</div>";
    }
    chart.x_range = {0, (std::min)(1.0, across * 1.15)};
    chart.y_range = {0, (std::min)(1.0, top * 1.05)};
    return xy_chart(chart, series);
  }

  [[nodiscard]] std::string correlation_table() const {
    if (results_.comparison.correlation.empty()) {
      return "<div>" + words_below("Pearson's r needs three models with different accuracies.") +
             "</div>";
    }
    std::string html = "<div>" + table_begin({"Estimator", "Pearson's r", "Models"});
    for (const auto& [name, r] : results_.comparison.correlation) {
      html += "<tr><td>" + label(estimator_label(name)) + "</td>" + cell(r) + number_cell(r.count) +
              "</tr>\n";
    }
    return html + table_end + "</div>";
  }

  const CalibrationResults& results_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
