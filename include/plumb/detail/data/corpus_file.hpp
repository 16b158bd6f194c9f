// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which documents does a text file contain? The file may be larger than memory.
//
// A plain file is one document. A file of JSON lines, recognised by .jsonl, .ndjson or .json,
// contains one document in each line, under "text" or another field. Compressed files and files
// with zero bytes are rejected; UTF-8 text has no zero bytes. Bytes that are not UTF-8 pass through
// unchanged. A pipe is read like a file.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"
#include "plumb/detail/data/json_text_field.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct PackedFormat {
  const char* name;
  std::string_view begins;
};

/// Compressed formats, recognised by a file's first bytes.
inline constexpr std::array<PackedFormat, 9> packed_formats{{
    {"gzip", "\x1F\x8B"},
    {"zstd", "\x28\xB5\x2F\xFD"},
    {"xz",
     "\xFD"
     "7zXZ"},
    {"bzip2", "BZh91AY&SY"},
    {"lz4", "\x04\x22\x4D\x18"},
    {"zip", "PK\x03\x04"},
    {"7z", "7z\xBC\xAF"},
    {"Parquet", "PAR1\x15"},
    {"PDF", "%PDF-"},
}};

/// Throws a user error if a file begins like one of these formats.
inline void refuse_packed(const DiskPath& file, std::string_view begins) {
  const auto found = ranges::find_if(packed_formats, [&](const PackedFormat& format) {
    return begins.starts_with(format.begins);
  });
  if (found == packed_formats.end()) return;
  throw user_error({.file = file}, std::string("is a ") + found->name + " file, not text",
                   "unpack it, or pipe its text in and pass /dev/stdin");
}

/// The field that contains the texts in a JSON Lines file: `given`, or "text" by default. Empty for
/// a plain text file. If `given` is set, any file is read as JSON lines.
[[nodiscard]] inline std::string text_field_of(const DiskPath& file, const std::string& given) {
  if (!given.empty()) return given;
  const std::string ending = file.extension();
  const bool has_rows = ending == ".jsonl" || ending == ".ndjson" || ending == ".json";
  return has_rows ? "text" : "";
}

/// Calls `piece(text, line, ends)` for each line of the documents, and `end()` after each document.
/// Long lines are split into pieces of about `most` bytes (LinePieces). `line` is the line in the
/// file, from 1; all the text of a JSON line has that line's number. `field` is the result of
/// text_field_of. Throws a user error if the file cannot be read, if it is not text, or if a JSON
/// line has no text; the last of these errors includes the line number. Blank lines are skipped.
/// Memory use does not depend on the size of the file, its lines or its documents.
template <class Piece, class End>
void for_each_document(const DiskPath& file, const std::string& field, Piece piece, End end,
                       std::size_t most = 1 << 16) {
  const bool has_rows = !field.empty();
  std::size_t row = 1;
  LinePieces lines(most, [&](std::string_view text, std::size_t line, bool ends) {
    piece(text, has_rows ? row : line, ends);
  });
  JsonTextField json(field, [&](std::string_view text) { lines.add(text); });
  const auto end_row = [&] {
    const char* const problem = json.end();
    if (problem != nullptr) {
      throw user_error({file, row}, problem,
                       "each line must be {…} with a text under \"" + field +
                           "\", or under the field that `text-field` names");
    }
    if (!json.was_blank()) {
      lines.end();
      end();
    }
    ++row;
  };
  bool is_first = true;
  for_each_block(
      file,
      [&](std::string_view block) {
        if (is_first) detail::refuse_packed(file, block);
        if (block.find('\0') != std::string_view::npos) {
          throw user_error({.file = file}, "contains a zero byte, which UTF-8 text does not have",
                           "pass text files, or convert it to UTF-8");
        }
        if (is_first && block.starts_with("\xEF\xBB\xBF")) block.remove_prefix(3);
        is_first = false;
        if (!has_rows) return lines.add(block);
        for (std::size_t at = block.find('\n'); at != std::string_view::npos;
             at = block.find('\n')) {
          json.add(block.substr(0, at));
          end_row();
          block.remove_prefix(at + 1);
        }
        json.add(block);
      },
      "check that it exists and is a readable file");
  if (has_rows) return end_row();
  lines.end();
  end();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
