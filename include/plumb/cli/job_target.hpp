// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which model a command asks, where its results go, and how its run is shown on the console.

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/backend/any_model.hpp"
#include "plumb/cli/file_hash.hpp"
#include "plumb/cli/interrupt.hpp"
#include "plumb/cli/model_places.hpp"
#include "plumb/cli/setting_options.hpp"
#include "plumb/core/cores.hpp"
#include "plumb/core/number_words.hpp"
#include "plumb/report/text_table.hpp"
#include "plumb/run/job.hpp"
#include "plumb/run/measurement.hpp"
#include "plumb/run/progress.hpp"
#include "plumb/run/replaced_folder.hpp"

namespace plumb::detail {

enum class Precision { exact, fast };
[[nodiscard]] constexpr std::array<Precision, 2> every(Precision) noexcept {
  return {Precision::exact, Precision::fast};
}
[[nodiscard]] constexpr std::string_view name_of(Precision precision) noexcept {
  return precision == Precision::exact ? "exact" : "fast";
}

/// The options of every command that asks a model.
struct JobTarget {
  std::filesystem::path out{}, model{};
  Precision precision = Precision::exact;
  /// 0 takes one for each core.
  std::size_t threads = 0;
  bool resume = false;
  /// Whether a run that `out` holds is replaced when the new one is complete.
  bool overwrite = false;
  /// Whether PLUMB_MODEL named the model, so that what is wrong with it is said of that.
  bool model_of_variable = false;
  /// Of a model named hf:OWNER/NAME, as it was given, and the name that results have; else empty.
  std::string model_given{}, model_name{};
  /// Whether only what would be asked is said.
  bool dry_run = false;

  template <class Self, class Visitor>
  static void visit_out(Self& self, Visitor& visitor) {
    visitor("out", self.out, {.value = "RUN", .help = "folder to write"});
  }
  template <class Self, class Visitor>
  static void visit_model(Self& self, Visitor& visitor) {
    visitor(
        "model", self.model,
        {.value = "MODEL",
         .help = "the model: a .gguf file, a Hugging Face folder, or hf:OWNER/NAME[/FILE] where "
                 "that was downloaded (`plumb models` lists them)",
         .variable = "PLUMB_MODEL"});
    visitor("precision", self.precision,
            {.value = "exact|fast",
             .help = "exact: F32 cache, no flash attention; fast: neither, and less exact"});
    visitor("threads", self.threads,
            {.value = "N",
             .help = "0 takes one for each core",
             .most = 1024,
             .remedy = "0 takes one for each core",
             .variable = "PLUMB_THREADS"});
    visitor("resume", self.resume, {.help = "go on with the run that --out holds"});
    visitor(
        "overwrite", self.overwrite,
        {.help = "replace the run that --out holds, with all in its folder, once the new one is "
                 "complete",
         .idle = self.resume ? "beside `resume`; leave out one of the two" : ""});
    visitor("dry-run", self.dry_run,
            {.help = "say how much would be asked, with the model's tokenizer, and stop before the "
                     "model is asked; nothing is written"});
  }

  [[nodiscard]] ModelOptions model_options(SpecialTokenReading special_tokens) const {
    const std::size_t cores = available_cores();
    return {model, precision == Precision::exact, static_cast<int>(threads == 0 ? cores : threads),
            special_tokens == SpecialTokenReading::parse};
  }

  /// What `ask` returns, which makes the model or looks at it.
  template <class Ask>
  auto asking_model(Ask ask) const {
    try {
      return ask();
    } catch (const Error& error) {
      if (!model_of_variable) throw;
      throw Error(error.fault(), {.field = "PLUMB_MODEL"}, error.what());
    }
  }
  /// Throws whatever making it throws.
  [[nodiscard]] AnyModel make(const ModelMaker& make_model,
                              SpecialTokenReading special_tokens) const {
    return asking_model([&] { return make_model(model_options(special_tokens)); });
  }

  /// Finds a model named hf:OWNER/NAME, when the options are read. Throws a user error where it is
  /// not there.
  void find_model(const options::variables_map& values, const Console& console) {
    model_of_variable = !model.empty() && !values.contains("model");
    if (!is_hub_name(model.string())) return;
    model_given = model.string();
    auto [path, name] =
        found_model(model_given, console, model_of_variable ? "PLUMB_MODEL" : "model");
    model = std::move(path);
    model_name = std::move(name);
  }

  /// The model's name, as results show it.
  [[nodiscard]] std::string shown_name() const {
    if (!model_name.empty()) return model_name;
    // A folder's name is the same with and without a slash behind it.
    return (model.has_filename() ? model : model.parent_path()).filename().string();
  }

  /// What settings say of the model. An embedder's model need not be a file.
  [[nodiscard]] Provenance provenance(ModelDescription description) const {
    return {
        shown_name(),
        DiskPath(model).exists() ? Json(hash_path(model)) : Json(),
        std::move(description),
        precision == Precision::exact,
        [](const std::vector<std::filesystem::path>& files) { return plumb::hash_files(files); },
        [](const std::filesystem::path& file) { return plumb::hash_path(file); }};
  }
};

/// Throws a user error for an option that was not given; `command` is "plumb probe".
inline void require(const std::filesystem::path& word, const char* option,
                    const std::string& command) {
  if (!word.empty()) return;
  throw user_error({.field = option}, "is required but missing",
                   "`" + command + " --help` tells more");
}

/// The same for --out, which nothing is written into when only what would be asked is said.
inline void require_out(const JobTarget& target, const std::string& command) {
  if (!target.dry_run) require(target.out, "--out", command);
}

/// Throws the user error of a folder that the run cannot go into, before a model is loaded.
inline void check_out(const JobTarget& target) {
  if (target.dry_run) return;
  if (target.overwrite) return refuse_other_than_run(target.out);
  if (!target.resume) refuse_used(target.out);
}

/// Whether the model will be masked; nothing where it is not known before it is there.
[[nodiscard]] inline std::optional<bool> will_be_masked(const ModelMaker& make_model,
                                                        const JobTarget& target) {
  const auto kind = target.asking_model(
      [&] { return make_model.kind(target.model_options(SpecialTokenReading::refuse)); });
  return kind ? std::optional(*kind == ModelKind::masked) : std::nullopt;
}

inline Error not_causal(const JobTarget& target, const char* command) {
  return user_error(
      {.setting = "model"},
      target.model.string() + " is a masked model, and " + command + " asks what follows a text",
      "name a causal model; masked ones are for probe, generate and calibrate");
}

/// Throws a user error for a model that is known to be masked, before it is loaded.
inline void refuse_masked(const ModelMaker& make_model, const JobTarget& target,
                          const char* command) {
  if (will_be_masked(make_model, target).value_or(false)) throw not_causal(target, command);
}

/// Makes a causal model. Throws a user error where a masked one comes, whose kind was not known
/// before.
[[nodiscard]] inline AnyModel causal_model(const ModelMaker& make_model, const JobTarget& target,
                                           SpecialTokenReading special_tokens,
                                           const char* command) {
  AnyModel model = target.make(make_model, special_tokens);
  if (model.capabilities().only_masked()) throw not_causal(target, command);
  return model;
}

/// A bar for each thing that a job counts, one after another. The console must outlive it.
inline ProgressCallback progress_bars(Console& console) {
  struct Bar {
    std::string counted;
    std::optional<Progress> progress;
  };
  return [&console, bar = std::make_shared<Bar>()](const WorkState& state) {
    if (!bar->progress || bar->counted != state.counted) {
      bar->progress.reset();  // ends its line before the next one begins
      bar->progress.emplace(console.err, state.total, state.counted, console.err_is_terminal);
      bar->counted = state.counted;
    }
    bar->progress->update(state.done, state.fresh, state.at);
  };
}

/// A job's plan, a line for each of its parts.
inline void show_plan(std::ostream& out, const JobPlan& plan) {
  for (const std::string& line : in_words(plan)) out << "to be asked: " << line << std::endl;
}

/// Says what a job would ask, where that is all that is wanted; whether it was.
template <class J>
[[nodiscard]] bool is_dry_run(Console& console, const JobTarget& target, J& job) {
  if (!target.dry_run) return false;
  if (const std::optional<JobPlan> plan = plan_of(job)) {
    show_plan(console.out, *plan);
  } else {
    console.out << "this job does not count ahead what it asks\n";
  }
  return true;
}

/// The words the program was called with.
inline Json command_line_of(const Console& console, const char* command) {
  Json words = {"plumb", command};
  for (const std::string& word : console.arguments) words.push_back(word);
  return words;
}

/// Where a job of the command line leaves its results.
inline JobFolder job_folder(Console& console, const char* command, const JobTarget& target,
                            const std::filesystem::path& data) {
  std::error_code ignored;  // a folder that was removed has no name
  Json facts = {{"command_line", command_line_of(console, command)},
                {"options", given_json(console)},
                {"working_directory", std::filesystem::current_path(ignored).string()},
                {"model_path", std::filesystem::absolute(target.model).string()},
                {"dataset_path", std::filesystem::absolute(data).string()},
                {"threads", target.model_options({}).threads}};
  if (!target.model_given.empty()) facts["model_given"] = target.model_given;
  return {target.out,
          target.resume,
          {progress_bars(console),
           {},
           [&console](const JobPlan& plan) { show_plan(console.err, plan); }},
          std::move(facts)};
}

/// Carries out a job of the command line. Throws what `run_job` does, a user error where a file of
/// the run that is done again has changed, and Interrupted.
template <Job J>
auto run_target(Console& console, const char* command, const JobTarget& target,
                const std::filesystem::path& data, J& job) {
  refuse_changed_files(console, job.settings());
  std::optional<InterruptCatcher> catcher;
  if (console.catches_interrupt) catcher.emplace();
  const auto run = [&](const JobTarget& into) {
    JobFolder folder = job_folder(console, command, into, data);
    folder.work.stop = [&catcher] { return catcher && catcher->noted(); };
    return run_job(job, folder);
  };
  try {
    if (!target.overwrite) return run(target);
    ReplacedFolder place(target.out);
    JobTarget into = target;
    into.out = place.path().path();
    auto finished = run(into);
    place.finish();
    return finished;
  } catch (const Stopped&) {
    if (target.overwrite) {
      throw Interrupted("stopped; nothing was replaced", "call it again to begin anew");
    }
    throw Interrupted("stopped; what is done is kept",
                      "go on with: " + resuming_words(command, console.arguments));
  }
}

/// Prints a report's notes, its table, what its run cost in words, and where it is.
template <class Report>
void show_report(Console& console, const Report& report, const DiskPath& file,
                 const std::string& cost = "", const char* label = "report") {
  const auto& notes = report.notes();
  const std::string page = file.path().extension() == ".html" ? file.name() : "";
  for (const std::string& note : notes) console.out << as_options(note) << "\n";
  console.out << (notes.empty() ? "" : "\n") << table_within(report, width_on(console, page))
              << "\n"
              << cost << label << ": " << file.string() << "\n";
}

/// Carries a measurement out and shows what it found.
template <Measurement M>
void show_measurement(Console& console, const char* command, const M& measurement,
                      const DiskPath& out) {
  const Json facts = {{"command_line", command_line_of(console, command)},
                      {"options", given_json(console)}};
  show_report(console, run_measurement(measurement, out, facts), out / "report.html");
}

/// What a job cost, in words for the terminal; `of` is what was asked where it was no statements.
inline std::string cost_in_words(const RunSummary& summary, const char* of = nullptr) {
  const std::string asked = of == nullptr ? counted(summary.cost.statements, "statement")
                                          : std::to_string(summary.cost.statements) + " " + of;
  if (summary.cost.masked_inputs > 0) {
    return asked + ", " + counted(summary.cost.masked_inputs, "masked input") + ", " +
           std::to_string(summary.cost.masked_inputs_computed) + " computed\n";
  }
  const double saved = static_cast<double>(summary.cost.tokens_one_by_one) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.cost.tokens_fed));
  return asked + ", " + counted(summary.cost.tokens_fed, "token") + " fed (" + fixed(saved, 2) +
         " times fewer than one by one)\n";
}

}  // namespace plumb::detail
