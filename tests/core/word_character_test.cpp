// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/word_character.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(word_character_suite)

BOOST_AUTO_TEST_CASE(letters_marks_and_numbers_make_up_words) {
  for (const char32_t value : std::u32string_view(U"azAZ09ªµßéñőΩяאבابअ\u093F\u0301ก가漢かﬁ²½Ⅷ𐐀")) {
    BOOST_TEST(is_word_character(value), static_cast<std::uint32_t>(value));
    BOOST_TEST(!is_ignored_character(value));
  }
}

BOOST_AUTO_TEST_CASE(punctuation_and_symbols_do_not) {
  for (const char32_t value : std::u32string_view(
           U"\0\t !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\x7F\u0085\u00A0«°·»¿×÷"
           U"–—‘’“”…€™→∞★❤、。「」・！？￥😀🇫🥲\uFFFD"
           U"\U0001FAE8",
           70)) {
    BOOST_TEST(!is_word_character(value), static_cast<std::uint32_t>(value));
    BOOST_TEST(!is_ignored_character(value));
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_shape_is_ignored) {
  for (const char32_t value :
       std::u32string_view(U"\u00AD\u200B\u200D\u200E\u2060\uFE0F\uFEFF\u20E3\U000E0101")) {
    BOOST_TEST(is_ignored_character(value), static_cast<std::uint32_t>(value));
    BOOST_TEST(!is_word_character(value));
  }
}

BOOST_AUTO_TEST_CASE(chinese_characters_and_kana_are_words) {
  for (const char32_t value : std::u32string_view(U"日本々〇かカーｶ\u3400\U00020000")) {
    BOOST_TEST(is_word_by_itself(value), static_cast<std::uint32_t>(value));
  }
  for (const char32_t value : std::u32string_view(U"aé9กя가・、　")) {
    BOOST_TEST(!is_word_by_itself(value), static_cast<std::uint32_t>(value));
  }
}

BOOST_AUTO_TEST_CASE(white_space_makes_up_no_words) {
  for (const char32_t value : std::u32string_view(U" \t\n\v\f\r\u0085\u00A0\u2003\u2028\u3000")) {
    BOOST_TEST(!is_word_character(value));
  }
}

// The count and the FNV-1a hash of all word characters come from Python 3.11's
// unicodedata.category, which uses Unicode 14. Unassigned, private-use and surrogate code points
// are given the class of the preceding assigned code point.
BOOST_AUTO_TEST_CASE(the_whole_table_is_that_of_python) {
  std::size_t count = 0;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (!is_word_character(value)) continue;
    ++count;
    hash = (hash ^ value) * 0x100000001b3U;
  }
  BOOST_TEST(count == 1091934U);
  BOOST_TEST(hash == 0xa74f62f923f415a8U);
}

BOOST_AUTO_TEST_SUITE_END()
