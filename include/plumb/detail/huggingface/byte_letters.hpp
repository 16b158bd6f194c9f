// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which letter represents a byte in a byte-level vocabulary?
//
// GPT-2 writes each byte as a visible character so that a vocabulary can be a list of plain
// strings. Bytes that are visible in Latin-1 represent themselves; the other 68 are represented by
// U+0100 and the characters after it. A space is written as "Ġ". Source: the released encoder.py of
// Radford et al. 2019.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/aligned_text.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::array<char32_t, 256> byte_letters = [] {
  std::array<char32_t, 256> letters{};
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool visible = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
    letters[byte] = visible ? byte : next++;
  }
  return letters;
}();

inline constexpr std::array<std::size_t, 0x144> letter_bytes = [] {
  std::array<std::size_t, 0x144> bytes{};
  bytes.fill(256);
  for (std::size_t byte = 0; byte < 256; ++byte) bytes[byte_letters[byte]] = byte;
  return bytes;
}();

/// Replaces each byte of the text with its letter.
inline void write_byte_letters(AlignedText& text) {
  text.rewrite([](char32_t c, auto put) {
    std::string bytes;
    append_utf8(bytes, c);
    for (const char byte : bytes) put(detail::byte_letters[static_cast<unsigned char>(byte)]);
  });
}

/// The bytes that a token's letters represent; nullopt if any character is not such a letter.
[[nodiscard]] inline std::optional<std::string> bytes_of_letters(std::string_view letters) {
  std::string bytes;
  for (std::size_t at = 0; at < letters.size();) {
    const CodePoint c = first_code_point(letters.substr(at));
    if (c.size == 0 || c.value >= detail::letter_bytes.size()) return std::nullopt;
    const std::size_t byte = detail::letter_bytes[c.value];
    if (byte > 255) return std::nullopt;
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
    at += c.size;
  }
  return bytes;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
