// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a text is not white space at its ends?
//
// White space is a space, a tab, a carriage return or a line feed; Unicode's other spaces are letters
// here, as file formats take them.

#include <string_view>

namespace plumb {

inline constexpr std::string_view white_space = " \t\r\n";

/// Whether a text has nothing but white space.
[[nodiscard]] inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(white_space) == std::string_view::npos;
}

/// The text without white space at its ends; it is valid as long as the text.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  if (is_blank(text)) return {};
  const auto first = text.find_first_not_of(white_space);
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

}  // namespace plumb
