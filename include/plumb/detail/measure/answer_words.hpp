// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which words does an answer consist of?
//
// Words are lower-case runs of letters, marks and digits; the characters between them are dropped.
// (BELIEF-ICL specifies only "Lemmatised without punctuation"; the other rules are our choice.) For
// example,
//
//   Austria-Hungary, AT&T, and/or   two words each; a hyphen, dash or slash separates words
//   Ireland's, Levi’s               ireland, levi: a possessive 's at a word's end is dropped
//   O'Brien, don't, Hawaiʻi         o brien, don t, hawai i: any other apostrophe separates words
//   U.S., U.S, J.R.R., J. R. R.     us, jrr: initials with full stops between them form one word,
//                                   also if a space follows each stop, provided that every
//                                   initial has a stop
//   St. Louis, Ph.D., example.com   st louis, ph d, example com: other full stops separate words
//   1,000,000 and 1,000.5           1000000 and 1000.5: a comma before three digits is dropped, a
//                                   full stop between digits stays
//   +44, -5, $20, 50%, C++, C#      44, 5, 20, 50, c, c: signs are dropped like any other symbol
//   日本 東京                       日 本 東 京: each Chinese or kana character is a word
//
// Thus, "US" and "us" are the same word, and so are "C" and "C++". Accents are significant ("São"
// is not "Sao"), but how they are encoded is not: words are in Unicode's composed form. Bytes that
// are not valid UTF-8 act as separators between words. With LetterCase::kept, words keep the case
// of their letters; all other rules are the same.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "plumb/detail/core/composed.hpp"
#include "plumb/detail/core/lower_case.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/core/word_character.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether letters are converted to lower case.
enum class LetterCase { lower, kept };

inline bool is_digit(char byte) noexcept {
  return byte >= '0' && byte <= '9';
}

/// Whether the text begins with exactly three digits.
inline bool begins_with_thousands(std::string_view text) noexcept {
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  return digits == 3;
}

inline bool is_apostrophe(char32_t value) noexcept {
  return value == U'\'' || value == U'`' || value == U'\u2018' || value == U'\u2019' ||
         value == U'\u02BB' || value == U'\u02BC' || value == U'\uFF07';
}

/// One word, removed from the front of a text that begins with a word.
struct RawWord {
  std::string text;
  /// Whether the word is a single letter (not a digit or a Chinese character).
  bool initial = false;
};

inline RawWord take_word(std::string_view& text, LetterCase letters) {
  RawWord word;
  std::size_t characters = 0;
  bool grouped = true;  // only digits so far, so a comma may be a thousands separator
  while (!text.empty()) {
    std::string_view rest = text;
    const char32_t value = take_code_point(rest);
    if (is_ignored_character(value)) {
      text = rest;
      continue;
    }
    const bool between_digits =
        !word.text.empty() && is_digit(word.text.back()) && !rest.empty() && is_digit(rest.front());
    if (between_digits && value == U',' && grouped && begins_with_thousands(rest)) {
      text = rest;
      continue;
    }
    if (between_digits && value == U'.') {
      word.text.push_back('.');
      grouped = false;
      text = rest;
      continue;
    }
    if (!is_word_character(value) || is_apostrophe(value)) break;
    const bool whole = is_word_by_itself(value);
    if (whole && characters > 0) break;
    if (letters == LetterCase::lower) {
      append_lower_case(word.text, value);
    } else {
      append_utf8(word.text, value);
    }
    ++characters;
    text = rest;
    if (whole) return word;
    grouped = grouped && value >= U'0' && value <= U'9';
  }
  word.initial = characters == 1 && !is_digit(word.text.front());
  return word;
}

/// Appends further initials to the first one: "R." of "J.R." and of "J. R.".
inline void take_initials(std::string& first, std::string_view& text, LetterCase letters) {
  while (text.starts_with('.')) {
    std::string_view rest = text.substr(1);
    const bool apart = rest.starts_with(' ');
    if (apart) rest.remove_prefix(1);
    const RawWord next = take_word(rest, letters);
    if (!next.initial || (apart && !rest.starts_with('.'))) break;
    first += next.text;
    text = rest;
  }
  if (text.starts_with('.')) text.remove_prefix(1);
}

/// Removes a possessive 's from the text after a word.
inline void skip_possessive(std::string_view& text) noexcept {
  std::string_view rest = text;
  if (!detail::is_apostrophe(detail::take_code_point(rest))) return;
  if (!rest.starts_with('s') && !rest.starts_with('S')) return;
  rest.remove_prefix(1);
  std::string_view next = rest;
  if (!is_word_character(detail::take_code_point(next))) text = rest;
}

inline bool is_ascii_word(char byte) noexcept {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte);
}

/// The size in bytes of the word at the start of the text, if it can be recognised without decoding
/// characters, as most English words can: two or more ASCII letters and digits, not followed by
/// anything that may continue the word. 0 if there is no such word.
inline std::size_t plain_word(std::string_view text) noexcept {
  std::size_t size = 0;
  while (size < text.size() && is_ascii_word(text[size])) ++size;
  if (size < 2) return 0;  // a single letter may be an initial
  if (size == text.size()) return size;
  const char next = text[size];
  const bool may_go_on = static_cast<unsigned char>(next) >= 0x80 || next == '\'' || next == '`' ||
                         ((next == '.' || next == ',') && is_digit(text[size - 1]));
  return may_go_on ? 0 : size;
}

/// Calls `visit(std::string)` for each word, in order.
template <class Visit>
void for_each_answer_word(std::string_view text, Visit visit,
                          LetterCase letters = LetterCase::lower) {
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80 && !detail::is_ascii_word(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    if (const std::size_t size = detail::plain_word(text); size > 0) {
      std::string word(text.substr(0, size));
      for (char& c : word) {
        if (letters == LetterCase::lower && c >= 'A' && c <= 'Z') c = static_cast<char>(c + 0x20);
      }
      visit(std::move(word));
      text.remove_prefix(size);
      continue;
    }
    detail::RawWord word = detail::take_word(text, letters);
    if (word.text.empty()) {
      detail::take_code_point(text);
      continue;
    }
    if (word.initial) detail::take_initials(word.text, text, letters);
    skip_possessive(text);
    visit(composed(word.text));
  }
}

/// Whether exactly one of the text's pieces between white space contains more than punctuation.
/// True for "Paris." and "Austria-Hungary", and false for "New York", "" and "…".
[[nodiscard]] inline bool is_one_word(std::string_view text) noexcept {
  std::size_t words = 0;
  bool counted = false;  // whether this piece was counted
  while (!text.empty()) {
    const char32_t value = detail::take_code_point(text);
    if (is_white_space(value)) {
      counted = false;
    } else if (!counted && is_word_character(value)) {
      counted = true;
      ++words;
    }
  }
  return words == 1;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
