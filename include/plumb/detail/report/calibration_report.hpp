// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a calibration leaves in a folder and shows on a terminal.
//
// Writes metrics.json, a CSV file for each plot and table, report.html, and in
// recalibration_halves.jsonl which facts the maps of the recalibration were fitted on and which they
// were measured on, by instance, a line for each model and relation:
//   {"model": …, "relation": "P36", "fitted": [0, 3, …], "held_out": [1, 2, …]}

#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using CalibrationReport = ReportOf<CalibrationResults>;

/// `settings` is an object for the page's last table, `prompts` are examples of what was asked.
[[nodiscard]] CalibrationReport calibration_report(CalibrationResults results, Json settings,
                                                   std::vector<Json> prompts = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/calibration_csv.hpp"
#include "plumb/detail/report/calibration_json.hpp"
#include "plumb/detail/report/calibration_page.hpp"
#include "plumb/detail/report/calibration_pairs.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The lines of recalibration_halves.jsonl; none where nothing was recalibrated.
[[nodiscard]] inline std::string recalibration_halves(const CalibrationResults& results) {
  std::string lines;
  for (const ModelCalibration& model : results.models) {
    for (const FactHalves& halves : model.halves) {
      lines += Json{{"model", model.name},
                    {"relation", halves.relation},
                    {"fitted", halves.fitted},
                    {"held_out", halves.held_out}}
                   .dump() +
               "\n";
    }
  }
  return lines;
}

/// The models side by side, under the page's names: accuracy is that of the base template.
inline std::string model_rows(const CalibrationResults& results, const TableWidth& width) {
  const std::vector<std::string> shown{"base", "margin", "average_vote2", "average_min"};
  std::vector<std::string> heads{"model", "facts", "accuracy", "mean over paraphrases", "ties"};
  for (const std::string metric : {"ACE ", "Brier "}) {
    for (const std::string& name : shown) heads.push_back(metric + estimator_label(name));
  }
  TextTable table(heads);
  bool any_failed = false;
  for (const ModelCalibration& model : results.models) {
    std::vector<std::string> cells{
        model.name, std::to_string(model.facts), number_or_dash(model.accuracy),
        number_or_dash(model.paraphrase_accuracy), std::to_string(model.ties.tied)};
    for (const CalibrationMetric metric : {CalibrationMetric::ace, CalibrationMetric::brier}) {
      for (const std::string& name : shown) {
        const EstimatorResult* made = model.estimator(name);
        cells.push_back(
            number_or_dash(made == nullptr ? Estimate{} : estimate_of(made->metrics, metric)));
        if (made == nullptr || !has_failed_votes(*made)) continue;
        cells.back() += " †";
        any_failed = true;
      }
    }
    table.add(cells);
  }
  std::string text = table.text(width);
  if (any_failed) text += std::string(failed_votes_meaning) + "\n";
  for (const auto& [name, r] : results.comparison.correlation) {
    if (name != "base" && name != "margin" && name != "average_min") continue;
    text += "Pearson's r of ACE and mean accuracy over paraphrases, " + estimator_label(name) +
            ": " + with_interval(r) + " over " + counted(r.count, "model") + "\n";
  }
  const std::string pairs = PairSections(results).text(width);
  if (!pairs.empty()) text += "\n" + pairs + "accuracy of pairs: mean over paraphrases\n";
  return text;
}

/// Page, tables and metrics of a calibration.
class CalibrationReportBody {
 public:
  /// `settings` is an object for the page's last table, `prompts` are examples of what was asked.
  CalibrationReportBody(CalibrationResults results, Json settings, std::vector<Json> prompts = {})
      : results_(std::move(results)),
        settings_(std::move(settings)),
        prompts_(std::move(prompts)) {}

  [[nodiscard]] const CalibrationResults& results() const noexcept { return results_; }
  [[nodiscard]] Json metrics() const { return to_json(results_); }
  [[nodiscard]] std::vector<ReportFile> files() const {
    std::vector<ReportFile> files;
    for (auto& [name, text] : calibration_csv(results_)) files.push_back({name, std::move(text)});
    files.push_back({"recalibration_halves.jsonl", recalibration_halves(results_)});
    return files;
  }
  [[nodiscard]] std::string page() const {
    return CalibrationPage(results_).html(settings_, prompts_);
  }

  /// What must be known of the numbers: what their folders say, and every remark once, with the models
  /// it is about where it is not about all.
  [[nodiscard]] std::vector<std::string> notes() const {
    const auto& models = results_.models;
    std::vector<std::string> notes;
    for (const ModelCalibration& model : models) {
      for (const std::string& note : model.notes) {
        notes.push_back((models.size() > 1 ? model.name + ": " : "") + note);
      }
    }
    std::vector<std::string> said;
    for (const ModelCalibration& model : models) {
      for (const std::string& remark : model.remarks) {
        if (over::find(said, remark) != said.end()) continue;
        said.push_back(remark);
        std::string who;
        std::size_t count = 0;
        for (const ModelCalibration& other : models) {
          if (over::find(other.remarks, remark) == other.remarks.end()) continue;
          add_to_list(who, other.name);
          ++count;
        }
        notes.push_back((count == models.size() ? "" : who + ": ") + remark);
      }
    }
    notes.insert(notes.end(), results_.remarks.begin(), results_.remarks.end());
    return notes;
  }

  /// All tables of one model, or the models side by side.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    if (results_.models.size() > 1) return detail::model_rows(results_, width);
    const ModelCalibration& model = results_.models.front();
    std::string text = text_table(estimator_columns(metrics_of(MetricTable::terminal), true),
                                  model.estimators, width);
    if (over::any_of(model.estimators, &EstimatorResult::discrete)) {
      text += "* few distinct values: its ACE means little\n";
    }
    if (over::any_of(model.estimators, has_failed_votes<EstimatorResult>)) {
      text += std::string(failed_votes_meaning) + "\n";
    }
    if (!model.markers.empty()) text += "\n" + text_table(marker_columns(), model.markers, width);
    if (!model.reductions.empty()) {
      text += "\n" + text_table(reduction_columns(), model.reductions, width);
    }
    if (!model.recalibration.empty()) {
      text += "\n" + text_table(recalibration_columns(), model.recalibration, width);
    }
    text += "\naccuracy of the base template " + with_interval(model.accuracy) +
            ", mean over paraphrases " + with_interval(model.paraphrase_accuracy) + ", " +
            counted(model.facts, "fact") + ", " + counted(model.ties.tied, "tie") + " among " +
            counted(model.ties.answers, "answer") + "\n";
    if (model.ties.tied > 0) {
      text += std::string(detail::first_wins_heading) + ": base template " +
              with_interval(model.accuracy_first_wins) + ", mean over paraphrases " +
              with_interval(model.paraphrase_accuracy_first_wins) + "\n";
    }
    return text;
  }

 private:
  CalibrationResults results_;
  Json settings_;
  std::vector<Json> prompts_;
};

PLUMB_INLINE CalibrationReport calibration_report(CalibrationResults results, Json settings,
                                                  std::vector<Json> prompts) {
  return report_of<CalibrationResults>(std::make_shared<const CalibrationReportBody>(
      std::move(results), std::move(settings), std::move(prompts)));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
