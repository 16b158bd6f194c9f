// SPDX-License-Identifier: Apache-2.0
#pragma once

// A calibration of models from their results folders, as a measurement (measurement.hpp).

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/records/generation_predictions.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/records/many_shot_predictions.hpp"
#include "plumb/detail/report/calibration_report.hpp"
#include "plumb/detail/run/calibrate_settings.hpp"
#include "plumb/detail/run/measurement.hpp"
#include "plumb/detail/run/run_differences.hpp"
#include "plumb/detail/run/statement_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The name and the folders of each model, in order of appearance.
inline std::vector<std::pair<std::string, std::vector<DiskPath>>> folders_by_model(
    const ResultFolders& folders) {
  std::vector<std::pair<std::string, std::vector<DiskPath>>> models;
  for (const auto& [given, folder] : folders.list) {
    std::string name = given;
    if (name.empty()) {
      name = recorded_model(folder);
    }
    if (name.empty()) name = folder_name(folder);
    const auto known = ranges::find(models, name, [](const auto& m) { return m.first; });
    if (known == models.end()) {
      models.push_back({name, {folder}});
    } else {
      known->second.push_back(folder);
    }
  }
  return models;
}

/// Whether the model is masked, according to the settings or, if they do not specify it, according
/// to the folders.
inline bool is_masked(const std::string& name, const std::vector<DiskPath>& folders,
                      const CalibrateSettings& settings) {
  if (settings.masked) return ranges::find(*settings.masked, name) != settings.masked->end();
  return ranges::any_of(folders, [](const DiskPath& folder) {
    const auto kind = results_kind(folder);
    if (kind == ResultsKind::generation) {
      return read_generation_metadata(folder).answers == GeneratedAnswers::fills;
    }
    if (kind && *kind != ResultsKind::closed_set) return false;
    return ranges::any_of(recorded_relations(folder), [](const RecordedRelation& recorded) {
      return !recorded.pll_metric.empty();
    });
  });
}

/// Throws a user error if the settings name a masked model that is not among the models.
inline void check_masked(const CalibrateSettings& settings,
                         const std::vector<std::string>& models) {
  if (!settings.masked) return;
  for (const std::string& name : *settings.masked) {
    if (ranges::find(models, name) != models.end()) continue;
    throw user_error({.setting = "masked"}, "'" + name + "' is not among the models",
                     "they are " + text_list(models));
  }
}

/// The relation and the instance number of each fact.
inline std::vector<std::pair<std::string, std::size_t>> facts_of(const ModelPredictions& model) {
  std::vector<std::pair<std::string, std::size_t>> facts;
  for (const RelationPredictions& made : model.relations) {
    for (const Fact& fact : made.relation.facts) {
      facts.emplace_back(made.relation.code, fact.instance);
    }
  }
  return facts;
}

/// The example prompts from all folders, without duplicates, sorted by template.
inline std::vector<Json> examples_of(const ResultFolders& folders) {
  std::vector<Json> prompts;
  for (const auto& [name, folder] : folders.list) {
    for (Json& row : read_example_prompts(folder)) {
      if (ranges::find(prompts, row) == prompts.end()) prompts.push_back(std::move(row));
    }
  }
  ranges::stable_sort(prompts, {}, [](const Json& row) { return row.value("template", Json()); });
  return prompts;
}

/// The models in a set of folders that share a model name. Closed sets are joined into one model; a
/// many-shot run or a generation has one model per setting. Throws a user error if a folder cannot
/// be read or joined.
[[nodiscard]] inline std::vector<ScoredModel> read_models(const std::string& name,
                                                          const std::vector<DiskPath>& folders,
                                                          const CalibrateSettings& settings) {
  const ReadingOptions options = settings.reading();
  for (const DiskPath& folder : folders) {
    const auto kind = results_kind(folder);
    if (!kind || *kind == ResultsKind::closed_set) continue;
    if (folders.size() > 1) {
      throw user_error({.file = folder},
                       "is a " + std::string(metadata_of(*kind).tells_of) +
                           ", which cannot be joined with the other folders of " + name,
                       "give each its own name, as NAME=DIR");
    }
    if (*kind == ResultsKind::ranking || *kind == ResultsKind::lists) {
      throw user_error({.file = folder}, "has no confidences to calibrate",
                       "use runs of plumb probe, many-shot or generate");
    }
    if (settings.kinds.paraphrases) {
      throw user_error({.setting = "paraphrases"},
                       "applies to templates of a probe, but " + folder.string() + " is a " +
                           metadata_of(*kind).tells_of,
                       "remove it");
    }
    if (options.has_scoring()) {
      throw user_error({.setting = settings.reduction ? "reduction" : "span"},
                       "applies to probed closed sets, but " + folder.string() + " is a " +
                           metadata_of(*kind).tells_of,
                       "remove it");
    }
    if (*kind == ResultsKind::many_shot) return read_many_shot_models(name, folder, options);
    return read_generation_models(name, folder, options, settings.lemmas());
  }
  std::vector<ScoredModel> models;
  models.push_back(read_model(name, folders, options));
  return models;
}

/// Reads all folders, measures each model, and compares the models with each other. Throws a user
/// error if a folder cannot be read, or if the settings do not fit the folders.
[[nodiscard]] inline CalibrationResults calibrate_folders(const CalibrateSettings& settings) {
  const auto models = detail::folders_by_model(settings.folders);
  std::vector<std::string> names;
  for (const auto& [name, folders] : models) names.push_back(name);
  detail::check_masked(settings, names);
  std::optional<Dataset> dataset;
  if (!settings.data.empty()) dataset = load_dataset(settings.data);
  CalibrationResults results;
  results.options = settings.study();
  std::vector<std::vector<std::pair<std::string, std::size_t>>> facts;  // by model
  for (const auto& [name, folders] : models) {
    const bool masked = detail::is_masked(name, folders, settings);
    for (ScoredModel& model : detail::read_models(name, folders, settings)) {
      if (dataset && describe_relations(model, *dataset) == 0) {
        throw user_error({.file = settings.data, .line = 0, .setting = "data"},
                         "shares no relation with the results of " + name,
                         "use the dataset that was probed");
      }
      if (ranges::find(results.models, model.predictions.name, &ModelCalibration::name) !=
          results.models.end()) {
        throw user_error({.setting = "folders"},
                         "two models have the name " + model.predictions.name,
                         "give each its own name, as NAME=DIR");
      }
      facts.push_back(detail::facts_of(model.predictions));
      results.models.push_back(calibrate_model(model, results.options));
      results.masked.push_back(masked);
    }
  }
  if (results.models.empty()) {
    throw user_error({.file = settings.folders.list.front().path}, "contains no scored fact",
                     "use a run that scored facts");
  }
  for (std::string& text : model_warnings_of(settings.folders.list)) {
    results.remarks.push_back(std::move(text));
  }
  std::vector<ResultFolder>
      first_folders;  // a model's other folders contain only further templates
  for (const auto& [name, folders] : models) first_folders.push_back({name, folders.front()});
  for (std::string& text : run_differences(first_folders, false)) {
    results.remarks.push_back(std::move(text));
  }
  for (const auto& [name, folder] : settings.folders.list) {
    for (std::string& text : left_out_notes(kept_settings(folder))) {
      if (ranges::find(results.remarks, text) != results.remarks.end()) continue;
      results.remarks.push_back(std::move(text));
    }
  }
  if (std::adjacent_find(facts.begin(), facts.end(), std::not_equal_to{}) != facts.end()) {
    results.remarks.push_back("The models were probed on different facts: compare with care.");
  }
  results.comparison = compare_models(results.models, results.masked);
  return results;
}

/// Throws a user error if the settings would not fit the results of a probe with these templates
/// (an empty list means all templates). Must be called before the probe scores anything.
inline void check_calibration(const CalibrateSettings& settings, const std::string& model,
                              const Dataset& dataset, const std::vector<std::size_t>& templates) {
  detail::check_masked(settings, {model});
  check_group_by(dataset, settings.group_by);
  std::vector<RelationPredictions> relations;
  for (const Relation& relation : dataset.relations) {
    relations.push_back(
        prediction_frame(relation, templates_of(relation, templates), settings.kinds));
  }
  refuse_absent_templates(relations, settings.kinds);
  std::vector<std::string> remarks;
  (void)chosen_estimators(relations, settings.estimators, remarks);
}

/// Models a Measurement. Any number of threads may use the same object.
class CalibrateMeasurement {
 public:
  /// Throws a user error if the settings contradict each other.
  explicit CalibrateMeasurement(CalibrateSettings settings) : settings_(std::move(settings)) {
    (settings_.check)();
  }

  [[nodiscard]] static Json identity() { return {{"command", "calibrate"}}; }
  [[nodiscard]] const ResultFolders& folders() const noexcept { return settings_.folders; }

  [[nodiscard]] Measured measure() const {
    CalibrationResults results = calibrate_folders(settings_);
    Json record = calibrate_record(settings_, results.models);
    return {calibration_report(std::move(results), record, examples_of(settings_.folders)), record};
  }

 private:
  CalibrateSettings settings_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
