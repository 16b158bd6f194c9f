// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which bytes of the original text does each byte of a normalised one come from?
//
// A tokenizer rewrites a text (lower case, no accents, "▁" for a space) before it cuts it. Each
// byte of the rewritten text keeps the range of the original bytes that it stands for, always whole
// characters. The rules are those of the `tokenizers` package (NormalizedString), so that a token
// covers here what it covers there: what replaces a character takes its range, what is inserted
// takes the range of the character before it. One difference: where a map drops a text's
// first characters, that package shifts all later ranges to the left by as many; here they stay right.

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

/// A character of a rewritten text and what happened there: 0 for one that replaces the next
/// character, 1 for one that is inserted, -n for one that replaces the next and drops the n after.
struct CharacterChange {
  char32_t value = 0;
  std::ptrdiff_t change = 0;
};

/// Well-formed UTF-8 with the origin of each byte. Not thread-safe while it is changed.
class AlignedText {
 public:
  AlignedText() = default;

  /// The text as it is; a byte that is no part of a character is read as U+FFFD and covers itself.
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
  /// The original bytes behind one byte.
  [[nodiscard]] ByteSpan origin(std::size_t byte) const { return origins_[byte]; }
  /// The original bytes behind a range that is not empty.
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

  /// Each character becomes what `rewrite(c, put)` puts for it: nothing, one or several.
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

  /// Puts characters before a text that is not empty; they stand for its first character.
  void prepend(std::string_view characters) {
    if (empty()) return;
    AlignedText result;
    result.append(characters, origins_.front());
    result.append(*this, {0, size()});
    *this = std::move(result);
  }

  /// Replaces parts, ascending and apart; what replaces one stands for its last character.
  void replace(std::span<const ByteSpan> parts, std::string_view content) {
    if (parts.empty()) return;
    AlignedText result;
    std::size_t at = 0;
    for (const ByteSpan part : parts) {
      result.append(*this, {at, part.begin});
      result.append(content, origins_[part.end - 1]);
      at = part.end;
    }
    result.append(*this, {at, size()});
    *this = std::move(result);
  }

  /// The whole text rewritten as changes of its characters, in order, behind so many that are
  /// dropped at its begin, which the first that stays covers too. No origin goes past the end.
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
  std::string text_;
  std::vector<ByteSpan> origins_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
