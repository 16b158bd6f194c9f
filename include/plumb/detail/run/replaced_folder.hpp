// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a new run replace an old one?
//
// The new run is written next to the old one, as RUN.new, and is renamed to RUN when it is
// complete. Just before that, the old folder is renamed to RUN.old; afterwards it is removed with
// all its contents. If the process is killed, the old run is still called RUN or, if the renaming
// had already begun, RUN.old. In the latter case the next process renames it back.

#include <array>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/atomic_folder.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether an entry of a run folder may be plumb's, by its name.
[[nodiscard]] inline bool may_be_of_run(const DiskPath& entry) {
  const std::string name = entry.name(), ending = entry.extension();
  if (entry.is_folder()) return name == "figures" || name == "asked" || name == "calibration";
  const bool lists_vectors = name.starts_with("entities") || name.starts_with("queries");
  if (name.starts_with('.') || (ending == ".txt" && lists_vectors)) return true;
  constexpr std::array endings{".json", ".jsonl", ".csv", ".html", ".npy", ".part"};
  return ranges::any_of(endings, [&](const char* one) { return ending == one; });
}

/// Throws a user error unless the path is unused or contains a plumb run and nothing else.
inline void refuse_other_than_run(const DiskPath& path) {
  if (is_unused(path)) return;
  if (!path.is_folder() || !kept_settings(path).contains("plumb_version")) {
    throw user_error({.file = path},
                     "does not contain a run of plumb, and only runs are overwritten",
                     "choose another folder (`out`)");
  }
  for (const DiskPath& entry : path.list()) {
    if (may_be_of_run(entry)) continue;
    throw user_error({.file = entry}, "is not part of plumb's run, and would be deleted with it",
                     "move it out of the folder, or choose another folder (`out`)");
  }
}

/// The same folder by a path that stays valid when the folder is renamed: without links, and
/// without "." and "..", if there are any.
[[nodiscard]] inline DiskPath lasting_path(const DiskPath& folder) {
  const DiskPath plain = folder.parent() / folder.name();
  const DiskPath whole = plain.canonical();
  const DiskPath parent = plain.parent().empty() ? plain.with(".") : plain.parent();
  const bool has_dots =
      ranges::any_of(plain.path(), [](const auto& part) { return part == "." || part == ".."; });
  return has_dots || !(parent.canonical() / plain.name() == whole) ? whole : plain;
}

/// Deletes a run folder and everything in it, run.json last. If the power fails before run.json is
/// deleted, the next process can still recognize the remains as a run. Throws an internal error if
/// the disk operation fails.
inline void remove_run(const DiskPath& folder) {
  for (const DiskPath& entry : folder.list()) {
    if (entry.name() != "run.json") remove_entry(entry);
  }
  if (folder.disk().sync_folder(folder)) {
    throw internal_error({.file = folder}, "cannot be removed",
                         "check the disk and permissions, then run the command again");
  }
  remove_folder(folder);
}

/// The location of a run that will replace another run. The old run is locked while the object
/// exists. Not thread-safe.
class ReplacedFolder {
 public:
  /// Throws a user error if the path contains something other than a run, or a run and other files,
  /// or if another process is using it.
  explicit ReplacedFolder(const DiskPath& out)
      : out_(lasting_path(out)), made_(out_ + ".new"), old_(out_ + ".old") {
    if (!out_.exists() && old_.is_folder()) rename_into_place(old_, out_);
    refuse_other_than_run(out_);
    if (is_unused(out_)) {
      made_ = out_;
      return;
    }
    if (out_.disk().lock(out_, lock_)) {
      throw user_error({.file = out_}, "another plumb process is writing here",
                       "wait for it, or choose another folder (`out`)");
    }
    for (const DiskPath& left : {made_, old_}) {
      refuse_other_than_run(left);
      if (left.exists()) remove_run(left);
    }
  }

  /// The folder to write the new run to.
  [[nodiscard]] const DiskPath& path() const noexcept { return made_; }

  /// Renames the new run, which must be complete, to the old run's name. Throws an internal error
  /// if renaming fails; the old run then keeps its name.
  void finish() {
    if (made_ == out_) return;
    rename_into_place(out_, old_);
    try {
      rename_into_place(made_, out_);
    } catch (const Error&) {
      static_cast<void>(out_.disk().rename(old_, out_));
      throw;
    }
    lock_.reset();
    remove_run(old_);
  }

 private:
  DiskPath out_, made_, old_;
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
