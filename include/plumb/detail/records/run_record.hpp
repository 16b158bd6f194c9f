// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a finished run folder records in addition to its results: settings, example prompts, and
// warnings about all its numbers.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The settings in a folder's run.json; an empty object if there are none. Throws a user error if
/// the file is not a JSON object.
[[nodiscard]] inline Json kept_settings(const DiskPath& folder) {
  if (!is_there(folder / "run.json")) return Json::object();
  Json settings = read_json_object(folder / "run.json").value("settings", Json());
  return settings.is_object() ? settings : Json::object();
}

/// Throws a user error if the run contains answers of more than one model (MixedResults).
inline void refuse_mixed(const DiskPath& file, const Json& run) {
  if (first_string(run, "status") != "mixed") return;
  throw user_error({file, 0, "status"}, "is \"mixed\": more than one model answered this run",
                   "run it again with a different output folder (`out`)");
}

/// Throws a user error if a run folder has no valid results of its own, because it is a shard or a
/// mixture of several models' answers.
inline void refuse_without_results(const DiskPath& folder) {
  const DiskPath file = folder / "run.json";
  if (!is_there(file)) return;
  const Json run = read_json_object(file);
  refuse_mixed(file, run);
  if (!run.contains("shard")) return;
  throw user_error({.file = folder}, "is one shard of a run and contains no results",
                   "join all shards with plumb merge and specify the merged run");
}

/// The warning about facts that are left out because an engine did not report the log-probabilities
/// of all their tokens. `where` may list their relations.
[[nodiscard]] inline std::string unreported_warning(std::size_t facts,
                                                    const std::string& where = "") {
  return "Warning: " + counted(facts, "fact") + " left out" +
         (where.empty() ? "" : " (" + where + ")") +
         ": the engine did not report the probability of every token of their candidates, and "
         "plumb substitutes no value.";
}

/// Warnings that apply to all of a model's numbers: first, that running with quantised weights also
/// rounds the activations; then the `warnings` from the run's settings (ModelDescription), in
/// order.
[[nodiscard]] inline std::vector<std::string> model_warnings(const Json& settings) {
  std::vector<std::string> warnings;
  if (settings.value("quantized", Json()) == true) {
    warnings.push_back(
        "Quantised weights (" + first_string(settings, "weights").value_or("of some type") +
        ") that run natively also round the activations: scores differ from those of the same "
        "weights in F32 by tenths of a nat per statement on average and by several nats at worst, "
        "and answers may differ too.");
  }
  for (std::string& text : string_list(settings, "warnings").value_or(std::vector<std::string>{})) {
    warnings.push_back(std::move(text));
  }
  return warnings;
}

/// The same warnings for several folders that are read together, each prefixed with the folder's
/// name, plus a warning with the number of facts that a run omitted.
template <class Folders>
[[nodiscard]] std::vector<std::string> model_warnings_of(const Folders& named) {
  std::vector<std::string> warnings;
  for (const auto& [name, folder] : named) {
    std::vector<std::string> own = model_warnings(kept_settings(folder));
    if (is_there(folder / "run.json")) {
      const Json facts = read_json_object(folder / "run.json").value("unreported_facts", Json());
      if (facts.is_number_unsigned() && facts != 0) {
        own.push_back(unreported_warning(facts.get<std::size_t>()));
      }
    }
    for (const std::string& text : own) {
      warnings.push_back((name.empty() ? "" : name + ": ") + text);
    }
  }
  return warnings;
}

/// Notes about parts of the dataset's files that were not used, one for each item that the reader
/// reports.
[[nodiscard]] inline std::vector<std::string> left_out_notes(
    const std::vector<std::string>& left_out) {
  std::vector<std::string> notes;
  for (const std::string& what : left_out) notes.push_back("Left out: " + what + ".");
  return notes;
}
[[nodiscard]] inline std::vector<std::string> left_out_notes(const Json& settings) {
  return left_out_notes(string_list(settings, "left_out").value_or(std::vector<std::string>{}));
}

struct RunRecord {
  /// The settings in run.json; empty for folders written by other tools.
  Json settings = Json::object();
  std::vector<Json> prompts{};
  /// The name of the folder, used as a title if the run has no model name.
  std::string folder{};

  /// "model on dataset".
  [[nodiscard]] std::string title() const {
    const std::string dataset = first_string(settings, "dataset").value_or("");
    return first_string(settings, "model").value_or(folder) +
           (dataset.empty() ? "" : " on " + dataset);
  }
  /// The model's warnings, then `own`, then the notes about omitted items.
  [[nodiscard]] std::vector<std::string> with_warnings(const std::vector<std::string>& own) const {
    std::vector<std::string> notes = model_warnings(settings);
    notes.insert(notes.end(), own.begin(), own.end());
    for (std::string& what : left_out_notes(settings)) notes.push_back(std::move(what));
    return notes;
  }
};

/// Throws a user error if a run.json has no settings.
[[nodiscard]] inline RunRecord read_run_record(const DiskPath& folder) {
  const auto file = folder / "run.json";
  RunRecord record{kept_settings(folder), read_example_prompts(folder), ""};
  if (record.settings.empty() && is_there(file)) {
    throw user_error({file, 0, "settings"}, "is not an object",
                     "the file was changed; run the job again");
  }
  record.folder = folder.name();
  return record;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
