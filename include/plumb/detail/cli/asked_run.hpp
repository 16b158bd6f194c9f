// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which command line produced a finished run, and have its input files changed since?
//
// Reads a run folder created by plumb's command so that `plumb data prompts` can rebuild the run's
// prompts. Rejects folders of other commands and other plumb versions, and unfinished runs.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/cli/given_options.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/version.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/results_kind.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A finished run whose prompts can be listed. Any number of threads may read the same object.
class AskedRun {
 public:
  /// `data` is the current path of the run's dataset; if it is empty, the path in run.json is used.
  /// Throws a user error if the folder does not contain such a run.
  AskedRun(const DiskPath& folder, DiskPath data) : data_(std::move(data)) {
    file_ = folder / "run.json";
    if (!is_there(file_)) {
      throw user_error({.file = folder}, "is not a run folder (no run.json)", "pass a run folder");
    }
    run_ = read_json_object(file_);
    if (const auto probe = probed_folder(folder) / "run.json";
        command() == "calibrate" && is_there(probe)) {
      file_ = probe;
      run_ = read_json_object(file_);
    }
    const std::string of = command();
    if (of != "probe" && of != "many-shot" && of != "rank" && of != "generate") {
      const bool fixed = of.ends_with(" --fixed");
      throw user_error(
          {.file = file_},
          of.empty() ? "does not record the command that made it"
                     : "was made by plumb " + of + ", " +
                           (fixed ? "which reads its prompts from a file" : "which runs no model"),
          "pass a folder made by plumb probe, many-shot, rank, generate or calibrate --model");
    }
    if (first_string(run_, "status") != "complete") {
      throw user_error({.file = file_}, "the run is not complete", "finish it with --resume");
    }
    if (is_of_a_program() && of != "probe") {
      throw user_error({.file = file_},
                       "the run was written by a program other than the plumb command, so its "
                       "prompts cannot be rebuilt",
                       "see the first prompt of each kind in its example_prompts.jsonl");
    }
    if (const auto by = first_string(settings(), "plumb_version"); by != PLUMB_VERSION) {
      throw user_error({file_, 0, "plumb_version"},
                       "the run was made by plumb " + by.value_or("?") + "; this is plumb " +
                           PLUMB_VERSION + ", whose prompts may differ",
                       "list its prompts with the version that made it");
    }
    if (is_of_a_program()) return;
    if (data_.empty()) data_ = first_string(run_, "dataset_path").value_or("");
    if (!data_.exists()) {
      throw user_error({.file = data_},
                       "the run's dataset is missing, and its prompts are built from it",
                       "pass its current path with --data");
    }
  }

  /// Whether the run was created by a program that uses the library. Such a run has no command
  /// line; only its results files show which prompts the model received.
  [[nodiscard]] bool is_of_a_program() const {
    return !string_list(run_, "command_line") || run_.at("command_line").size() < 2;
  }

  [[nodiscard]] const Json& settings() const {
    static const Json none = Json::object();
    const auto found = run_.find("settings");
    return found != run_.end() && found->is_object() ? *found : none;
  }
  [[nodiscard]] std::string command() const {
    return first_string(settings(), "command").value_or("");
  }
  /// The subcommand on the run's command line. It differs from `command()` for the probe that
  /// calibrate --model runs.
  [[nodiscard]] std::string called() const { return run_["command_line"][1]; }
  [[nodiscard]] const Json& run() const noexcept { return run_; }
  [[nodiscard]] const DiskPath& file() const noexcept { return file_; }
  [[nodiscard]] std::string dataset() const {
    return first_string(settings(), "dataset").value_or("");
  }

  /// The arguments after the subcommand, with the current paths of the run's files.
  [[nodiscard]] std::vector<std::string> words() const {
    const Json given = run_.value("options", Json());  // earlier versions did not record options
    std::vector<std::string> words =
        given.is_object() ? words_of_given(given) : *string_list(run_, "command_line");
    if (given.is_object()) {
      words.insert(words.end(), {"--out", file_.parent().string()});
    } else {
      words.erase(words.begin(), words.begin() + 2);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const std::string option :
           {"--data", "--separators", "--baselines", "--template-file", "--prefix", "--system"}) {
        const auto moved = [&](const std::string& path) {
          // A prefix or system message may be text instead of a file.
          const bool may_be_text = option == "--prefix" || option == "--system";
          if (may_be_text && !DiskPath(began_in() / path).is_file()) return path;
          return option == "--data" ? data_.string() : (began_in() / path).string();
        };
        if (words[i] == option && i + 1 < words.size()) {
          words[i + 1] = moved(words[i + 1]);
        } else if (words[i].starts_with(option + "=")) {
          words[i] = option + "=" + moved(words[i].substr(option.size() + 1));
        }
      }
    }
    return words;
  }

  /// Throws a user error if a file from which prompts are built has changed. `rebuilt` contains the
  /// settings recomputed from the run's arguments.
  void refuse_changed(const Json& rebuilt) const {
    // The dataset is compared last because its hash also covers the template file.
    for (const std::string what : {"template-file", "baselines", "separators", "data"}) {
      const std::string name = hash_setting(what);
      const Json theirs = settings().value(name, Json());
      if (!rebuilt.contains(name) || rebuilt[name] == theirs) continue;
      const bool is_data = what == "data";
      throw user_error(
          {.file = is_data ? data_ : named_by("--" + what), .field = is_data ? "dataset" : what},
          changed_since("the run", theirs, rebuilt[name]),
          is_data ? "pass an unchanged copy with --data" : "restore the file");
    }
    for (const std::string text : {"prefix", "system"}) {
      if (rebuilt.value(text, Json()) == settings().value(text, Json())) continue;
      throw user_error({.file = named_by("--" + text), .field = text},
                       "differs from the run's " + text, "restore the file");
    }
  }

 private:
  /// The file that the run's arguments specify for an option; run.json if they do not contain the
  /// option.
  [[nodiscard]] DiskPath named_by(const std::string& option) const {
    const std::vector<std::string> all = words();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] == option && i + 1 < all.size()) return all[i + 1];
      if (all[i].starts_with(option + "=")) return all[i].substr(option.size() + 1);
    }
    return file_;
  }
  [[nodiscard]] std::filesystem::path began_in() const {
    return first_string(run_, "working_directory").value_or("");
  }

  DiskPath file_, data_;
  Json run_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
