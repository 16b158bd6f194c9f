// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/older_characters.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "plumb/detail/core/utf8.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(older_characters_suite)

BOOST_AUTO_TEST_CASE(older_characters_have_the_stated_categories_and_sizes) {
  const auto check = [](char32_t c, int category, std::size_t size) {
    if (c == 0) return;
    std::string bytes;
    append_utf8(bytes, c);
    BOOST_TEST(bytes.size() == size);
    BOOST_TEST(utf8proc_category(static_cast<utf8proc_int32_t>(c)) == category);
  };
  for (const OlderCharacters& each : older_characters) {
    check(each.three_bytes, each.category, 3);
    check(each.four_bytes, each.category, 4);
  }
}

BOOST_AUTO_TEST_CASE(a_new_character_has_an_older_one) {
  BOOST_TEST((older_character(0x1FA77, 4) == char32_t{0x1F300}));
  BOOST_TEST((older_character(0x31350, 4) == char32_t{0x20000}));
  BOOST_TEST((older_character(0x0CF3, 3) == char32_t{0x0903}));
  BOOST_TEST((older_character(0xE0001 - 1, 4) == char32_t{0}));  // unassigned
}

BOOST_AUTO_TEST_SUITE_END()
