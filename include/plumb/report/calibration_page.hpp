// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a person look at after a calibration probe?
//
// One page: several models side by side (calibration_comparison.hpp), then for each model its
// estimators, curves, markers, reductions, option counts, groups and recalibration.

#include <string>
#include <vector>

#include "plumb/report/calibration_comparison.hpp"

namespace plumb {

class CalibrationPage {
 public:
  explicit CalibrationPage(const CalibrationResults& results) : results_(results) {}

  /// `settings` is an object of names and values for the last table.
  [[nodiscard]] std::string html(const Json& settings) const {
    const auto& models = results_.models;
    const std::string title = models.size() == 1
                                  ? "Calibration of " + models.front().name
                                  : "Calibration of " + std::to_string(models.size()) + " models";
    std::string out = page_begin(title) + "<h1>" + label(title) +
                      "</h1>\n<p class=\"dim\">Is the model's sureness earned? Confidence of the "
                      "answer picked from a closed set, against whether it is right.</p>\n";
    std::vector<std::string> notes;
    for (const ModelCalibration& model : models) {
      for (const std::string& note : model.notes) {
        if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
      }
    }
    for (const std::string& note : notes)
      out += "<p class=\"note\">" + escape_html(note) + "</p>\n";
    for (const std::string& remark : results_.remarks) {
      out += "<p class=\"note\">" + escape_html(remark) + "</p>\n";
    }
    if (models.size() > 1) out += detail::ComparisonSections(results_).html();
    for (const ModelCalibration& model : models) {
      if (models.size() > 1) {
        out += "<details" + std::string(&model == &models.front() ? " open" : "") + "><summary>" +
               label(model.name) + "</summary>\n";
      }
      out += section(model);
      if (models.size() > 1) out += "</details>\n";
    }
    return out + settings_table(settings) + page_end();
  }

 private:
  using M = CalibrationMetric;

  [[nodiscard]] std::string section(const ModelCalibration& model) const {
    return cards(model) + remarks(model) + estimator_table(model) + curves(model) +
           rejection(model) + markers(model) + reductions(model) + option_counts(model) +
           groups(model) + recalibration(model) + templates(model);
  }

  [[nodiscard]] static std::string cards(const ModelCalibration& model) {
    const auto estimate = [](const char* name, const Estimate& e) {
      return card(name, e.count == 0 ? "–" : fixed(e.value, 3),
                  e.count == 0 ? "" : "95%: " + fixed(e.low, 3) + " – " + fixed(e.high, 3));
    };
    std::string html = "<div class=\"cards\">\n" +
                       estimate("Accuracy, base template", model.accuracy) +
                       estimate("Accuracy, mean over paraphrases", model.paraphrase_accuracy);
    for (const char* name : {"base", "margin", "average_min"}) {
      if (const EstimatorResult* made = model.estimator(name)) {
        html += estimate(("ACE, " + estimator_label(name)).c_str(), at(made->metrics, M::ace));
      }
    }
    const std::string fewest = std::to_string(model.fewest_paraphrases);
    const std::string most = std::to_string(model.most_paraphrases);
    html += card("Facts", std::to_string(model.facts),
                 std::to_string(model.relations) + " relations, " +
                     (fewest == most ? fewest : fewest + "–" + most) +
                     (most == "1" ? " paraphrase" : " paraphrases"));
    return html + "</div>\n";
  }

  [[nodiscard]] static std::string remarks(const ModelCalibration& model) {
    std::string html;
    for (const std::string& remark : model.remarks) {
      html += "<p class=\"note\">" + escape_html(remark) + "</p>\n";
    }
    return html;
  }

  static std::string metric_table(const ModelCalibration& model, std::vector<std::string> heads,
                                  const std::vector<M>& columns, bool failures) {
    heads.insert(heads.begin(), "Estimator");
    if (failures) heads.push_back("Failed votes");
    std::string html = detail::table_head(heads);
    for (const EstimatorResult& made : model.estimators) {
      html +=
          "<tr><td>" + label(estimator_label(made.name)) + (made.discrete ? " *" : "") + "</td>";
      for (const M metric : columns) html += detail::cell(made.metrics, metric);
      if (failures) html += detail::number_cell(made.failures);
      html += "</tr>\n";
    }
    return html + detail::table_end;
  }

  [[nodiscard]] std::string estimator_table(const ModelCalibration& model) const {
    return detail::heading(
               "Confidence estimators side by side",
               "Small: 95% interval. ACE: distance of confidence from accuracy over equal-count "
               "bins. AUROC: does confidence tell right from wrong? AURC: error rate when the "
               "least "
               "sure are rejected first. Failed votes count as wrong, with confidence 0. * few "
               "distinct values: ACE means little.") +
           metric_table(model, {"Accuracy", "Confidence", "ACE", "Brier", "AUROC", "AURC"},
                        {M::accuracy, M::mean_confidence, M::ace, M::brier, M::auroc, M::aurc},
                        true) +
           "<h3>Other errors, and the Brier score taken apart</h3>\n<p class=\"dim\">ECE and MCE: "
           "mean and worst distance over equal-width bins. Brier = reliability − resolution + "
           "uncertainty + within-bin, over the equal-count bins. Skill: 1 − Brier / uncertainty. "
           "One-hot Brier, over all options of the base template: " +
           with_interval(model.brier_one_hot) + " summed, " +
           with_interval(model.brier_one_hot_per_option) + " per option.</p>\n" +
           metric_table(model,
                        {"ECE", "MCE", "Log loss", "Reliability", "Resolution", "Uncertainty",
                         "Within bin", "Skill"},
                        {M::ece, M::mce, M::log_loss, M::brier_reliability, M::brier_resolution,
                         M::brier_uncertainty, M::brier_within_bin, M::brier_skill},
                        false);
  }

  static ChartSeries curve_series(const EstimatorResult& made, const std::string& name,
                                  bool intervals) {
    ChartSeries series{name, {}};
    for (const CurvePoint& point : made.curve) {
      series.points.push_back({point.confidence, point.accuracy.value});
      if (intervals) series.points.back().interval = {point.accuracy.low, point.accuracy.high};
    }
    return series;
  }

  [[nodiscard]] std::string curves(const ModelCalibration& model) const {
    std::string html =
        detail::heading(
            "Calibration curves",
            "Mean confidence against accuracy in " + std::to_string(results_.options.bins) +
                " equal-count bins, with 95% intervals; below the dashed line the model is "
                "overconfident. Bars along the bottom: how often each confidence is given.") +
        "<div class=\"plots\">\n";
    for (const EstimatorResult& made : model.estimators) {
      XyChart chart{"Calibration of " + estimator_label(made.name), "confidence", "accuracy"};
      chart.width = 330;
      chart.height = 280;
      chart.diagonal = true;
      for (const std::size_t count : made.histogram) {
        chart.histogram.push_back(static_cast<double>(count));
      }
      const ChartSeries series = curve_series(made, "", true);
      const Estimate& ace = at(made.metrics, M::ace);
      html +=
          "<div><h3>" + label(estimator_label(made.name)) +
          (ace.count == 0 ? "" : " <span class=\"dim\">ACE " + fixed(ace.value, 3) + "</span>") +
          (made.discrete ? " *" : "") + "</h3>" + xy_chart(chart, {series}) + "</div>\n";
    }
    return html + "</div>\n";
  }

  static ChartSeries rejection_series(const EstimatorResult& made) {
    ChartSeries series{estimator_label(made.name), {}};
    for (const RejectionPoint& point : made.rejection) {
      if (point.accuracy.count > 0) {
        series.points.push_back({point.rejected, point.accuracy.value,
                                 std::pair{point.accuracy.low, point.accuracy.high}});
      }
    }
    return series;
  }

  [[nodiscard]] std::string rejection(const ModelCalibration& model) const {
    std::vector<ChartSeries> thresholds;
    ChartSeries votes{"vote ≥ 2, 3, …", {}};
    ChartSeries none{"nothing rejected, Base", {}, false};
    for (const EstimatorResult& made : model.estimators) {
      const bool headline = made.name == "base" || made.name == "margin" ||
                            made.name == "average_vote2" || made.name == "average_min";
      const bool asked = !results_.options.estimators.empty() && thresholds.size() < 4;
      if (headline || asked) thresholds.push_back(rejection_series(made));
      if (made.name == "base" && made.answered.accuracy.count > 0) {
        none.points.push_back({made.answered.rejected, made.answered.accuracy.value});
      }
      if (made.name.starts_with("average_vote") && made.answered.accuracy.count > 0) {
        const Estimate& a = made.answered.accuracy;
        votes.points.push_back({made.answered.rejected, a.value, std::pair{a.low, a.high},
                                "≥ " + made.name.substr(std::string("average_vote").size())});
      }
    }
    XyChart chart{"Accuracy–rejection curves", "share rejected", "accuracy of the rest"};
    std::string html =
        detail::heading(
            "What rejecting the unsure gains",
            "Answers with confidence below 0.1, 0.2, … 0.9 are rejected; the higher and further "
            "left, the better. By vote: rejected only where a vote fails.") +
        "<div class=\"plots two\">" + xy_chart(chart, thresholds);
    chart.title = "Rejection by failed votes";
    std::vector<ChartSeries> by_vote{votes};
    if (!none.points.empty()) by_vote.push_back(none);
    if (!votes.points.empty()) html += xy_chart(chart, by_vote);
    return html + "</div>\n";
  }

  [[nodiscard]] std::string markers(const ModelCalibration& model) const {
    if (model.markers.empty()) return "";
    std::vector<ChartSeries> curves;
    for (const std::string name : {"base", "possibly", "certainly", "0%", "100%"}) {
      if (const EstimatorResult* made = model.estimator(name)) {
        curves.push_back(curve_series(*made, estimator_label(name), false));
      }
    }
    XyChart chart{"Calibration with markers", "confidence", "accuracy"};
    chart.diagonal = true;
    chart.width = 700;
    std::string html =
        detail::heading(
            "What epistemic markers do",
            "Marked minus base template, on the same facts, with paired 95% intervals. A negative "
            "difference in ACE or Brier score is an improvement.") +
        detail::table_head({"Marker", "Facts", "Accuracy", "ACE", "Brier"});
    for (const MarkerEffect& effect : model.markers) {
      const auto sign = [](const Estimate& e, bool lower_is_better) {
        if (e.count == 0 || (e.low <= 0 && e.high >= 0)) return "";
        return (e.value < 0) == lower_is_better ? "h1" : "h3";
      };
      html += "<tr><td>" + label(estimator_label(effect.marker)) + "</td>" +
              detail::number_cell(effect.facts) +
              detail::cell(effect.accuracy, sign(effect.accuracy, false)) +
              detail::cell(effect.ace, sign(effect.ace, true)) +
              detail::cell(effect.brier, sign(effect.brier, true)) + "</tr>\n";
    }
    return html + detail::table_end + (curves.size() > 1 ? xy_chart(chart, curves) : "");
  }

  [[nodiscard]] static std::string reductions(const ModelCalibration& model) {
    if (model.reductions.empty()) return "";
    std::string html =
        detail::heading("Reductions",
                        "Base confidence on the base template, from one scoring; (A): over the "
                        "answer's tokens alone. H: harmonic mean of accuracy and 1 − ACE.") +
        detail::table_head({"Reduction", "Accuracy", "ACE", "H"});
    for (const ReductionResult& r : model.reductions) {
      html += "<tr><td>" + scoring_label(r.scoring) + "</td>" + detail::cell(r.accuracy) +
              detail::cell(r.ace, detail::step(M::ace, r.ace.value)) +
              detail::cell(r.harmonic_mean) + "</tr>\n";
    }
    return html + detail::table_end;
  }

  [[nodiscard]] static std::string option_counts(const ModelCalibration& model) {
    if (model.option_counts.empty()) return "";
    ChartSeries confidence{"mean confidence", {}}, accuracy{"accuracy", {}}, ace{"ACE", {}};
    const auto add = [](ChartSeries& series, std::size_t k, const Estimate& e) {
      if (e.count > 0) {
        series.points.push_back({static_cast<double>(k), e.value, std::pair{e.low, e.high}});
      }
    };
    for (const OptionCountPoint& point : model.option_counts) {
      add(confidence, point.options, point.confidence);
      add(accuracy, point.options, point.accuracy);
      add(ace, point.options, point.ace);
    }
    std::vector<ChartSeries> series{confidence, accuracy};
    if (!ace.points.empty()) series.push_back(ace);  // too few facts have none
    XyChart chart{"Confidence, accuracy and ACE by number of options", "options", ""};
    chart.x_range = {0, static_cast<double>(model.option_counts.back().options)};
    chart.width = 700;
    return detail::heading(
               "How many options",
               "Base confidence on the " + std::to_string(model.option_counts.front().facts) +
                   " facts of the 1:1 relations, the other options subsampled; mean of " +
                   std::to_string(option_samplings) + " samplings.") +
           xy_chart(chart, series);
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
        detail::heading("By domain, cardinality and relation",
                        "ACE, and the accuracy of " + escape_html(estimator_label(first.name)) +
                            "; – where a group has fewer facts than bins. 1:1: no two facts of the "
                            "relation share an answer.");
    const auto table = [&](const char* title, auto member) {
      if ((first.*member).empty()) return;
      html += "<h3>" + std::string(title) + "</h3>\n" + detail::table_head(heads);
      for (std::size_t g = 0; g < (first.*member).size(); ++g) {
        const auto& [name, metrics] = (first.*member)[g];
        html += "<tr><td>" + label(name) + "</td>" +
                detail::number_cell(at(metrics, M::accuracy).count) +
                detail::cell(metrics, M::accuracy);
        for (const EstimatorResult* made : shown) {
          html += detail::cell((made->*member)[g].second, M::ace);
        }
        html += "</tr>\n";
      }
      html += detail::table_end;
    };
    table("Domains", &EstimatorResult::domains);
    table("Cardinality", &EstimatorResult::cardinality);
    table("Relations", &EstimatorResult::relations);
    return html;
  }

  [[nodiscard]] static std::string templates(const ModelCalibration& model) {
    std::string html =
        detail::heading("Templates", "How each was taken, with its text in the first relation.") +
        detail::table_head({"Template", "Taken as", "Relations", "Text"});
    for (const TemplateUse& use : model.templates) {
      html += "<tr><td>" + std::to_string(use.index) + "</td><td>" +
              (use.role.kind == TemplateKind::paraphrase
                   ? "paraphrase"
                   : "marker " + label(estimator_label(use.role.marker))) +
              "</td>" + detail::number_cell(use.relations) + "<td>" + label(use.example) +
              "</td></tr>\n";
    }
    return html + detail::table_end;
  }

  [[nodiscard]] static std::string recalibration(const ModelCalibration& model) {
    if (model.recalibration.empty()) return "";
    std::string html =
        detail::heading(
            "Recalibration, on held-out facts",
            "A step beyond the paper: maps fitted on one half of each relation's facts, measured "
            "on the other " +
                std::to_string(model.held_out) +
                ". Temperature divides the scores before the softmax; isotonic is the nearest "
                "non-decreasing function.") +
        detail::table_head({"Estimator", "Map", "Confidence", "ACE", "Brier", "Log loss", "AUROC"});
    for (const RecalibrationResult& r : model.recalibration) {
      html += "<tr><td>" + label(estimator_label(r.estimator)) + "</td><td>" +
              (r.map == "temperature" ? "temperature " + fixed(r.temperature, 2) : r.map) +
              "</td>" + detail::cell(r.metrics, M::mean_confidence) +
              detail::cell(r.metrics, M::ace) + detail::cell(r.metrics, M::brier) +
              detail::cell(r.metrics, M::log_loss) + detail::cell(r.metrics, M::auroc) + "</tr>\n";
    }
    return html + detail::table_end;
  }

  const CalibrationResults& results_;
};

}  // namespace plumb
