// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a new run take the place of an old one?
//
// It is written beside it, as RUN.new, and takes its name when it is complete; the old folder is
// RUN.old for that moment and then removed, with all that lies in it. A process that is killed
// leaves the old run under its own name, or, within that moment, under RUN.old, from where the next
// one takes it back.

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

/// Throws a user error for what is there and neither unused nor a run of plumb.
inline void refuse_other_than_run(const DiskPath& path) {
  if (is_unused(path)) return;
  if (path.is_folder() && kept_settings(path).contains("plumb_version")) return;
  throw user_error({.file = path}, "holds no run of plumb, and nothing else is overwritten",
                   "choose another folder (`out`)");
}

/// Removes a run with all that lies in its folder, run.json last: by it the next process knows what a
/// power loss has left of it for a run. Throws an internal error when the disk refuses.
inline void remove_run(const DiskPath& folder) {
  for (const DiskPath& entry : folder.list()) {
    if (entry.name() != "run.json") remove_entry(entry);
  }
  if (folder.disk().sync_folder(folder)) {
    throw internal_error({.file = folder}, "cannot be removed",
                         "check the disk and permissions, then call it again");
  }
  remove_folder(folder);
}

/// The place of a run that is to replace another. The old one is locked while the object lives. Not
/// thread-safe.
class ReplacedFolder {
 public:
  /// Throws a user error where something else than a run is in the way, or another process has it.
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
                       "wait for it or choose another folder (`out`)");
    }
    for (const DiskPath& left : {made_, old_}) {
      refuse_other_than_run(left);
      if (left.exists()) remove_run(left);
    }
  }

  /// Where the new run is to be written.
  [[nodiscard]] const DiskPath& path() const noexcept { return made_; }

  /// Gives the new run, which is complete, the name of the old one. Throws an internal error when
  /// the disk refuses; the old one has its name then.
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
