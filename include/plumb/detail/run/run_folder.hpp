// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who owns a run folder, and are its files complete?
//
// A run folder belongs to one set of settings, which is in run.json from the start. A run cannot be
// resumed with different settings; the error message names the setting. Files get their names only
// when they are complete: they are written as NAME.part and then renamed.

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

/// Whether a path contains nothing that a run could destroy: it does not exist, is an empty folder,
/// or contains only what a run leaves if it is killed before its first run.json is complete.
[[nodiscard]] inline bool is_unused(const DiskPath& path) {
  if (!path.is_folder()) return !path.exists();
  return ranges::all_of(path.list(),
                        [](const DiskPath& entry) { return entry.name() == "run.json.part"; });
}

/// Throws a user error for a folder that is not empty and is not being resumed.
inline void refuse_used(const DiskPath& path) {
  if (is_unused(path)) return;
  if (!path.is_folder()) {
    throw user_error({.file = path}, "is not a folder", "choose another folder (`out`)");
  }
  throw user_error({.file = path}, "is not empty",
                   "choose another folder (`out`), or set `resume` to resume the run in it, or "
                   "`overwrite` to replace it");
}

/// Only one process can use a run folder at a time: the folder is locked while the object exists.
/// Not thread-safe.
class RunFolder {
 public:
  /// What to do with a folder that is not empty: `fresh` refuses it, `resume` continues a run with
  /// the same settings, and `replace` leaves the check to the caller.
  enum class Claim { fresh, resume, replace };

  /// Creates the folder or claims an existing one. `settings` is an object that contains everything
  /// that determines the results. `shard` identifies the shard of the run that the folder contains
  /// (Shard::json). Throws a user error if the folder contains something that `claim` does not
  /// allow, or if another process is using the folder.
  RunFolder(DiskPath path, const Json& settings, Claim claim, Json shard = {})
      : path_(std::move(path)), settings_(settings), shard_(std::move(shard)) {
    make_folders(path_);
    if (const std::error_code failed = path_.disk().lock(path_, lock_)) {
      if (failed != std::errc::resource_unavailable_try_again) {
        throw user_error({.file = path_}, "is not a folder", "choose another folder (`out`)");
      }
      throw user_error({.file = path_}, "another plumb process is writing here",
                       "wait for it, or choose another folder (`out`)");
    }
    take(claim);
  }

  [[nodiscard]] const DiskPath& path() const noexcept { return path_; }
  [[nodiscard]] DiskPath file(const std::string& name) const { return path_ / name; }
  /// Writes a results file atomically.
  void write(const std::string& name, std::string_view text) const {
    write_atomically(file(name), text);
  }

  /// Rewrites run.json with "status", the settings and `more`.
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
                                   : "use the same setting";
      throw user_error({run_file, 0, name},
                       "the run was started with " + other.dump() + ", not " + ours.dump(),
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
