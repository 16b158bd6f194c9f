// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a new run replace an old one?
//
// The new run is written next to the old one, as RUN.new, and gets the name RUN when it is
// complete. At that moment the old folder is renamed to RUN.old and then removed with everything in
// it. If the process is killed, the old run still has its own name or, if the process was just
// renaming it, the name RUN.old. In that case the next process renames it back.

#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/atomic_folder.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws a user error for a path that is neither unused nor a run folder of plumb.
inline void refuse_other_than_run(const DiskPath& path) {
  if (is_unused(path)) return;
  if (path.is_folder() && kept_settings(path).contains("plumb_version")) return;
  throw user_error({.file = path}, "does not contain a run of plumb, and only runs are overwritten",
                   "choose another folder (`out`)");
}

/// Removes a run with everything in its folder, run.json last. As long as run.json exists, the next
/// process recognizes the remains after a power loss as a run. Throws an internal error if the disk
/// refuses.
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

/// The place of a run that will replace another. The old run is locked while the object exists. Not
/// thread-safe.
class ReplacedFolder {
 public:
  /// Throws a user error if the path is something other than a run, or if another process uses it.
  explicit ReplacedFolder(const DiskPath& out)
      : out_(out.parent() / out.name()), made_(out_ + ".new"), old_(out_ + ".old") {
    if (!out_.exists() && old_.is_folder()) rename_into_place(old_, out_);
    refuse_other_than_run(out_);
    if (is_unused(out_)) {
      made_ = out_;
      return;
    }
    if (out_.disk().lock(out_, lock_)) {
      throw user_error({.file = out_}, "another plumb is writing here",
                       "wait for it, or choose another folder (`out`)");
    }
    for (const DiskPath& left : {made_, old_}) {
      refuse_other_than_run(left);
      if (left.exists()) remove_run(left);
    }
  }

  /// The folder to write the new run to.
  [[nodiscard]] const DiskPath& path() const noexcept { return made_; }

  /// Gives the new run, which must be complete, the name of the old one. Throws an internal error
  /// if the disk refuses; the old run then keeps its name.
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
