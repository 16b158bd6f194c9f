// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/white_space.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(white_space_suite)

BOOST_AUTO_TEST_CASE(ends_are_trimmed_and_the_middle_stays) {
  BOOST_TEST(trimmed(" \tLa  Paz\r\n") == "La  Paz");
  BOOST_TEST(trimmed("Lima") == "Lima");
  BOOST_TEST(trimmed("").empty());
  BOOST_TEST(trimmed(" \r\n\t ").empty());
}

BOOST_AUTO_TEST_CASE(a_space_of_another_kind_is_a_letter_in_files) {
  BOOST_TEST(trimmed("\xC2\xA0x ") == "\xC2\xA0x");  // no-break space
  for (const char* blank : {"", " ", "\t", "\r\n", " \t \n"}) BOOST_TEST(is_blank(blank));
  for (const char* text : {"a", " a", "a ", ".", "\xC2\xA0"}) BOOST_TEST(!is_blank(text));
}

// Unicode's PropList.txt lists 25 code points.
BOOST_AUTO_TEST_CASE(white_space_is_the_property_of_unicode) {
  std::size_t count = 0;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) count += is_white_space(c) ? 1U : 0U;
  BOOST_TEST(count == 25U);
  for (const char32_t c : {U'\n', U'\v', U'\f', U'\r', U'\t', U' ', U'\u0085', U'\u00A0', U'\u2003',
                           U'\u2028', U'\u3000'}) {
    BOOST_TEST(is_white_space(c));
  }
  for (const char32_t c :
       {U'a', U'_', U'9', U'\u00AD', U'\u0301', U'\u200B', U'\u200D', U'\u2060', U'\uFEFF'}) {
    BOOST_TEST(!is_white_space(c));
  }
}

BOOST_AUTO_TEST_CASE(trailing_white_space_is_counted_in_bytes) {
  BOOST_TEST(trailing_white_space("") == 0U);
  BOOST_TEST(trailing_white_space(" Paris") == 0U);
  BOOST_TEST(trailing_white_space("is \n") == 2U);
  BOOST_TEST(trailing_white_space(" \t") == 2U);
  BOOST_TEST(trailing_white_space("P\u00A0\u3000") == 5U);
  // Bytes that are not UTF-8 are not white space.
  BOOST_TEST(trailing_white_space("\n\x80") == 0U);
  BOOST_TEST(trailing_white_space("\x80\n") == 1U);
}

BOOST_AUTO_TEST_CASE(leading_white_space_is_counted_in_bytes) {
  BOOST_TEST(leading_white_space("") == 0U);
  BOOST_TEST(leading_white_space("Paris ") == 0U);
  BOOST_TEST(leading_white_space("\n\n Paris\n") == 3U);
  BOOST_TEST(leading_white_space(" \t\r\n") == 4U);
  // The three characters have two bytes, three bytes and one byte.
  BOOST_TEST(leading_white_space("\u00A0\u3000\nP") == 6U);
}

BOOST_AUTO_TEST_CASE(half_a_character_is_no_white_space) {
  BOOST_TEST(leading_white_space("\n\xE3\x80") == 1U);
  BOOST_TEST(leading_white_space("\x80\n") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
