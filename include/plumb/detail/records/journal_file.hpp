// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file that grows line by line so that a kill loses at most its last line, and a power loss at most
// a second's.
//
// Each line is written in one piece. A torn last line is cut off when the file is opened, as is all from
// a line with a hole on: after a power loss, zeros stand where a line is missing that was not synced
// when a later one was already on the disk. Lines are read again by where they begin.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Reads single lines of a file by where they begin. Not thread-safe.
class LineReader {
 public:
  /// Throws an internal error when it cannot be read.
  [[nodiscard]] std::string read(const DiskPath& file, std::uintmax_t begin) {
    if (!stream_) stream_ = file.read();
    std::string text;
    if (stream_) {
      stream_->clear();
      stream_->seekg(static_cast<std::streamoff>(begin));
      std::getline(*stream_, text);
    }
    if (!stream_ || !*stream_)
      throw internal_error({.file = file}, "cannot be read again", "check the disk; then `resume`");
    return text;
  }
  /// The file has grown: what was read ahead is not all any more.
  void forget() { stream_.reset(); }

 private:
  std::unique_ptr<std::istream> stream_;
};

/// Not thread-safe; one process writes one file.
class JournalFile {
 public:
  /// Opens or creates, and calls `visit(text, begin, line)` for each whole line. Throws a user error
  /// when it cannot be written, an internal one when it cannot be read to its end.
  template <class Visit>
  JournalFile(DiskPath file, Visit visit) : file_(std::move(file)) {
    std::error_code failed;
    const bool was_there = is_there(file_);
    if (was_there) {
      bool is_sound = true;
      for_each_whole_line(file_, [&](const std::string& text, std::size_t line) {
        is_sound = is_sound && text.find(hole) == text.npos;
        if (!is_sound) return;
        visit(text, end_, line);
        end_ += text.size() + 1;
      });
      failed = file_.disk().cut(file_, end_);
    }
    if (!failed) output_ = file_.disk().write(file_, Disk::Opening::append);
    // What was cut off must not come back behind what is appended.
    if (output_ && was_there) failed = output_->sync();
    if (output_ && !failed) failed = file_.disk().sync_folder(file_.parent());
    if (!output_ || failed) {
      throw user_error({.file = file_}, "cannot be written",
                       "check permissions, and that it is a file and no link");
    }
  }

  /// The line that begins there. Throws an internal error when it cannot be read.
  [[nodiscard]] std::string read(std::uintmax_t begin) { return reader_.read(file_, begin); }

  /// Appends a line, which ends in its newline, and says where it begins. Throws an internal error
  /// when the disk refuses.
  std::uintmax_t append(const std::string& line) {
    refuse_failed(output_->write(line));
    reader_.forget();
    if (std::chrono::steady_clock::now() - synced_ > std::chrono::seconds(1)) sync();
    return std::exchange(end_, end_ + line.size());
  }

  /// All lines survive a power loss from here on. Throws an internal error when the disk refuses, and
  /// when the file has no name any more, as where its folder was removed: what is written is then lost.
  void sync() {
    refuse_failed(output_->sync());
    if (!file_.is_file()) {
      throw internal_error({.file = file_},
                           "is not there any more: its folder was removed or moved meanwhile",
                           "move it back and go on with `resume`, or begin anew");
    }
    synced_ = std::chrono::steady_clock::now();
  }

 private:
  // One zero is a byte that was changed, as by a broken disk, and no hole.
  static constexpr std::string_view hole{"\0\0\0\0\0\0\0\0", 8};

  void refuse_failed(const std::error_code& failed) const {
    if (!failed) return;
    throw internal_error({.file = file_}, "cannot be written: " + failed.message(),
                         "check space; then `resume`");
  }

  DiskPath file_;
  std::unique_ptr<OutputFile> output_;
  LineReader reader_;
  std::uintmax_t end_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
