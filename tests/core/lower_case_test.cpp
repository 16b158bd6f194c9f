// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/lower_case.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(lower_case_suite)

BOOST_AUTO_TEST_CASE(letters_of_many_scripts_have_their_lower_case) {
  const std::vector<std::pair<std::string, std::string>> texts{
      // clang-format off
      {"PARIS", "paris"}, {"CÔTE D'IVOIRE", "côte d'ivoire"}, {"ÅÄÖ", "åäö"}, {"ŁÓDŹ", "łódź"},
      {"ŸŽĐ", "ÿžđ"}, {"ǄǅǆǇ", "ǆǆǆǉ"}, {"Ɐ", "ɐ"},
      {"ΑΘΉΝΑ", "αθήνα"}, {"Ὑ", "ὑ"}, {"ᾈ", "ᾀ"},                 // Greek
      {"МОСКВА", "москва"}, {"ЁҐӀ", "ёґӏ"},                         // Cyrillic
      {"Ա", "ա"}, {"Ა", "ა"}, {"Ꭰ", "ꭰ"}, {"Ａ", "ａ"}, {"Ⅷ", "ⅷ"}, {"𐐀", "𐐨"},
      {"K", "k"}, {"Å", "å"}, {"Ω", "ω"}, {"ẞ", "ß"},               // kelvin, angstrom, ohm
      // clang-format on
  };
  for (const auto& [text, lower] : texts) BOOST_TEST(lower_case(text) == lower);
}

BOOST_AUTO_TEST_CASE(what_has_no_lower_case_stays) {
  for (const std::string text :
       {"", "paris", "ß", "ı", "7 -+", "漢字", "אב", "اب", "अब", "가", "😀"})
    BOOST_TEST(lower_case(text) == text);
}

BOOST_AUTO_TEST_CASE(a_final_sigma_is_a_sigma_and_a_dotted_i_an_i) {
  BOOST_TEST(lower_case("Οδός") == "οδόσ");
  BOOST_TEST(lower_case("ΟΔΌΣ") == lower_case("οδός"));
  BOOST_TEST(lower_case("İstanbul") == "istanbul");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf_8_stay) {
  BOOST_TEST(lower_case("A\xE9Z\x80\xC3") == "a\xE9z\x80\xC3");
}

// The count and the FNV-1a hash of all (letter, lower case) pairs come from Python 3.11's
// str.lower, which uses Unicode 14. They cover every code point whose lower case is a single,
// different character.
BOOST_AUTO_TEST_CASE(the_whole_table_is_that_of_python) {
  std::size_t count = 0;
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    const char32_t lower = to_lower(value);
    if (lower == value || value == U'İ') continue;  // Python's lower case of İ has two characters
    ++count;
    for (const char32_t part : {value, lower}) hash = (hash ^ part) * 0x100000001b3U;
  }
  BOOST_TEST(count == 1432U);
  BOOST_TEST(hash == 0x14d60f63ab3924d8U);
}

BOOST_AUTO_TEST_CASE(a_lower_case_letter_is_its_own_lower_case) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    BOOST_REQUIRE((to_lower(to_lower(value)) == to_lower(value)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
