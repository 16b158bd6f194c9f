// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where in a text does a pattern from a tokenizer file match?
//
// A pattern is a literal string, GPT-2's pattern (which has its own function, since most models use
// it), or an expression (text_expression.hpp). Source of GPT-2's pattern: encoder.py, released with
// Radford et al. 2019.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/text_expression.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The end of the run of characters, starting at `at`, for which `is` returns true.
template <class Is>
std::size_t end_of_run(std::string_view text, std::size_t at, Is is) {
  while (at < text.size()) {
    const CodePoint c = first_code_point(text.substr(at));
    if (c.size == 0 || !is(c.value)) break;
    at += c.size;
  }
  return at;
}

/// The end of the match of GPT-2's pattern that begins at `at`. Every character of a text belongs
/// to a match.
inline std::size_t gpt2_match(std::string_view text, std::size_t at) {
  constexpr std::array<std::string_view, 7> endings{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
  for (const std::string_view ending : endings) {
    if (text.substr(at).starts_with(ending)) return at + ending.size();
  }
  const std::size_t word = at + (text[at] == ' ' ? 1 : 0);
  if (word < text.size()) {
    const char32_t first = first_code_point(text.substr(word)).value;
    if (is_unicode_letter(first)) return end_of_run(text, word, is_unicode_letter);
    if (is_unicode_number(first)) return end_of_run(text, word, is_unicode_number);
    if (!is_white_space(first)) {
      return end_of_run(text, word, [](char32_t c) {
        return !is_white_space(c) && !is_unicode_letter(c) && !is_unicode_number(c);
      });
    }
  }
  const std::size_t end = end_of_run(text, at, is_white_space);
  if (end == text.size()) return end;
  // The last space of a run belongs to the character after it.
  std::size_t last = end - 1;
  while ((static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80U) --last;
  return last > at ? last : end;
}

/// A pattern in a tokenizer file. Any number of threads may use the same object.
class TextPattern {
 public:
  /// Matches exactly this string. An empty string matches nowhere.
  static TextPattern literal(std::string text) {
    TextPattern pattern;
    pattern.literal_ = std::move(text);
    return pattern;
  }
  static TextPattern gpt2() {
    TextPattern pattern;
    pattern.kind_ = Kind::gpt2;
    return pattern;
  }

  /// Reads {"String": text} or {"Regex": expression}. Throws a user error for an invalid
  /// expression.
  static TextPattern read(const JsonPart& part) {
    const bool is_string = part.has("String");
    const JsonPart regex = part.at(is_string ? "String" : "Regex");
    // An empty string matches between all characters, like an empty expression.
    if (is_string && !regex.text().empty()) return literal(regex.text());
    if (regex.text() == gpt2_pattern) return gpt2();
    if (is_plain(regex.text())) return literal(regex.text());
    TextPattern pattern;
    pattern.kind_ = Kind::expression;
    pattern.expression_.emplace(regex);
    return pattern;
  }

  /// Calls `visit(ByteSpan)` for each match, from left to right; matches do not overlap. A match of
  /// an expression may be empty.
  template <class Visit>
  void for_each_match(std::string_view text, Visit visit) const {
    if (kind_ == Kind::gpt2) {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = detail::gpt2_match(text, at);
        visit(ByteSpan{at, end});
        at = end;
      }
    } else if (kind_ == Kind::literal) {
      if (literal_.empty()) return;
      for (std::size_t at = text.find(literal_); at != std::string_view::npos;
           at = text.find(literal_, at + literal_.size())) {
        visit(ByteSpan{at, at + literal_.size()});
      }
    } else {
      expression_->for_each_match(text, visit);
    }
  }

 private:
  enum class Kind { literal, gpt2, expression };

  TextPattern() = default;

  /// Whether an expression is a literal string without special characters.
  static bool is_plain(std::string_view regex) {
    return !regex.empty() && regex.find_first_of(R"(\^$.|?*+()[]{})") == std::string_view::npos;
  }

  Kind kind_ = Kind::literal;
  std::string literal_;
  std::optional<TextExpression> expression_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
