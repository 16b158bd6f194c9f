// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/unicode_class.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

BOOST_AUTO_TEST_SUITE(unicode_class_suite)

BOOST_AUTO_TEST_CASE(characters_are_of_their_categories) {
  for (const char32_t c : U"aZéß東א") {
    if (c != 0)
      BOOST_TEST((plumb::detail::is_unicode_letter(c) && plumb::detail::is_regex_word(c)));
  }
  for (const char32_t c : U"0９½²Ⅷ१") {
    if (c != 0)
      BOOST_TEST((plumb::detail::is_unicode_number(c) && !plumb::detail::is_unicode_letter(c)));
  }
  BOOST_TEST((plumb::detail::is_unicode_mark(0x301) && plumb::detail::is_nonspacing_mark(0x301)));
  BOOST_TEST((plumb::detail::is_unicode_mark(0x903) && !plumb::detail::is_nonspacing_mark(0x903)));
  for (const char32_t c : {U'\0', U'\x1B', U'\x7F', U'\u200B', U'\uE000'}) {
    BOOST_TEST(plumb::detail::is_unicode_other(c));
  }
  BOOST_TEST(!plumb::detail::is_unicode_other(U'a'));
  BOOST_TEST(!plumb::detail::is_unicode_other(char32_t{0x378}));  // unassigned
}

BOOST_AUTO_TEST_CASE(white_space_is_the_property_not_what_looks_empty) {
  for (const char32_t c : {U'\t', U'\n', U' ', U'\u0085', U'\u00A0', U'\u2028', U'\u3000'}) {
    BOOST_TEST(plumb::detail::is_white_space(c));
  }
  for (const char32_t c : {U'\u200B', U'\uFEFF', U'\u180E', U'a'}) {
    BOOST_TEST(!plumb::detail::is_white_space(c));
  }
}

BOOST_AUTO_TEST_CASE(ascii_symbols_count_as_punctuation) {
  for (const char32_t c : {U'$', U'+', U'<', U'^', U'`', U'|', U'~', U'.', U'_', U'—', U'。'}) {
    BOOST_TEST(plumb::detail::is_punctuation_or_ascii_symbol(c));
  }
  for (const char32_t c : {U'a', U'0', U' ', U'©', U'№', U'\x7F'}) {
    BOOST_TEST(!plumb::detail::is_punctuation_or_ascii_symbol(c));
  }
}

BOOST_AUTO_TEST_CASE(words_of_expressions_hold_joiners_and_circled_letters) {
  for (const char32_t c : {U'_', U'\u203F', U'\u200D', U'Ⓐ', U'\u0301', U'Ⅷ'}) {
    BOOST_TEST(plumb::detail::is_regex_word(c));
  }
  for (const char32_t c : {U'-', U'½', U' ', U'\u200B'})
    BOOST_TEST(!plumb::detail::is_regex_word(c));
}

BOOST_AUTO_TEST_CASE(lower_case_is_full_but_knows_no_neighbours) {
  const auto lower = [](char32_t c) {
    std::u32string made;
    plumb::detail::lower_case_of(c, [&](char32_t put) { made.push_back(put); });
    return made;
  };
  BOOST_TEST((lower(U'A') == U"a" && lower(U'É') == U"é" && lower(U'1') == U"1"));
  BOOST_TEST((lower(U'Σ') == U"σ" && lower(U'ß') == U"ß" && lower(U'ǅ') == U"ǆ"));
  BOOST_TEST((lower(U'İ') == U"i\u0307"));
}

BOOST_AUTO_TEST_SUITE_END()
