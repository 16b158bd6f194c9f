// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a calibration probe's page show?
//
// The page shows several models side by side (calibration_comparison.hpp), then for each model its
// estimators, curves, markers, reductions, option counts, groups and recalibration.

#include <string>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/calibration_comparison.hpp"
#include "plumb/detail/report/calibration_plots.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The results must outlive this object. Any number of threads may use the same object.
class CalibrationPage {
 public:
  explicit CalibrationPage(const CalibrationResults& results) : results_(results) {}

  /// `settings` is an object of names and values that are shown in the last table; `prompts` are
  /// examples of the model's prompts.
  [[nodiscard]] std::string html(const Json& settings,
                                 const std::vector<Json>& prompts = {}) const {
    const auto& models = results_.models;
    const std::string title = models.size() == 1
                                  ? "Calibration of " + models.front().name
                                  : "Calibration of " + counted(models.size(), "model");
    std::vector<std::string> notes;
    const auto add = [&](const std::vector<std::string>& texts) {
      for (const std::string& text : texts) {
        if (ranges::find(notes, text) == notes.end()) notes.push_back(text);
      }
    };
    for (const ModelCalibration& model : models) add(model.notes);
    add(results_.remarks);
    std::string out;
    if (models.size() > 1) out += detail::ComparisonSections(results_).html();
    for (const ModelCalibration& model : models) {
      if (models.size() > 1) {
        out += "<details" + std::string(&model == &models.front() ? " open" : "") + "><summary>" +
               label(model.name) + "</summary>\n";
      }
      out += section(model);
      if (models.size() > 1) out += "</details>\n";
    }
    return whole_page(
        {title,
         "Is the model's confidence justified? The confidence of each answer is compared with "
         "whether the answer is right.",
         notes, settings, prompts},
        out);
  }

 private:
  using M = CalibrationMetric;

  [[nodiscard]] std::string section(const ModelCalibration& model) const {
    return cards(model) + remarks(model) + estimator_table(model) +
           detail::curve_charts(model, results_.options.bins) +
           detail::rejection_charts(model, !results_.options.estimators.empty()) + markers(model) +
           reductions(model) + option_counts(model) + groups(model) + recalibration(model) +
           templates(model);
  }

  [[nodiscard]] static std::string cards(const ModelCalibration& model) {
    const std::string base = base_name(model.asked_by);
    std::string html = "<div class=\"cards\">\n" + card("Accuracy, " + base, model.accuracy) +
                       card("Accuracy, mean over paraphrases", model.paraphrase_accuracy);
    for (const char* name : {"base", "margin", "average_min"}) {
      if (const EstimatorResult* made = model.estimator(name)) {
        html += card("ACE, " + estimator_label(name), estimate_of(made->metrics, M::ace));
      }
    }
    const std::string fewest = std::to_string(model.fewest_paraphrases);
    html += card("Facts", std::to_string(model.facts),
                 counted(model.relations, "relation") + ", " +
                     (model.fewest_paraphrases == model.most_paraphrases ? "" : fewest + "–") +
                     counted(model.most_paraphrases, "paraphrase"));
    html += card("Ties", std::to_string(model.ties.tied),
                 "of " + counted(model.ties.answers, "answer") + " to all templates");
    if (model.ties.tied > 0) {
      html += card(std::string(detail::first_wins_title) + ", " + base, model.accuracy_first_wins);
    }
    return html + "</div>\n";
  }

  [[nodiscard]] static std::string remarks(const ModelCalibration& model) {
    std::string html;
    for (const std::string& remark : model.remarks) html += note_paragraph(remark);
    return html;
  }

  [[nodiscard]] static std::string estimator_table(const ModelCalibration& model) {
    const auto first = estimator_columns(metrics_of(MetricTable::page_first), true);
    const auto second = estimator_columns(metrics_of(MetricTable::page_second), false);
    return heading("Confidence estimators side by side",
                   "In small type: 95% interval. " + meanings(first) +
                       " * few distinct values: ACE is not meaningful. " + failed_votes_meaning +
                       ".") +
           html_table(first, model.estimators) +
           "<h3>Other errors, and the parts of the Brier score</h3>\n<p class=\"dim\">" +
           meanings(second) + "</p>\n" + html_table(second, model.estimators) + every_option(model);
  }

  /// Metrics computed from the probabilities of all options, not just the answer's.
  [[nodiscard]] static std::string every_option(const ModelCalibration& model) {
    if (!model.brier_one_hot.exists()) return "";
    const auto columns = static_calibration_numbers();
    std::string html = "<h3>Probabilities of all options, under the " +
                       std::string(base_name(model.asked_by)) + "</h3>\n<p class=\"dim\">";
    if (model.static_calibration) html += meanings(columns) + " ";
    html +=
        "One-hot Brier score, with each row of a subject with several objects counted "
        "separately: " +
        with_interval(model.brier_one_hot) + " summed over the options, " +
        with_interval(model.brier_one_hot_per_option) + " per option.</p>\n";
    if (const auto& made = model.static_calibration) {
      html += html_table(columns, std::vector{*made});
    }
    return html;
  }

  [[nodiscard]] static std::string markers(const ModelCalibration& model) {
    if (model.markers.empty()) return "";
    return heading("Effect of epistemic markers",
                   "Marked template minus base template, on the same facts, with paired 95% "
                   "intervals. A negative difference in ACE or Brier score is an improvement.") +
           html_table(marker_columns(), model.markers) + detail::marker_chart(model);
  }

  [[nodiscard]] static std::string reductions(const ModelCalibration& model) {
    if (model.reductions.empty()) return "";
    const auto columns = reduction_columns();
    return heading("Reductions",
                   "Base confidence on the base template; all reductions use the same scores. (A): "
                   "computed over the answer's tokens only. " +
                       meanings(columns)) +
           html_table(columns, model.reductions);
  }

  [[nodiscard]] static std::string option_counts(const ModelCalibration& model) {
    if (model.option_counts.empty()) return "";
    return heading("Number of options",
                   "Base confidence on the " + counted(model.option_counts.front().facts, "fact") +
                       " of the 1:1 relations; the other options are subsampled. Mean of " +
                       counted(option_samplings, "sampling") + ".") +
           detail::option_chart(model);
  }

  [[nodiscard]] static std::string groups(const ModelCalibration& model) {
    const EstimatorResult& first = model.estimators.front();
    std::vector<const EstimatorResult*> shown;
    for (const EstimatorResult& made : model.estimators) {
      if (!made.discrete && !made.name.starts_with("average_vote") &&
          made.name.find('_') == std::string::npos) {
        shown.push_back(&made);
      }
    }
    for (const char* name : {"average_vote2", "average_min", "average_max"}) {
      if (const EstimatorResult* made = model.estimator(name)) shown.push_back(made);
    }
    std::vector<std::string> heads{"Group", "Facts", "Accuracy"};
    for (const EstimatorResult* made : shown)
      heads.push_back(escape_html(estimator_label(made->name)));
    std::string html =
        heading("By domain, cardinality and relation",
                "ACE, and the accuracy of " + escape_html(estimator_label(first.name)) +
                    "; – marks groups with fewer facts than bins. 1:1: no two facts of the "
                    "relation share an answer.");
    const auto table = [&](const std::string& title, auto member) {
      if ((first.*member).empty()) return;
      html += "<h3>" + title + "</h3>\n" + table_begin(heads);
      for (std::size_t g = 0; g < (first.*member).size(); ++g) {
        const auto& [name, metrics] = (first.*member)[g];
        html += "<tr><td>" + label(name) + "</td>" +
                detail::number_cell(estimate_of(metrics, M::accuracy).count) +
                detail::cell(metrics, M::accuracy);
        for (const EstimatorResult* made : shown) {
          html += detail::cell(*made, (made->*member)[g].second, M::ace);
        }
        html += "</tr>\n";
      }
      html += table_end;
    };
    table("Domains", &EstimatorResult::domains);
    table("Cardinality", &EstimatorResult::cardinality);
    table("Relations", &EstimatorResult::relations);
    table("By " + label(model.column), &EstimatorResult::values);
    if (model.facts_without > 0) {
      html += words_below(counted(model.facts_without, "fact") + " without a value in " +
                          label(model.column) + " left out.");
    }
    return html;
  }

  [[nodiscard]] static std::string templates(const ModelCalibration& model) {
    std::string html =
        heading("Templates", "The role of each template, with its text in the first relation.") +
        table_begin({"Template", "Role", "Relations", "Text"});
    for (const TemplateUse& use : model.templates) {
      html += "<tr><td>" + std::to_string(use.index) + "</td><td>" +
              (use.role.kind == TemplateKind::paraphrase
                   ? "paraphrase"
                   : "marker " + label(estimator_label(use.role.marker))) +
              "</td>" + detail::number_cell(use.relations) + "<td>" + label(use.example) +
              "</td></tr>\n";
    }
    return html + table_end;
  }

  [[nodiscard]] static std::string recalibration(const ModelCalibration& model) {
    if (model.recalibration.empty()) return "";
    return heading("Recalibration, on held-out facts",
                   "Not in the paper: maps are fitted on one half of each relation's facts and "
                   "measured on the other " +
                       std::to_string(model.held_out) +
                       ". Temperature: divides the scores before the softmax. Isotonic: the "
                       "best-fitting non-decreasing function.") +
           html_table(recalibration_columns(), model.recalibration);
  }

  const CalibrationResults& results_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
