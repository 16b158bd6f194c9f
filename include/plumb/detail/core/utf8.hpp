// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is this text UTF-8, and what are its code points?
//
// Everything plumb reads and writes is UTF-8; an invalid byte is reported where it is read, so that
// it cannot later produce a page or a JSON file that no program can open. Source: The Unicode
// Standard, table 3-7 (well-formed byte sequences).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CodePoint {
  char32_t value = 0;
  /// The number of bytes; 0 if the text is not well-formed UTF-8 at this point.
  std::size_t size = 0;
};

/// The code point at the start of a text; its size is 0 if the text is empty or ill-formed there.
[[nodiscard]] inline CodePoint first_code_point(std::string_view text) noexcept {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead < 0xC2   ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
  if (size == 0 || text.size() < size) return {};
  char32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, size};
}

/// Removes the code point at the front of the text and returns it; returns U+FFFD for an ill-formed
/// byte and 0 for an empty text.
inline char32_t take_code_point(std::string_view& text) noexcept {
  if (text.empty()) return 0;
  const CodePoint head = first_code_point(text);
  text.remove_prefix(head.size == 0 ? 1 : head.size);
  return head.size == 0 ? U'\uFFFD' : head.value;
}

/// Byte offset of the first ill-formed sequence; npos if the whole text is UTF-8.
[[nodiscard]] inline std::size_t first_invalid_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = first_code_point(text.substr(at)).size;
    if (size == 0) return at;
    at += size;
  }
  return std::string_view::npos;
}

/// Appends a code point (at most 0x10FFFF, not a surrogate) as UTF-8.
inline void append_utf8(std::string& text, char32_t value) {
  const auto put = [&](char32_t bits) { text.push_back(static_cast<char>(bits)); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | (value >> 6));
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | (value >> 12));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | (value >> 18));
    put(0x80 | ((value >> 12) & 0x3F));
    put(0x80 | ((value >> 6) & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

/// The text with U+FFFD in place of each byte that is not part of a character. For example, text
/// that was cut between two tokens may end with an incomplete character.
[[nodiscard]] inline std::string valid_utf8(std::string_view text) {
  std::string sound;
  for (std::size_t bad = first_invalid_utf8(text); bad != std::string_view::npos;
       bad = first_invalid_utf8(text)) {
    sound += text.substr(0, bad);
    sound += "\uFFFD";
    text.remove_prefix(bad + 1);
  }
  sound += text;
  return sound;
}

/// The number of code points in a UTF-8 text; an ill-formed byte counts as one.
[[nodiscard]] inline std::size_t count_code_points(std::string_view text) noexcept {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    const std::size_t size = first_code_point(text.substr(at)).size;
    at += size == 0 ? 1 : size;
  }
  return count;
}

/// The first 60 bytes of the text, extended to a whole character and followed by "…" if the text
/// was cut.
[[nodiscard]] inline std::string shortened(const std::string& text) {
  std::size_t shown = std::min<std::size_t>(60, text.size());
  while (shown < text.size() && (text[shown] & 0xC0) == 0x80) ++shown;
  return text.substr(0, shown) + (shown < text.size() ? "…" : "");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
