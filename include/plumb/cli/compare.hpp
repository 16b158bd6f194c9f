// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb compare: what do models know, side by side?
//
// Reads finished runs of two or more models and sets them beside one another under a setting that
// all have; nothing is scored again. Over many prompts: compare_prompts.hpp.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/cli/calibrate_options.hpp"
#include "plumb/cli/compare_prompts.hpp"
#include "plumb/cli/job_target.hpp"
#include "plumb/core/over.hpp"
#include "plumb/measure/many_shot_study.hpp"
#include "plumb/measure/probe_study.hpp"
#include "plumb/report/comparison_report.hpp"
#include "plumb/run/progress.hpp"

namespace plumb {

/// The study in a run folder, whatever command made it. Throws a user error for a folder that holds
/// no finished results.
[[nodiscard]] inline StudiedModel read_study(const std::filesystem::path& folder,
                                             const std::string& name) {
  if (std::filesystem::exists(folder / "metadata_many_shot.json")) {
    return many_shot_study(folder, name);
  }
  return probe_study(folder, name);
}

namespace detail {

struct CompareArguments {
  /// Name and folder of each model.
  NamedRuns runs;
  std::filesystem::path out, families, templates;
  ComparisonOptions options;
  /// Over many prompts, and how; otherwise under one setting.
  bool prompts = false;
  MeasuringSettings measuring;
};

/// The model's name as the run has it; else the folder's.
inline std::string run_name(const std::filesystem::path& folder) {
  if (const auto file = folder / "run.json"; std::filesystem::exists(file)) {
    const Json run = read_json_object(file);
    if (const auto settings = run.find("settings");
        settings != run.end() && settings->is_object()) {
      if (auto model = first_string(*settings, "model")) return *model;
    }
  }
  const auto whole = std::filesystem::weakly_canonical(folder);
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// Settings that make a question harder or easier and stand otherwise in a run than in the first
/// (over many prompts, the first of its command): one remark a run.
inline std::vector<std::string> asked_otherwise(const CompareArguments& arguments) {
  const auto settings_of = [](const std::filesystem::path& folder) {
    const auto file = folder / "run.json";
    return std::filesystem::exists(file) ? read_json_object(file).value("settings", Json::object())
                                         : Json::object();
  };
  std::vector<std::string> remarks;
  std::map<std::string, std::pair<std::string, Json>> firsts;
  for (const auto& [name, folder] : arguments.runs) {
    const Json settings = settings_of(folder);
    const std::string kind =
        arguments.prompts ? first_string(settings, "command").value_or("") : "";
    const auto& [first_name, first] = firsts.try_emplace(kind, name, settings).first->second;
    std::string apart;
    for (const char* field :
         {"command", "dataset_sha256", "bos", "precision", "reduction", "span", "choices",
          "choice_seed", "split_seed", "train", "item_separator", "join", "baselines_sha256",
          "template_file_sha256", "max_new_tokens", "shot_seed"}) {
      if (!settings.contains(field) || !first.contains(field)) continue;
      if (settings[field] == first[field]) continue;
      apart += (apart.empty() ? "" : ", ") + std::string(field) + " " + settings[field].dump() +
               " instead of " + first[field].dump();
    }
    // What refuses the texts of special tokens met none.
    const auto reads = [](const Json& of) {
      return first_string(of, "special_tokens").value_or("refuse");
    };
    if (reads(settings) != reads(first) && reads(settings) != "refuse" &&
        reads(first) != "refuse") {
      apart += (apart.empty() ? "" : ", ") + std::string("special_tokens ") + reads(settings) +
               " instead of " + reads(first);
    }
    if (apart.empty()) continue;
    remarks.push_back(name + " was asked otherwise than " + first_name +
                      ", so their numbers may not compare: " + apart);
  }
  return remarks;
}

inline void refuse_equal_names(const CompareArguments& arguments) {
  for (std::size_t i = 0; i < arguments.runs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (arguments.runs[i].first != arguments.runs[j].first) continue;
      throw user_error(
          {.file = arguments.runs[i].second},
          "is named '" + arguments.runs[i].first + "', as is " + arguments.runs[j].second.string(),
          "name them apart as NAME=RUN");
    }
  }
}

/// {"family": ["model", …], …} as the family of each model. Throws a user error for another shape,
/// a name that is no model's, and a model in two families.
inline std::map<std::string, std::string> read_families(const std::filesystem::path& file,
                                                        const std::vector<std::string>& models) {
  std::map<std::string, std::string> families;
  const Json object = read_json_object(file);
  for (const auto& [family, unused] : object.items()) {
    const auto names = string_list(object, family);
    if (!names || family.empty()) {
      throw user_error({file, 0, family}, "is not a list of model names under a family's name",
                       "write {\"family\": [\"model\", …]}");
    }
    for (const std::string& name : *names) {
      if (over::find(models, name) == models.end()) {
        std::string known;
        for (const std::string& model : models) known += (known.empty() ? "" : ", ") + model;
        throw user_error({file, 0, family}, "'" + name + "' is not among the models",
                         "they are " + known);
      }
      if (const auto [place, added] = families.emplace(name, family); !added) {
        throw user_error({file, 0, family}, "'" + name + "' is in '" + place->second + "' already",
                         "give each model one family");
      }
    }
  }
  return families;
}

/// "base:tuned,base:tuned" as names. A name may hold a colon where only one reading names two
/// models.
inline std::vector<std::pair<std::string, std::string>> parse_pairs(
    const std::string& text, const std::vector<std::string>& models) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto known = [&](const std::string& name) {
    return over::find(models, name) != models.end();
  };
  for (const std::string& item : parse_list(text, "--pairs")) {
    std::vector<std::pair<std::string, std::string>> readings;
    for (auto colon = item.find(':'); colon != std::string::npos;
         colon = item.find(':', colon + 1)) {
      std::pair reading{item.substr(0, colon), item.substr(colon + 1)};
      if (known(reading.first) && known(reading.second)) readings.push_back(std::move(reading));
    }
    if (readings.size() != 1 || readings[0].first == readings[0].second) {
      std::string names;
      for (const std::string& model : models) names += (names.empty() ? "" : ", ") + model;
      throw user_error({.field = "--pairs"}, "'" + item + "' does not name two of the models",
                       "write BASE:TUNED; they are " + names);
    }
    pairs.push_back(std::move(readings[0]));
  }
  return pairs;
}

inline std::optional<CompareArguments> parse_compare(Console& console) {
  using options::value;
  std::vector<std::string> runs;
  std::string out, setting, families, pairs, seed, templates;
  CompareArguments parsed;
  options::options_description list;
  list.add_options()  //
      ("runs", value(&runs)->value_name("RUN"),
       "finished run folders, or lm-pub-quiz results folders; NAME=RUN gives a model's name")  //
      ("out", value(&out)->required()->value_name("DIR"), "where to write")                    //
      ("setting", value(&setting)->default_value("")->value_name("ic/50"),
       "what to compare under; by default many-shot learning with the most shots all have")  //
      ("families", value(&families)->default_value("")->value_name("FILE"),
       "JSON, {\"family\": [\"model\", …]}")  //
      ("pairs", value(&pairs)->default_value("")->value_name("BASE:TUNED,…"),
       "base models and those fine-tuned from them")                                             //
      ("seed", value(&seed)->default_value("0")->value_name("N"), "of the bootstrap intervals")  //
      ("prompts",
       "compare over many prompts: all templates and names of each fact; as with any run of plumb "
       "generate")  //
      ("templates", value(&templates)->default_value("")->value_name("FILE"),
       "many prompts: the templates.jsonl that closed sets were asked with, for its groups");
  describe_settings(list, parsed.measuring);
  options::positional_options_description positional;
  positional.add("runs", -1);
  const auto values =
      parse_arguments(console, "plumb compare RUN… [NAME=RUN] --out DIR", list, positional);
  if (!values) return std::nullopt;
  std::vector<std::string> names;
  for (const std::string& word : runs) {
    auto [name, folder] = parse_folder(word);
    names.push_back(name.empty() ? run_name(folder) : name);
    parsed.runs.emplace_back(names.back(), folder);
  }
  parsed.prompts = values->contains("prompts") || generations_among(parsed.runs) > 0;
  refuse_idle_words(*values, parsed.prompts, parsed.runs);
  read_settings(*values, parsed.measuring);
  if (parsed.runs.size() < (parsed.prompts ? 1 : 2)) {
    throw user_error({.field = "RUN"}, "fewer than two runs to compare",
                     "name the run folders of two or more models");
  }
  refuse_equal_names(parsed);
  parsed.out = out;
  parsed.families = families;
  parsed.templates = templates;
  parsed.options.setting = setting;
  if (!families.empty()) parsed.options.families = read_families(families, names);
  parsed.options.pairs = parse_pairs(pairs, names);
  parsed.options.bootstrap.seed = parse_count(seed, "--seed");
  return parsed;
}

/// The folders as they are kept in run.json.
inline Json folder_names(const CompareArguments& arguments) {
  Json folders = Json::array();
  for (const auto& [name, folder] : arguments.runs) {
    folders.push_back(std::filesystem::weakly_canonical(folder).string());
  }
  return folders;
}

/// Whether --out holds nothing, or an earlier comparison of the same folders.
inline void claim_comparison_folder(const CompareArguments& arguments) {
  if (is_unused(arguments.out)) return;
  if (const auto file = arguments.out / "run.json"; std::filesystem::exists(file)) {
    const Json run = read_json_object(file);
    const Json settings = run.value("settings", Json());
    if (settings.is_object() && settings.value("command", Json()) == "compare" &&
        settings.contains("over") == arguments.prompts &&
        run.value("folders", Json()) == folder_names(arguments)) {
      return;
    }
  }
  throw user_error({.file = arguments.out}, "holds something else than a comparison of these runs",
                   "choose another --out");
}

inline Json compare_settings(const CompareArguments& arguments, const Comparison& made) {
  Json pairs = Json::array();
  for (const auto& [base, tuned] : arguments.options.pairs) {
    pairs.push_back(base + ":" + tuned);
  }
  return {{"command", "compare"},
          {"plumb_version", PLUMB_VERSION},
          {"models", made.table.models},
          {"setting", setting_name(made.table.group)},
          {"families", setting::to_json(arguments.families)},
          {"pairs", pairs.empty() ? Json() : pairs},
          {"resamples", arguments.options.bootstrap.resamples},
          {"seed", arguments.options.bootstrap.seed}};
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_compare_command(Console& console) {
  const double start = Progress::monotonic_seconds();
  const auto arguments = detail::parse_compare(console);
  if (!arguments) return 0;
  detail::claim_comparison_folder(*arguments);
  if (arguments->prompts) {
    return detail::compare_prompts(
        console, arguments->runs, detail::asked_otherwise(*arguments), arguments->templates,
        arguments->measuring, arguments->options.bootstrap.seed, arguments->out,
        [&](const Json& settings) {
          return Json{{"status", "complete"},
                      {"settings", settings},
                      {"command_line", detail::command_line_of(console, "compare")},
                      {"folders", detail::folder_names(*arguments)},
                      {"seconds_total", Progress::monotonic_seconds() - start}};
        });
  }
  std::vector<StudiedModel> models;
  for (const auto& [name, folder] : arguments->runs) models.push_back(read_study(folder, name));
  Comparison made = compare_studies(models, arguments->options);
  for (std::string& remark : detail::asked_otherwise(*arguments)) {
    made.remarks.push_back(std::move(remark));
  }
  const Json settings = detail::compare_settings(*arguments, made);
  std::filesystem::create_directories(arguments->out);
  write_comparison(made, settings, arguments->out);
  const Json run = {{"status", "complete"},
                    {"settings", settings},
                    {"command_line", detail::command_line_of(console, "compare")},
                    {"folders", detail::folder_names(*arguments)},
                    {"seconds_total", Progress::monotonic_seconds() - start}};
  write_atomically(arguments->out / "run.json", run.dump(2) + "\n");
  console.out << comparison_table(made);
  for (const std::string& remark : made.remarks) console.out << remark << "\n";
  console.out << "report: " << (arguments->out / "report.html").string() << "\n";
  return 0;
}

}  // namespace plumb
