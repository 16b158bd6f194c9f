// SPDX-License-Identifier: Apache-2.0
#pragma once

// How can untrusted text be shown safely?
//
// Names of relations, subjects, options and models come from files, and a terminal obeys control
// characters in them. An escape sequence can move the cursor, hide earlier output or rename the
// window; a direction override shows letters in a different order. Each such character is shown as
// its JSON escape, for example "\u001b". No terminal acts on the escape, and a JSON string contains
// it in the same form. The escaped characters are the control characters (C0, DEL, C1), the line
// and paragraph separators, and the directional overrides, embeddings and isolates (The Unicode
// Standard, 23.2). Directional marks are kept, because they occur in Arabic labels. Bytes that are
// not UTF-8 become U+FFFD, because a terminal may interpret them as C1 controls.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a terminal or a page might act on the character instead of showing it.
[[nodiscard]] constexpr bool is_control(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// The JSON escape of a character that satisfies `is_control`, for example "\u001b".
[[nodiscard]] inline std::string control_escape(char32_t c) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(c >> shift) & 0xFU];
  return text;
}

/// The text with its control characters escaped, except those in `kept` (such as "\n\t").
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

/// The first control character in a text; its size is 0 if there is none. NUL counts as a control
/// character.
[[nodiscard]] inline CodePoint first_control(std::string_view text) noexcept {
  while (!text.empty()) {
    const CodePoint head = first_code_point(text);
    if (head.size > 0 && is_control(head.value)) return head;
    text.remove_prefix(std::max<std::size_t>(head.size, 1));
  }
  return {};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
