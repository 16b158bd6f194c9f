// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whose results does a folder hold?
//
// Each kind has a metadata file of its own, which is written when the results are whole:
// metadata_results.json (a closed-set probe, lm-pub-quiz too), metadata_many_shot.json,
// metadata_rank.json, metadata_generate.json (whose "answers": "lists" says that they are lists).

#include <optional>

#include "plumb/core/disk_path.hpp"
#include "plumb/data/json_file.hpp"
#include "plumb/records/result_lines.hpp"
#include "plumb/records/run_record.hpp"

namespace plumb {

enum class ResultsKind { closed_set, many_shot, ranking, generation, lists };

/// The name of the file that says what results there are.
[[nodiscard]] constexpr const char* metadata_name(ResultsKind kind) {
  switch (kind) {
    case ResultsKind::many_shot:
      return "metadata_many_shot.json";
    case ResultsKind::ranking:
      return "metadata_rank.json";
    case ResultsKind::generation:
    case ResultsKind::lists:
      return "metadata_generate.json";
    case ResultsKind::closed_set:
      break;
  }
  return "metadata_results.json";
}

/// Nothing where a folder holds no finished results. Throws a user error for metadata of a generation
/// that is no JSON object.
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

/// Whether the results are those of `plumb generate`, texts or lists.
[[nodiscard]] inline bool is_generation(const DiskPath& folder) {
  return (folder / metadata_name(ResultsKind::generation)).is_file();
}

/// The folder itself; of a calibration of a model, with or without its run.json, the probe within it.
[[nodiscard]] inline DiskPath probed_folder(const DiskPath& folder) {
  const char* const results = metadata_name(ResultsKind::closed_set);
  if (is_there(folder / results)) return folder;
  const DiskPath probe = folder / "probe";
  const bool is_calibration = first_string(kept_settings(folder), "command") == "calibrate";
  const bool holds_probe =
      is_there(probe / results) || (is_calibration && is_there(probe / "run.json"));
  return holds_probe && (is_calibration || !is_there(folder / "run.json")) ? probe : folder;
}

}  // namespace plumb
