// SPDX-License-Identifier: Apache-2.0
#include "plumb/core/white_space.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(white_space_suite)

BOOST_AUTO_TEST_CASE(ends_are_trimmed_and_the_middle_stays) {
  BOOST_TEST(trimmed(" \tLa  Paz\r\n") == "La  Paz");
  BOOST_TEST(trimmed("Lima") == "Lima");
  BOOST_TEST(trimmed("").empty());
  BOOST_TEST(trimmed(" \r\n\t ").empty());
}

BOOST_AUTO_TEST_CASE(a_space_of_another_kind_is_a_letter) {
  BOOST_TEST(trimmed("\xC2\xA0x ") == "\xC2\xA0x");  // no-break space
  for (const char* blank : {"", " ", "\t", "\r\n", " \t \n"}) BOOST_TEST(is_blank(blank));
  for (const char* text : {"a", " a", "a ", ".", "\xC2\xA0"}) BOOST_TEST(!is_blank(text));
}

BOOST_AUTO_TEST_SUITE_END()
