// SPDX-License-Identifier: Apache-2.0
#pragma once

// Settings of a comparison of finished runs: which runs, and whether to compare them under one
// setting, over many prompts, or with published numbers.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/run/generate_settings.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/result_folders.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CompareSettings {
  ResultFolders runs{};
  /// The setting to compare under ("ic/50"). If empty, many-shot learning with the largest number
  /// of shots that all runs include is used.
  std::string setting{};
  /// A JSON file, {"family": ["model", …]}; may be empty.
  std::filesystem::path families{};
  /// Each pair is BASE:TUNED.
  std::vector<std::string> pairs{};
  std::uint64_t seed = 0;
  /// Whether to compare over all templates and names of each fact. Implied if any of the runs is a
  /// generation.
  bool prompts = false;
  /// A file with the templates used in the closed-set runs, which defines the groups of templates;
  /// may be empty.
  std::filesystem::path templates{};
  MeasuringSettings measuring{};
  /// A column of the facts table, or "domain".
  std::string group_by{};
  /// Conditions that compare the second run with the first (compare_assertions.hpp).
  std::vector<std::string> assertions{};
  /// A file or folder of published numbers to show next to the runs' numbers; may be empty.
  std::filesystem::path published{};

  [[nodiscard]] bool with_published() const { return !published.empty(); }
  [[nodiscard]] std::size_t generations() const {
    return static_cast<std::size_t>(ranges::count_if(
        runs.list, [](const ResultFolder& run) { return is_generation(run.path); }));
  }
  /// The number of entity rankings among the runs.
  [[nodiscard]] std::size_t rankings() const {
    return static_cast<std::size_t>(
        ranges::count_if(runs.list, [](const ResultFolder& run) { return is_ranking(run.path); }));
  }
  [[nodiscard]] bool over_rankings() const { return !with_published() && rankings() > 0; }
  [[nodiscard]] bool over_prompts() const {
    return !with_published() && !over_rankings() && (prompts || generations() > 0);
  }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    const bool prompts = self.over_prompts();
    const std::size_t generations = self.generations();
    const bool published = self.with_published(), rankings = self.over_rankings();
    const auto idle = [published, rankings](bool used, const char* when) -> std::string {
      if (published) return "with `published`; remove it";
      if (rankings) return "on rankings; remove it";
      return used ? "" : std::string(when) + "; remove it";
    };
    const std::string none = published ? idle(true, "") : "";
    const std::string not_ranked = idle(true, "");
    const std::string under_one = idle(!prompts, "over many prompts");
    const std::string over_many = idle(prompts, "without `prompts`");
    visitor("runs", self.runs,
            {.value = "RUN",
             .help = "finished run folders or lm-pub-quiz results folders; NAME=RUN sets a "
                     "model's name",
             .recorded = "-"});
    visitor("setting", self.setting,
            {.value = "ic/50",
             .help = "setting to compare under; default: many-shot with the most shots that all "
                     "runs have",
             .idle = under_one,
             .recorded = "-"});
    visitor("families", self.families,
            {.value = "FILE",
             .help = "JSON file of model families: {\"family\": [\"model\", …]}",
             .idle = under_one});
    visitor("pairs", self.pairs,
            {.value = "BASE:TUNED,…",
             .help = "base models, each with a model fine-tuned from it",
             .idle = under_one,
             .recorded = "-"});
    visitor("seed", self.seed,
            {.value = "N", .help = "random seed for the bootstrap intervals", .idle = none});
    visitor("prompts", self.prompts,
            {.help = "compare over many prompts (all templates and names of each fact); implied by "
                     "plumb generate runs",
             .idle = not_ranked,
             .recorded = "-"});
    visitor("templates", self.templates,
            {.value = "FILE",
             .help = "with `prompts`: templates.jsonl of the closed-set runs, which defines the "
                     "template groups",
             .idle = !prompts ? over_many
                              : idle(generations < self.runs.list.size(), "without a closed set")});
    const auto measuring = [&](std::string_view name, auto& value, SettingInfo info) {
      info.idle =
          !prompts || name != "wordnet" ? over_many : idle(generations > 0, "on closed sets");
      visitor(name, value, info);
    };
    MeasuringSettings::visit(self.measuring, measuring);
    visitor("group-by", self.group_by,
            {.value = "COLUMN",
             .help = "also show accuracy by a column of the facts (popularity, year; numbers are "
                     "binned) or by domain",
             .idle = under_one});
    visitor("assert", self.assertions,
            {.value = "CONDITION,…",
             .help = "conditions on run 2 against run 1: 'accuracy.drop < 0.01, known.lost < 20'; "
                     "exit 3 if one fails",
             .idle = under_one,
             .recorded = "-"});
    visitor("published", self.published,
            {.value = "FILE",
             .help = "compare runs with published numbers instead: a .csv (model, metrics.json "
                     "key, value), or a folder of them"});
  }
};

/// Parses {"family": ["model", …], …} into a map from each model to its family. Throws a user error
/// if the JSON has a different structure, if a name is not a model name, or if a model is in two
/// families.
inline std::map<std::string, std::string> read_families(const DiskPath& file,
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
      if (ranges::find(models, name) == models.end()) {
        throw user_error({file, 0, family}, "'" + name + "' is not among the models",
                         "they are " + text_list(models));
      }
      if (const auto [place, added] = families.emplace(name, family); !added) {
        throw user_error({file, 0, family}, "'" + name + "' is already in '" + place->second + "'",
                         "list each model in one family");
      }
    }
  }
  return families;
}

/// Splits "base:tuned" into two names. Names may contain colons as long as only one split yields
/// two model names.
inline std::pair<std::string, std::string> parse_pair(const std::string& text,
                                                      const std::vector<std::string>& models) {
  const auto known = [&](const std::string& name) {
    return ranges::find(models, name) != models.end();
  };
  std::vector<std::pair<std::string, std::string>> readings;
  for (auto colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    std::pair reading{text.substr(0, colon), text.substr(colon + 1)};
    if (known(reading.first) && known(reading.second)) readings.push_back(std::move(reading));
  }
  if (readings.size() == 1 && readings[0].first != readings[0].second) return readings[0];
  throw user_error({.setting = "pairs"}, "'" + text + "' does not name two of the models",
                   "write BASE:TUNED; the models are " + text_list(models));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
