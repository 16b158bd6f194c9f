// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs one command for several models: creates a run folder for each model, and compares the runs.
//
// The subcommand runs once for each model, with the user's options, and writes to OUT/NAME. A model
// that fails is reported, and the others still run. At the end, the complete runs are compared in
// OUT/comparison. With --resume, complete runs are read and the others are resumed. With --shard
// I/N, this process runs the I-th of every N models and compares nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/console.hpp"
#include "plumb/detail/cli/given_options.hpp"
#include "plumb/detail/cli/interrupt.hpp"
#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/cli/model_table.hpp"
#include "plumb/detail/cli/shown_output.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/records/atomic_folder.hpp"
#include "plumb/detail/run/measurement.hpp"
#include "plumb/detail/run/probe_settings.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The models that a command line specifies. Throws a user error for a table that cannot be read,
/// for two models with the same name, and for a table together with `model` or `server`.
[[nodiscard]] inline std::vector<AskedModel> asked_models(const JobTarget& target) {
  std::vector<AskedModel> models;
  if (!target.asks_several())
    return {asked_model(target.server.empty() ? target.model.string() : target.server)};
  const auto twice = [](const char* other) {
    return user_error({.setting = "models"}, std::string("conflicts with `") + other + "`",
                      "use only one of them");
  };
  if (!target.server.empty()) {
    throw user_error({.setting = "server"}, "conflicts with several models",
                     "pass the server's URL as a model: --model NAME=URL");
  }
  if (!target.models.empty()) {
    if (!target.several.empty()) throw twice("model");
    models = read_model_table(target.models);
  } else {
    for (const std::string& word : target.several) models.push_back(asked_model(word));
  }
  for (const AskedModel& model : models) {
    if (!model.options.contains("shot-seeds")) continue;
    throw user_error(model.site, "has a shot-seeds column", "set --shot-seeds for all models");
  }
  refuse_bad_names(models);
  return models;
}

/// Repeats each model, once for each draw of shots. A run is named "shot-seed-3" or, with several
/// models, "NAME-shot-seed-3".
[[nodiscard]] inline std::vector<AskedModel> with_draws(const std::vector<AskedModel>& models,
                                                        std::uint64_t seed, std::size_t draws) {
  if (draws <= 1) return models;
  if (seed > (std::numeric_limits<std::uint64_t>::max)() - draws) {
    throw user_error({.setting = "shot-seed"}, "is too large for this number of draws",
                     "use a smaller seed");
  }
  std::vector<AskedModel> all;
  for (const AskedModel& model : models) {
    if (model.options.contains("shot-seed")) {
      throw user_error(model.site, "has a shot-seed, which --shot-seeds would replace",
                       "remove the column or --shot-seeds");
    }
    for (std::size_t draw = 0; draw < draws; ++draw) {
      AskedModel one = model;
      const std::string of = "shot-seed-" + std::to_string(seed + draw);
      one.name = models.size() == 1 ? of : model.name + "-" + of;
      one.is_named = true;
      one.options["shot-seed"] = std::to_string(seed + draw);
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// The arguments of the command line that runs one of the models.
inline std::vector<std::string> words_for(const AskedModel& model, Json given,
                                          const JobTarget& target) {
  for (const char* of_all : {"model", "models", "server", "shot-seeds"}) given.erase(of_all);
  for (const auto& [option, value] : model.options.items()) {
    if (value == false) {
      given.erase(option);  // a switch that this row turns off
    } else {
      given[option] = value;
    }
  }
  given[model.is_server() ? "server" : "model"] = model.word;
  std::vector<std::string> words = words_of_given(given);
  if (target.dry_run) return words;
  const DiskPath out = DiskPath(target.out) / model.name;
  words.insert(words.end(), {"--out", out.string()});
  // A run that was killed before it started has nothing to resume.
  if (target.resume && !is_unused(out)) words.emplace_back("--resume");
  if (target.overwrite && !is_unused(out)) words.emplace_back("--overwrite");
  return words;
}

/// The command that compares several runs, and its options.
struct ComparingCommand {
  std::string name = "compare";
  Json options = Json::object();
};

/// Returns a comparison that uses `command` and the user's options that are listed in `names`.
inline ComparingCommand comparing_with(const Console& console, const std::string& command,
                                       const std::vector<std::string>& names) {
  ComparingCommand made{command};
  const Json given = given_json(console);
  for (const std::string& name : names) {
    if (given.contains(name)) made.options[name] = given[name];
  }
  return made;
}

/// Compares the complete runs. An earlier comparison in the folder is replaced.
inline int compare_several(Console& console, const JobTarget& target,
                           const std::vector<AskedModel>& models, const ComparingCommand& by) {
  const DiskPath out = DiskPath(target.out) / "comparison";
  if (holds_measurement(out, {{"command", by.name}})) remove_folder(out);
  Console comparing = console;
  comparing.asked = {};
  comparing.arguments = words_of_given(by.options);
  comparing.arguments.insert(comparing.arguments.end(), {"--out", out.string()});
  for (const AskedModel& one : models) {
    comparing.arguments.push_back(one.name + "=" + (DiskPath(target.out) / one.name).string());
  }
  for_people(console) << "\ncomparison of " << counted(models.size(), "model") << "\n";
  return console.run(by.name, comparing);
}

/// Runs `command` (for example, "probe") for each model. Returns 0 if all runs succeeded, 2 if the
/// user can fix all failures, otherwise 1. `asked` contains the settings of a probe, which
/// determine the number of shot draws per model. Throws a user error for models that have the same
/// name; also throws Interrupted.
inline int ask_each_model(Console& console, const char* command, const JobTarget& target,
                          const ComparingCommand& by, const ProbeSettings* asked = nullptr) {
  std::vector<AskedModel> models = asked_models(target);
  if (asked != nullptr) models = with_draws(models, asked->shots.seed, asked->shot_seeds);
  require_out(target, std::string("plumb ") + command);
  if (!console.run) throw internal_error({}, "this program cannot run a command within another");
  if (!target.dry_run && !target.resume && !target.overwrite) refuse_used(target.out);
  const Json given = given_json(console);
  std::vector<AskedModel> complete;
  int code = 0;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const AskedModel& model = models[i];
    if (target.shard.is_part() && i % target.shard.count != target.shard.index) continue;
    Console asking = console;
    asking.asked = {};
    asking.model_known = model.known();
    // If the output is for another program, it contains only the comparison.
    asking.shown = {.quiet = !console.shown.is_for_people()};
    asking.arguments = words_for(model, given, target);
    (target.dry_run ? console.out : for_people(console))
        << (i == 0 ? "" : "\n") << "model " << i + 1 << " of " << models.size() << ": "
        << model.name << "\n"
        << std::flush;
    const auto failed = [&](const char* what, bool by_user) {
      const Site& site = model.site;
      const std::string row =
          site.line > 0 ? site.file.string() + ":" + std::to_string(site.line) + ": " : "";
      console.err << "plumb: " << row << model.name << ": " << as_options(what) << std::endl;
      if (!by_user || code == 0) code = by_user ? 2 : 1;
    };
    try {
      const int one = console.run(command, asking);
      if (one == 0) complete.push_back(model);
      if (one != 0 && code != 1) code = one;
    } catch (const Interrupted& stopped) {
      throw Interrupted(
          stopped.code() - 128, "stopped; finished work is saved",
          "continue with: " + resume_command(console.program, command, console.arguments));
    } catch (const Error& error) {
      failed(error.what(), error.fault() == Fault::user);
    } catch (const std::exception& error) {
      failed(error.what(), false);
    }
  }
  if (complete.size() < models.size() && !target.shard.is_part()) {
    console.err << "plumb: " << models.size() - complete.size() << " of "
                << counted(models.size(), "model")
                << " failed; fix the errors, or remove these models, and run it again with --resume"
                << std::endl;
  }
  if (target.dry_run || target.shard.is_part() || complete.size() < 2) return code;
  const int compared = compare_several(console, target, complete, by);
  return code == 0 ? compared : code;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
