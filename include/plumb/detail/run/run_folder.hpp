// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whose folder is this, and is what lies in it whole?
//
// A run folder belongs to one set of settings, kept in run.json from the start; resuming it
// under others is refused by name. Files appear under their names only when they are complete: they
// are written beside, as NAME.part, and renamed.

#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/result_lines.hpp"
#include "plumb/detail/records/run_record.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a path holds nothing a run could destroy: it is absent, or an empty folder, or all it
/// has is what a run leaves that was killed before its first run.json stood.
[[nodiscard]] inline bool is_unused(const DiskPath& path) {
  if (!path.is_folder()) return !path.exists();
  return ranges::all_of(path.list(),
                        [](const DiskPath& entry) { return entry.name() == "run.json.part"; });
}

/// Throws the user error of a folder that holds something and is not to be resumed.
inline void refuse_used(const DiskPath& path) {
  if (is_unused(path)) return;
  if (!path.is_folder()) {
    throw user_error({.file = path}, "is not a folder", "choose another folder (`out`)");
  }
  throw user_error(
      {.file = path}, "is not empty",
      "choose another folder (`out`), or give `resume` to go on with the run it holds, or "
      "`overwrite` to replace it");
}

/// One process at a time; the folder is locked while the object lives. Not thread-safe.
class RunFolder {
 public:
  /// What a folder that holds something must be: `fresh` refuses it, `resume` continues a run of the
  /// same settings, `replace` leaves it to the caller, who has looked.
  enum class Claim { fresh, resume, replace };

  /// Creates the folder, or takes the one that is there. `settings` is an object of everything that
  /// decides the results, `shard` says which part of the run it holds (Shard::json). Throws a user
  /// error when the folder holds what the claim refuses, or when another process has it.
  RunFolder(DiskPath path, const Json& settings, Claim claim, Json shard = {})
      : path_(std::move(path)), settings_(settings), shard_(std::move(shard)) {
    make_folders(path_);
    if (const std::error_code failed = path_.disk().lock(path_, lock_)) {
      if (failed != std::errc::resource_unavailable_try_again) {
        throw user_error({.file = path_}, "is not a folder", "choose another folder (`out`)");
      }
      throw user_error({.file = path_}, "another plumb is writing here",
                       "wait for it or choose another folder (`out`)");
    }
    take(claim);
  }

  [[nodiscard]] const DiskPath& path() const noexcept { return path_; }
  [[nodiscard]] DiskPath file(const std::string& name) const { return path_ / name; }
  /// Writes a file of results: whole, or not at all.
  void write(const std::string& name, std::string_view text) const {
    write_atomically(file(name), text);
  }

  /// Rewrites run.json: the settings, then what is added, with "status".
  void write_run(const Json& more, std::string_view status) const {
    Json run = {{"status", status}};
    run["settings"] = settings_;
    if (!shard_.is_null()) run["shard"] = shard_;
    run.update(more);
    write_atomically(file("run.json"), run.dump(2) + "\n");
  }

 private:
  void take(Claim claim) {
    if (claim == Claim::replace) return;
    if (is_unused(path_)) return write_run(Json::object(), "running");
    if (claim == Claim::fresh) refuse_used(path_);
    const auto run_file = file("run.json");
    if (!is_there(run_file)) {
      throw user_error({.file = path_}, "is not a run folder (no run.json)",
                       "choose another folder (`out`)");
    }
    const Json run = read_json_object(run_file);
    refuse_mixed(run_file, run);
    const Json theirs = run.contains("settings") ? run["settings"] : Json();
    if (!theirs.is_object()) {
      throw user_error({run_file, 0, "settings"}, "is not an object",
                       "choose another folder (`out`)");
    }
    const auto compare = [&](const std::string& name, const Json& other, const Json& ours) {
      if (other == ours) return;
      const std::string same = name == "vector" && other.is_string()
                                   ? "set PLUMB_VECTOR=" + other.get<std::string>()
                                   : "give the same setting";
      throw user_error({run_file, 0, name},
                       "the run was begun with " + other.dump() + ", not " + ours.dump(),
                       same + " or another folder (`out`)");
    };
    for (const auto& [name, ours] : settings_.items())
      compare(name, theirs.value(name, Json()), ours);
    compare("shard", run.value("shard", Json()), shard_);
  }

  DiskPath path_;
  Json settings_, shard_;
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
