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
#include <thread>
#include <utility>
#include <vector>

#include "plumb/backend/any_model.hpp"
#include "plumb/cli/file_hash.hpp"
#include "plumb/cli/setting_options.hpp"
#include "plumb/report/text_table.hpp"
#include "plumb/run/job.hpp"
#include "plumb/run/measurement.hpp"
#include "plumb/run/progress.hpp"

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
  /// Whether only what would be asked is said.
  bool dry_run = false;

  template <class Self, class Visitor>
  static void visit_out(Self& self, Visitor& visitor) {
    visitor("out", self.out, {.value = "RUN", .help = "folder to write"});
  }
  template <class Self, class Visitor>
  static void visit_model(Self& self, Visitor& visitor) {
    visitor("model", self.model,
            {.value = "MODEL", .help = "the model: a .gguf file, or a Hugging Face folder"});
    visitor("precision", self.precision,
            {.value = "exact|fast",
             .help = "exact: F32 cache, no flash attention; fast: neither, and less exact"});
    visitor("threads", self.threads,
            {.value = "N",
             .help = "0 takes one for each core",
             .most = 1024,
             .remedy = "0 takes one for each core"});
    visitor("resume", self.resume, {.help = "go on with the run that --out holds"});
    visitor("dry-run", self.dry_run,
            {.help = "say how much would be asked, with the model's tokenizer, and stop before the "
                     "model is asked; nothing is written"});
  }

  [[nodiscard]] ModelOptions model_options(SpecialTokenReading special_tokens) const {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    return {model, precision == Precision::exact, static_cast<int>(threads == 0 ? cores : threads),
            special_tokens == SpecialTokenReading::parse};
  }

  /// What settings say of the model. An embedder's model need not be a file.
  [[nodiscard]] Provenance provenance(ModelDescription description) const {
    return {
        // A folder's name is the same with and without a slash behind it.
        (model.has_filename() ? model : model.parent_path()).filename().string(),
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

/// Throws the user error of a folder that a fresh run cannot take; to be said before a model is loaded.
inline void refuse_used_out(const JobTarget& target) {
  if (!target.resume && !target.dry_run) refuse_used(target.out);
}

/// Whether the model will be masked; nothing where it is not known before it is there.
[[nodiscard]] inline std::optional<bool> will_be_masked(const ModelMaker& make_model,
                                                        const JobTarget& target) {
  const auto kind = make_model.kind(target.model_options(SpecialTokenReading::refuse));
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
  AnyModel model = make_model(target.model_options(special_tokens));
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
  return {target.out,
          target.resume,
          {progress_bars(console),
           {},
           [&console](const JobPlan& plan) { show_plan(console.err, plan); }},
          {{"command_line", command_line_of(console, command)},
           {"working_directory", std::filesystem::current_path(ignored).string()},
           {"model_path", std::filesystem::absolute(target.model).string()},
           {"dataset_path", std::filesystem::absolute(data).string()},
           {"threads", target.model_options({}).threads}}};
}

/// Prints a report's notes, its table, what its run cost in words, and where it is.
template <class Report>
void show_report(Console& console, const Report& report, const DiskPath& file,
                 const std::string& cost = "", const char* label = "report") {
  const auto& notes = report.notes();
  for (const std::string& note : notes) console.out << as_options(note) << "\n";
  console.out << (notes.empty() ? "" : "\n") << report.table() << "\n"
              << cost << label << ": " << file.string() << "\n";
}

/// Carries a measurement out and shows what it found.
template <Measurement M>
void show_measurement(Console& console, const char* command, const M& measurement,
                      const DiskPath& out) {
  const Json facts = {{"command_line", command_line_of(console, command)}};
  show_report(console, run_measurement(measurement, out, facts), out / "report.html");
}

/// What a job cost, in words for the terminal.
inline std::string cost_in_words(const RunSummary& summary, const char* of = "statements") {
  if (summary.cost.masked_inputs > 0) {
    return std::to_string(summary.cost.statements) + " " + of + ", " +
           std::to_string(summary.cost.masked_inputs) + " masked inputs, " +
           std::to_string(summary.cost.masked_inputs_computed) + " computed\n";
  }
  const double saved = static_cast<double>(summary.cost.tokens_one_by_one) /
                       static_cast<double>(std::max<std::uint64_t>(1, summary.cost.tokens_fed));
  return std::to_string(summary.cost.statements) + " " + of + ", " +
         std::to_string(summary.cost.tokens_fed) + " tokens fed (" + fixed(saved, 2) +
         " times fewer than one by one)\n";
}

}  // namespace plumb::detail
