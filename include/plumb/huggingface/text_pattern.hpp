// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where in a text does a pattern of a tokenizer file match?
//
// Not a regular-expression engine: a literal text, a run of one kind of character (`\s+`, ` {2,}`,
// `\d`) and GPT-2's pattern, which is what published files of these models hold. Any other
// expression is refused. Source of GPT-2's pattern: the released encoder.py of Radford et al. 2019.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "plumb/core/token.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/huggingface/json_part.hpp"
#include "plumb/huggingface/unicode_class.hpp"

namespace plumb {

inline constexpr std::string_view gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace detail {

/// The end of the characters at `at` of which `is` holds.
template <class Is>
std::size_t end_of_run(std::string_view text, std::size_t at, Is is) {
  while (at < text.size()) {
    const CodePoint c = first_code_point(text.substr(at));
    if (c.size == 0 || !is(c.value)) break;
    at += c.size;
  }
  return at;
}

/// The end of the match of GPT-2's pattern at `at`; every character of a text is in some match.
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
  // The last space of a run belongs to what stands behind it.
  std::size_t last = end - 1;
  while ((static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80U) --last;
  return last > at ? last : end;
}

}  // namespace detail

/// A pattern as a tokenizer file states it. Any number of threads may use one.
class TextPattern {
 public:
  /// Matches that text itself; an empty one matches nowhere.
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

  /// From {"String": text} or {"Regex": expression}. Throws a user error for an expression that is
  /// none of those above.
  static TextPattern read(const JsonPart& part) {
    if (part.has("String")) return literal(part.at("String").text());
    const JsonPart regex = part.at("Regex");
    if (regex.text() == gpt2_pattern) return gpt2();
    if (auto pattern = parsed(regex.text())) return *std::move(pattern);
    throw regex.unknown("the expression", regex.text(),
                        R"(GPT-2's, plain text, and one character, \s, \d or \w behind which )"
                        R"(nothing, "+" or "{n,}" may stand)");
  }

  /// Calls `visit(ByteSpan)` for each match, from the left, none in another.
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
      for_each_run(text, visit);
    }
  }

 private:
  enum class Kind { literal, gpt2, run };
  enum class Atom { character, space, digit, word };

  TextPattern() = default;

  [[nodiscard]] bool is(char32_t c) const {
    switch (atom_) {
      case Atom::space:
        return is_white_space(c);
      case Atom::digit:
        return detail::has_category(c, detail::category_bit(UTF8PROC_CATEGORY_ND));
      case Atom::word:
        return is_expression_word(c);
      case Atom::character:
        break;
    }
    return c == character_;
  }

  /// \w of Oniguruma, which runs the expressions of tokenizer files: without the joiners, and with the
  /// numbers of Latin-1.
  static bool is_expression_word(char32_t c) {
    if (c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0xBC && c <= 0xBE)) return true;
    return is_regex_word(c) && c != 0x200C && c != 0x200D;
  }

  template <class Visit>
  void for_each_run(std::string_view text, Visit visit) const {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      std::size_t length = 0;
      while (end < text.size() && length < most_) {
        const CodePoint c = first_code_point(text.substr(end));
        if (c.size == 0 || !is(c.value)) break;
        end += c.size;
        ++length;
      }
      if (length >= least_) visit(ByteSpan{at, end});
      at = end > at ? end : at + std::max<std::size_t>(1, first_code_point(text.substr(at)).size);
    }
  }

  static std::optional<TextPattern> parsed(std::string_view regex) {
    constexpr std::string_view signs = R"(\^$.|?*+()[]{}#&-~)";
    constexpr std::string_view rare = "#&-~";  // plain outside of [ ]
    const auto is_plain = [&](char c) {
      return signs.find(c) == std::string_view::npos || rare.find(c) != std::string_view::npos;
    };
    if (regex.empty()) return std::nullopt;
    if (std::all_of(regex.begin(), regex.end(), is_plain)) return literal(std::string(regex));
    TextPattern pattern;
    pattern.kind_ = Kind::run;
    std::size_t at = 0;
    if (regex[0] == '\\' && regex.size() > 1) {
      at = 2;
      const char c = regex[1];
      if (c == 's') {
        pattern.atom_ = Atom::space;
      } else if (c == 'd') {
        pattern.atom_ = Atom::digit;
      } else if (c == 'w') {
        pattern.atom_ = Atom::word;
      } else if (c == 'n' || c == 't' || c == 'r') {
        pattern.character_ = c == 'n' ? U'\n' : c == 't' ? U'\t' : U'\r';
      } else if (signs.find(c) != std::string_view::npos) {
        pattern.character_ = static_cast<unsigned char>(c);
      } else {
        return std::nullopt;
      }
    } else if (is_plain(regex[0])) {
      const CodePoint c = first_code_point(regex);
      pattern.character_ = c.value;
      at = c.size;
    } else {
      return std::nullopt;
    }
    const std::string_view rest = regex.substr(at);
    if (rest.empty()) {
      pattern.most_ = 1;
      return pattern;
    }
    if (rest == "+") return pattern;
    if (!rest.starts_with('{') || !rest.ends_with(",}")) return std::nullopt;
    const char* const end = rest.data() + rest.size() - 2;
    const auto [stop, code] = std::from_chars(rest.data() + 1, end, pattern.least_);
    if (code != std::errc() || stop != end || pattern.least_ == 0) return std::nullopt;
    return pattern;
  }

  Kind kind_ = Kind::literal;
  std::string literal_;
  Atom atom_ = Atom::character;
  char32_t character_ = 0;
  std::size_t least_ = 1;
  std::size_t most_ = static_cast<std::size_t>(-1);
};

}  // namespace plumb
