// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/composed.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;
using plumb::detail::composed;
using plumb::detail::is_composed;

BOOST_AUTO_TEST_SUITE(composed_suite)

// The expected texts are the NFC forms of Python's unicodedata; tests/system/test_unicode_tables.py
// compares all pairs with it.
BOOST_AUTO_TEST_CASE(letters_and_their_marks_are_one_character) {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"Zu\u0308rich", "Z\u00FCrich"},
      {"Ho\u031B\u0300i", "H\u1EDDi"},  // two marks on one letter
      {"e\u0302\u0323", "\u1EC7"},      // the marks are not in the order of their classes
      {"e\u0323\u0302", "\u1EC7"},
      {"\u00EA\u0323", "\u1EC7"},                // already partially composed
      {"\u212B", "\u00C5"},                      // the angstrom sign
      {"\u03C9\u0301 \u1F7D", "\u03CE \u03CE"},  // Greek tonos and oxia
      {"\u304B\u3099", "\u304C"},
      {"\u1112\u1161\u11AB", "\uD55C"},  // Hangul with all three parts
      {"\uD558\u11AB", "\uD55C"},
      {"\u0308u", "\u0308u"},  // a mark at the start has no letter to combine with
      {"", ""},
      {"plain", "plain"}};
  for (const auto& [text, expected] : texts) {
    BOOST_TEST(composed(text) == expected);
    BOOST_TEST(is_composed(text) == (text == expected));
  }
}

BOOST_AUTO_TEST_CASE(what_is_composed_stays) {
  for (const std::string text :
       {"Zürich", "Łódź", "Ðà Nẵng", "한국", "がぎ", "Ελλάδα", "\u0915\u093C", "é̄", "北京"}) {
    BOOST_TEST(composed(text) == text);
    BOOST_TEST(is_composed(text));
  }
  // NFC decomposes or replaces these characters; `composed` leaves them unchanged.
  for (const std::string text : {"\u0958", "\uFB2A", "\uF900", "\U0002F81A"}) {
    BOOST_TEST(composed(text) == text);
    BOOST_TEST(!is_composed(text));
  }
}

BOOST_AUTO_TEST_CASE(broken_bytes_do_no_harm) {
  BOOST_TEST(composed("a\xFF") == "a\uFFFD");
  BOOST_TEST(composed("\xCC") == "\uFFFD");
}

BOOST_AUTO_TEST_SUITE_END()
