// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does a regular expression from a tokenizer file match?
//
// Expressions are compiled and searched by Oniguruma, the library that `tokenizers` uses, in its
// default syntax. Matches are found from left to right and do not overlap; as in `tokenizers`, a
// match may be empty, but not directly after the previous match.

// Its short names are also the names of POSIX and of ICU.
#ifndef ONIG_ESCAPE_REGEX_T_COLLISION
#define ONIG_ESCAPE_REGEX_T_COLLISION
#endif
#ifndef ONIG_ESCAPE_UCHAR_COLLISION
#define ONIG_ESCAPE_UCHAR_COLLISION
#endif
#include <oniguruma.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/older_characters.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Oniguruma's message for one of its error codes.
[[nodiscard]] inline std::string oniguruma_message(int code, OnigErrorInfo* details = nullptr) {
  std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> text{};
  const int size = details == nullptr ? onig_error_code_to_str(text.data(), code)
                                      : onig_error_code_to_str(text.data(), code, details);
  return {text.begin(), text.begin() + size};
}

/// The expression with [:punct:], within brackets, as punctuation and symbols. Oniguruma 6.9.8 leaves
/// out the symbols, unlike the version in `tokenizers`.
[[nodiscard]] inline std::string with_symbols_as_punctuation(std::string_view expression) {
  std::string made;
  std::size_t depth = 0;  // of brackets
  while (!expression.empty()) {
    std::size_t size =
        expression.front() == '\\' ? (std::min<std::size_t>)(2, expression.size()) : 1;
    std::string_view written = expression.substr(0, size);
    if (depth > 0 && expression.starts_with("[:punct:]")) {
      size = 9;
      written = "\\p{P}\\p{S}";
    } else if (depth > 0 && expression.starts_with("[:^punct:]")) {
      size = 10;
      written = "[^\\p{P}\\p{S}]";
    } else if (depth > 0 && expression.starts_with("[:")) {
      size = (std::min)(expression.find(":]"), expression.size() - 2) + 2;
      written = expression.substr(0, size);
    } else if (expression.front() == '[') {
      ++depth;
    } else if (expression.front() == ']' && depth > 0) {
      --depth;
    }
    made += written;
    expression.remove_prefix(size);
  }
  return made;
}

/// Any number of threads may use the same object.
class TextExpression {
 public:
  /// Throws a user error for an expression that Oniguruma does not accept.
  explicit TextExpression(const JsonPart& part) {
    std::string problem;
    compiled_ = compile(detail::with_symbols_as_punctuation(part.text()), problem);
    if (compiled_) return;
    throw part.wrong("the expression \"" + shortened(part.text()) +
                         "\" is not accepted by Oniguruma: " + problem,
                     "correct it");
  }

  /// Calls `visit(ByteSpan)` for each match. Throws a user error if a search exceeds one of
  /// Oniguruma's limits.
  template <class Visit>
  void for_each_match(std::string_view text, Visit visit) const {
    if (text.empty()) return;
    const std::string changed = searchable(text);
    search(*compiled_, changed.empty() ? text : changed, visit);
  }

 private:
  struct FreeRegion {
    void operator()(OnigRegion* region) const noexcept { onig_region_free(region, 1); }
  };

  /// A control character.
  static constexpr char substitute = '\x1A';

  [[nodiscard]] static const OnigUChar* begin_of(std::string_view text) noexcept {
    return reinterpret_cast<const OnigUChar*>(text.data());
  }
  [[nodiscard]] static const OnigUChar* end_of(std::string_view text) noexcept {
    return begin_of(text) + text.size();
  }

  /// Null if Oniguruma does not accept the expression; sets the problem.
  static std::shared_ptr<OnigRegexType> compile(std::string_view expression, std::string& problem) {
    static const int initialized = [] {
      std::array<OnigEncoding, 1> encodings{ONIG_ENCODING_UTF8};
      return onig_initialize(encodings.data(), 1);
    }();
    OnigRegex made = nullptr;
    OnigErrorInfo details{};
    const int code =
        initialized != ONIG_NORMAL
            ? initialized
            : onig_new(&made, begin_of(expression), end_of(expression), ONIG_OPTION_NONE,
                       ONIG_ENCODING_UTF8, OnigDefaultSyntax, &details);
    if (code == ONIG_NORMAL) return {made, onig_free};
    problem = detail::oniguruma_message(code, &details);
    return nullptr;
  }

  template <class Visit>
  static void search(OnigRegexType& expression, std::string_view text, Visit visit) {
    const std::unique_ptr<OnigRegion, FreeRegion> region(onig_region_new());
    std::optional<std::size_t> last_end;
    for (std::size_t at = 0; at <= text.size();) {
      const int code = onig_search(&expression, begin_of(text), end_of(text), begin_of(text) + at,
                                   end_of(text), region.get(), ONIG_OPTION_NONE);
      if (code == ONIG_MISMATCH) return;
      if (code < 0) {
        throw user_error({.field = "tokenizer.json"},
                         "searching the text '" + shortened(std::string(text)) +
                             "' for the tokenizer's expression failed in Oniguruma: " +
                             detail::oniguruma_message(code),
                         "shorten the text");
      }
      const ByteSpan match{static_cast<std::size_t>(region->beg[0]),
                           static_cast<std::size_t>(region->end[0])};
      at = match.end;
      if (match.begin == match.end && match.end == last_end) {
        at += at < text.size() ? first_code_point(text.substr(at)).size : 1;
        continue;
      }
      last_end = match.end;
      visit(match);
    }
  }

  /// The text with the same positions, but valid UTF-8 and without characters that are newer than
  /// Oniguruma (older_characters.hpp); empty if nothing changes.
  [[nodiscard]] static std::string searchable(std::string_view text) {
    constexpr unsigned char first_of_three = 0xE0;
    const bool may_be_new = ranges::any_of(
        text, [](char byte) { return static_cast<unsigned char>(byte) >= first_of_three; });
    std::string made;
    for (std::size_t at = first_invalid_utf8(text); at != std::string_view::npos;) {
      if (made.empty()) made = text;
      made[at] = substitute;
      const std::size_t next = first_invalid_utf8(std::string_view(made).substr(at));
      at = next == std::string_view::npos ? next : at + next;
    }
    if (!may_be_new) return made;
    static const std::shared_ptr<OnigRegexType> unassigned = [] {
      std::string problem;
      return compile("\\p{Cn}", problem);
    }();
    std::string older;
    const std::string_view valid = made.empty() ? text : std::string_view(made);
    search(*unassigned, valid, [&](ByteSpan match) {
      const std::size_t size = match.end - match.begin;
      const char32_t c =
          detail::older_character(first_code_point(valid.substr(match.begin)).value, size);
      if (c == 0) return;
      if (older.empty()) older = valid;
      std::string bytes;
      append_utf8(bytes, c);
      older.replace(match.begin, size, bytes);
    });
    return older.empty() ? made : older;
  }

  std::shared_ptr<OnigRegexType> compiled_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
