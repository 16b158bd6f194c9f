// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are a run's results files unchanged since the run wrote them?
//
// The run.json of a finished run has an entry "files". For each file that contributes to the run's
// numbers, the entry contains the number of lines, the number of bytes, and their FNV-1a hash.
// Every reader of the results first checks the files against this entry. Folders without this
// entry, from earlier versions or other tools, are read unchecked. Non-goal: detecting changes in a
// folder whose run.json was changed too; the hash is not a signature.

#include <string>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/run_record.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Json to_json(const FileSum& sum) {
  return {{"lines", sum.lines}, {"bytes", sum.bytes}, {"fnv1a", hash_digits(sum.hash)}};
}

/// A name in the metadata that becomes part of a file name must not lead outside the folder; the
/// same rule applies to the names of relations. Throws a user error if a name leads outside the
/// folder.
inline void refuse_as_file_name(const std::string& name, const DiskPath& said_in) {
  if (!problem_with_relation_name(name, {})) return;
  throw user_error({said_in, 0, Json(name).dump()}, "is not a valid file name in this folder",
                   "restore it, or repeat the run");
}

/// Whether the file contributes to a run's numbers. The journal and a ranking's vectors are not
/// results, and a report's files are derived from results.
inline bool is_result_file(const std::string& name) {
  const bool is_metadata = name.starts_with("metadata_") && name.ends_with(".json");
  const bool is_rows = name.ends_with(".jsonl") && name != "journal.jsonl";
  return is_metadata || is_rows || name.ends_with("_injection.json");
}

/// The sums of all results files in a folder and in its copy of the facts and templates, by file
/// name.
[[nodiscard]] inline Json result_sums(const DiskPath& folder) {
  Json sums = Json::object();
  const auto add = [&](const DiskPath& from, const std::string& prefix) {
    for (const DiskPath& file : from.list()) {
      if (!detail::is_result_file(file.name()) || !file.is_file()) continue;
      sums[prefix + file.name()] = to_json(sum_of(file));
    }
  };
  add(folder, "");
  if (const DiskPath asked = folder / "asked"; asked.is_folder()) add(asked, "asked/");
  return sums;
}

/// Throws a user error if a results file is missing or differs from what the run wrote.
inline void refuse_changed_results(const DiskPath& folder) {
  const DiskPath run = folder / "run.json";
  if (!is_there(run)) return;
  const Json record = read_json_object(run), sums = record.value("files", Json());
  if (!sums.is_object()) return;
  const std::string command = first_string(kept_settings(folder), "command").value_or("");
  const std::string remedy = "restore it, or run " +
                             (command.empty() ? "its job" : "plumb " + command) +
                             " for this folder again with `resume`, which rewrites it";
  for (const auto& [name, recorded] : sums.items()) {
    const bool in_asked = name.starts_with("asked/");
    refuse_as_file_name(in_asked ? name.substr(6) : name, run);
    const DiskPath file = folder / name;
    if (!is_there(file)) {
      if (name.starts_with("metadata_")) continue;  // the folder then counts as unfinished
      throw user_error({.file = file}, "is missing", remedy);
    }
    const FileSum found = sum_of(file);
    if (to_json(found) == recorded) continue;
    const Json lines = recorded.is_object() ? recorded.value("lines", Json()) : Json();
    const std::string now = counted(found.lines, "line");
    throw user_error({.file = file},
                     "differs from what its run wrote: it has " + now +
                         (lines == found.lines ? " as before, but a different checksum"
                                               : " instead of " + lines.dump()),
                     remedy);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
