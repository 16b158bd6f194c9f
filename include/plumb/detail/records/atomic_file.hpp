// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files that are there whole or not at all: written beside, as NAME.part, and renamed. What has its
// name survives a power loss.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/hash.hpp"
#include "plumb/detail/core/text_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Gives a finished file its name, for good. Throws an internal error when the disk refuses.
inline void rename_into_place(const DiskPath& part, const DiskPath& file) {
  std::error_code failed = file.disk().rename(part, file);
  if (!failed) failed = file.disk().sync_folder(file.parent());
  if (!failed) return;
  throw internal_error({.file = file}, "cannot be replaced: " + failed.message(),
                       "check the disk and its space, then call it again");
}

/// Removes a file if it is there. Throws an internal error when the disk refuses.
inline void remove_file(const DiskPath& file) {
  if (const std::error_code failed = file.disk().remove(file)) {
    throw internal_error({.file = file}, "cannot be removed: " + failed.message(),
                         "check the disk and permissions, then call it again");
  }
}

/// Makes a folder, and those above it, if it is not there. Throws a user error when the disk refuses.
inline void make_folders(const DiskPath& folder) {
  if (folder.empty()) throw user_error({.setting = "out"}, "is empty", "name a folder");
  std::error_code failed = folder.disk().make_folders(folder);
  if (!failed) failed = folder.disk().sync_folder(folder.parent());
  if (!failed) return;
  throw user_error({.file = folder}, "cannot be created: " + failed.message(),
                   "choose another folder (`out`)");
}

/// What tells whether a file is still what was written: its lines, its bytes and their FNV-1a hash.
struct FileSum {
  std::uintmax_t lines = 0, bytes = 0;
  std::uint64_t hash = fnv1a("");

  /// Goes on with what stands behind.
  void add(std::string_view text) {
    lines += static_cast<std::uintmax_t>(std::count(text.begin(), text.end(), '\n'));
    bytes += text.size();
    hash = fnv1a(text, hash);
  }
  friend bool operator==(const FileSum&, const FileSum&) = default;
};

/// Throws as for_each_block does.
[[nodiscard]] inline FileSum sum_of(const DiskPath& file) {
  FileSum sum;
  for_each_block(file, [&](std::string_view block) { sum.add(block); });
  return sum;
}

/// A file that is written bit by bit and gets its name when all of it is there. Not thread-safe.
class AtomicFile {
 public:
  /// Throws a user error when it cannot be created.
  explicit AtomicFile(DiskPath file)
      : file_(std::move(file)),
        part_(file_ + ".part"),
        output_(part_.disk().write(part_, Disk::Opening::anew)) {
    if (output_) return;
    throw user_error({.file = part_}, "cannot be created",
                     "check its folder's permissions, or choose another");
  }

  /// Throws an internal error when the disk refuses.
  AtomicFile& operator<<(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= most_waiting) write();
    return *this;
  }
  /// What was written. Throws an internal error when the disk refuses; the name is then not given.
  FileSum finish() {
    write();
    refuse_failed(output_->sync());
    output_.reset();
    rename_into_place(part_, file_);
    return sum_;
  }

 private:
  static constexpr std::size_t most_waiting = 65'536;

  void write() {
    refuse_failed(output_->write(waiting_));
    sum_.add(waiting_);
    waiting_.clear();
  }
  void refuse_failed(const std::error_code& failed) const {
    if (!failed) return;
    throw internal_error({.file = part_}, "cannot be written: " + failed.message(),
                         "check the space left, then call it again");
  }

  DiskPath file_, part_;
  std::unique_ptr<OutputFile> output_;
  std::string waiting_;
  FileSum sum_;
};

/// Writes a whole file so that it is either the old one or the new one at any moment. Throws as
/// AtomicFile does.
inline FileSum write_atomically(const DiskPath& file, std::string_view text) {
  AtomicFile made(file);
  made << text;
  return made.finish();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
