// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/text_pattern.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(text_pattern_suite)

namespace {

using Texts = std::vector<std::string>;

Texts matches(const plumb::detail::TextPattern& pattern, std::string_view text) {
  Texts all;
  pattern.for_each_match(text, [&](plumb::detail::ByteSpan match) {
    all.emplace_back(text.substr(match.begin, match.end - match.begin));
  });
  return all;
}

plumb::detail::TextPattern regex(const std::string& expression) {
  const nlohmann::json value{{"Regex", expression}};
  return plumb::detail::TextPattern::read(
      plumb::detail::JsonPart("tokenizer.json", value, "pattern"));
}

}  // namespace

// Worked out by hand from the pattern's alternatives, in order.
BOOST_AUTO_TEST_CASE(gpt2s_pattern_cuts_words_numbers_signs_and_spaces) {
  const auto cut = [](std::string_view text) {
    return matches(plumb::detail::TextPattern::gpt2(), text);
  };
  BOOST_TEST((cut("Hello world") == Texts{"Hello", " world"}));
  BOOST_TEST((cut("don't I'll") == Texts{"don", "'t", " I", "'ll"}));
  BOOST_TEST((cut("''s 's") == Texts{"''", "s", " '", "s"}));
  BOOST_TEST((cut("a1½ 2b") == Texts{"a", "1½", " 2", "b"}));
  BOOST_TEST((cut("a  b") == Texts{"a", " ", " b"}));
  BOOST_TEST((cut("a \t\nb") == Texts{"a", " \t", "\n", "b"}));
  BOOST_TEST((cut("a  ") == Texts{"a", "  "}));
  BOOST_TEST((cut("é東\u0301!") == Texts{"é東", "\u0301!"}));
  BOOST_TEST((cut("x\u3000\u3000y") == Texts{"x", "\u3000", "\u3000", "y"}));
  BOOST_TEST(cut("").empty());
  BOOST_TEST((matches(regex(std::string(plumb::detail::gpt2_pattern)), "a b") == Texts{"a", " b"}));
}

BOOST_AUTO_TEST_CASE(literals_match_from_the_left_and_not_in_one_another) {
  BOOST_TEST((matches(plumb::detail::TextPattern::literal("``"), "a```b``") == Texts{"``", "``"}));
  BOOST_TEST(matches(plumb::detail::TextPattern::literal(""), "abc").empty());
  BOOST_TEST((matches(regex("ab"), "xabab") == Texts{"ab", "ab"}));
}

BOOST_AUTO_TEST_CASE(runs_of_one_kind_of_character) {
  BOOST_TEST((matches(regex(" {2,}"), "a b  c   d") == Texts{"  ", "   "}));
  BOOST_TEST((matches(regex(R"(\s+)"), " a\t\u3000b") == Texts{" ", "\t\u3000"}));
  BOOST_TEST((matches(regex(R"(\d)"), "a12") == Texts{"1", "2"}));
  BOOST_TEST((matches(regex(R"(\w+)"), "é_1-b\u200Dc²") == Texts{"é_1", "b", "c²"}));
  BOOST_TEST((matches(regex(R"(\.+)"), "a..b.") == Texts{"..", "."}));
  BOOST_TEST((matches(regex(R"(\n)"), "a\nb") == Texts{"\n"}));
  BOOST_TEST((matches(regex("é+"), "eéé") == Texts{"éé"}));
}

BOOST_AUTO_TEST_CASE(an_invalid_expression_is_refused_with_the_reason) {
  BOOST_CHECK_EXCEPTION(regex("(a"), plumb::detail::Error,
                        plumb::detail::test::says(
                            plumb::detail::Fault::user,
                            "the expression \"(a\" is not accepted by Oniguruma: end pattern with "
                            "unmatched parenthesis; correct it"));
}

BOOST_AUTO_TEST_CASE(an_empty_string_matches_between_all_characters) {
  const nlohmann::json value{{"String", ""}};
  const auto pattern =
      plumb::detail::TextPattern::read(plumb::detail::JsonPart("tokenizer.json", value, "pattern"));
  std::vector<std::size_t> places;
  pattern.for_each_match("aé", [&](plumb::detail::ByteSpan match) {
    BOOST_TEST(match.begin == match.end);
    places.push_back(match.begin);
  });
  BOOST_TEST(places == (std::vector<std::size_t>{0, 1, 3}));
}

BOOST_AUTO_TEST_SUITE_END()
