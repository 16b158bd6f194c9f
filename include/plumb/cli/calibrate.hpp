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

#include "plumb/cli/probe.hpp"
#include "plumb/report/calibration_report.hpp"

namespace plumb {
namespace detail {

struct CalibrateArguments {
  /// Name (empty: the model's own) and folder.
  std::vector<std::pair<std::string, std::filesystem::path>> folders;
  std::filesystem::path out, data;
  ReadingOptions reading;
  StudyOptions study;
  std::optional<std::vector<std::string>> masked;
  /// Set when there is a model to probe.
  std::optional<ProbeArguments> probe;
};

/// NAME=DIR, or DIR alone. The folder of an earlier `calibrate --model` stands for its probe.
inline std::pair<std::string, std::filesystem::path> parse_folder(const std::string& word) {
  std::string name;
  std::filesystem::path folder = word;
  const auto equals = word.find('=');
  if (equals != std::string::npos && equals > 0 && !std::filesystem::exists(word)) {
    name = word.substr(0, equals);
    folder = word.substr(equals + 1);
  }
  if (!std::filesystem::is_directory(folder)) {
    throw user_error({.file = folder, .line = 0, .field = folder.empty() ? "DIR" : ""},
                     "is no folder", "name a run folder or an lm-pub-quiz results folder");
  }
  const auto results = "metadata_results.json";
  if (!std::filesystem::exists(folder / results) &&
      std::filesystem::exists(folder / "probe" / results)) {
    folder /= "probe";
  }
  return {name, folder};
}

/// The folders that an earlier calibration here was made from; nothing when there is none.
inline std::optional<Json> calibrated_folders(const std::filesystem::path& out) {
  if (!std::filesystem::exists(out / "run.json")) return std::nullopt;
  const Json run = read_json_object(out / "run.json");
  const Json settings = run.value("settings", Json());
  if (!settings.is_object() || settings.value("command", Json()) != "calibrate") {
    return std::nullopt;
  }
  return run.value("folders", Json());
}

/// The folders as they are kept in run.json.
inline Json folder_names(const CalibrateArguments& arguments) {
  Json folders = Json::array();
  for (const auto& [name, folder] : arguments.folders) {
    folders.push_back(std::filesystem::weakly_canonical(folder).string());
  }
  return folders;
}

/// Options of the probe that mean nothing without a model.
inline void refuse_probe_options(const options::variables_map& values) {
  for (const char* name :
       {"templates", "template-file", "inject", "limit", "bos", "precision", "threads", "resume"}) {
    if (!values.contains(name) || values[name].defaulted()) continue;
    throw user_error({.field = std::string("--") + name},
                     "is for --model; folders are read as they are",
                     "leave it out, or probe with --model");
  }
}

inline std::filesystem::path calibration_out(const CalibrateArguments& arguments,
                                             const std::string& out) {
  if (!out.empty()) return out;
  const auto& folder = arguments.folders.front().second;
  if (arguments.folders.size() == 1 && std::filesystem::exists(folder / "run.json")) {
    const auto above = folder.parent_path();
    const bool of_model = folder.filename() == "probe" && calibrated_folders(above).has_value();
    return of_model ? above : folder / "calibration";
  }
  throw user_error({.field = "--out"}, "is required for several folders and for another tool's",
                   "give --out DIR");
}

inline std::optional<CalibrateArguments> parse_calibrate(Console& console) {
  using options::value;
  ProbeOptions probe;
  std::vector<std::string> folders;
  std::string bins, resamples, estimators, base_template, paraphrases, verbalized, numerical,
      masked;
  const auto text = [](std::string& target, const char* fallback) {
    return value(&target)->default_value(fallback);
  };
  options::options_description list;
  list.add_options()  //
      ("folders", value(&folders)->value_name("DIR"),
       "results folders, or NAME=DIR; those of one model join")                            //
      ("bins", text(bins, "20")->value_name("N"), "of the calibration errors and curves")  //
      ("resamples", text(resamples, "1000")->value_name("N"), "of the bootstrap")          //
      ("estimators", text(estimators, "")->value_name("A,B"),
       "only these, e.g. base,average_min")                                                      //
      ("base-template", text(base_template, "0")->value_name("N"), "which Base and Margin use")  //
      ("paraphrases", text(paraphrases, "")->value_name("0-4"),
       "template indices by kind, where their text does not tell")         //
      ("verbalized", text(verbalized, "")->value_name("5,6"), "likewise")  //
      ("numerical", text(numerical, "")->value_name("7-11"), "likewise")   //
      ("masked", text(masked, "")->value_name("A,B"),
       "names of masked models; those with \"bert\" in their name by default");
  probe.describe_common(list);
  options::options_description probing("To probe a model first, into RUN/probe");
  probe.describe_scoring(probing, true);
  options::options_description all;
  all.add(list).add(probing);
  options::positional_options_description positional;
  positional.add("folders", -1);
  const auto values = parse_arguments(
      console, "plumb calibrate DIR… --out RUN | plumb calibrate --data DIR --model FILE --out RUN",
      all, positional);
  if (!values) return std::nullopt;
  CalibrateArguments parsed;
  for (const std::string& word : folders) parsed.folders.push_back(parse_folder(word));
  if (probe.model.empty() == folders.empty()) {
    throw user_error({.field = "plumb calibrate"},
                     folders.empty() ? "nothing to calibrate" : "got folders and a --model",
                     "name results folders, or --data DIR --model FILE");
  }
  parsed.study.bins = parse_count(bins, "--bins");
  if (parsed.study.bins < 2 || parsed.study.bins > 1000) {
    throw user_error({.field = "--bins"}, "is not from 2 to 1000", "the paper has 20");
  }
  parsed.study.bootstrap = {parse_count(probe.seed, "--seed"),
                            parse_count(resamples, "--resamples")};
  if (parsed.study.bootstrap.resamples < 20 || parsed.study.bootstrap.resamples > 100'000) {
    throw user_error({.field = "--resamples"}, "is not from 20 to 100000", "1000 is usual");
  }
  parsed.study.estimators = parse_list(estimators, "--estimators");
  parsed.reading.base_template = parse_count(base_template, "--base-template");
  parsed.reading.verbalized = parse_indices(verbalized, "--verbalized");
  parsed.reading.numerical = parse_indices(numerical, "--numerical");
  if (!paraphrases.empty()) {
    parsed.reading.paraphrases = parse_indices(paraphrases, "--paraphrases");
  } else if (!verbalized.empty() || !numerical.empty()) {
    throw user_error({.field = "--paraphrases"}, "is missing",
                     "say which templates are plain ones");
  }
  if (!masked.empty()) parsed.masked = parse_list(masked, "--masked");
  if (folders.empty()) {
    parsed.out = probe.out;
    parsed.probe = probe.parse(*values, "plumb calibrate");
    parsed.probe->out = parsed.out / "probe";
    parsed.folders.push_back({"", parsed.probe->out});
    return parsed;
  }
  refuse_probe_options(*values);
  parsed.data = probe.data;
  parsed.reading.relations = parse_list(probe.relations, "--relations");
  if (!(*values)["reduction"].defaulted() || !(*values)["span"].defaulted()) {
    parsed.reading.scoring = probe.scoring();
  }
  parsed.out = calibration_out(parsed, probe.out);
  return parsed;
}

/// Whether --out holds nothing, or what an earlier calibration of the same folders made.
inline void claim_calibration_folder(const CalibrateArguments& arguments) {
  const auto& out = arguments.out;
  if (is_unused(out)) return;
  if (arguments.probe) {
    if (!arguments.probe->resume || !std::filesystem::exists(out / "probe")) refuse_used(out);
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
    const auto known = std::ranges::find(models, name, [](const auto& m) { return m.first; });
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
  if (named) return std::ranges::find(*named, name) != named->end();
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.find("bert") != std::string::npos;
}

/// Refuses names in --masked that are no model's.
inline void check_masked(const CalibrateArguments& arguments,
                         const std::vector<std::string>& models) {
  if (!arguments.masked) return;
  for (const std::string& name : *arguments.masked) {
    if (std::ranges::find(models, name) != models.end()) continue;
    std::string known;
    for (const std::string& model : models) known += (known.empty() ? "" : ", ") + model;
    throw user_error({.field = "--masked"}, "'" + name + "' is not among the models",
                     "they are " + known);
  }
}

/// Refuses, before anything is scored, what the scores could not be calibrated for.
inline void check_before_probing(const CalibrateArguments& arguments) {
  check_masked(arguments, {arguments.probe->model.model.filename().string()});
  Dataset dataset = chosen_dataset(*arguments.probe);
  std::vector<RelationPredictions> relations;
  for (Relation& relation : dataset.relations) {
    relation.facts.clear();
    relations.push_back(without_facts(relation, templates_of(relation, arguments.probe->templates),
                                      arguments.reading));
  }
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
  if (std::ranges::adjacent_find(facts, std::not_equal_to{}) != facts.end()) {
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
      if (std::ranges::find(remarks, remark, [](const auto& r) { return r.first; }) !=
          remarks.end()) {
        continue;
      }
      std::string who;
      std::size_t count = 0;
      for (const ModelCalibration& other : results.models) {
        if (std::ranges::find(other.remarks, remark) == other.remarks.end()) continue;
        who += (count++ == 0 ? "" : ", ") + other.name;
      }
      remarks.emplace_back(remark, count == results.models.size() ? "" : who);
    }
  }
  return remarks;
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
          {"described_by", string_or_null(arguments.data.filename().string())},
          {"relations", reading.relations.empty() ? Json("all") : Json(reading.relations)},
          {"scoring", results.models.front().scoring},
          {"bins", arguments.study.bins},
          {"resamples", arguments.study.bootstrap.resamples},
          {"seed", arguments.study.bootstrap.seed},
          {"base_template", reading.base_template},
          {"paraphrases", reading.paraphrases ? Json(*reading.paraphrases) : Json()},
          {"verbalized", indices(reading.verbalized)},
          {"numerical", indices(reading.numerical)},
          {"estimators",
           arguments.study.estimators.empty() ? Json("all") : Json(arguments.study.estimators)}};
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
template <class MakeModel>
int run_calibrate_command(Console& console, MakeModel make_model) {
  const double start = Progress::monotonic_seconds();
  const auto arguments = detail::parse_calibrate(console);
  if (!arguments) return 0;
  detail::claim_calibration_folder(*arguments);
  const Json words = detail::command_line_of(console, "calibrate");
  if (arguments->probe) {
    detail::check_before_probing(*arguments);
    console.out << detail::probe(console, *arguments->probe, words, make_model).cost << "\n";
  }
  const CalibrationResults results = detail::measure_models(*arguments);
  const Json settings = detail::calibrate_settings(*arguments, results);
  std::filesystem::create_directories(arguments->out);
  write_calibration(results, settings, arguments->out);
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
