// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does SentencePiece's precompiled character map rewrite a text?
//
// The map is a double-array trie (darts-clone: 32-bit units with label, leaf and offset) from bytes
// to offsets into a block of NUL-terminated strings. The trie is preceded by its size, in four
// bytes. The parts of a text are looked up as in the `tokenizers` package. A grapheme of fewer than
// six bytes is replaced by the value of its shortest known prefix. If it has no known prefix, or
// has six bytes or more, each of its characters is looked up separately. Source: SentencePiece,
// src/normalizer.cc.

#include <utf8proc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/aligned_text.hpp"
#include "plumb/detail/huggingface/json_part.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The bytes of a base64 string (RFC 4648, padded), or nullopt if it is invalid.
[[nodiscard]] inline std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    std::uint32_t value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = static_cast<std::uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      value = static_cast<std::uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      value = static_cast<std::uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      value = c == '+' ? 62 : 63;
    } else {
      return std::nullopt;
    }
    bits = (bits << 6) | value;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>((bits >> held) & 0xFFU));
    }
  }
  return bytes;
}

/// The end of the grapheme cluster (UAX 29) that starts at `at`.
[[nodiscard]] inline std::size_t end_of_grapheme(std::string_view text, std::size_t at) {
  CodePoint last = first_code_point(text.substr(at));
  at += last.size;
  utf8proc_int32_t state = 0;
  while (at < text.size()) {
    const CodePoint next = first_code_point(text.substr(at));
    const bool both_ascii = last.value < 0x80 && next.value < 0x80;
    if (both_ascii && (last.value != '\r' || next.value != '\n')) break;
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last.value),
                                         static_cast<utf8proc_int32_t>(next.value), &state)) {
      break;
    }
    at += next.size;
    last = next;
  }
  return at;
}

/// Any number of threads may use the same object.
class PrecompiledMap {
 public:
  /// Reads a base64-encoded map. Throws a user error if the string is not base64 or the map's sizes
  /// are inconsistent.
  static PrecompiledMap read(const JsonPart& part) {
    const auto bytes = detail::from_base64(part.text());
    if (!bytes) throw part.wrong("is not base64", "copy it again from the published file");
    const auto word = [&](std::size_t at) {
      std::uint32_t value = 0;
      for (std::size_t i = 4; i > 0; --i) {
        value = (value << 8) | static_cast<unsigned char>((*bytes)[at + i - 1]);
      }
      return value;
    };
    const std::size_t size = bytes->size() < 4 ? 0 : word(0);
    if (size == 0 || size % 4 != 0 || size > bytes->size() - 4) {
      throw part.wrong("is truncated: its trie is longer than the data",
                       "copy it again from the published file");
    }
    PrecompiledMap map;
    for (std::size_t at = 4; at < 4 + size; at += 4) map.units_.push_back(word(at));
    map.texts_ = bytes->substr(4 + size);
    if (first_invalid_utf8(map.texts_) != std::string_view::npos) {
      throw part.wrong("has strings that are not UTF-8", "copy it again from the published file");
    }
    (map.check)(part);
    return map;
  }

  /// The replacement for the shortest prefix of `key` that is in the map, or nullopt.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const {
    std::size_t node = offset(units_[0]);
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) break;
      node ^= byte;
      if (node >= units_.size()) return std::nullopt;
      const std::uint32_t unit = units_[node];
      if ((unit & 0x800000FFU) != byte) return std::nullopt;
      node ^= offset(unit);
      if ((unit & 0x100U) != 0) {
        const std::size_t begin = units_[node] & 0x7FFFFFFFU;
        return std::string_view(texts_).substr(begin, texts_.find('\0', begin) - begin);
      }
    }
    return std::nullopt;
  }

  void normalize(AlignedText& text) const {
    std::vector<CharacterChange> changes;
    changes.reserve(text.size());
    bool changed = false;
    std::size_t dropped = 0;  // number of characters before the first one that remains
    const std::string_view all = text.text();
    const auto replace = [&](std::string_view part) {
      const auto found = find(part);
      if (!found) return false;
      changed = true;
      if (changes.empty() && found->empty()) dropped += count_code_points(part);
      push(changes, count_code_points(part), *found);
      return true;
    };
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = detail::end_of_grapheme(all, at);
      if (end - at < 6 && replace(all.substr(at, end - at))) {
        at = end;
        continue;
      }
      while (at < end) {
        const CodePoint c = first_code_point(all.substr(at));
        if (!replace(all.substr(at, c.size))) changes.push_back({c.value, 0});
        at += c.size;
      }
    }
    if (changed) text.transform(changes, dropped);
  }

 private:
  static std::size_t offset(std::uint32_t unit) {
    return static_cast<std::size_t>(unit >> 10) << ((unit & 0x200U) >> 6);
  }

  /// Checks that each leaf points into the trie and to the start of a string, because `find` relies
  /// on this.
  void(check)(const JsonPart& part) const {
    for (std::size_t node = 0; node < units_.size(); ++node) {
      const std::uint32_t unit = units_[node];
      if ((unit & 0x80000000U) != 0 || (unit & 0x100U) == 0) continue;  // a value, or not a leaf
      const std::size_t leaf = node ^ offset(unit);
      const std::size_t begin = leaf < units_.size() ? units_[leaf] & 0x7FFFFFFFU : texts_.size();
      const bool whole = begin < texts_.size() && (texts_[begin] & 0xC0) != 0x80 &&
                         texts_.find('\0', begin) != std::string::npos;
      if (!whole) {
        throw part.wrong("points outside its own range", "copy it again from the published file");
      }
    }
  }

  /// Records that `before` characters are replaced with those of `after`. If `after` has more than
  /// `before` characters, the last ones are recorded as inserted. If there are fewer, the change
  /// recorded for the last character also drops the rest.
  static void push(std::vector<CharacterChange>& changes, std::size_t before,
                   std::string_view after) {
    std::size_t made = 0;
    for (std::size_t at = 0; at < after.size(); ++made) {
      const CodePoint c = first_code_point(after.substr(at));
      changes.push_back({c.value, made < before ? 0 : 1});
      at += c.size;
    }
    if (made < before && !changes.empty()) {
      changes.back().change -= static_cast<std::ptrdiff_t>(before - made);
    }
  }

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
