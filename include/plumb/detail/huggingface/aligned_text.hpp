// SPDX-License-Identifier: Apache-2.0
#pragma once

// From which bytes of the original text does each byte of a normalised text come?
//
// A tokenizer rewrites a text (lower case, no accents, "▁" for a space) before splitting it. For
// each byte of the rewritten text, the range of original bytes that it represents is stored; the
// range always consists of whole characters. The rules match those of the `tokenizers` package
// (NormalizedString), so a token covers the same bytes in both. A replacement inherits the range of
// the character that it replaces. An inserted character inherits the range of the character before
// it. One difference: if a map drops the first characters of a text, that package shifts all later
// ranges to the left by the number of dropped characters. Here, the ranges stay correct.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A character of a rewritten text. `change` is 0 if it replaces the next character, 1 if it is
/// inserted, and -n if it replaces the next character and the n characters after that are dropped.
struct CharacterChange {
  char32_t value = 0;
  std::ptrdiff_t change = 0;
};

/// Well-formed UTF-8 with the origin of each byte. Not thread-safe while it is being changed.
class AlignedText {
 public:
  AlignedText() = default;

  /// Constructs the unchanged text. A byte that is not part of a character becomes U+FFFD, which
  /// covers that byte.
  explicit AlignedText(std::string_view original) {
    text_.reserve(original.size());
    origins_.reserve(original.size());
    for (std::size_t at = 0; at < original.size();) {
      const CodePoint c = first_code_point(original.substr(at));
      const std::size_t size = c.size == 0 ? 1 : c.size;
      append(c.size == 0 ? char32_t{0xFFFD} : c.value, {at, at + size});
      at += size;
    }
  }

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::size_t size() const noexcept { return text_.size(); }
  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  [[nodiscard]] std::string_view text(ByteSpan part) const {
    return std::string_view(text_).substr(part.begin, part.end - part.begin);
  }
  /// The original bytes that a byte of the rewritten text represents.
  [[nodiscard]] ByteSpan origin(std::size_t byte) const { return origins_[byte]; }
  /// The original bytes that a non-empty range of the rewritten text represents.
  [[nodiscard]] ByteSpan origin(ByteSpan part) const {
    return {origins_[part.begin].begin, origins_[part.end - 1].end};
  }

  void append(char32_t c, ByteSpan origin) {
    append_utf8(text_, c);
    origins_.resize(text_.size(), origin);
  }
  void append(const AlignedText& other, ByteSpan part) {
    text_ += other.text(part);
    const auto first = other.origins_.begin();
    origins_.insert(origins_.end(), first + static_cast<std::ptrdiff_t>(part.begin),
                    first + static_cast<std::ptrdiff_t>(part.end));
  }
  void append(std::string_view characters, ByteSpan origin) {
    text_ += characters;
    origins_.resize(text_.size(), origin);
  }

  [[nodiscard]] AlignedText slice(ByteSpan part) const {
    AlignedText result;
    result.append(*this, part);
    return result;
  }

  /// Replaces each character with the characters that `rewrite(c, put)` passes to `put`: none, one
  /// or several.
  template <class Rewrite>
  void rewrite(Rewrite rewrite) {
    AlignedText result;
    result.text_.reserve(size());
    result.origins_.reserve(size());
    for (std::size_t at = 0; at < size();) {
      const CodePoint c = first_code_point(text().substr(at));
      rewrite(c.value, [&](char32_t put) { result.append(put, origins_[at]); });
      at += c.size;
    }
    *this = std::move(result);
  }

  /// Inserts characters before a non-empty text. They inherit the range of the text's first
  /// character.
  void prepend(std::string_view characters) {
    if (empty()) return;
    AlignedText result;
    result.append(characters, origins_.front());
    result.append(*this, {0, size()});
    *this = std::move(result);
  }

  /// Replaces each of `parts`, which must be ascending and disjoint, with `content`. A replacement
  /// inherits the range of the part's last character; that of an empty part has an empty range.
  void replace(std::span<const ByteSpan> parts, std::string_view content) {
    if (parts.empty()) return;
    AlignedText result;
    std::size_t at = 0;
    for (const ByteSpan part : parts) {
      result.append(*this, {at, part.begin});
      result.append(content, origin_of(part));
      at = part.end;
    }
    result.append(*this, {at, size()});
    *this = std::move(result);
  }

  /// Drops the first `dropped` characters, then applies the changes to the rest of the text in
  /// order. The first remaining character covers the dropped ones too. Origins are limited to the
  /// end of the text.
  void transform(std::span<const CharacterChange> changes, std::size_t dropped = 0) {
    AlignedText result;
    result.text_.reserve(size());
    result.origins_.reserve(size());
    std::size_t at = 0;
    const auto step = [&] {
      if (at < size()) at += first_code_point(text().substr(at)).size;
    };
    for (std::size_t i = 0; i < dropped; ++i) step();
    for (const auto& [value, change] : changes) {
      ByteSpan origin;
      if (!empty() && change > 0) {
        origin = at == 0 ? ByteSpan{origins_[0].begin, origins_[0].begin} : origins_[at - 1];
      } else if (!empty()) {
        origin = origins_[(std::min)(at, size() - 1)];
      }
      if (result.empty() && !empty()) origin.begin = origins_[0].begin;
      for (std::ptrdiff_t left = change; left <= 0; ++left) step();
      result.append(value, origin);
    }
    *this = std::move(result);
  }

 private:
  /// The range of a replaced part: its last character's, or for an empty part, the empty range
  /// before the next character or at the end.
  [[nodiscard]] ByteSpan origin_of(ByteSpan part) const {
    if (part.begin < part.end) return origins_[part.end - 1];
    if (part.end < size()) return {origins_[part.end].begin, origins_[part.end].begin};
    return empty() ? ByteSpan{} : ByteSpan{origins_.back().end, origins_.back().end};
  }

  std::string text_;
  std::vector<ByteSpan> origins_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
