// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/answer_words.hpp"

#include <boost/test/unit_test.hpp>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(answer_words_suite)

namespace {

/// The words of a text, separated by single spaces.
std::string words(std::string_view text) {
  std::string joined;
  for_each_answer_word(
      text, [&](const std::string& word) { joined += (joined.empty() ? "" : " ") + word; });
  return joined;
}

void check(const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [text, expected] : pairs) {
    BOOST_TEST(words(text) == expected, text << " -> " << words(text));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(punctuation_is_dropped_and_letters_are_lower_cased) {
  check({{"", ""},
         {" \t\n", ""},
         {"…?!", ""},
         {"a guitar", "a guitar"},
         {" The \"Guitar\", (Paris). ", "the guitar paris"},
         {"[MASK]", "mask"},
         {"São Tomé & Príncipe", "são tomé príncipe"},
         {"«МОСКВА»—Россия", "москва россия"},
         {"हिन्दी।", "हिन्दी"},
         {"France 🇫🇷❤️", "france"},
         {"1️⃣ one", "1 one"}});
}

BOOST_AUTO_TEST_CASE(letters_with_separate_marks_are_composed) {
  check({{"Reykjavi\u0301k", "reykjavík"},
         {"E\u0301cole du Bre\u0301sil", "école du brésil"},
         {"\u1112\u1161\u11AB\u1100\u1173\u11AF", "한글"}});
}

BOOST_AUTO_TEST_CASE(hyphens_dashes_and_slashes_part) {
  check({{"Austria-Hungary", "austria hungary"},
         {"rock–and—roll", "rock and roll"},
         {"and/or", "and or"},
         {"AT&T", "at t"},
         {"snake_case", "snake case"},
         {"e-mail", "e mail"}});
}

BOOST_AUTO_TEST_CASE(a_possessive_s_is_dropped_and_other_apostrophes_part) {
  check({{"Ireland's", "ireland"},
         {"Ireland’s capital", "ireland capital"},
         {"IRELAND'S", "ireland"},
         {"the states' rights", "the states rights"},
         {"Levi`s", "levi"},
         {"the 1960's", "the 1960"},
         {"the U.S.'s", "the us"},
         {"O'Brien", "o brien"},
         {"O'sullivan", "o sullivan"},
         {"don't", "don t"},
         {"Côte d’Ivoire", "côte d ivoire"},
         {"Hawaiʻi", "hawai i"},
         {"'s-Hertogenbosch", "s hertogenbosch"},
         {"rock 'n' roll", "rock n roll"},
         {"'", ""},
         {"x'", "x"}});
}

BOOST_AUTO_TEST_CASE(initials_with_full_stops_are_one_word) {
  check({{"U.S.", "us"},
         {"u.s", "us"},
         {"the U.S.A., or US", "the usa or us"},
         {"J.R.R. Tolkien", "jrr tolkien"},
         {"J. R. R. Tolkien", "jrr tolkien"},
         {"JRR Tolkien", "jrr tolkien"},
         {"George W. Bush", "george w bush"},
         {"А. С. Пушкин", "ас пушкин"},
         {"3 a.m.", "3 am"},
         {"É.U.", "éu"}});
}

BOOST_AUTO_TEST_CASE(other_full_stops_part) {
  check({{"St. Louis", "st louis"},
         {"Ph.D.", "ph d"},
         {"example.com", "example com"},
         {"J.Smith", "j smith"},
         {"vitamin C. I like it", "vitamin c i like it"},
         {"A.  B.", "a b"},  // a period and two spaces
         {"a..b", "a b"},
         {"A. B", "a b"},  // no period after the B
         {"Paris.France", "paris france"}});
}

BOOST_AUTO_TEST_CASE(numbers_keep_their_point_and_lose_the_commas_between_thousands) {
  check({{"1,000", "1000"},
         {"1,000,000.", "1000000"},
         {"1,000.5", "1000.5"},
         {"3.14", "3.14"},
         {"1.2.3", "1.2.3"},
         {"1,2,3", "1 2 3"},
         {"1,00", "1 00"},
         {"1,0000", "1 0000"},
         {"3.5,000", "3.5 000"},
         {"a1,000", "a1 000"},
         {"in 1990, 200 men", "in 1990 200 men"},
         {"1990.", "1990"},
         {".5", "5"},
         {"+44", "44"},
         {"-5 °C", "5 c"},
         {"$20", "20"},
         {"50%", "50"},
         {"10:30", "10 30"},
         {"km²", "km²"},
         {"1960s", "1960s"},
         {"3D 4th", "3d 4th"},
         {"1. 2.", "1 2"}});
}

BOOST_AUTO_TEST_CASE(signs_go_like_any_other_symbol) {
  check({{"C++, C#", "c c"}, {"+", ""}});
}

BOOST_AUTO_TEST_CASE(chinese_characters_and_kana_are_words) {
  check({{"日本東京", "日 本 東 京"},
         {"東京 is in日本。", "東 京 is in 日 本"},
         {"ビートルズ", "ビ ー ト ル ズ"},
         {"서울 대한민국", "서울 대한민국"}});
}

BOOST_AUTO_TEST_CASE(what_has_no_shape_neither_parts_nor_counts) {
  check({{"\uFEFFPa\u00ADris", "paris"}, {"می\u200Cخواهم", "میخواهم"}, {"\u200B", ""}});
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf_8_part_words) {
  check({{"Par\xE9is", "par is"}, {"\xF0\x9F", ""}, {"caf\xC3", "caf"}});
}

BOOST_AUTO_TEST_CASE(one_word_is_one_piece_between_white_space_that_is_more_than_punctuation) {
  for (const std::string text :
       {"Paris", " Paris.\n", "\"Paris\"", "Paris .", "- Paris -", "Austria-Hungary", "U.S.",
        "O'Brien", "1,000", "C++", "東京", "Paris\u200B", "don't"}) {
    BOOST_TEST(is_one_word(text), text);
  }
  for (const std::string text : {"", " ", ".", "…", "New York", "New\u00A0York", "a\tb", "J. K.",
                                 "Paris, France", "1 000", "東京　日本", "😀"}) {
    BOOST_TEST(!is_one_word(text), text);
  }
}

BOOST_AUTO_TEST_CASE(letters_keep_their_case_on_request) {
  const auto kept = [](std::string_view text) {
    std::string joined;
    for_each_answer_word(
        text, [&](const std::string& word) { joined += word + " "; }, LetterCase::kept);
    return joined;
  };
  BOOST_TEST(kept("The US's U.S.A. and us: J. R. R. TOLKIEN's Ödön, ΛΌΓΟΣ λόγος, 1,000 McX.") ==
             "The US USA and us JRR TOLKIEN Ödön ΛΌΓΟΣ λόγος 1000 McX ");
}

// A zero-width space after a run of ASCII letters and digits does not change the words. It disables
// the fast method, which recognises words by their bytes.
BOOST_AUTO_TEST_CASE(plain_words_are_what_they_are_character_by_character) {
  const std::vector<std::string> signs{"a", "B", "S", "7", "0", " ", ".", ",", "'", "-", "é", "\n"};
  RandomStream random(3, "words");
  std::size_t differ = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string text, slow;
    const auto is_word = [](const std::string& sign) {
      return sign.size() == 1 && std::isalnum(static_cast<unsigned char>(sign[0])) != 0;
    };
    bool in_word = false;
    for (std::size_t i = random.below(14); i > 0; --i) {
      const std::string& sign = signs[random.below(signs.size())];
      if (in_word && !is_word(sign) && sign != "é") slow += "\u200B";
      in_word = is_word(sign);
      text += sign;
      slow += sign;
    }
    if (in_word) slow += "\u200B";
    if (words(text) != words(slow)) {
      ++differ;
      BOOST_TEST_MESSAGE(text << " -> " << words(text) << ", not " << words(slow));
    }
  }
  BOOST_TEST(differ == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
