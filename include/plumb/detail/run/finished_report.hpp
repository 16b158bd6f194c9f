// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on a finished run, regenerated from its folder. The run may come from any plumb job or
// from lm-pub-quiz.
//
// Nothing is scored again. The measurement settings in the folder apply unless the user sets
// others.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/records/generation_lists.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/records/results_kind.hpp"
#include "plumb/detail/report/list_report.hpp"
#include "plumb/detail/report/many_shot_report.hpp"
#include "plumb/detail/report/probe_report.hpp"
#include "plumb/detail/report/rank_report.hpp"
#include "plumb/detail/report/report.hpp"
#include "plumb/detail/run/generate_settings.hpp"
#include "plumb/detail/run/generation_report.hpp"
#include "plumb/detail/run/job_setting.hpp"
#include "plumb/detail/run/probe_settings.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The kind of results that a run's folder contains, or will contain when it is finished. Throws a
/// user error if the folder's command stores no scores. A folder without this information is
/// treated as a probe's folder.
[[nodiscard]] inline ResultsKind run_kind(const DiskPath& folder) {
  refuse_without_results(folder);
  const std::string command = first_string(kept_settings(folder), "command").value_or("");
  for (const char* none : {"compare", "calibrate", "many-shot --fixed", "rank --fixed"}) {
    if (command != none) continue;
    throw user_error({.file = folder / "run.json"},
                     "is from plumb " + command + ", which stores no scores",
                     command == std::string("calibrate")
                         ? "to recreate it, run `plumb calibrate` on the results it was made from"
                         : "to recreate it, run that command");
  }
  const auto found = results_kind(folder);
  if (command == "generate" && first_string(kept_settings(folder), "form") == "kamel") {
    return ResultsKind::lists;
  }
  if (found && found != ResultsKind::closed_set) return *found;
  for (const ResultsKind kind :
       {ResultsKind::generation, ResultsKind::many_shot, ResultsKind::ranking}) {
    if (command == metadata_of(kind).command) return kind;
  }
  return ResultsKind::closed_set;
}

/// The settings with which a generation's answers were measured, using defaults for everything that
/// its folder does not record.
[[nodiscard]] inline MeasuringSettings recorded_measuring(const DiskPath& folder) {
  MeasuringSettings measuring;
  if (!is_there(folder / "run.json")) return measuring;
  const Json run = read_json_object(folder / "run.json"), settings = kept_settings(folder);
  // An unfinished run records only whether lemmas are used.
  if (first_string(settings, "lemmas") == "none" || settings.contains("masks")) {
    measuring.wordnet = "none";  // a masked model's tokens have no lemmas
  }
  measuring.wordnet = first_string(run, "wordnet").value_or(measuring.wordnet.string());
  if (const auto by = first_string(settings, "sample_by")) {
    setting::read(*by, "sample_by", measuring.sample_by);
  }
  if (const Json many = settings.value("samplings", Json()); many.is_number_unsigned()) {
    measuring.samplings = many.get<std::size_t>();
  }
  return measuring;
}

struct ReportSettings {
  /// The run folder. Until this path is set, the settings for a generation apply.
  std::filesystem::path run{};
  /// The folder to write to. If empty, the report is written to the run folder, which must have
  /// been created by plumb.
  std::filesystem::path out{};
  /// Whether to overwrite a folder that contains something other than a report on the run.
  bool overwrite = false;
  /// If not set, the run's own seed is used.
  std::optional<std::uint64_t> seed{};
  /// Applies only to a closed-set probe. If not set, the run's own value is used.
  std::optional<std::string> group_by{};
  MeasuringSettings measuring{};

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("run", self.run, {.value = "RUN", .help = "run folder or lm-pub-quiz results folder"});
    visitor(
        "out", self.out,
        {.value = "DIR",
         .help = "folder to write to; default: the run folder (required for another tool's run)"});
    visitor(
        "overwrite", self.overwrite,
        {.help = "write into `out` even if it contains something other than a report of this run",
         .idle = self.out.empty() ? "without `out`; remove it" : ""});
    visitor(
        "seed", self.seed,
        {.value = "N", .help = "random seed for the bootstrap intervals; default: the run's own"});
    const ResultsKind kind = self.run.empty() ? ResultsKind::generation : run_kind(self.run);
    visitor("group-by", self.group_by,
            {.value = "COLUMN",
             .help = group_by_help,
             .idle = self.run.empty() || kind == ResultsKind::closed_set
                         ? ""
                         : "on this run, which is not from plumb probe; remove it"});
    const bool fills = !self.run.empty() && kept_settings(self.run).contains("masks");
    const auto measuring = [&](std::string_view name, auto& value, SettingInfo info) {
      if (kind == ResultsKind::lists) {
        info.idle = "on this run, whose answers are lists; remove it";
      } else if (kind != ResultsKind::generation) {
        info.idle = "on this run, which is not from plumb generate; remove it";
      }
      if (name == "wordnet" && fills) {
        info.idle = "on this run of a masked model, whose answers are tokens; remove it";
      }
      visitor(name, value, info);
    };
    MeasuringSettings::visit(self.measuring, measuring);
  }

  /// The folder to write the report to. Throws a user error if writing there would change another
  /// tool's folder.
  [[nodiscard]] DiskPath target() const {
    if (!out.empty()) return out;
    const DiskPath folder = run;
    if (!is_there(folder / "run.json") &&
        is_there(folder / metadata_name(ResultsKind::closed_set))) {
      throw user_error({.file = run}, "is not plumb's own folder (no run.json)",
                       "set `out` to another folder to leave this one unchanged");
    }
    return run;
  }
};

/// Reads a finished run. Throws a user error if the folder does not contain a finished run, if the
/// results differ from what the run wrote, or if neither the run nor the settings specify a seed.
[[nodiscard]] inline Report finished_report(const ReportSettings& settings) {
  const DiskPath& run = settings.run;
  const ResultsKind kind = run_kind(run);
  refuse_changed_results(run);
  std::uint64_t seed = settings.seed.value_or(0);
  if (!settings.seed && is_there(run / "run.json")) {
    const Json recorded = kept_settings(run).value("seed", Json());
    if (!recorded.is_number_unsigned()) {
      throw user_error({run / "run.json", 0, "settings"}, "has no seed", "set `seed`");
    }
    seed = recorded.get<std::uint64_t>();
  }
  switch (kind) {
    case ResultsKind::generation:
      return generation_report(run, settings.measuring.lemmas(), settings.measuring.options(seed));
    case ResultsKind::lists:
      return list_report(run, {.seed = seed});
    case ResultsKind::many_shot:
      return many_shot_report(run, {.seed = seed});
    case ResultsKind::ranking:
      return rank_report(run, {.seed = seed});
    case ResultsKind::closed_set:
      break;
  }
  std::string group_by;
  if (settings.group_by) {
    group_by = *settings.group_by;
  } else if (is_there(run / "run.json")) {
    group_by = first_string(read_json_object(run / "run.json"), "group_by").value_or("");
  }
  return probe_report(run, {.seed = seed}, group_by);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
