// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files that are there whole or not at all: written beside, as NAME.part, and renamed.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/core/error.hpp"

namespace plumb {

/// Gives a finished file its name. Throws an internal error when the disk refuses.
inline void rename_into_place(const std::filesystem::path& part,
                              const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::rename(part, file, failed);
  if (failed) throw internal_error({.file = file}, "cannot be replaced: " + failed.message());
}

/// A file that is written bit by bit and gets its name when all of it is there. Not thread-safe.
class FileInTheMaking {
 public:
  /// Throws a user error when it cannot be created.
  explicit FileInTheMaking(std::filesystem::path file)
      : file_(std::move(file)),
        part_(file_.string() + ".part"),
        stream_(part_, std::ios::binary | std::ios::trunc) {
    if (stream_) return;
    throw user_error({.file = part_}, "cannot be created",
                     "check its folder's permissions, or choose another");
  }

  FileInTheMaking& operator<<(std::string_view text) {
    stream_.write(text.data(), static_cast<std::streamsize>(text.size()));
    return *this;
  }
  /// Throws an internal error when the disk refuses; the name is then not given.
  void finish() {
    stream_.close();
    if (!stream_) {
      throw internal_error({.file = part_}, "cannot be written", "check space; then `resume`");
    }
    rename_into_place(part_, file_);
  }

 private:
  std::filesystem::path file_, part_;
  std::ofstream stream_;
};

/// Writes a whole file so that it is either the old one or the new one at any moment. Throws as
/// FileInTheMaking does.
inline void write_atomically(const std::filesystem::path& file, std::string_view text) {
  FileInTheMaking made(file);
  made << text;
  made.finish();
}

}  // namespace plumb
