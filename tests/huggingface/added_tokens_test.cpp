// SPDX-License-Identifier: Apache-2.0

#include "plumb/detail/huggingface/added_tokens.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.hpp"
#include "support/tokenizer_cases.hpp"

BOOST_AUTO_TEST_SUITE(added_tokens_suite)

namespace {

using plumb::detail::test::PartOf;

const PartOf lower(R"({"type": "Lowercase"})");

plumb::detail::AddedTokens read(std::string_view json) {
  static const PartOf vocabulary(R"({"a": 0, "<s>": 1})");
  return plumb::detail::AddedTokens::read(PartOf(json)("added_tokens"),
                                          plumb::detail::TokenVocabulary::read(vocabulary()),
                                          plumb::detail::Normalizer::read(lower()));
}

/// The pieces of a text, with added tokens in «».
std::string pieces(const plumb::detail::AddedTokens& tokens, std::string_view text, bool parse) {
  const plumb::detail::TextPieces made =
      tokens.pieces(text, plumb::detail::Normalizer::read(lower()), parse);
  std::string all;
  for (const plumb::detail::TextPiece& piece : made.pieces) {
    const std::string part(made.text.text(piece.bytes));
    all += piece.token ? "«" + part + "»" : part + "|";
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(special_ones_are_text_unless_they_are_parsed) {
  const plumb::detail::AddedTokens tokens = read(R"([{"id": 1, "content": "<s>", "special": true},
      {"id": 5, "content": "New", "special": false, "normalized": false}])");
  BOOST_TEST(pieces(tokens, "A<s>B", true) == "a|«<s>»b|");
  BOOST_TEST(pieces(tokens, "A<s>B", false) == "a<s>b|");
  BOOST_TEST(pieces(tokens, "NewNewX", false) == "«New»«New»x|");
  BOOST_TEST(pieces(tokens, "", true).empty());
  BOOST_TEST((tokens.tokens().size() == 2U && *tokens.vocabulary().id_of("New") == 5));
}

BOOST_AUTO_TEST_CASE(added_tokens_may_absorb_adjacent_white_space) {
  const plumb::detail::AddedTokens tokens =
      read(R"([{"id": 2, "content": "<l>", "lstrip": true, "normalized": false},
      {"id": 3, "content": "<r>", "rstrip": true, "normalized": false}])");
  BOOST_TEST(pieces(tokens, "a \u3000<l> b", false) == "a|« \u3000<l>» b|");
  BOOST_TEST(pieces(tokens, "a <r> \tb", false) == "a |«<r> \t»b|");
  BOOST_TEST(pieces(tokens, "<r>  <l>", false) == "«<r>  »«<l>»");
}

// As in tokenizers 0.23.
BOOST_AUTO_TEST_CASE(absorbed_white_space_that_is_a_token_is_found_again) {
  const plumb::detail::AddedTokens tokens =
      read(R"([{"id": 3, "content": "<r>", "rstrip": true, "normalized": false},
      {"id": 4, "content": "  ", "normalized": false}])");
  BOOST_TEST(pieces(tokens, "a<r>  b", false) == "a|«<r>  »«  »b|");
  BOOST_TEST(pieces(tokens, "a<r>   b", false) == "a|«<r>   »«  » b|");
}

BOOST_AUTO_TEST_CASE(single_words_and_rewritten_contents) {
  const plumb::detail::AddedTokens tokens =
      read(R"([{"id": 2, "content": "Word", "single_word": true},
      {"id": 3, "content": "Wordy"}])");
  BOOST_TEST(pieces(tokens, "WORD, word", false) == "«word», |«word»");
  BOOST_TEST(pieces(tokens, "aword wordé", false) == "aword wordé|");
  BOOST_TEST(pieces(tokens, "awordy", false) == "a|«wordy»");  // the longest match
}

BOOST_AUTO_TEST_CASE(tokens_that_contradict_the_vocabulary_are_refused) {
  const auto refused = [](std::string_view json, const char* words) {
    BOOST_CHECK_EXCEPTION(read(json), plumb::detail::Error,
                          plumb::detail::test::says(plumb::detail::Fault::user, words));
  };
  refused(R"([{"id": 3, "content": "a"}])", "added_tokens[0].id: differs from the vocabulary's");
  refused(R"([{"id": 0, "content": "b"}])", "differs from the vocabulary's");
  refused(R"([{"id": 2, "content": ""}])", "is empty");
  refused(R"([{"id": 2, "content": "b"}, {"id": 2, "content": "c"}])", "added_tokens[1]: another");
  refused(R"([{"id": 2, "content": "b"}, {"id": 3, "content": "b"}])", "another added token has");
  refused(R"([{"id": 4000000000, "content": "b"}])", "not a whole number");
  refused(R"({})", "is not a list");
}

BOOST_AUTO_TEST_SUITE_END()
