// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/pre_tokenizer.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(pre_tokenizer_suite)

namespace {

using Texts = std::vector<std::string>;

Texts words(std::string_view json, std::string_view text) {
  plumb::detail::TextPieces pieces;
  const plumb::detail::AlignedText whole(text);
  pieces.append(whole, {0, whole.size()});
  plumb::detail::PreTokenizer::read(plumb::detail::test::PartOf(json)("pre_tokenizer"))(pieces);
  Texts all;
  for (const plumb::detail::TextPiece& piece : pieces.pieces) {
    all.emplace_back(pieces.text.text(piece.bytes));
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(berts_words_end_at_spaces_and_punctuation) {
  BOOST_TEST((words(R"({"type": "BertPreTokenizer"})", " Is it $5.50?\u3000—ok") ==
              Texts{"Is", "it", "$", "5", ".", "50", "?", "—", "ok"}));
}

BOOST_AUTO_TEST_CASE(byte_level_words_hold_their_space) {
  const auto cut = [](const char* space, const char* regex, std::string_view text) {
    return words(std::string(R"({"type": "ByteLevel", "add_prefix_space": )") + space +
                     R"(, "use_regex": )" + regex + "}",
                 text);
  };
  BOOST_TEST((cut("false", "true", "It's é") == Texts{"It", "'s", "ĠÃ©"}));
  BOOST_TEST((cut("true", "true", "It is") == Texts{"ĠIt", "Ġis"}));
  BOOST_TEST((cut("true", "false", " It is") == Texts{"ĠItĠis"}));
}

BOOST_AUTO_TEST_CASE(metaspace_writes_spaces_and_begins_words_with_them) {
  const auto cut = [](const std::string& fields, std::string_view text) {
    return words(R"({"type": "Metaspace", "replacement": "▁")" + fields + "}", text);
  };
  BOOST_TEST((cut("", "a b  c") == Texts{"▁a", "▁b", "▁", "▁c"}));
  BOOST_TEST((cut("", " a") == Texts{"▁a"}));
  BOOST_TEST((cut(R"(, "prepend_scheme": "never")", "a b") == Texts{"a", "▁b"}));
  BOOST_TEST((cut(R"(, "add_prefix_space": false)", "a b") == Texts{"a", "▁b"}));
  BOOST_TEST((cut(R"(, "split": false)", "a b") == Texts{"▁a▁b"}));
  const std::string first = R"({"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"},
      {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}]})";
  BOOST_TEST((words(first, "a b") == Texts{"▁a", "b"}));
}

BOOST_AUTO_TEST_CASE(the_simple_ones) {
  BOOST_TEST((words(R"({"type": "Whitespace"})", "a_1b, «c» d") ==
              Texts{"a_1b", ",", "«", "c", "»", "d"}));
  BOOST_TEST((words(R"({"type": "WhitespaceSplit"})", " a,b\tc ") == Texts{"a,b", "c"}));
  BOOST_TEST((words(R"({"type": "Digits"})", "a12b") == Texts{"a", "12", "b"}));
  BOOST_TEST((words(R"({"type": "Digits", "individual_digits": true})", "a12b") ==
              Texts{"a", "1", "2", "b"}));
  BOOST_TEST((words(R"({"type": "Punctuation"})", "a..b") == Texts{"a", ".", ".", "b"}));
  BOOST_TEST((words(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a..b") ==
              Texts{"a", "..", "b"}));
  BOOST_TEST(
      (words(R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "a-b") == Texts{"a", "b"}));
  BOOST_TEST((words(R"({"type": "Split", "pattern": {"String": " "},
      "behavior": "MergedWithNext", "invert": false})",
                    "a b") == Texts{"a", " b"}));
}

BOOST_AUTO_TEST_CASE(unsupported_definitions_are_refused) {
  const auto refused = [](std::string_view json, const char* said) {
    BOOST_CHECK_EXCEPTION(words(json, "a"), plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, said));
  };
  refused(R"({"type": "UnicodeScripts"})", "pre_tokenizer: the pre-tokenizer \"UnicodeScripts\"");
  refused(R"({"type": "Metaspace", "replacement": "ab"})", "is not one character");
  refused(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "x"})",
          "plumb supports always, first and never");
  refused(R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first",
      "add_prefix_space": false})",
          "remove one of them");
  refused(R"({"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"})",
          "pre_tokenizer.pattern.Regex: the expression \"(a\" is not accepted by Oniguruma");
  refused(R"({"type": "ByteLevel"})", "has no \"add_prefix_space\"");
}

BOOST_AUTO_TEST_SUITE_END()
