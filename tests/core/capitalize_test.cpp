// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/capitalize.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(capitalize_suite)

BOOST_AUTO_TEST_CASE(letters_of_many_scripts_have_their_upper_case) {
  const std::vector<std::pair<std::string, std::string>> letters{
      // clang-format off
      {"a", "A"}, {"z", "Z"}, {"é", "É"}, {"ÿ", "Ÿ"}, {"ā", "Ā"}, {"ž", "Ž"}, {"ő", "Ő"},
      {"ı", "I"}, {"ſ", "S"}, {"ƿ", "Ƿ"}, {"ǆ", "Ǆ"}, {"ǅ", "Ǆ"}, {"ɐ", "Ɐ"}, {"ɦ", "Ɦ"},
      {"µ", "Μ"}, {"τ", "Τ"}, {"ς", "Σ"}, {"ώ", "Ώ"}, {"ὑ", "Ὑ"},  // Greek
      {"ж", "Ж"}, {"ё", "Ё"}, {"ӏ", "Ӏ"}, {"ԥ", "Ԥ"},               // Cyrillic
      {"ա", "Ա"}, {"ა", "Ა"}, {"ꭰ", "Ꭰ"}, {"ⲁ", "Ⲁ"},  // Armenian, Georgian, Cherokee, Coptic
      {"ａ", "Ａ"}, {"ⓐ", "Ⓐ"}, {"ⅷ", "Ⅷ"},             // full-width, circled, numerals
      {"𐐨", "𐐀"}, {"𞤢", "𞤀"},                         // Deseret, Adlam
      // clang-format on
  };
  for (const auto& [lower, upper] : letters) BOOST_TEST(capitalize(lower) == upper);
}

BOOST_AUTO_TEST_CASE(what_has_no_upper_case_stays) {
  for (const std::string text :
       {"A", "É", "Ǆ", "Ж", "7", "-", " a", "[a", "漢字", "אב", "اب", "अब", "ก", "가", "😀a"}) {
    BOOST_TEST(capitalize(text) == text);
  }
}

// As by Python's upper().
BOOST_AUTO_TEST_CASE(an_upper_case_may_have_several_characters) {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"ßa", "SSa"},    {"ﬁn", "FIn"}, {"ŉ", "ʼN"},  {"ǰ", "J\u030C"}, {"ΐ", "Ι\u0308\u0301"},
      {"ὐ", "Υ\u0313"}, {"ᾀ", "ἈΙ"},   {"ﬃ", "FFI"}, {"և", "ԵՒ"},      {"ﬗ", "ՄԽ"}};
  for (const auto& [lower, upper] : texts) BOOST_TEST(capitalize(lower) == upper);
}

BOOST_AUTO_TEST_CASE(only_the_first_character_changes) {
  BOOST_TEST(capitalize("özil plays football.") == "Özil plays football.");
  BOOST_TEST(capitalize("ɐbc") == "Ɐbc");
  BOOST_TEST(capitalize("") == "");
}

BOOST_AUTO_TEST_CASE(ill_formed_text_comes_back_unchanged) {
  for (const std::string text : {"\xE9t\xE9",
                                 "\x80"
                                 "a",
                                 "\xC3"})
    BOOST_TEST(capitalize(text) == text);
}

// The count and the FNV-1a hash of all (letter, upper case) pairs come from Python 3.11's
// str.upper, which uses Unicode 14. They cover every code point whose upper case is a single,
// different character.
BOOST_AUTO_TEST_CASE(the_whole_table_is_that_of_python) {
  std::size_t count = 0;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    const char32_t upper = to_upper(value);
    if (upper == value) continue;
    ++count;
    for (const char32_t part : {value, upper}) hash = (hash ^ part) * 0x100000001b3U;
  }
  BOOST_TEST(count == 1423U);
  BOOST_TEST(hash == 0xf84c0fd6d2ea9285U);
}

BOOST_AUTO_TEST_CASE(an_upper_case_letter_is_its_own_upper_case) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    BOOST_REQUIRE((to_upper(to_upper(value)) == to_upper(value)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
