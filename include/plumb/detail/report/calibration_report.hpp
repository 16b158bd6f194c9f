// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a calibration writes to a folder and shows on a terminal.
//
// Writes metrics.json, a CSV file for each plot and table, and report.html. It also writes
// recalibration_halves.jsonl, with one line for each model and relation. A line contains the
// instances of the facts on which the recalibration maps were fitted and measured:
//   {"model": …, "relation": "P36", "fitted": [0, 3, …], "held_out": [1, 2, …]}

#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using CalibrationReport = ReportOf<CalibrationResults>;

/// `settings` is an object shown in the page's last table; `prompts` are examples of the model's
/// prompts.
[[nodiscard]] CalibrationReport calibration_report(CalibrationResults results, Json settings,
                                                   std::vector<Json> prompts = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/calibration_columns.hpp"
#include "plumb/detail/report/calibration_csv.hpp"
#include "plumb/detail/report/calibration_json.hpp"
#include "plumb/detail/report/calibration_matrices.hpp"
#include "plumb/detail/report/calibration_page.hpp"
#include "plumb/detail/report/calibration_pairs.hpp"
#include "plumb/detail/report/text_table.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The lines of recalibration_halves.jsonl; empty if nothing was recalibrated.
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

/// The models side by side, with the page's headings. The accuracy is measured under the base
/// template. A dagger marks a number affected by failed votes.
inline std::vector<Column<ModelCalibration>> model_side_columns() {
  using C = ModelCalibration;
  std::vector<Column<C>> columns{
      {.key = "model",
       .heading = "model",
       .value = [](const C& model) -> CellValue { return model.name; },
       .names_model = true},
      {.key = "facts", .heading = "facts", .value = [](const C& model) { return model.facts; }},
      {.key = "accuracy",
       .heading = "accuracy",
       .value = [](const C& model) { return model.accuracy; }},
      {.key = "paraphrase_accuracy",
       .heading = "mean over paraphrases",
       .value = [](const C& model) { return model.paraphrase_accuracy; }},
      {.key = "ties", .heading = "ties", .value = [](const C& model) { return model.ties.tied; }}};
  for (const auto& [metric, key, heading] :
       {std::tuple{CalibrationMetric::ace, "ace_", "ACE "},
        std::tuple{CalibrationMetric::brier, "brier_", "Brier "}}) {
    for (const std::string name : {"base", "margin", "average_vote2", "average_min"}) {
      columns.push_back({.key = key + name,
                         .heading = heading + estimator_label(name),
                         .value = [name, which = metric](const C& model) -> CellValue {
                           const EstimatorResult* made = model.estimator(name);
                           if (made == nullptr) return Estimate{};
                           const Estimate number = estimate_of(made->metrics, which);
                           if (!has_failed_votes(*made)) return number;
                           return ShownNumber{number.value, number_or_dash(number) + " †"};
                         }});
    }
  }
  return columns;
}

/// The text below the models' table on a terminal.
inline std::string notes_below_models(const CalibrationResults& results) {
  const auto has_failed = [](const ModelCalibration& model) {
    return ranges::any_of(std::vector{"base", "margin", "average_vote2", "average_min"},
                          [&](const char* name) {
                            const EstimatorResult* made = model.estimator(name);
                            return made != nullptr && has_failed_votes(*made);
                          });
  };
  std::string text;
  if (ranges::any_of(results.models, has_failed)) text += std::string(failed_votes_meaning) + "\n";
  for (const auto& [name, r] : results.comparison.correlation) {
    if (name != "base" && name != "margin" && name != "average_min") continue;
    text += "Pearson's r of ACE and mean accuracy over paraphrases, " + estimator_label(name) +
            ": " + with_interval(r) + " over " + counted(r.count, "model") + "\n";
  }
  return text;
}

/// The page, tables and metrics of a calibration.
class CalibrationReportBody {
 public:
  /// `settings` is an object for the page's last table; `prompts` are examples of the model's
  /// prompts.
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

  /// Notes about the numbers: the warnings from the run folders and all remarks, each listed once.
  /// A note that does not apply to all models is prefixed with the models it applies to.
  [[nodiscard]] std::vector<std::string> notes() const {
    const auto& models = results_.models;
    std::vector<std::string> notes;
    const auto add = [&](std::vector<std::string> ModelCalibration::*member) {
      std::vector<std::string> stated;
      for (const ModelCalibration& model : models) {
        for (const std::string& text : model.*member) {
          if (ranges::find(stated, text) != stated.end()) continue;
          stated.push_back(text);
          std::string who;
          std::size_t count = 0;
          for (const ModelCalibration& other : models) {
            if (ranges::find(other.*member, text) == (other.*member).end()) continue;
            add_to_list(who, other.name);
            ++count;
          }
          notes.push_back((count == models.size() ? "" : who + ": ") + text);
        }
      }
    };
    add(&ModelCalibration::notes);
    add(&ModelCalibration::remarks);
    notes.insert(notes.end(), results_.remarks.begin(), results_.remarks.end());
    return notes;
  }

  /// All tables of one model, or the models side by side.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    if (results_.models.size() > 1) {
      std::vector<NamedTable> tables{{"models",
                                      table_of(detail::model_side_columns(), results_.models),
                                      detail::notes_below_models(results_)}};
      if (!results_.comparison.differences.empty()) {
        tables.push_back({"differences", table_of(difference_columns(results_.models),
                                                  results_.comparison.differences)});
      }
      const std::vector<MarkerRow> markers = marker_rows(results_);
      if (!markers.empty()) {
        tables.push_back(
            {"marker_ace",
             table_of(marker_matrix_columns(markers, &MarkerEffect::ace, true), markers)});
        tables.push_back(
            {"marker_accuracy",
             table_of(marker_matrix_columns(markers, &MarkerEffect::accuracy, false), markers)});
      }
      const std::vector<MeanReduction> reductions = mean_reductions(results_);
      if (!reductions.empty()) {
        tables.push_back({"reductions", table_of(mean_reduction_columns(), reductions)});
      }
      if (!results_.comparison.pairs.empty()) {
        tables.push_back(
            {"pairs", PairSections(results_).rows(), "accuracy in pairs: mean over paraphrases\n"});
      }
      return tables;
    }
    const ModelCalibration& model = results_.models.front();
    std::vector<NamedTable> tables{
        {"estimators",
         table_of(estimator_columns(metrics_of(MetricTable::terminal), true), model.estimators)}};
    if (ranges::any_of(model.estimators, &EstimatorResult::discrete)) {
      tables.back().below += "* few distinct values: its ACE is not meaningful\n";
    }
    if (ranges::any_of(model.estimators, has_failed_votes<EstimatorResult>)) {
      tables.back().below += std::string(failed_votes_meaning) + "\n";
    }
    if (!model.markers.empty()) {
      tables.push_back({"markers", table_of(marker_columns(), model.markers)});
    }
    if (!model.reductions.empty()) {
      tables.push_back({"reductions", table_of(reduction_columns(), model.reductions)});
    }
    if (!model.recalibration.empty()) {
      tables.push_back({"recalibration", table_of(recalibration_columns(), model.recalibration)});
    }
    tables.back().below += "\naccuracy of the base template " + with_interval(model.accuracy) +
                           ", mean over paraphrases " + with_interval(model.paraphrase_accuracy) +
                           ", " + counted(model.facts, "fact") + ", " +
                           counted(model.ties.tied, "tie") + " among " +
                           counted(model.ties.answers, "answer") + "\n";
    if (model.ties.tied > 0) {
      tables.back().below += std::string(detail::first_wins_heading) + ": base template " +
                             with_interval(model.accuracy_first_wins) + ", mean over paraphrases " +
                             with_interval(model.paraphrase_accuracy_first_wins) + "\n";
    }
    return tables;
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
