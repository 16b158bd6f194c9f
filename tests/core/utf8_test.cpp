// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/utf8.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(utf8_suite)

namespace {

/// Each row has a range of lead bytes and the range of the second byte (The Unicode Standard, table
/// 3-7); further bytes are 80..BF.
struct Row {
  unsigned first_lead, last_lead, low, high;
  std::size_t size;
};
constexpr auto table_3_7 = std::to_array<Row>({{0xC2, 0xDF, 0x80, 0xBF, 2},
                                               {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                               {0xE1, 0xEC, 0x80, 0xBF, 3},
                                               {0xED, 0xED, 0x80, 0x9F, 3},
                                               {0xEE, 0xEF, 0x80, 0xBF, 3},
                                               {0xF0, 0xF0, 0x90, 0xBF, 4},
                                               {0xF1, 0xF3, 0x80, 0xBF, 4},
                                               {0xF4, 0xF4, 0x80, 0x8F, 4}});

std::size_t size_by_table(unsigned lead, unsigned second) {
  if (lead < 0x80) return 1;
  for (const Row& row : table_3_7) {
    if (row.first_lead <= lead && lead <= row.last_lead) {
      return row.low <= second && second <= row.high ? row.size : 0;
    }
  }
  return 0;
}

std::string bytes(std::initializer_list<unsigned> values) {
  std::string text;
  for (const unsigned value : values) text.push_back(static_cast<char>(value));
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(code_points_of_one_to_four_bytes_are_read) {
  const auto check = [](std::string_view text, char32_t value, std::size_t size) {
    const CodePoint point = first_code_point(text);
    BOOST_TEST((point.value == value));
    BOOST_TEST(point.size == size);
  };
  check("a…", U'a', 1);
  check("éa", U'\u00E9', 2);
  check("漢字", U'\u6F22', 3);
  check("😀!", U'\U0001F600', 4);
  check(std::string_view("\0x", 2), U'\0', 1);
  check("", 0, 0);
}

BOOST_AUTO_TEST_CASE(lead_and_second_byte_follow_table_3_7) {
  for (unsigned lead = 0; lead < 256; ++lead) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text = bytes({lead, second, 0x80, 0x80});
      BOOST_REQUIRE_MESSAGE(first_code_point(text).size == size_by_table(lead, second),
                            "bytes " << lead << ' ' << second);
    }
  }
}

BOOST_AUTO_TEST_CASE(third_and_fourth_bytes_must_continue) {
  for (unsigned last = 0; last < 256; ++last) {
    const bool continues = 0x80 <= last && last <= 0xBF;
    BOOST_TEST((first_code_point(bytes({0xE1, 0x80, last})).size == (continues ? 3U : 0U)));
    BOOST_TEST((first_code_point(bytes({0xF1, 0x80, last, 0x80})).size == (continues ? 4U : 0U)));
    BOOST_TEST((first_code_point(bytes({0xF1, 0x80, 0x80, last})).size == (continues ? 4U : 0U)));
  }
}

BOOST_AUTO_TEST_CASE(a_cut_sequence_is_ill_formed) {
  const std::string_view emoji = "😀";
  for (std::size_t length = 1; length < 4; ++length) {
    BOOST_TEST(first_code_point(emoji.substr(0, length)).size == 0U);
  }
}

BOOST_AUTO_TEST_CASE(every_code_point_survives_writing_and_reading) {
  std::string text;
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (0xD800 <= value && value <= 0xDFFF) continue;
    text.clear();
    append_utf8(text, value);
    const CodePoint point = first_code_point(text);
    BOOST_REQUIRE((point.value == value && point.size == text.size()));
  }
}

BOOST_AUTO_TEST_CASE(the_first_broken_byte_is_found) {
  BOOST_TEST(first_invalid_utf8("") == std::string_view::npos);
  BOOST_TEST(first_invalid_utf8("naïve 漢字 😀") == std::string_view::npos);
  BOOST_TEST(first_invalid_utf8("caf\xE9") == 3U);         // Latin-1
  BOOST_TEST(first_invalid_utf8("é\xED\xA0\x80") == 2U);   // a surrogate
  BOOST_TEST(first_invalid_utf8("ab\xC0\xAF") == 2U);      // an overlong slash
  BOOST_TEST(first_invalid_utf8("漢\xF0\x9F\x98") == 3U);  // a truncated emoji
}

BOOST_AUTO_TEST_CASE(characters_are_counted_and_broken_bytes_one_by_one) {
  BOOST_TEST(count_code_points("") == 0U);
  BOOST_TEST(count_code_points("Köln") == 4U);
  BOOST_TEST(count_code_points("😀漢é!") == 4U);
  BOOST_TEST(count_code_points("a\xFF\xFEz") == 4U);
  BOOST_TEST(count_code_points("e\u0301") == 2U);  // a letter and its combining accent
}

BOOST_AUTO_TEST_CASE(a_sound_text_stays_as_it_is) {
  for (const std::string text : {"", "a", "naïve 漢字 😀", "\uFFFD"}) {
    BOOST_TEST(valid_utf8(text) == text);
  }
  const std::string zero("a\0b", 3);
  BOOST_TEST(valid_utf8(zero) == zero);
}

BOOST_AUTO_TEST_CASE(each_broken_byte_becomes_the_replacement_character) {
  BOOST_TEST(valid_utf8("caf\xE9") == "caf\uFFFD");
  BOOST_TEST(valid_utf8("\xE9t\xE9!") == "\uFFFDt\uFFFD!");
  BOOST_TEST(valid_utf8("漢\xF0\x9F\x98") == "漢\uFFFD\uFFFD\uFFFD");  // a truncated emoji
  BOOST_TEST(valid_utf8("\xC3漢") == "\uFFFD漢");                      // a lead byte on its own
  BOOST_TEST(valid_utf8("\x98漢") == "\uFFFD漢");  // the last byte of a truncated emoji
  BOOST_TEST(valid_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
}

// A text truncated anywhere becomes valid and retains all its complete characters.
BOOST_AUTO_TEST_CASE(a_text_cut_anywhere_is_made_sound) {
  const std::string text = "aé漢😀é";
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) {
      const std::string cut = text.substr(begin, end - begin);
      const std::string sound = valid_utf8(cut);
      BOOST_TEST(first_invalid_utf8(sound) == std::string::npos);
      BOOST_TEST(count_code_points(sound) == count_code_points(cut));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
