// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a text shown that may hold anything?
//
// Names of relations, subjects, options and models come from files, and a terminal obeys what stands in
// them: an escape sequence moves the cursor, hides what was printed or names the window, and an override
// of direction shows letters in another order. Each such character is shown as the escape that JSON has
// for it, "\u001b", which no terminal obeys and which is the same text inside a JSON string. These are
// the control characters (C0, DEL, C1), the line and paragraph separators and the overrides, embeddings
// and isolates of direction (The Unicode Standard, 23.2); marks of direction alone, as labels in Arabic
// have them, stay. Bytes that are no UTF-8, which may be C1 controls too, become U+FFFD.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a terminal or a page may obey the character, rather than show it.
[[nodiscard]] constexpr bool is_control(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// "\u001b"; of a character in the range of `is_control`.
[[nodiscard]] inline std::string control_escape(char32_t c) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(c >> shift) & 0xFU];
  return text;
}

/// The text with its control characters written out, but those of `kept` ("\n\t").
[[nodiscard]] inline std::string printable(std::string_view text, std::string_view kept = {}) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [value, size] = first_code_point(text);
    if (size == 0) {
      shown += "\uFFFD";
    } else if (is_control(value) && (size > 1 || kept.find(text.front()) == kept.npos)) {
      shown += control_escape(value);
    } else {
      shown += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return shown;
}

/// The first control character of a text; nothing (0 bytes) where there is none. NUL is one.
[[nodiscard]] inline CodePoint first_control(std::string_view text) noexcept {
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    if (head.size > 0 && is_control(head.value)) return head;
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  return {};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
