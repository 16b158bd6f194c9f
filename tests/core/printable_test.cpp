// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/printable.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

using namespace plumb::detail;
using namespace std::string_view_literals;

BOOST_AUTO_TEST_SUITE(printable_texts)

BOOST_AUTO_TEST_CASE(text_of_any_script_stays_as_it_is) {
  for (const std::string_view text :
       {""sv, "Reykjavík, ~!"sv, "القاهرة"sv, "東京 🇫🇷"sv, "a\u200Eb\u200F"sv, "no\u00A0break"sv}) {
    BOOST_TEST(printable(text) == text);
    BOOST_TEST(first_control(text).size == 0U);
  }
}

BOOST_AUTO_TEST_CASE(controls_are_written_out) {
  BOOST_TEST(printable("\x1b[2Jx") == "\\u001b[2Jx");
  BOOST_TEST(printable("a\0b"sv) == "a\\u0000b");
  BOOST_TEST(printable("\x7f\u0085\u009B31m") == "\\u007f\\u0085\\u009b31m");
  BOOST_TEST(printable("\u2028\u2029\u202A\u202E\u2066\u2069") ==
             "\\u2028\\u2029\\u202a\\u202e\\u2066\\u2069");
}

// The byte 0x9B on its own is the 8-bit form of ESC [.
BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_are_replaced) {
  BOOST_TEST(printable("a\x9b"
                       "31m") == "a\uFFFD31m");
  BOOST_TEST(printable("\xE2\x80") == "\uFFFD\uFFFD");
}

BOOST_AUTO_TEST_CASE(what_is_kept_is_kept) {
  BOOST_TEST(printable("a\n\tb\r", "\n\t") == "a\n\tb\\u000d");
  // `kept` does not apply to a byte inside a longer character.
  BOOST_TEST(printable("\u0085", "\x85") == "\\u0085");
}

BOOST_AUTO_TEST_CASE(the_first_control_is_found) {
  BOOST_TEST((first_control("ab\x1b\u202E").value == 0x1B));
  BOOST_TEST((first_control("ab\u202E\x1b").value == 0x202E));
  BOOST_TEST(first_control("a\0"sv).size == 1U);
  BOOST_TEST(first_control("\xff").size == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
