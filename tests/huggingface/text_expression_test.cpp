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

plumb::detail::TextExpression compiled(std::string_view expression) {
  const plumb::detail::TokenizerJson text(expression);
  return plumb::detail::TextExpression(plumb::detail::JsonPart("tokenizer.json", text, "Regex"));
}

/// The matches and the parts between them, as the pre-tokenizer Split isolates them.
Texts cut(std::string_view expression, std::string_view text) {
  Texts all;
  std::size_t at = 0;
  const auto add = [&](std::size_t end) {
    if (end > at) all.emplace_back(text.substr(at, end - at));
    at = end;
  };
  compiled(expression).for_each_match(text, [&](plumb::detail::ByteSpan match) {
    add(match.begin);
    add(match.end);
  });
  add(text.size());
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

// The pieces of these cases are those of `tokenizers` 0.23.
BOOST_AUTO_TEST_CASE(repeats_are_greedy_lazy_or_possessive) {
  BOOST_TEST((cut("a+ab", "aaab") == Texts{"aaab"}));
  BOOST_TEST((cut("a++ab", "aaab") == Texts{"aaab"}));
  BOOST_TEST((cut("a+?b|a", "aab") == Texts{"aab"}));
  BOOST_TEST((cut("[^b]?+\\p{L}+", "ab") == Texts{"ab"}));
  BOOST_TEST((cut("a{2,3}", "aaaaaa a") == Texts{"aaa", "aaa", " a"}));
  BOOST_TEST((cut("a{,2}b", "aaab") == Texts{"a", "aab"}));
  BOOST_TEST((cut("é{2}", "ééé") == Texts{"éé", "é"}));
  BOOST_TEST((cut("x(?:ab|a)?c", "xabc xac xc xb") == Texts{"xabc", " ", "xac", " ", "xc", " xb"}));
  BOOST_TEST((cut("(?:ab)++a", "ababa") == Texts{"ababa"}));
}

BOOST_AUTO_TEST_CASE(classes_contain_ranges_properties_and_signs) {
  BOOST_TEST((cut("[a-cß.\\-]+", "abd.ß-") == Texts{"ab", "d", ".ß-"}));
  BOOST_TEST((cut("[^\\S\\n]+", "a \t\nb") == Texts{"a", " \t", "\nb"}));
  BOOST_TEST((cut("[一-龥]+", "a東京b") == Texts{"a", "東京", "b"}));
  BOOST_TEST((cut("\\p{Lu}\\p{Ll}*|\\P{L}|\\p{^N}", "ABc1d") == Texts{"A", "Bc", "1", "d"}));
  BOOST_TEST((cut("[a-]+", "a-b") == Texts{"a-", "b"}));
  BOOST_TEST((cut("a(?=b).", "abac") == Texts{"ab", "ac"}));
  BOOST_TEST((cut("[\\p{Han}]+|[^\\p{Han}]", "a東京b") == Texts{"a", "東京", "b"}));
  BOOST_TEST((cut("\\p{Alphabetic}+", "aⅫé1") == Texts{"aⅫé", "1"}));
  BOOST_TEST((cut("[[:alpha:]]+", "aé1") == Texts{"aé", "1"}));
  BOOST_TEST((cut("\\x41+", "AAB") == Texts{"AA", "B"}));
}

BOOST_AUTO_TEST_CASE(classes_contain_classes_and_intersections) {
  BOOST_TEST((cut(" ?[^(\\s|[.,!?…。，、।۔،])]+", "ab (c|d), é… x।y") ==
              Texts{"ab", " (", "c", "|", "d", "),", " é", "…", " x", "।", "y"}));
  BOOST_TEST((cut("[\\p{L}&&[^\\p{Lu}x]]+", "abXxcÉé") == Texts{"ab", "Xx", "c", "É", "é"}));
  BOOST_TEST((cut("[a-c&&b-d&&[^c]]+", "abcbbd") == Texts{"a", "b", "c", "bb", "d"}));
  BOOST_TEST((cut("\\w+|[^\\w\\s]+", "a½½№ b") == Texts{"a½½", "№", " ", "b"}));
  BOOST_TEST((cut("[\\w]+|[^\\w\\s]+", "a½²b") == Texts{"a", "½²", "b"}));
  BOOST_TEST((cut("[\\u4e00-\\u9fff\\x{1F600}]+", "a東😀b") == Texts{"a", "東😀", "b"}));
}

BOOST_AUTO_TEST_CASE(letter_case_is_ignored_as_by_tokenizers) {
  BOOST_TEST((cut("(?i:[[a-b]c])+", "AbCd") == Texts{"AbC", "d"}));
  BOOST_TEST((cut("(?i:[\\p{Lu}]+)", "aB1") == Texts{"aB", "1"}));
  BOOST_TEST((cut("(?i:[^\\p{Lu}])", "aA1") == Texts{"aA", "1"}));
  BOOST_TEST((cut("(?i:i)", "iIİı") == Texts{"i", "I", "İı"}));
  BOOST_TEST((cut("(?i:ς)", "σΣς") == Texts{"σ", "Σ", "ς"}));
  BOOST_TEST((cut("(?i:'ss)", "a'ßb'SS") == Texts{"a", "'ß", "b", "'SS"}));
  BOOST_TEST((cut("(?i)'s", "It'S") == Texts{"It", "'S"}));
}

BOOST_AUTO_TEST_CASE(lines_begin_and_end_and_words_have_boundaries) {
  BOOST_TEST((cut("\\s+$", "a  b \n\n") == Texts{"a  b", " \n\n"}));
  BOOST_TEST((cut("^a+", "aa\naa a") == Texts{"aa", "\n", "aa", " a"}));
  BOOST_TEST((cut("b^a|[ab]", "b\na") == Texts{"b", "\n", "a"}));
  BOOST_TEST((cut("b\n^", "b\nab\n") == Texts{"b\n", "ab\n"}));
  BOOST_TEST((cut("é\\b", "éa é") == Texts{"éa ", "é"}));
  BOOST_TEST((cut("é\\Ba", "éa é") == Texts{"éa", " é"}));
  BOOST_TEST((cut("(?<=\\d)a", "1aa") == Texts{"1", "a", "a"}));
}

BOOST_AUTO_TEST_CASE(groups_repeat_and_give_back) {
  BOOST_TEST((cut("(?:\r?\n)+(?!\r?\n)", "a\r\n\n\r\nb") == Texts{"a", "\r\n\n\r\n", "b"}));
  BOOST_TEST((cut("(?:ab){2,3}a", "abababab") == Texts{"abababa", "b"}));
  BOOST_TEST((cut("(?:ab|a)*c", "abac aac") == Texts{"abac", " ", "aac"}));
  BOOST_TEST(
      (cut("\\d{1,3}(?=(?:\\d{3})*\\b)", "1234567 12") == Texts{"1", "234", "567", " ", "12"}));
  BOOST_TEST((cut("x(?:a*)+y", "xaay xy") == Texts{"xaay", " ", "xy"}));
  BOOST_TEST((cut("(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+", "e\u0301a b, c") ==
              Texts{"e\u0301a b", ", ", "c"}));
  BOOST_TEST((cut("(\\w)\\1", "aabbc") == Texts{"aa", "bb", "c"}));
}

BOOST_AUTO_TEST_CASE(matches_may_be_empty) {
  BOOST_TEST((cut("(?=(\\d{3})+(?!\\d))", "1234567 12") == Texts{"1", "234", "567 12"}));
  BOOST_TEST((cut("a|(?=c)", "abcbc") == Texts{"a", "b", "cb", "c"}));
  BOOST_TEST((cut("b*", "abbcb") == Texts{"a", "bb", "c", "b"}));
  BOOST_TEST((cut("\\b", "ab cé") == Texts{"ab", " ", "cé"}));
  BOOST_TEST((cut("$", "ab\nc") == Texts{"ab", "\nc"}));
  BOOST_TEST((cut("(?=a)", "baab") == Texts{"b", "a", "ab"}));
}

// As in `tokenizers`, whose Oniguruma is newer than 6.9.8.
BOOST_AUTO_TEST_CASE(symbols_are_punctuation_in_brackets) {
  BOOST_TEST(
      (cut("[[:punct:]]", "a$5+é-🙂!") == Texts{"a", "$", "5", "+", "é", "-", "🙂", "!"}));
  BOOST_TEST((cut("[^\\s[:punct:]]+", "ab$c d") == Texts{"ab", "$", "c", " ", "d"}));
  BOOST_TEST((cut("[[:^punct:]]+", "ab$c") == Texts{"ab", "$", "c"}));
  using plumb::detail::with_symbols_as_punctuation;
  for (const char* const same :
       {"[:punct:]", "\\[[:alpha:]]", "[[:alpha:]x]+", "[[:", "\\", "[\\[:punct:]"}) {
    BOOST_TEST(with_symbols_as_punctuation(same) == same);
  }
  BOOST_TEST(with_symbols_as_punctuation("\\[[[:punct:]]") == "\\[[\\p{P}\\p{S}]");
}

// Characters of Unicode 15, which Oniguruma 6.9.8 does not know.
BOOST_AUTO_TEST_CASE(new_characters_have_their_general_category) {
  BOOST_TEST((cut("\\p{S}+|\\p{L}+|\\s+", "love \U0001FA77you") ==
              Texts{"love", " ", "\U0001FA77", "you"}));
  BOOST_TEST(
      (cut("\\p{Han}+|\\p{L}+", "b\U00031350\U000323AF东") == Texts{"b\U00031350\U000323AF东"}));
  BOOST_TEST((cut("\\w+|[^\\w\\s]+", "a\u0CF3\U00011240 \U0001E4D0x") ==
              Texts{"a\u0CF3\U00011240", " ", "\U0001E4D0x"}));
  BOOST_TEST((cut("\\p{Han}+", "b\U00031350\U000323AF东") == Texts{"b", "\U00031350\U000323AF东"}));
}

BOOST_AUTO_TEST_CASE(a_search_that_exceeds_a_limit_of_oniguruma_is_an_error) {
  const auto repeated = [](const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  BOOST_TEST(cut("(?:ab)+", repeated("ab", 100'000)).size() == 1U);
  BOOST_TEST(cut("(?:\\p{L}\\p{M}*)+", repeated("é", 100'000)).size() == 1U);
  BOOST_CHECK_EXCEPTION((void)cut("(?:a|a)+\\d", std::string(60, 'a') + "c"), plumb::detail::Error,
                        [](const auto& error) {
                          return std::string_view(error.what()).find("retry-limit-in-match") !=
                                 std::string_view::npos;
                        });
}

BOOST_AUTO_TEST_CASE(invalid_bytes_are_characters_that_are_not_letters) {
  BOOST_TEST((cut("\\p{L}+", "a\xC3") == Texts{"a", "\xC3"}));
  BOOST_TEST((cut("\\p{L}+|.",
                  "\xFF\xE6\x9D"
                  "é") == Texts{"\xFF", "\xE6", "\x9D", "é"}));
  BOOST_TEST(cut("a", "").empty());
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

BOOST_AUTO_TEST_CASE(an_expression_that_oniguruma_does_not_accept_is_an_error) {
  for (const char* const expression : {"(a", "a)", "[a", "[]", "\\p{L", "\\p{Nothing}", "[z-a]",
                                       "*a", "\\", "(?<x", "a{200000}", "\\u12"}) {
    BOOST_CHECK_EXCEPTION((void)compiled(expression), plumb::detail::Error, [](const auto& error) {
      return std::string_view(error.what()).find("is not accepted by Oniguruma: ") !=
             std::string_view::npos;
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()
