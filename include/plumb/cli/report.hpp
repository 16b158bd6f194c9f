// SPDX-License-Identifier: Apache-2.0
#pragma once

// plumb report: pages and tables from a results folder.
//
// The folder may be plumb's own or lm-pub-quiz's; nothing is scored again. By default the page is
// written beside the results; --out puts it elsewhere and leaves the folder as it is.

#include <cstdint>
#include <filesystem>
#include <string>

#include "plumb/cli/arguments.hpp"
#include "plumb/cli/many_prompt_words.hpp"
#include "plumb/report/many_shot_report.hpp"
#include "plumb/report/probe_report.hpp"
#include "plumb/report/rank_report.hpp"
#include "plumb/run/generate_job.hpp"

namespace plumb {

namespace detail {

/// The command that a run folder is of; empty where it does not say.
inline std::string recorded_command(const std::filesystem::path& run_file) {
  const Json settings = read_json_object(run_file).value("settings", Json());
  return settings.is_object() ? first_string(settings, "command").value_or("") : "";
}

/// Run folders of commands that keep no scores of facts.
inline void refuse_without_results(const std::filesystem::path& run_file,
                                   const std::string& command) {
  if (command == "compare" || command == "calibrate" || command == "many-shot --fixed" ||
      command == "rank --fixed") {
    throw user_error({.file = run_file}, "is of plumb " + command + ", which keeps no scores",
                     "make it again with that command");
  }
}

/// The seed the run's intervals were drawn with.
inline std::uint64_t recorded_seed(const std::filesystem::path& run_file) {
  const Json run = read_json_object(run_file);
  const Json seed = run.contains("settings") && run["settings"].is_object()
                        ? run["settings"].value("seed", Json())
                        : Json();
  if (!seed.is_number_unsigned()) {
    throw user_error({run_file, 0, "settings"}, "names no seed", "give --seed");
  }
  return seed.get<std::uint64_t>();
}

}  // namespace detail

/// Runs the subcommand; returns the exit code 0. Throws Error for everything that goes wrong.
inline int run_report_command(Console& console) {
  std::string run, out, seed;
  detail::options::options_description list;
  list.add_options()  //
      ("run", detail::options::value(&run)->required(),
       "run folder or lm-pub-quiz results folder")  //
      ("out", detail::options::value(&out)->value_name("DIR"),
       "where to write; the run folder itself by default, another tool's is left as it is")  //
      ("seed", detail::options::value(&seed)->value_name("N"),
       "of the bootstrap intervals; the run's own by default");
  MeasuringSettings measuring;
  detail::describe_settings(list, measuring);
  detail::options::positional_options_description positional;
  positional.add("run", 1);
  const auto values =
      detail::parse_arguments(console, "plumb report RUN [--out DIR]", list, positional);
  if (!values) return 0;
  const std::filesystem::path run_file = std::filesystem::path(run) / "run.json";
  const bool ours = std::filesystem::exists(run_file);
  if (!ours && out.empty() &&
      std::filesystem::exists(std::filesystem::path(run) / "metadata_results.json")) {
    throw user_error({.file = run}, "is not plumb's own folder (no run.json)",
                     "give --out DIR, so that it stays as it is");
  }
  const std::string command = ours ? detail::recorded_command(run_file) : "";
  detail::refuse_without_results(run_file, command);
  const std::filesystem::path target = out.empty() ? run : out;
  const std::uint64_t chosen = !seed.empty() ? detail::parse_count(seed, "--seed")
                               : ours        ? detail::recorded_seed(run_file)
                                             : 0;
  const auto show = [&](const auto& report) {
    std::filesystem::create_directories(target);
    report.write(target);
    for (const std::string& note : report.notes()) console.out << note << "\n";
    console.out << report.table() << "\nreport: " << (target / "report.html").string() << "\n";
    return 0;
  };
  const auto is_of = [&](const char* name, const char* metadata) {
    return command == name || std::filesystem::exists(std::filesystem::path(run) / metadata);
  };
  if (is_of("generate", "metadata_generate.json")) {
    detail::read_settings(*values, measuring);
    detail::take_recorded(*values, run_file, measuring);
    return show(generation_report(run, measuring.lemmas(), measuring.options(chosen)));
  }
  for (const char* word : {"wordnet", "samplings", "sample-by"}) {
    if ((*values)[word].defaulted()) continue;
    throw user_error({.field = std::string("--") + word},
                     "has no effect on this run, which is not of plumb generate", "leave it out");
  }
  if (is_of("many-shot", "metadata_many_shot.json")) {
    return show(ManyShotReport(run, {.seed = chosen}));
  }
  if (is_of("rank", "metadata_rank.json")) {
    return show(RankReport(run, {.seed = chosen}));
  }
  return show(ProbeReport(run, {.seed = chosen}));
}

}  // namespace plumb
