// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which characters are white space, and how is it trimmed from text?
//
// There are two definitions. For text written by people and models, white space is the property
// White_Space of The Unicode Standard (PropList), which is also what \s matches in regular
// expressions: `is_white_space`, `leading_white_space`, `trailing_white_space`. In data files, it is
// a space, a tab, a carriage return or a line feed: `is_blank`, `trimmed`. File formats treat
// Unicode's other spaces as ordinary characters.

#include <cstddef>
#include <string_view>

#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// White space in data files.
inline constexpr std::string_view white_space = " \t\r\n";

/// Whether a text is empty or consists only of white space (as defined for data files).
[[nodiscard]] inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(white_space) == std::string_view::npos;
}

/// The text without leading and trailing white space (as defined for data files). The result is
/// valid as long as the text is.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  if (is_blank(text)) return {};
  const auto first = text.find_first_not_of(white_space);
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

/// Whether a character is white space in Unicode. A no-break space qualifies; a zero-width space
/// does not.
[[nodiscard]] constexpr bool is_white_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// The number of bytes of Unicode white space at the start of a text. Bytes that are not
/// well-formed UTF-8 are not white space.
[[nodiscard]] inline std::size_t leading_white_space(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [value, size] = first_code_point(text.substr(at));
    if (size == 0 || !is_white_space(value)) break;
    at += size;
  }
  return at;
}

/// The number of bytes of Unicode white space at the end of a text; likewise.
[[nodiscard]] inline std::size_t trailing_white_space(std::string_view text) noexcept {
  std::size_t end = 0;  // of the last character that is not white space
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, size] = first_code_point(text.substr(at));
    at += size == 0 ? 1 : size;
    if (size == 0 || !is_white_space(value)) end = at;
  }
  return text.size() - end;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
