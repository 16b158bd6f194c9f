// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does the command line run a job, and what does the console show?

#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/detail/cli/interrupt.hpp"
#include "plumb/detail/cli/job_target.hpp"
#include "plumb/detail/cli/shown_output.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/report/cells.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/measurement.hpp"
#include "plumb/detail/run/merge_shards.hpp"
#include "plumb/detail/run/progress_bar.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Shows a progress bar for each quantity that a job counts, one bar after another. The console
/// must outlive the callback.
inline ProgressCallback progress_bars(Console& console) {
  if (console.shown.quiet) return {};
  if (console.on_progress) return console.on_progress;
  struct OpenBar {
    std::string counted;
    std::optional<ProgressBar> progress;
  };
  return [&console, bar = std::make_shared<OpenBar>()](const WorkState& state) {
    if (!bar->progress || bar->counted != state.counted) {
      bar->progress.reset();  // ends the bar's line before the next bar begins
      bar->progress.emplace(bar_of(console), state.total, state.counted, console.err_is_terminal);
      bar->counted = state.counted;
    }
    bar->progress->update(state.done, state.fresh, state.at);
  };
}

/// Prints a job's plan, with one line for each part. The plan of a resumed run includes the work
/// that is already finished.
inline void show_plan(std::ostream& out, const JobPlan& plan, bool resumes) {
  for (const std::string& line : description_of(plan)) {
    out << (resumes ? "planned, including finished work: " : "planned: ") << line << std::endl;
  }
}

/// The command line with which the program was started, as run.json stores it.
inline Json command_line_of(const Console& console, const char* command) {
  Json words = {"plumb", command};
  for (const std::string& word : console.arguments) words.push_back(word);
  return words;
}

/// The folder for the results of a job run from the command line.
inline JobFolder job_folder(Console& console, const char* command, const JobTarget& target,
                            const std::filesystem::path& data) {
  std::error_code ignored;  // the working directory has no path if it has been removed
  const std::string here = std::filesystem::current_path(ignored).string();
  if (first_invalid_utf8(here) != std::string::npos) {
    throw user_error({}, "the name of the current folder, or of one above it, is not UTF-8",
                     "run plumb in another folder, because run.json records the path");
  }
  Json facts = {
      {"command_line", command_line_of(console, command)},
      {"options", given_json(console)},
      {"working_directory", here},
      {"model_path",
       target.server.empty() ? Json(std::filesystem::absolute(target.model).string()) : Json()},
      {"dataset_path", std::filesystem::absolute(data).string()},
      {"threads", target.model_options({}).threads}};
  if (!target.model_given.empty()) facts["model_given"] = target.model_given;
  if (!target.model_known.empty()) facts["model_known"] = target.model_known;
  WorkOptions work{progress_bars(console),
                   {},
                   [&console, resumes = target.resume](const JobPlan& plan) {
                     if (!console.shown.quiet) show_plan(console.err, plan, resumes);
                   },
                   target.shard};
  if (console.merged) {
    facts["shards"] = console.merged->names();
    work.shards = console.merged->folders;
    work.before = console.merged->before;
  }
  const auto at_end = [of_model = target.model_facts] {
    const Json stated = *of_model ? (*of_model)() : Json();
    return stated.is_object() ? stated : Json::object();
  };
  return {target.out, target.resume, std::move(work), std::move(facts), at_end, target.overwrite};
}

/// Calls `run_into(folder)` for a job run from the command line. Throws Interrupted, the exceptions
/// of `run_into`, and a user error if a file of a repeated run has changed.
template <Job J, class RunInto>
auto run_interruptibly(Console& console, const char* command, const JobTarget& target,
                       const std::filesystem::path& data, J& job, RunInto run_into) {
  refuse_changed_files(console, job.settings());
  std::optional<InterruptCatcher> catcher;
  if (console.catches_interrupt) catcher.emplace();
  JobFolder folder = job_folder(console, command, target, data);
  folder.work.stop = [&catcher] { return catcher && catcher->noted() != 0; };
  try {
    return run_into(folder);
  } catch (const Stopped&) {
    const int by = catcher->noted();
    if (target.overwrite) {
      throw Interrupted(by, "stopped; nothing was replaced", "run it again to start over");
    }
    if (console.merged) {
      throw Interrupted(by, "stopped; merged work is saved", "run it again to continue");
    }
    std::vector<std::string> words = console.arguments;
    if (target.model_of_variable) words.insert(words.end(), {"--model", target.word()});
    throw Interrupted(by, "stopped; finished work is saved",
                      "continue with: " + resume_command(console.program, command, words));
  }
}

/// Runs a job from the command line. Throws what run_job and run_interruptibly throw.
template <Job J>
auto run_target(Console& console, const char* command, const JobTarget& target,
                const std::filesystem::path& data, J& job) {
  return run_interruptibly(console, command, target, data, job,
                           [&](const JobFolder& folder) { return run_job(job, folder); });
}

/// For a dry run, prints the job's plan; for a shard, runs the shard. Returns whether it did
/// either. Throws like run_target.
template <Job J>
[[nodiscard]] bool is_dry_run_or_shard(Console& console, const char* command,
                                       const JobTarget& target, const std::filesystem::path& data,
                                       J& job) {
  if (target.dry_run) {
    if (const std::optional<JobPlan> plan = plan_of(job, progress_bars(console))) {
      show_plan(console.out, *plan, target.resume);
    } else {
      console.out << "this job cannot count its prompts in advance\n";
    }
    return true;
  }
  if (!target.shard.is_part()) return false;
  const RunSummary summary =
      run_interruptibly(console, command, target, data, job,
                        [&](const JobFolder& folder) { return run_shard(job, folder); });
  for_people(console) << "shard " << target.shard.word() << ": "
                      << counted(summary.fresh_statements, "statement") << " scored now, "
                      << with_decimals(summary.seconds_model, 1)
                      << " s in the model; `plumb merge` joins all " << target.shard.count
                      << " shards\n"
                      << "shard: " << target.out.string() << "\n";
  return true;
}

/// Prints a report's notes and table, the cost of its run as text, and the path of the report's
/// file.
inline void show_report(Console& console, const Report& report, const DiskPath& file,
                        const std::string& cost = "", const char* label = "report") {
  const auto& notes = report.notes();
  if (!console.shown.is_for_people()) {
    for (const std::string& note : notes) for_people(console) << as_options(note) << "\n";
    if (console.shown.json) console.out << report.metrics().dump(2) << "\n";
    if (console.shown.format != TableFormat::terminal) {
      console.out << report.table_as(console.shown.format);
    }
    return;
  }
  const std::string page = file.path().extension() == ".html" ? file.name() : "";
  for (const std::string& note : notes) {
    console.out << in_lines(as_options(note), console.width) << "\n";
  }
  console.out << (notes.empty() ? "" : "\n") << report.table(width_on(console, page)) << "\n"
              << each_in_lines(cost, console.width) << label << ": " << file.string() << "\n";
}

/// Runs a measurement, shows its report, and returns the report.
template <Measurement M>
Report show_measurement(Console& console, const char* command, const M& measurement,
                        const DiskPath& out) {
  const Json facts = {{"command_line", command_line_of(console, command)},
                      {"options", given_json(console)}};
  Report report = run_measurement(measurement, out, facts);
  show_report(console, report, out / "report.html");
  return report;
}

/// What a server did for this process, and how much its answers vary, as a line of text. `stated` is
/// what run.json records about the model. Returns an empty text if that does not contain a server.
inline std::string server_in_words(const Json& stated) {
  const Json server = stated.is_object() ? stated.value("server", Json()) : Json();
  if (!server.is_object()) return "";
  const auto count = [&](const char* name) { return server.value(name, std::size_t{0}); };
  std::string text = "server: " + counted(count("requests"), "request") + ", " +
                     counted(count("tokens_sent"), "token") + " sent";
  if (const std::size_t computed = count("tokens_computed"); computed > 0) {
    text += ", " + std::to_string(computed) + " computed";
  }
  std::optional<double> most;
  const auto add = [&](const Json& nats) {
    if (nats.is_number()) most = (std::max)(most.value_or(0), nats.get<double>());
  };
  const Json checks = server.value("checks", Json::object());
  for (const auto& [name, nats] : checks.items()) {
    if (name.starts_with("same_")) add(nats);
  }
  add(stated.value("start_check", Json::object()).value("worst_nats", Json()));
  if (most) {
    text += "; its answers to the same question varied by up to " + small_number(*most) + " nats";
    // llama-server's variation stays well below this if it computes in F32.
    if (*most > 0.005 && server.value("kind", "") == "llama-server") {
      text += " (docs/servers.md lists its flags for precision)";
    }
  }
  return text + "\n";
}

/// The cost of a job, as text for the terminal. For a server that computed something in this
/// process, it includes `server_in_words`. `noun` is the singular noun for the unit that is scored,
/// and `kinds` is appended to the count.
inline std::string cost_in_words(const RunSummary& summary, const JobTarget& target,
                                 const char* noun = "statement", const char* kinds = "") {
  const std::string asked =
      counted(summary.cost.statements, noun) + kinds +
      (summary.kept_statements == 0
           ? ""
           : ", " + std::to_string(summary.kept_statements) + " already finished");
  if (summary.cost.masked_inputs > 0) {
    return asked + ", " + counted(summary.cost.masked_inputs, "masked input") + ", " +
           std::to_string(summary.cost.masked_inputs_computed) + " computed\n";
  }
  if (!target.server.empty()) {
    return asked + "\n" +
           (summary.fresh_statements > 0 ? server_in_words(*target.stated_facts) : "");
  }
  const double saved = static_cast<double>(summary.cost.tokens_one_by_one) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.cost.tokens_fed));
  return asked + ", " + counted(summary.cost.tokens_fed, "token") + " fed to the model (" +
         (saved > 0 && saved < 0.995 ? with_decimals(1 / saved, 2) + " times as many as"
                                     : with_decimals(saved, 2) + " times fewer than") +
         " one by one)\n";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
