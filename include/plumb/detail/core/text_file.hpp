// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads files in one piece, block by block or line by line. Lines of any length can be read in
// bounded memory.

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline std::unique_ptr<std::istream> opened(const DiskPath& file,
                                                          const char* remedy) {
  auto stream = file.read();
  if (!stream) throw user_error({.file = file}, "cannot be read", remedy);
  return stream;
}

inline void refuse_failed(const std::istream& stream, const DiskPath& file) {
  if (!stream.bad()) return;
  throw internal_error({.file = file}, "cannot be read to the end",
                       "check the disk, then try again");
}

/// Where to cut a text of more than `most` bytes: after the last white space in its first `most`
/// bytes or, if there is none, between two characters.
[[nodiscard]] inline std::size_t place_to_cut(std::string_view text, std::size_t most) noexcept {
  const std::size_t space = text.substr(0, most).find_last_of(" \t\r\v\f");
  if (space != std::string_view::npos) return space + 1;
  std::size_t cut = most;
  while (cut > 1 && most - cut < 3 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) {
    --cut;
  }
  return cut;
}

/// Calls `visit(std::string_view)` for each block of bytes, in order. Throws a user error if the
/// file cannot be opened, and an internal error if reading fails.
template <class Visit>
void for_each_block(const DiskPath& file, Visit visit, const char* remedy = "check permissions") {
  const auto stream = detail::opened(file, remedy);
  std::string block(1 << 16, '\0');
  while (*stream) {
    stream->read(block.data(), static_cast<std::streamsize>(block.size()));
    visit(std::string_view(block).substr(0, static_cast<std::size_t>(stream->gcount())));
  }
  detail::refuse_failed(*stream, file);
}

/// The entire contents of the file. Throws the same errors as for_each_block.
[[nodiscard]] inline std::string read_text(
    const DiskPath& file, const char* remedy = "check that it exists and is a readable file") {
  std::string text;
  for_each_block(
      file, [&](std::string_view block) { text += block; }, remedy);
  return text;
}

/// Calls `visit(text, line)` for each line, without its newline; lines are numbered from 1, and
/// `visit` may change the text. The last line need not end in a newline. Throws the same errors as
/// for_each_block.
template <class Visit>
void for_each_line(const DiskPath& file, Visit visit, const char* remedy = "check that it exists") {
  const auto stream = detail::opened(file, remedy);
  std::string text;
  for (std::size_t line = 1; std::getline(*stream, text); ++line) visit(text, line);
  detail::refuse_failed(*stream, file);
}

/// Like for_each_line, but only for lines that end in a newline. A line without a newline was left
/// by a writer that was killed.
template <class Visit>
void for_each_whole_line(const DiskPath& file, Visit visit) {
  const auto stream = detail::opened(file, "check permissions");
  std::string text;
  for (std::size_t line = 1; std::getline(*stream, text) && !stream->eof(); ++line) {
    visit(text, line);
  }
  detail::refuse_failed(*stream, file);
}

/// Splits text into lines; the text is passed in blocks. A line longer than `most` (at least 4)
/// bytes is passed in pieces that end after white space where possible. Memory is bounded by the
/// block size plus `most`. Calls `visit(piece, line, ends)`: lines are numbered from 1, and `ends`
/// is true for a line's last piece. Not thread-safe.
template <class Visit>
class LinePieces {
 public:
  LinePieces(std::size_t most, Visit visit) : most_(most), visit_(std::move(visit)) {}

  void add(std::string_view block) {
    std::size_t begin = 0, from = held_.size();
    held_ += block;
    for (std::size_t end = held_.find('\n', from); end != std::string::npos;
         end = held_.find('\n', begin)) {
      visit_(std::string_view(held_).substr(begin, end - begin), line_++, true);
      begin = end + 1;
    }
    while (held_.size() - begin > most_) {
      const std::string_view rest = std::string_view(held_).substr(begin);
      const std::size_t cut = detail::place_to_cut(rest, most_);
      visit_(rest.substr(0, cut), line_, false);
      begin += cut;
    }
    held_.erase(0, begin);
  }

  /// Ends the text; its last line need not end in a newline. Another text may follow; its line
  /// numbers start at 1 again.
  void end() {
    if (!held_.empty()) visit_(std::string_view(held_), line_, true);
    held_.clear();
    line_ = 1;
  }

 private:
  std::size_t most_;
  Visit visit_;
  std::string held_;
  std::size_t line_ = 1;
};

/// The first non-empty line, or an empty string if there is none. Throws the same errors as
/// for_each_block.
[[nodiscard]] inline std::string first_line(const DiskPath& file) {
  const auto stream = detail::opened(file, "check permissions");
  std::string text;
  while (text.empty() && std::getline(*stream, text)) {
  }
  detail::refuse_failed(*stream, file);
  return text;
}

/// Like for_each_line, but skips empty lines and removes a byte order mark and trailing carriage
/// returns.
template <class Visit>
void for_each_table_line(const DiskPath& file, Visit visit) {
  for_each_line(file, [&](std::string& text, std::size_t line) {
    if (line == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    if (text.ends_with('\r')) text.pop_back();
    if (!text.empty()) visit(text, line);
  });
}

/// Throws a user error if the file is the placeholder that Git LFS stores instead of a large file.
inline void refuse_lfs_pointer(const DiskPath& file, std::string_view bytes) {
  if (!bytes.starts_with("version https://git-lfs")) return;
  throw user_error({file}, "is a Git LFS pointer, not the file itself",
                   "run 'git lfs pull' in its folder, or download the file");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
