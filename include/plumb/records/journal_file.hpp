// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a file grow line by line so that a kill loses at most its last line?
//
// Each line is written in one piece and flushed. A torn last line is cut off when the file is
// opened. Lines are read again by where they begin.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "plumb/core/error.hpp"

namespace plumb {

/// Not thread-safe; one process writes one file.
class JournalFile {
 public:
  /// Opens or creates, and calls `visit(text, begin, line)` for each whole line. Throws a user error
  /// when it cannot be written.
  template <class Visit>
  JournalFile(std::filesystem::path file, Visit visit) : file_(std::move(file)) {
    std::error_code failed;
    if (std::ifstream stream(file_, std::ios::binary); stream) {
      std::string text;
      for (std::size_t line = 1; std::getline(stream, text); ++line) {
        if (stream.eof()) break;  // no newline: the line was being written when the job ended
        visit(text, end_, line);
        end_ += text.size() + 1;
      }
      std::filesystem::resize_file(file_, end_, failed);
    }
    stream_.open(file_, std::ios::binary | std::ios::in | std::ios::out | std::ios::app);
    if (!stream_ || failed)
      throw user_error({.file = file_}, "cannot be written", "check permissions");
  }

  /// The line that begins there.
  [[nodiscard]] std::string read(std::uintmax_t begin) {
    std::string text;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(begin));
    std::getline(stream_, text);
    return text;
  }

  /// Appends a line, which ends in its newline, and says where it begins. Throws an internal error
  /// when the disk refuses.
  std::uintmax_t append(const std::string& line) {
    stream_.clear();
    stream_.write(line.data(), static_cast<std::streamsize>(line.size()));
    stream_.flush();
    if (!stream_) {
      throw internal_error({.file = file_}, "cannot be written", "check space; then `resume`");
    }
    return std::exchange(end_, end_ + line.size());
  }

 private:
  std::filesystem::path file_;
  std::fstream stream_;
  std::uintmax_t end_ = 0;
};

}  // namespace plumb
