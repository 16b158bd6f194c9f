// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb calibrate: is the model's sureness earned?
//
// Reads results folders (plumb's or lm-pub-quiz's), of one model or several, and measures how the
// models' confidence fits their correctness; nothing is scored again. With --model it probes first,
// into the folder "probe" of --out, so that one command leads from a model to the page.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/calibrate_options.hpp"
#include "plumb/cli/probe.hpp"
#include "plumb/core/over.hpp"
#include "plumb/records/listed_prompt.hpp"
#include "plumb/report/calibration_report.hpp"

namespace plumb {
namespace detail {

/// Whether --out holds nothing, or what an earlier calibration of the same folders made.
inline void claim_calibration_folder(const CalibrateArguments& arguments) {
  const auto& out = arguments.out;
  if (is_unused(out)) return;
  if (arguments.probe) {
    if (!arguments.probe->target.resume || !std::filesystem::exists(out / "probe"))
      refuse_used(out);
    return;
  }
  if (calibrated_folders(out) == folder_names(arguments)) return;
  throw user_error({.file = out}, "holds something else than a calibration of the same folders",
                   "choose another --out");
}

/// Name and folders of each model, in order of appearance.
inline std::vector<std::pair<std::string, std::vector<std::filesystem::path>>> folders_by_model(
    const CalibrateArguments& arguments) {
  std::vector<std::pair<std::string, std::vector<std::filesystem::path>>> models;
  for (const auto& [given, folder] : arguments.folders) {
    std::string name = given;
    if (name.empty()) {
      const auto recorded = recorded_relations(folder);
      if (!recorded.empty()) name = recorded.front().model;
    }
    if (name.empty()) {
      const auto whole = std::filesystem::weakly_canonical(folder);
      name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
    }
    const auto known = over::find(models, name, [](const auto& m) { return m.first; });
    if (known == models.end()) {
      models.push_back({name, {folder}});
    } else {
      known->second.push_back(folder);
    }
  }
  return models;
}

inline bool is_masked(const std::string& name,
                      const std::optional<std::vector<std::string>>& named) {
  if (named) return over::find(*named, name) != named->end();
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return lower.find("bert") != std::string::npos;
}

/// Refuses names in --masked that are no model's.
inline void check_masked(const CalibrateArguments& arguments,
                         const std::vector<std::string>& models) {
  if (!arguments.masked) return;
  for (const std::string& name : *arguments.masked) {
    if (over::find(models, name) != models.end()) continue;
    std::string known;
    for (const std::string& model : models) known += (known.empty() ? "" : ", ") + model;
    throw user_error({.field = "--masked"}, "'" + name + "' is not among the models",
                     "they are " + known);
  }
}

/// Refuses, before anything is scored, what the scores could not be calibrated for.
inline void check_before_probing(const CalibrateArguments& arguments, const Dataset& dataset) {
  check_masked(arguments, {arguments.probe->target.model.filename().string()});
  std::vector<RelationPredictions> relations;
  for (const Relation& relation : dataset.relations) {
    relations.push_back(
        prediction_frame(relation, templates_of(relation, arguments.probe->probe.templates.indices),
                         arguments.reading.kinds));
  }
  refuse_absent_templates(relations, arguments.reading.kinds);
  std::vector<std::string> remarks;
  (void)chosen_estimators(relations, arguments.study.estimators, remarks);
}

/// Relation and instance of each fact.
inline std::vector<std::pair<std::string, std::size_t>> facts_of(const ModelPredictions& model) {
  std::vector<std::pair<std::string, std::size_t>> facts;
  for (const RelationPredictions& made : model.relations) {
    for (const Fact& fact : made.relation.facts) {
      facts.emplace_back(made.relation.code, fact.instance);
    }
  }
  return facts;
}

inline CalibrationResults measure_models(const CalibrateArguments& arguments) {
  const auto models = folders_by_model(arguments);
  std::vector<std::string> names;
  for (const auto& [name, folders] : models) names.push_back(name);
  check_masked(arguments, names);
  std::optional<Dataset> dataset;
  if (!arguments.data.empty()) dataset = load_dataset(arguments.data);
  CalibrationResults results;
  results.options = arguments.study;
  std::vector<std::vector<std::pair<std::string, std::size_t>>> facts;  // by model
  for (const auto& [name, folders] : models) {
    RecordedModel model = read_model(name, folders, arguments.reading);
    if (dataset && describe_relations(model, *dataset) == 0) {
      throw user_error({.file = arguments.data, .line = 0, .field = "--data"},
                       "shares no relation with the results of " + name,
                       "name the dataset that was probed");
    }
    facts.push_back(facts_of(model.predictions));
    results.models.push_back(calibrate_model(model, arguments.study));
    results.masked.push_back(is_masked(name, arguments.masked));
  }
  if (std::adjacent_find(facts.begin(), facts.end(), std::not_equal_to{}) != facts.end()) {
    results.remarks.push_back("The models were probed on different facts: compare with care.");
  }
  results.comparison = compare_models(results.models, results.masked);
  return results;
}

/// Every remark once, with the models it is about; no name where it is about all.
inline std::vector<std::pair<std::string, std::string>> remarks_of(
    const CalibrationResults& results) {
  std::vector<std::pair<std::string, std::string>> remarks;
  for (const ModelCalibration& model : results.models) {
    for (const std::string& remark : model.remarks) {
      if (over::find(remarks, remark, [](const auto& r) { return r.first; }) != remarks.end()) {
        continue;
      }
      std::string who;
      std::size_t count = 0;
      for (const ModelCalibration& other : results.models) {
        if (over::find(other.remarks, remark) == other.remarks.end()) continue;
        who += (count++ == 0 ? "" : ", ") + other.name;
      }
      remarks.emplace_back(remark, count == results.models.size() ? "" : who);
    }
  }
  return remarks;
}

/// The example prompts of all folders, each once, by template.
inline std::vector<Json> examples_of(const CalibrateArguments& arguments) {
  std::vector<Json> prompts;
  for (const auto& [name, folder] : arguments.folders) {
    for (Json& row : read_example_prompts(folder)) {
      if (over::find(prompts, row) == prompts.end()) prompts.push_back(std::move(row));
    }
  }
  over::stable_sort(prompts, {}, [](const Json& row) { return row.value("template", Json()); });
  return prompts;
}

inline Json calibrate_settings(const CalibrateArguments& arguments,
                               const CalibrationResults& results) {
  Json models = Json::array();
  for (const ModelCalibration& model : results.models) models.push_back(model.name);
  const auto indices = [](const std::vector<std::size_t>& list) {
    return list.empty() ? Json() : Json(list);
  };
  const auto& reading = arguments.reading;
  return {{"command", "calibrate"},
          {"plumb_version", PLUMB_VERSION},
          {"models", models},
          {"masked", arguments.masked ? Json(*arguments.masked) : Json()},
          {"dataset", results.models.front().dataset},
          {"described_by", setting::to_json(arguments.data)},
          {"relations", reading.relations.empty() ? Json("all") : Json(reading.relations)},
          {"scoring", results.models.front().scoring},
          {"bins", arguments.study.bins},
          {"resamples", arguments.study.bootstrap.resamples},
          {"seed", arguments.study.bootstrap.seed},
          {"base_template", reading.kinds.base},
          {"paraphrases", reading.kinds.paraphrases ? Json(*reading.kinds.paraphrases) : Json()},
          {"verbalized", indices(reading.kinds.verbalized)},
          {"numerical", indices(reading.kinds.numerical)},
          {"estimators",
           arguments.study.estimators.empty() ? Json("all") : Json(arguments.study.estimators)}};
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_calibrate_command(Console& console, const ModelMaker& make_model) {
  const double start = Progress::monotonic_seconds();
  const auto arguments = detail::parse_calibrate(console);
  if (!arguments) return 0;
  detail::claim_calibration_folder(*arguments);
  const Json words = detail::command_line_of(console, "calibrate");
  if (arguments->probe) {
    const Dataset dataset = chosen_dataset(arguments->probe->probe);
    detail::check_before_probing(*arguments, dataset);
    console.out
        << detail::probe(console, "calibrate", *arguments->probe, dataset, make_model).second
        << "\n";
  }
  const CalibrationResults results = detail::measure_models(*arguments);
  const Json settings = detail::calibrate_settings(*arguments, results);
  std::filesystem::create_directories(arguments->out);
  write_calibration(results, settings, arguments->out, detail::examples_of(*arguments));
  const Json run = {{"status", "complete"},
                    {"settings", settings},
                    {"command_line", words},
                    {"folders", detail::folder_names(*arguments)},
                    {"seconds_total", Progress::monotonic_seconds() - start}};
  write_atomically(arguments->out / "run.json", run.dump(2) + "\n");
  for (const ModelCalibration& model : results.models) {
    const std::string who = results.models.size() > 1 ? model.name + ": " : "";
    for (const std::string& note : model.notes) console.out << who << note << "\n";
  }
  console.out << calibration_table(results);
  for (const auto& [remark, who] : detail::remarks_of(results)) {
    console.out << (who.empty() ? "" : who + ": ") << remark << "\n";
  }
  for (const std::string& remark : results.remarks) console.out << remark << "\n";
  console.out << "report: " << (arguments->out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
