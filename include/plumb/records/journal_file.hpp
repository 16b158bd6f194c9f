// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file that grows line by line so that a kill loses at most its last line, and a power loss at most
// a second's.
//
// Each line is written in one piece. A torn last line is cut off when the file is opened. Lines are
// read again by where they begin.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/error.hpp"
#include "plumb/core/text_file.hpp"

namespace plumb {

/// Not thread-safe; one process writes one file.
class JournalFile {
 public:
  /// Opens or creates, and calls `visit(text, begin, line)` for each whole line. Throws a user error
  /// when it cannot be written, an internal one when it cannot be read to its end.
  template <class Visit>
  JournalFile(DiskPath file, Visit visit) : file_(std::move(file)) {
    std::error_code failed;
    if (file_.is_file()) {
      for_each_whole_line(file_, [&](const std::string& text, std::size_t line) {
        visit(text, end_, line);
        end_ += text.size() + 1;
      });
      failed = file_.disk().cut(file_, end_);
    }
    if (!failed) output_ = file_.disk().write(file_, Disk::Opening::append);
    if (output_) failed = file_.disk().sync_folder(file_.parent());
    if (!output_ || failed) {
      throw user_error({.file = file_}, "cannot be written",
                       "check permissions, and that it is a file and no link");
    }
  }

  /// The line that begins there. Throws an internal error when it cannot be read.
  [[nodiscard]] std::string read(std::uintmax_t begin) {
    if (!reader_) reader_ = file_.read();
    std::string text;
    if (reader_) {
      reader_->clear();
      reader_->seekg(static_cast<std::streamoff>(begin));
      std::getline(*reader_, text);
    }
    if (!reader_ || !*reader_) throw internal_error({.file = file_}, "cannot be read again");
    return text;
  }

  /// Appends a line, which ends in its newline, and says where it begins. Throws an internal error
  /// when the disk refuses.
  std::uintmax_t append(const std::string& line) {
    refuse_failed(output_->write(line));
    reader_.reset();  // what it has read ahead is not all any more
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
  void refuse_failed(const std::error_code& failed) const {
    if (!failed) return;
    throw internal_error({.file = file_}, "cannot be written: " + failed.message(),
                         "check space; then `resume`");
  }

  DiskPath file_;
  std::unique_ptr<OutputFile> output_;
  std::unique_ptr<std::istream> reader_;
  std::uintmax_t end_ = 0;
  std::chrono::steady_clock::time_point synced_ = std::chrono::steady_clock::now();
};

}  // namespace plumb
