// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/text_expression.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/huggingface/text_pattern.hpp"

BOOST_AUTO_TEST_SUITE(text_expression_suite)

namespace {

using Texts = std::vector<std::string>;

/// The matches, and each of the characters between them.
Texts cut(std::string_view expression, std::string_view text) {
  const auto parsed = plumb::detail::TextExpression::parse(expression);
  BOOST_TEST_REQUIRE(parsed.has_value());
  Texts all;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = parsed->match(text, at);
    const std::size_t next =
        end ? *end : at + plumb::detail::first_code_point(text.substr(at)).size;
    all.emplace_back(text.substr(at, next - at));
    at = next;
  }
  return all;
}

constexpr std::string_view llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

}  // namespace

// Worked out by hand from the pattern's alternatives, in order.
BOOST_AUTO_TEST_CASE(llama_3s_pattern_cuts_words_three_digits_signs_and_lines) {
  BOOST_TEST((cut(llama3, "Hello world") == Texts{"Hello", " world"}));
  BOOST_TEST((cut(llama3, "DON'T it'ſ") == Texts{"DON", "'T", " it", "'ſ"}));
  BOOST_TEST((cut(llama3, "12345 (a)") == Texts{"123", "45", " (", "a", ")"}));
  BOOST_TEST((cut(llama3, "a!\n\n b") == Texts{"a", "!\n\n", " b"}));
  BOOST_TEST((cut(llama3, "a \n \n  b") == Texts{"a", " \n \n", " ", " b"}));
  BOOST_TEST((cut(llama3, "a   ") == Texts{"a", "   "}));
  BOOST_TEST((cut(llama3, "e\u0301東½") == Texts{"e", "\u0301東", "½"}));
}

BOOST_AUTO_TEST_CASE(repeats_give_back_unless_they_are_possessive) {
  BOOST_TEST((cut("a+ab", "aaab") == Texts{"aaab"}));
  BOOST_TEST((cut("a++ab", "aaab") == Texts{"a", "a", "a", "b"}));
  BOOST_TEST((cut("[^b]?+\\p{L}+", "ab") == Texts{"ab"}));
  BOOST_TEST((cut("a{2,3}", "aaaaaa a") == Texts{"aaa", "aaa", " ", "a"}));
  BOOST_TEST((cut("é{2}", "ééé") == Texts{"éé", "é"}));
  BOOST_TEST((cut("x(?:ab|a)?c", "xabc xac xc xb") ==
              Texts{"xabc", " ", "xac", " ", "xc", " ", "x", "b"}));
}

BOOST_AUTO_TEST_CASE(classes_hold_ranges_kinds_and_signs) {
  BOOST_TEST((cut("[a-cß.\\-]+", "abd.ß-") == Texts{"ab", "d", ".ß-"}));
  BOOST_TEST((cut("[^\\S\\n]+", "a \t\nb") == Texts{"a", " \t", "\n", "b"}));
  BOOST_TEST((cut("[一-龥]+", "a東京b") == Texts{"a", "東京", "b"}));
  BOOST_TEST((cut("\\p{Lu}\\p{Ll}*|\\P{L}|\\p{^N}", "ABc1d") == Texts{"A", "Bc", "1", "d"}));
  BOOST_TEST((cut("[a-]+", "a-b") == Texts{"a-", "b"}));
  BOOST_TEST((cut("a(?=b).", "abac") == Texts{"ab", "a", "c"}));
}

// As by Oniguruma 6.9.8: \w in brackets excludes the numbers of Latin-1.
BOOST_AUTO_TEST_CASE(classes_hold_classes_and_intersections) {
  // BLOOM's pattern: parentheses, the bar and the inner class are all excluded.
  BOOST_TEST((cut(" ?[^(\\s|[.,!?…。，、।۔،])]+", "ab (c|d), é… x।y") ==
              Texts{"ab", " ", "(", "c", "|", "d", ")", ",", " é", "…", " x", "।", "y"}));
  BOOST_TEST((cut("[\\p{L}&&[^\\p{Lu}x]]+", "abXxcÉé") == Texts{"ab", "X", "x", "c", "É", "é"}));
  BOOST_TEST((cut("[a-c&&b-d&&[^c]]+", "abcbbd") == Texts{"a", "b", "c", "bb", "d"}));
  BOOST_TEST((cut("(?i:[[a-b]c])+", "AbCd") == Texts{"AbC", "d"}));
  BOOST_TEST((cut("\\w+|[^\\w\\s]+", "a½½№ b") == Texts{"a½½", "№", " ", "b"}));
  BOOST_TEST((cut("[\\w]+|[^\\w\\s]+", "a½²b") == Texts{"a", "½²", "b"}));
  BOOST_TEST((cut("[\\u4e00-\\u9fff\\x{1F600}]+", "a東😀b") == Texts{"a", "東😀", "b"}));
}

BOOST_AUTO_TEST_CASE(lines_begin_and_end_and_words_have_boundaries) {
  BOOST_TEST((cut("\\s+$", "a  b \n\n") == Texts{"a", " ", " ", "b", " \n\n"}));
  BOOST_TEST((cut("^a+", "aa\naa a") == Texts{"aa", "\n", "aa", " ", "a"}));
  BOOST_TEST((cut("b^a|[ab]", "b\na") == Texts{"b", "\n", "a"}));
  BOOST_TEST((cut("b\n^", "b\nab\n") == Texts{"b\n", "a", "b", "\n"}));
  BOOST_TEST((cut("é\\b", "éa é") == Texts{"é", "a", " ", "é"}));
  BOOST_TEST((cut("é\\Ba", "éa é") == Texts{"éa", " ", "é"}));
}

BOOST_AUTO_TEST_CASE(groups_repeat_and_give_back) {
  BOOST_TEST((cut("(?:\r?\n)+(?!\r?\n)", "a\r\n\n\r\nb") == Texts{"a", "\r\n\n\r\n", "b"}));
  BOOST_TEST((cut("(?:ab){2,3}a", "abababab") == Texts{"abababa", "b"}));
  BOOST_TEST((cut("(?:ab|a)*c", "abac aac") == Texts{"abac", " ", "aac"}));
  BOOST_TEST(
      (cut("\\d{1,3}(?=(?:\\d{3})*\\b)", "1234567 12") == Texts{"1", "234", "567", " ", "12"}));
  BOOST_TEST((cut("x(?:a*)+y", "xaay xy") == Texts{"xaay", " ", "xy"}));
  BOOST_TEST((cut("(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+", "e\u0301a b, c") ==
              Texts{"e\u0301a b", ",", " ", "c"}));
}

// Oniguruma also gives up on a search that takes too long.
BOOST_AUTO_TEST_CASE(searches_that_take_too_many_steps_are_refused) {
  const auto repeated = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  const auto refuses = [](const char* expression, const std::string& text) {
    BOOST_CHECK_EXCEPTION((void)cut(expression, text), plumb::detail::Error, [](const auto& error) {
      return std::string_view(error.what()).find("takes too many steps") != std::string_view::npos;
    });
  };
  BOOST_TEST(cut("(?:ab)+", repeated("ab", 1000)).size() == 1U);
  BOOST_TEST(cut("(?:ab)+", std::string(100'000, 'a')).size() == 100'000U);
  BOOST_TEST(cut("[ab]+", repeated("ab", 100'000)).size() == 1U);
  refuses("(?:ab)+", repeated("ab", 10'000));
  refuses("(?:(?:ab)+c)+", repeated(repeated("ab", 500) + "c", 100));
  refuses("(?:a|a)+\\d", repeated("a", 60) + "c");
}

// The hand-written function for GPT-2's pattern is the reference.
BOOST_AUTO_TEST_CASE(gpt2s_pattern_is_cut_as_by_its_own_function) {
  const std::vector<std::string> parts{"a",  "é", "\u0301", "1", "½", " ",  "  ", "\n",   "\u3000",
                                       "'s", "'", "'ll",    "!", "_", "東", "\t", "🙂", "\u00AD"};
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = 1 + random() % 9; n > 0; --n) text += parts[random() % parts.size()];
    Texts expected;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = plumb::detail::gpt2_match(text, at);
      expected.push_back(text.substr(at, end - at));
      at = end;
    }
    BOOST_TEST((cut(plumb::detail::gpt2_pattern, text) == expected), text);
  }
}

BOOST_AUTO_TEST_CASE(unsupported_or_possibly_empty_expressions_are_not_parsed) {
  for (const char* const expression : {"",
                                       "a*",
                                       "a|",
                                       "(a|b*)",
                                       "(?=a)",
                                       "^",
                                       "$",
                                       "a+?",
                                       "a{2}+",
                                       "(ab)++",
                                       "(ab)*",
                                       "^*",
                                       "(?<=a)b",
                                       "(?<x>a)",
                                       "\\b",
                                       "\\1",
                                       "\\x41",
                                       "\\p{Han}",
                                       "\\p{L",
                                       "[a",
                                       "[[:alpha:]]",
                                       "[a&&]",
                                       "[&&a]",
                                       "[a&&&&a]",
                                       "[!-&&a]",
                                       "(?i:[a&&[b]])",
                                       "(?i:[^[^a]])",
                                       "[[a-z]-x]",
                                       "[[[[[[[[[[a]]]]]]]]]]",
                                       "\\u12",
                                       "\\u12zz",
                                       "\\x{110000}",
                                       "\\x{41",
                                       "[z-a]",
                                       "[]",
                                       "[\\s-a]",
                                       "a)",
                                       "(a",
                                       "a{3,2}",
                                       "a{0}",
                                       "a{,3}",
                                       "a**",
                                       "\\",
                                       "(((((((((a)))))))))",
                                       "a{99999999999999999999}"}) {
    BOOST_TEST(!plumb::detail::TextExpression::parse(expression).has_value(), expression);
  }
}

BOOST_AUTO_TEST_SUITE_END()
