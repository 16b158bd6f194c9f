// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which characters are white space, and what of a text is not, at its ends?
//
// In what people and models write, White_Space of The Unicode Standard (PropList), which is also
// what a regular expression's class of space stands for: `is_white_space`, `leading_white_space`.
// In files of data a space, a tab, a carriage return or a line feed, Unicode's other spaces being
// letters there, as file formats take them: `is_blank`, `trimmed`.

#include <cstddef>
#include <string_view>

#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// White space of files.
inline constexpr std::string_view white_space = " \t\r\n";

/// Whether a text has nothing but white space of files.
[[nodiscard]] inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(white_space) == std::string_view::npos;
}

/// The text without white space of files at its ends; it is valid as long as the text.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  if (is_blank(text)) return {};
  const auto first = text.find_first_not_of(white_space);
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

/// Unicode's white space; a no-break space is one, a zero-width space is not.
[[nodiscard]] constexpr bool is_white_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// Bytes of Unicode's white space that a text begins with, all of a text that has nothing else.
/// Bytes that are not well-formed UTF-8 are none.
[[nodiscard]] inline std::size_t leading_white_space(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [value, size] = first_code_point(text.substr(at));
    if (size == 0 || !is_white_space(value)) break;
    at += size;
  }
  return at;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
