// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/text_expression.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

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
                                       "^a",
                                       "a$",
                                       "a+?",
                                       "a{2}+",
                                       "(ab)+",
                                       "(?<=a)b",
                                       "(?<x>a)",
                                       "\\b",
                                       "\\1",
                                       "\\x41",
                                       "\\p{Han}",
                                       "\\p{L",
                                       "[a",
                                       "[[:alpha:]]",
                                       "[a&&b]",
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
