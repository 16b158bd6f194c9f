// SPDX-License-Identifier: Apache-2.0
#pragma once

// With which words was a finished run called, and are its files still the same?
//
// A run folder of plumb's command, from which `plumb data prompts` builds prompts again. Refuses folders
// of other commands, of other versions and of runs that are not complete.

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

/// A finished run whose prompts can be listed. Any number of threads may read one.
class AskedRun {
 public:
  /// `data` is where the run's data is now; empty: where it was. Throws a user error for a folder that is
  /// no such run.
  AskedRun(const DiskPath& folder, DiskPath data) : data_(std::move(data)) {
    file_ = folder / "run.json";
    if (!is_there(file_)) {
      throw user_error({.file = folder}, "is not a run folder (no run.json)", "name one");
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
      throw user_error({.file = file_},
                       of.empty()
                           ? "names no command"
                           : "is of plumb " + of + ", " +
                                 (fixed ? "whose file says what is asked" : "which asks no model"),
                       "name a folder of plumb probe, many-shot, rank, generate or calibrate "
                       "--model");
    }
    if (first_string(run_, "status") != "complete") {
      throw user_error({.file = file_}, "the run is not complete", "finish it with --resume");
    }
    if (is_of_a_program() && of != "probe") {
      throw user_error({.file = file_},
                       "the run was not made by plumb's command, so nothing says how to build its "
                       "prompts again",
                       "see the first of each kind in its example_prompts.jsonl");
    }
    if (const auto by = first_string(settings(), "plumb_version"); by != PLUMB_VERSION) {
      throw user_error({file_, 0, "plumb_version"},
                       "the run is of plumb " + by.value_or("?") + ", this is " + PLUMB_VERSION +
                           ", which may ask otherwise",
                       "print its prompts with that version");
    }
    if (is_of_a_program()) return;
    if (data_.empty()) data_ = first_string(run_, "dataset_path").value_or("");
    if (!data_.exists()) {
      throw user_error({.file = data_},
                       "the data of the run is not there, and prompts are made of it",
                       "say where it is with --data");
    }
  }

  /// Whether a program wrote the run by the library: then no words say what was asked, and its results
  /// files do.
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
  /// The command whose words the run was called with: calibrate --model probes too.
  [[nodiscard]] std::string called() const { return run_["command_line"][1]; }
  [[nodiscard]] const Json& run() const noexcept { return run_; }
  [[nodiscard]] const DiskPath& file() const noexcept { return file_; }
  [[nodiscard]] std::string dataset() const {
    return first_string(settings(), "dataset").value_or("");
  }

  /// The words behind the command, its files where they are now.
  [[nodiscard]] std::vector<std::string> words() const {
    const Json given = run_.value("options", Json());  // earlier versions have none
    std::vector<std::string> words =
        given.is_object() ? words_of_given(given) : *string_list(run_, "command_line");
    if (given.is_object()) {
      words.insert(words.end(), {"--out", file_.parent().string()});
    } else {
      words.erase(words.begin(), words.begin() + 2);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      for (const std::string option :
           {"--data", "--separators", "--baselines", "--template-file", "--prefix"}) {
        const auto moved = [&](const std::string& path) {
          // A prefix may be a text.
          if (option == "--prefix" && !DiskPath(began_in() / path).is_file()) return path;
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

  /// Throws a user error where a file that prompts are made of has changed: `rebuilt` are the
  /// settings that the words now give.
  void refuse_changed(const Json& rebuilt) const {
    // The dataset last: its hash is of the template file too.
    for (const std::string what : {"template-file", "baselines", "separators", "data"}) {
      const std::string name = hash_setting(what);
      const Json theirs = settings().value(name, Json());
      if (!rebuilt.contains(name) || rebuilt[name] == theirs) continue;
      const bool is_data = what == "data";
      throw user_error(
          {.file = is_data ? data_ : named_by("--" + what), .field = is_data ? "dataset" : what},
          changed_since("the run", theirs, rebuilt[name]),
          is_data ? "say with --data where it is as it was" : "bring the file back as it was");
    }
    if (rebuilt.value("prefix", Json()) != settings().value("prefix", Json())) {
      throw user_error({.file = named_by("--prefix"), .field = "prefix"},
                       "is another text than the run's", "bring the file back as it was");
    }
  }

 private:
  /// The file of an option of the run's words; run.json where they have none.
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
