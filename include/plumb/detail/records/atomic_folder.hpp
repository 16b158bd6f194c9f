// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder that is either complete or absent: its files are written into NAME.part next to it,
// which is renamed once all files are complete. If a process is killed, the next one discards the
// unfinished folder and starts again.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/records/atomic_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline void remove_folder(const DiskPath& folder);

/// Removes a file, a link or a folder with its contents; a link is removed, not followed. Throws an
/// internal error if removal fails.
inline void remove_entry(const DiskPath& entry) {
  // Files, links and empty folders are removed directly.
  if (!entry.disk().remove(entry)) return;
  entry.is_folder() ? remove_folder(entry) : remove_file(entry);
}

/// Removes a folder with its contents, as `remove_entry` does.
inline void remove_folder(const DiskPath& folder) {
  for (const DiskPath& entry : folder.list()) remove_entry(entry);
  remove_file(folder);
}

/// Not thread-safe. Only one process at a time may create a folder of a given name.
class AtomicFolder {
 public:
  /// Throws a user error if the path is already in use.
  static void refuse_used(const DiskPath& folder) {
    if (!folder.exists()) return;
    if (folder.is_folder() && folder.list().empty()) return;
    throw user_error({.file = folder}, folder.is_folder() ? "is not empty" : "is not a folder",
                     "choose another folder (`out`)");
  }

  /// `ending` is the suffix that all file names in the folder share. Throws a user error if the
  /// path is already in use, if NAME.part exists and is not an unfinished folder of such files, or
  /// if another process is writing to it.
  AtomicFolder(const DiskPath& folder, std::string_view ending)
      : folder_(folder.parent() / folder.name()), part_(folder_ + ".part") {
    refuse_used(folder_);
    if (part_.exists()) remove_left(ending);
    make_folders(part_);
    take_lock();
  }

  /// The folder into which the files are written.
  [[nodiscard]] const DiskPath& path() const noexcept { return part_; }

  /// Throws an internal error if renaming fails; the folder then does not get its final name.
  void finish() { rename_into_place(part_, folder_); }

 private:
  void take_lock() {
    if (!part_.disk().lock(part_, lock_)) return;
    throw user_error({.file = part_}, "another plumb process is writing here",
                     "wait for it or choose another folder (`out`)");
  }
  void remove_left(std::string_view ending) {
    const auto is_ours = [&](const DiskPath& entry) {
      const std::string name = entry.name();
      return entry.is_file() &&
             (name.ends_with(ending) || name.ends_with(std::string(ending) + ".part"));
    };
    if (!part_.is_folder() || !ranges::all_of(part_.list(), is_ours)) {
      throw user_error({.file = part_}, "exists and is not an unfinished plumb folder",
                       "move it elsewhere, or choose another folder (`out`)");
    }
    take_lock();
    remove_folder(part_);
    lock_.reset();
  }

  DiskPath folder_, part_;
  std::unique_ptr<FolderLock> lock_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
