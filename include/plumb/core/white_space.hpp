// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which characters are white space, and where does a text begin that opens with some?
//
// White_Space of The Unicode Standard (PropList), which is also what a regular expression's class of
// space stands for.

#include <cstddef>
#include <string_view>

#include "plumb/core/utf8.hpp"

namespace plumb {

[[nodiscard]] constexpr bool is_white_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// Bytes of white space that a text begins with, all of a text that has nothing else. Bytes that are
/// not well-formed UTF-8 are none.
[[nodiscard]] inline std::size_t leading_white_space(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [value, size] = first_code_point(text.substr(at));
    if (size == 0 || !is_white_space(value)) break;
    at += size;
  }
  return at;
}

}  // namespace plumb
