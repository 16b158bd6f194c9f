// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be calibrated, and how?
//
// The options of `plumb calibrate`: results folders and how to read them, or a model to probe first.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/aggregate/recorded_predictions.hpp"
#include "plumb/calibrate/calibration_study.hpp"
#include "plumb/cli/probe.hpp"

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
  for (const char* name : {"templates", "template-file", "inject", "limit", "bos", "special-tokens",
                           "precision", "threads", "resume"}) {
    if (!values.contains(name) || values[name].defaulted()) continue;
    throw user_error({.field = std::string("--") + name},
                     "is for --model; folders are read as they are",
                     "leave it out, or probe with --model");
  }
}

inline std::filesystem::path calibration_out(const CalibrateArguments& arguments,
                                             const std::filesystem::path& out) {
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
  std::vector<std::string> folders;
  std::string bins, resamples, estimators, base_template, paraphrases, verbalized, numerical,
      masked;
  const auto text = [](std::string& target, const char* fallback) {
    return value(&target)->default_value(fallback);
  };
  ProbeArguments probe;
  probe.probe.templates = {};
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
  options::options_description probing("To probe a model first, into RUN/probe");
  DescribeOptions reading(list), scoring(probing);
  ProbeArguments::visit_reading(probe, reading);
  ProbeArguments::visit_scoring(probe, scoring);
  options::options_description all;
  all.add(list).add(probing);
  options::positional_options_description positional;
  positional.add("folders", -1);
  const auto values = parse_arguments(
      console, "plumb calibrate DIR… --out RUN | plumb calibrate --data DIR --model FILE --out RUN",
      all, positional);
  if (!values) return std::nullopt;
  read_settings(*values, probe);
  CalibrateArguments parsed;
  for (const std::string& word : folders) parsed.folders.push_back(parse_folder(word));
  if (probe.target.model.empty() == folders.empty()) {
    throw user_error({.field = "plumb calibrate"},
                     folders.empty() ? "nothing to calibrate" : "got folders and a --model",
                     "name results folders, or --data DIR --model FILE");
  }
  parsed.study.bins = parse_count(bins, "--bins");
  if (parsed.study.bins < 2 || parsed.study.bins > 1000) {
    throw user_error({.field = "--bins"}, "is not from 2 to 1000", "the paper has 20");
  }
  parsed.study.bootstrap = {probe.probe.seed, parse_count(resamples, "--resamples")};
  if (parsed.study.bootstrap.resamples < 20 || parsed.study.bootstrap.resamples > 100'000) {
    throw user_error({.field = "--resamples"}, "is not from 20 to 100000", "1000 is usual");
  }
  parsed.study.estimators = parse_list(estimators, "--estimators");
  parsed.reading.kinds.base = parse_count(base_template, "--base-template");
  parsed.reading.kinds.verbalized = parse_indices(verbalized, "--verbalized");
  parsed.reading.kinds.numerical = parse_indices(numerical, "--numerical");
  if (!paraphrases.empty()) {
    parsed.reading.kinds.paraphrases = parse_indices(paraphrases, "--paraphrases");
  } else if (!verbalized.empty() || !numerical.empty()) {
    throw user_error({.field = "--paraphrases"}, "is missing",
                     "say which templates are plain ones");
  }
  if (!masked.empty()) parsed.masked = parse_list(masked, "--masked");
  if (folders.empty()) {
    probe.check("plumb calibrate");
    parsed.out = std::exchange(probe.target.out, probe.target.out / "probe");
    parsed.folders.push_back({"", probe.target.out});
    parsed.probe = std::move(probe);
    return parsed;
  }
  refuse_probe_options(*values);
  parsed.data = probe.probe.data;
  parsed.reading.relations = probe.probe.relations;
  if (!(*values)["reduction"].defaulted() || !(*values)["span"].defaulted()) {
    parsed.reading.scoring = probe.probe.scoring;
  }
  parsed.out = calibration_out(parsed, probe.target.out);
  return parsed;
}

}  // namespace detail
}  // namespace plumb
