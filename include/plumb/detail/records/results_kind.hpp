// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which kind of results does a folder contain, and what does their metadata contain?
//
// Each kind has its own metadata file, which is written once the results are complete:
// metadata_results.json (a closed-set probe, including lm-pub-quiz's), metadata_many_shot.json,
// metadata_rank.json, metadata_generate.json ("answers": "lists" marks lists).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/records/run_record.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class ResultsKind { closed_set, many_shot, ranking, generation, lists };

/// The metadata file for a kind of results, what it describes, and the plumb command that writes
/// it.
struct ResultsMetadata {
  const char* file;
  const char* tells_of;
  const char* command;
};
/// Lists have the same metadata file as generations.
[[nodiscard]] constexpr ResultsMetadata metadata_of(ResultsKind kind) {
  switch (kind) {
    case ResultsKind::many_shot:
      return {"metadata_many_shot.json", "many-shot run", "many-shot"};
    case ResultsKind::ranking:
      return {"metadata_rank.json", "ranking", "rank"};
    case ResultsKind::generation:
    case ResultsKind::lists:
      return {"metadata_generate.json", "generation", "generate"};
    case ResultsKind::closed_set:
      break;
  }
  return {"metadata_results.json", "results", "probe"};
}

/// The name of the metadata file for a kind of results.
[[nodiscard]] constexpr const char* metadata_name(ResultsKind kind) {
  return metadata_of(kind).file;
}

/// Reads the metadata of a finished run. Throws a user error if it is missing, not a regular file
/// or not a JSON object.
[[nodiscard]] inline Json read_metadata(const DiskPath& folder, ResultsKind kind) {
  const auto [name, tells_of, command] = metadata_of(kind);
  const DiskPath file = folder / name;
  if (is_there(file)) return read_json_object(file);
  throw user_error({.file = folder},
                   std::string("contains no finished ") + tells_of + " (no " + name + ")",
                   std::string("specify a finished run folder, or finish its run first (plumb ") +
                       command + ", `resume`)");
}

/// The methods or settings that a run lists in a field of its metadata; each is part of the names
/// of its files. Throws a user error if there are none, or if a name cannot be part of a file name.
[[nodiscard]] inline std::vector<std::string> listed_names(const DiskPath& folder, ResultsKind kind,
                                                           const Json& metadata,
                                                           const char* field) {
  const auto [name, tells_of, command] = metadata_of(kind);
  auto names = string_list(metadata, field);
  if (!names || names->empty()) {
    throw user_error({folder / name, 0, field}, "is empty", std::string(command) + " again");
  }
  for (const std::string& one : *names) refuse_as_file_name(one, folder / name);
  return *std::move(names);
}

/// Returns nullopt if the folder contains no finished results. Throws a user error if a
/// generation's metadata is not a JSON object.
[[nodiscard]] inline std::optional<ResultsKind> results_kind(const DiskPath& folder) {
  for (const ResultsKind kind : {ResultsKind::generation, ResultsKind::many_shot,
                                 ResultsKind::ranking, ResultsKind::closed_set}) {
    const DiskPath file = folder / metadata_name(kind);
    if (!is_there(file)) continue;
    if (kind != ResultsKind::generation) return kind;
    const bool lists = first_string(read_json_object(file), "answers") == "lists";
    return lists ? ResultsKind::lists : kind;
  }
  return std::nullopt;
}

/// Whether the folder contains results of `plumb generate`, either texts or lists.
[[nodiscard]] inline bool is_generation(const DiskPath& folder) {
  return (folder / metadata_name(ResultsKind::generation)).is_file();
}

/// Whether the folder contains results of `plumb rank`.
[[nodiscard]] inline bool is_ranking(const DiskPath& folder) {
  return (folder / metadata_name(ResultsKind::ranking)).is_file();
}

/// The folder itself. For the folder of a model's calibration, with or without its run.json,
/// returns the probe folder inside it.
[[nodiscard]] inline DiskPath probed_folder(const DiskPath& folder) {
  const char* const results = metadata_name(ResultsKind::closed_set);
  if (is_there(folder / results)) return folder;
  const DiskPath probe = folder / "probe";
  const bool is_calibration = first_string(kept_settings(folder), "command") == "calibrate";
  const bool holds_probe =
      is_there(probe / results) || (is_calibration && is_there(probe / "run.json"));
  return holds_probe && (is_calibration || !is_there(folder / "run.json")) ? probe : folder;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
