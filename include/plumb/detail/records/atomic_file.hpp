// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files that are either complete or absent: each is written as NAME.part in the same folder and
// then renamed. Once a file has its final name, it survives a power loss.

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

/// Renames a finished file to its final name, durably. Throws an internal error if this fails.
inline void rename_into_place(const DiskPath& part, const DiskPath& file) {
  std::error_code failed = file.disk().rename(part, file);
  if (!failed) failed = file.disk().sync_folder(file.parent());
  if (!failed) return;
  throw internal_error({.file = file}, "cannot be replaced: " + failed.message(),
                       "check the disk and its free space, then run it again");
}

/// Removes a file if it exists. Throws an internal error if removal fails.
inline void remove_file(const DiskPath& file) {
  if (const std::error_code failed = file.disk().remove(file)) {
    throw internal_error({.file = file}, "cannot be removed: " + failed.message(),
                         "check the disk and permissions, then run it again");
  }
}

/// Creates a folder and its parents if they do not exist. Throws a user error if they cannot be
/// created.
inline void make_folders(const DiskPath& folder) {
  if (folder.empty()) throw user_error({.setting = "out"}, "is empty", "set a folder");
  std::error_code failed = folder.disk().make_folders(folder);
  if (!failed) failed = folder.disk().sync_folder(folder.parent());
  if (!failed) return;
  throw user_error({.file = folder}, "cannot be created: " + failed.message(),
                   "choose another folder (`out`)");
}

/// Identifies the content of a file by its number of lines, its number of bytes and its FNV-1a
/// hash.
struct FileSum {
  std::uintmax_t lines = 0, bytes = 0;
  std::uint64_t hash = fnv1a("");

  /// Adds the next piece of text to the sum.
  void add(std::string_view text) {
    lines += static_cast<std::uintmax_t>(std::count(text.begin(), text.end(), '\n'));
    bytes += text.size();
    hash = fnv1a(text, hash);
  }
  friend bool operator==(const FileSum&, const FileSum&) = default;
};

/// Throws the same errors as for_each_block.
[[nodiscard]] inline FileSum sum_of(const DiskPath& file) {
  FileSum sum;
  for_each_block(file, [&](std::string_view block) { sum.add(block); });
  return sum;
}

/// A file that is written piece by piece and gets its final name once it is complete. Not
/// thread-safe.
class AtomicFile {
 public:
  /// Throws a user error if it cannot be created.
  explicit AtomicFile(DiskPath file)
      : file_(std::move(file)),
        part_(file_ + ".part"),
        output_(part_.disk().write(part_, Disk::Opening::create)) {
    if (output_) return;
    throw user_error({.file = part_}, "cannot be created",
                     "check its folder's permissions, or choose another");
  }

  /// Throws an internal error if writing fails.
  AtomicFile& operator<<(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= most_waiting) write();
    return *this;
  }
  /// Returns the FileSum of the written text. Throws an internal error if writing fails; the file
  /// then does not get its final name.
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
                         "check the free space, then run it again");
  }

  DiskPath file_, part_;
  std::unique_ptr<OutputFile> output_;
  std::string waiting_;
  FileSum sum_;
};

/// Writes a whole file so that at any moment either the old or the new version exists in full.
/// Throws the same errors as AtomicFile.
inline FileSum write_atomically(const DiskPath& file, std::string_view text) {
  AtomicFile made(file);
  made << text;
  return made.finish();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
