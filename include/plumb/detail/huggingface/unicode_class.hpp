// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which class does a tokenizer assign to a character: letter, mark, white space or punctuation?
//
// This header contains the general categories of The Unicode Standard, chapter 4.5, taken from
// utf8proc, and a few other properties that tokenizers need: White_Space (core/white_space.hpp),
// the word characters of regular expressions (UTS 18, annex C) and full lower-casing (SpecialCasing
// without conditions). Characters that are newer than utf8proc's Unicode version are treated as
// unassigned. `tokenizers` uses tables from several versions (punctuation and accents from Unicode
// 8, letters from Unicode 16), so it classifies a few hundred rare characters of newer scripts
// differently. Non-goals: locales, and forms that depend on a neighbouring character, such as the
// final sigma.

#include <utf8proc.h>

#include <cstdint>

#include "plumb/detail/core/white_space.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

constexpr std::uint32_t category_bit(int category) noexcept {
  return 1U << category;
}

[[nodiscard]] inline bool has_category(char32_t c, std::uint32_t categories) noexcept {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return (category_bit(category) & categories) != 0;
}

inline constexpr std::uint32_t letters_of_unicode =
    category_bit(UTF8PROC_CATEGORY_LU) | category_bit(UTF8PROC_CATEGORY_LL) |
    category_bit(UTF8PROC_CATEGORY_LT) | category_bit(UTF8PROC_CATEGORY_LM) |
    category_bit(UTF8PROC_CATEGORY_LO);
inline constexpr std::uint32_t marks_of_unicode = category_bit(UTF8PROC_CATEGORY_MN) |
                                                  category_bit(UTF8PROC_CATEGORY_MC) |
                                                  category_bit(UTF8PROC_CATEGORY_ME);
inline constexpr std::uint32_t numbers_of_unicode = category_bit(UTF8PROC_CATEGORY_ND) |
                                                    category_bit(UTF8PROC_CATEGORY_NL) |
                                                    category_bit(UTF8PROC_CATEGORY_NO);
inline constexpr std::uint32_t punctuation_of_unicode =
    category_bit(UTF8PROC_CATEGORY_PC) | category_bit(UTF8PROC_CATEGORY_PD) |
    category_bit(UTF8PROC_CATEGORY_PS) | category_bit(UTF8PROC_CATEGORY_PE) |
    category_bit(UTF8PROC_CATEGORY_PI) | category_bit(UTF8PROC_CATEGORY_PF) |
    category_bit(UTF8PROC_CATEGORY_PO);
inline constexpr std::uint32_t others_of_unicode = category_bit(UTF8PROC_CATEGORY_CC) |
                                                   category_bit(UTF8PROC_CATEGORY_CF) |
                                                   category_bit(UTF8PROC_CATEGORY_CO);

[[nodiscard]] constexpr bool is_ascii_letter(char32_t c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_ascii_digit(char32_t c) noexcept {
  return c >= '0' && c <= '9';
}

/// General category L (letters).
[[nodiscard]] inline bool is_unicode_letter(char32_t c) noexcept {
  return c < 0x80 ? detail::is_ascii_letter(c)
                  : detail::has_category(c, detail::letters_of_unicode);
}

/// General category N (numbers).
[[nodiscard]] inline bool is_unicode_number(char32_t c) noexcept {
  return c < 0x80 ? detail::is_ascii_digit(c) : detail::has_category(c, detail::numbers_of_unicode);
}

/// General category M (marks).
[[nodiscard]] inline bool is_unicode_mark(char32_t c) noexcept {
  return c >= 0x300 && detail::has_category(c, detail::marks_of_unicode);
}

/// General category Mn (marks without a width of their own).
[[nodiscard]] inline bool is_nonspacing_mark(char32_t c) noexcept {
  return c >= 0x300 && detail::has_category(c, detail::category_bit(UTF8PROC_CATEGORY_MN));
}

/// Control, format and private-use characters, but not unassigned ones.
[[nodiscard]] inline bool is_unicode_other(char32_t c) noexcept {
  if (c < 0x80) return c < 0x20 || c == 0x7F;
  return detail::has_category(c, detail::others_of_unicode);
}

/// General category P (punctuation), and the ASCII symbols, which are in category S.
[[nodiscard]] inline bool is_punctuation_or_ascii_symbol(char32_t c) noexcept {
  if (c < 0x80) {
    return c > 0x20 && c < 0x7F && !detail::is_ascii_letter(c) && !detail::is_ascii_digit(c);
  }
  return detail::has_category(c, detail::punctuation_of_unicode);
}

/// The word characters of regular expressions: letters, marks, digits, letter-like numbers,
/// connectors, joiners and circled letters.
[[nodiscard]] inline bool is_regex_word(char32_t c) noexcept {
  if (c < 0x80) return detail::is_ascii_letter(c) || detail::is_ascii_digit(c) || c == '_';
  constexpr std::uint32_t of_words = detail::letters_of_unicode | detail::marks_of_unicode |
                                     detail::category_bit(UTF8PROC_CATEGORY_ND) |
                                     detail::category_bit(UTF8PROC_CATEGORY_NL) |
                                     detail::category_bit(UTF8PROC_CATEGORY_PC);
  if (detail::has_category(c, of_words) || c == 0x200C || c == 0x200D) return true;
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
         (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
}

/// Calls `put(char32_t)` for each character of the lower-case form of `c`. For "İ", this form has
/// two characters.
template <class Put>
void lower_case_of(char32_t c, Put put) {
  if (c < 0x80) {
    put(c >= 'A' && c <= 'Z' ? c + 0x20 : c);
  } else if (c == 0x130) {
    put(U'i');
    put(char32_t{0x307});
  } else {
    put(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
