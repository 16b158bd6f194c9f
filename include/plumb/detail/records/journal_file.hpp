// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file that grows line by line. A killed process loses at most its last line, and a power loss at
// most the lines of one second.
//
// Each line is written in a single operation. When the file is opened, an incomplete last line is
// cut off. If a line contains a hole, that line and everything after it are cut off. A hole is a
// run of zeros: after a power loss, a line consists of zeros if it was not synced before a later
// line reached the disk. Lines are read from their start positions.

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

/// Reads single lines of a file from their start positions. Not thread-safe.
class LineReader {
 public:
  /// Throws an internal error if the line cannot be read.
  [[nodiscard]] std::string read(const DiskPath& file, std::uintmax_t begin) {
    if (!stream_) stream_ = file.read();
    std::string text;
    if (stream_) {
      stream_->clear();
      stream_->seekg(static_cast<std::streamoff>(begin));
      std::getline(*stream_, text);
    }
    if (!stream_ || !*stream_)
      throw internal_error({.file = file}, "cannot be read again", "check the disk, then `resume`");
    return text;
  }
  /// Must be called when the file has grown, because the read-ahead buffer is then incomplete.
  void forget() { stream_.reset(); }

 private:
  std::unique_ptr<std::istream> stream_;
};

/// Not thread-safe. Only one process may write a file.
class JournalFile {
 public:
  /// Opens or creates the file, and calls `visit(text, begin, line)` for each whole line. Throws a
  /// user error if it cannot be written, and an internal error if it cannot be read to the end.
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
    // Lines that were cut off must not reappear after lines appended later.
    if (output_ && was_there) failed = output_->sync();
    if (output_ && !failed) failed = file_.disk().sync_folder(file_.parent());
    if (!output_ || failed) {
      throw user_error({.file = file_}, "cannot be written",
                       "check its permissions, and that it is a file and not a link");
    }
  }

  /// The line that begins at this position. Throws an internal error if it cannot be read.
  [[nodiscard]] std::string read(std::uintmax_t begin) { return reader_.read(file_, begin); }

  /// Appends a line, which must end in a newline, and returns the position at which it begins.
  /// Throws an internal error if writing fails.
  std::uintmax_t append(const std::string& line) {
    refuse_failed(output_->write(line));
    reader_.forget();
    if (std::chrono::steady_clock::now() - synced_ > std::chrono::seconds(1)) sync();
    return std::exchange(end_, end_ + line.size());
  }

  /// After this call, all lines survive a power loss. Throws an internal error if syncing fails, or
  /// if the file no longer has a name (for example, because its folder was removed), since its
  /// contents are then lost.
  void sync() {
    refuse_failed(output_->sync());
    if (!file_.is_file()) {
      throw internal_error({.file = file_},
                           "no longer exists: its folder was removed or moved during the run",
                           "move it back and continue with `resume`, or start again");
    }
    synced_ = std::chrono::steady_clock::now();
  }

 private:
  // A single zero is not a hole but a corrupted byte, such as a faulty disk may produce.
  static constexpr std::string_view hole{"\0\0\0\0\0\0\0\0", 8};

  void refuse_failed(const std::error_code& failed) const {
    if (!failed) return;
    throw internal_error({.file = file_}, "cannot be written: " + failed.message(),
                         "check the free space, then `resume`");
  }

  DiskPath file_;
  std::unique_ptr<OutputFile> output_;
  LineReader reader_;
  std::uintmax_t end_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
