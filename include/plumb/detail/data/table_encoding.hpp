// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a table use a readable encoding and readable line endings?
//
// Excel's "Unicode text" is UTF-16, and old Macs end lines with a carriage return alone. If they
// were read as UTF-8 with line feeds, a UTF-16 file would contain no letters, and an old Mac file
// would be a single line, which messages would quote in full. The first bytes of a table are
// therefore checked before anything else.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Throws a user error if the first 64 KiB indicate UTF-16, UTF-32 or lines that end with a
/// carriage return alone, or if the file cannot be read.
inline void refuse_other_encoding(const DiskPath& file) {
  std::string head(std::size_t{1} << 16, '\0');
  const auto stream = opened(file, "check permissions");
  stream->read(head.data(), static_cast<std::streamsize>(head.size()));
  refuse_failed(*stream, file);
  head.resize(static_cast<std::size_t>(stream->gcount()));
  const std::string_view zeros("\0\0", 2);
  const bool has_mark = head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF");
  // If there is no byte order mark, a wide encoding is recognised by the zero byte on one side of
  // an ASCII letter.
  const bool has_zeros = head.size() > 1 && (head[0] == '\0') != (head[1] == '\0');
  if (has_mark || has_zeros || head.starts_with(zeros)) {
    const bool is_wide = head.size() > 3 && (head.starts_with(zeros) || head.substr(2, 2) == zeros);
    throw user_error({.file = file}, is_wide ? "is UTF-32" : "is UTF-16", "save it as UTF-8");
  }
  const std::size_t end = head.find('\r');
  if (end != std::string::npos && end + 1 < head.size() && head.find('\n') == std::string::npos) {
    throw user_error({.file = file}, "ends its lines with only a carriage return, as on old Macs",
                     "save it with line feeds");
  }
}

/// Checks every .csv, .tsv and .jsonl file at a path.
inline void refuse_other_encodings(const DiskPath& path) {
  constexpr auto endings = std::to_array<std::string_view>({".csv", ".tsv", ".jsonl"});
  const bool is_folder = path.is_folder();
  for (const DiskPath& file : is_folder ? path.list() : std::vector{path}) {
    if (ranges::find(endings, lower_case(file.extension())) == endings.end()) continue;
    if (is_folder ? file.is_file() : file.exists()) refuse_other_encoding(file);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
