// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/prompt_tokens.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(prompt_tokens_suite)

namespace {

using Ids = std::vector<TokenId>;

/// A tokenizer that adds a space before every text, as SentencePiece does; the space covers no byte
/// of the text.
struct Spaced {
  NgramModel model;

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    if (text.empty()) return {};
    Tokenization made = model.tokenize(" " + std::string(text));
    for (Token& token : made.tokens) {
      if (token.bytes.begin > 0) --token.bytes.begin;
      --token.bytes.end;
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    return model.detokenize(ids);
  }
};

/// Decodes without the space that it inserts, as Llama 2's tokenizer.json does.
struct SpacedButDecodedWithout : Spaced {
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    const std::string text = Spaced::detokenize(ids);
    return text.starts_with(' ') ? text.substr(1) : text;
  }
};

template <class Tokenizer>
std::size_t continuation(const Tokenizer& tokenizer, const Prompt& prompt) {
  ContinuationFinder finder;
  return finder.first(tokenizer, prompt, tokenize_prompt(tokenizer, prompt));
}

}  // namespace

// A token's range is counted in bytes, not characters, and must end within the text: "Réunion" has
// 7 characters and 8 bytes.
BOOST_AUTO_TEST_CASE(a_token_of_other_bytes_than_the_text_has_is_refused) {
  struct Odd {
    ByteSpan bytes;
    bool spells_text = true;
    [[nodiscard]] Tokenization tokenize(std::string_view) const {
      return {{{3, {0, 2}}, {7, bytes}}, spells_text};
    }
    [[nodiscard]] std::string detokenize(std::span<const TokenId>) const { return ""; }
  };
  const Prompt prompt{.text = "Réunion", .answer = {}};
  BOOST_TEST(tokenize_prompt(Odd{{2, 8}}, prompt).tokens.size() == 2U);
  BOOST_TEST(tokenize_prompt(Odd{{2, 9}, false}, prompt).tokens.size() == 2U);
  BOOST_CHECK_EXCEPTION(
      (void)tokenize_prompt(Odd{{2, 9}}, prompt), Error,
      says(Fault::user,
           "tokenize: assigned token 7 the bytes 2 to 9 of 'Réunion', which has 8 "
           "bytes; count bytes of the UTF-8 text from 0"));
  BOOST_CHECK_EXCEPTION((void)tokenize_prompt(Odd{{4, 3}}, prompt), Error,
                        says(Fault::user, "tokenize: assigned token 7 the bytes 4 to 3 of"));
  // Bytes are counted within each piece: "Réu" has 4.
  const Prompt cut{.text = "Réunion", .answer = {}, .cuts = {{4, false}}};
  BOOST_CHECK_EXCEPTION((void)tokenize_prompt(Odd{{2, 5}}, cut), Error,
                        says(Fault::user, "the bytes 2 to 5 of 'Réu', which has 4 bytes"));
}

BOOST_AUTO_TEST_CASE(a_tokenizer_that_leaves_letters_or_digits_out_is_refused) {
  struct Leaving {
    std::vector<ByteSpan> spans;
    bool spells_text = true;
    [[nodiscard]] Tokenization tokenize(std::string_view) const {
      Tokenization made{{}, spells_text};
      for (const ByteSpan span : spans) made.tokens.push_back({1, span});
      return made;
    }
    [[nodiscard]] std::string detokenize(std::span<const TokenId>) const { return ""; }
  };
  const auto count = [](const Leaving& tokenizer, const std::string& text) {
    return tokenize_prompt(tokenizer, {.text = text, .answer = {}}).tokens.size();
  };
  const auto refused = [&](const Leaving& tokenizer, const std::string& text,
                           const std::string& words) {
    BOOST_CHECK_EXCEPTION((void)count(tokenizer, text), Error, says(Fault::user, words));
  };
  refused({{{0, 3}}}, "Rome",
          "tokenize: returned no token for byte 3, 'e', of 'Rome'; cover the whole text with "
          "tokens, or "
          "set spells_text to false");
  refused({{{1, 4}}}, "Rome", "returned no token for byte 0, 'R'");
  refused({{{0, 1}, {3, 4}}}, "R 9e", "returned no token for byte 2, '9'");
  refused({{}}, "Zürich", "returned no token for byte 0, 'Z'");
  // These cases are accepted: text that a normalising tokenizer drops, tokens that share bytes, and
  // a tokenizer that does not report bytes.
  BOOST_TEST(count({{{0, 1}, {2, 3}}}, "a b.\xcc\x81\t") == 2U);
  BOOST_TEST(count({{{0, 4}, {0, 4}, {4, 4}}}, "Rome") == 3U);
  BOOST_TEST(count({{{0, 1}}, false}, "Rome") == 1U);
}

BOOST_AUTO_TEST_CASE(a_prompt_of_bytes_that_its_text_has_not_is_refused) {
  const NgramModel model("x");
  const auto refused = [&](const Prompt& prompt, const std::string& words) {
    BOOST_CHECK_EXCEPTION((void)tokenize_prompt(model, prompt), Error, says(Fault::user, words));
  };
  refused({.text = "In Rome", .answer = {{3, 8}}},
          "build: returned the prompt 'In Rome' of 7 bytes, but refers to byte 8; fix the prompt");
  refused({.text = "In Rome", .answer = {{3, 7}, {9, 7}}}, "refers to byte 9");
  refused({.text = "In Rome", .answer = {}, .cuts = {{8, false}}}, "refers to byte 8");
  refused({.text = "In Rome", .answer = {}, .given = 8}, "refers to byte 8");
  BOOST_TEST(
      tokenize_prompt(model, {.text = "In Rome", .answer = {{3, 7}}, .given = 7}).tokens.size() ==
      7U);
}

BOOST_AUTO_TEST_CASE(what_stands_behind_begins_where_the_tokens_differ) {
  const NgramModel model("x", 1, {"ab", "bc", "abc"});
  // The boundary is at "xa|bc": the token "abc" spans it and therefore belongs to the part after
  // the boundary.
  BOOST_TEST(ids_of(tokens_after(model, "xabc", 2)) == Ids{258});
  BOOST_TEST(ids_of(tokens_after(model, "xabc", 1)) == Ids{258});
  BOOST_TEST(ids_of(tokens_after(model, "xac", 2)) == Ids{'c'});
  BOOST_TEST(ids_of(tokens_after(model, "xac", 0)) == (Ids{'x', 'a', 'c'}));
  BOOST_TEST(tokens_after(model, "xac", 3).tokens.empty());
  // Bytes are counted from the boundary, and a token that spans the boundary begins at 0.
  const Tokenization spanning = tokens_after(model, "xabcd", 2);
  BOOST_REQUIRE(spanning.tokens.size() == 2U);
  BOOST_TEST((spanning.tokens[0].bytes == ByteSpan{0, 2}));
  BOOST_TEST((spanning.tokens[1].bytes == ByteSpan{2, 3}));
}

BOOST_AUTO_TEST_CASE(inside_a_text_no_space_is_put_before_it) {
  const NgramModel plain("x", 1, {" ab", "  "});
  const auto check = [](const auto& spaced) {
    BOOST_TEST(ids_of(spaced.tokenize(" ab")) == (Ids{257, 'a', 'b'}));  // two spaces are one token
    BOOST_TEST(ids_of(inner_tokens(spaced, " ab")) == Ids{256});
    BOOST_TEST(ids_of(spaced.tokenize(" ")) == Ids{257});
    BOOST_TEST(ids_of(inner_tokens(spaced, " ")) == Ids{' '});
    BOOST_TEST(ids_of(inner_tokens(spaced, ",")) == Ids{','});
    BOOST_TEST(inner_tokens(spaced, "").tokens.empty());
    const std::vector<std::string> texts{" ab", ",", "x"};
    BOOST_TEST((inner_ids(spaced, texts) == std::vector<Ids>{{256}, {','}, {'x'}}));
    BOOST_TEST(inner_tokens(spaced, " ab").spells_text);
    BOOST_TEST((inner_tokens(spaced, "x").tokens[0].bytes == ByteSpan{0, 1}));
  };
  check(Spaced{plain});
  check(SpacedButDecodedWithout{{plain}});
  // A tokenizer that adds no space returns the text's own tokens.
  for (const char* text : {" ab", " ", ",", "ab"}) {
    BOOST_TEST(ids_of(inner_tokens(plain, text)) == ids_of(plain.tokenize(text)));
  }
}

// "\nb" is a token, so "b" cannot be tokenised after a newline, but it can be tokenised after "a".
BOOST_AUTO_TEST_CASE(a_text_that_merges_with_one_lead_is_tokenised_behind_the_next) {
  const Spaced spaced{NgramModel("x", 1, {"\nb"})};
  BOOST_TEST(ids_of(inner_tokens(spaced, "bc")) == (Ids{'b', 'c'}));
}

/// Line breaks have no tokens, as in T5's tokenizer, or become one unknown token together with what
/// follows them.
struct SpacedWithoutLines : Spaced {
  bool are_unknown = false;

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    if (!text.starts_with('\n')) return Spaced::tokenize(text);
    if (!are_unknown) return Spaced::tokenize(text.substr(1));
    Tokenization made = Spaced::tokenize("?");
    made.tokens.front().bytes = {0, text.size()};
    return made;
  }
};

BOOST_AUTO_TEST_CASE(leads_whose_tokens_say_nothing_are_not_used) {
  for (const bool are_unknown : {false, true}) {
    const SpacedWithoutLines spaced{{NgramModel("x", 1, {" ,"})}, are_unknown};
    BOOST_TEST(ids_of(spaced.tokenize(",")) == Ids{256});
    BOOST_TEST(ids_of(inner_tokens(spaced, ",")) == Ids{','});
  }
}

BOOST_AUTO_TEST_CASE(separator_gets_no_space_but_adjacent_pieces_do) {
  const Spaced spaced{NgramModel("x", 1, {" a", " b", "  "})};
  const Prompt prompt{"a b", {{2, 3}}, {{1, true}, {2, false}}, 2};
  const Tokenization made = tokenize_prompt(spaced, prompt);
  BOOST_TEST(ids_of(made) == (Ids{256, ' ', 257}));
  BOOST_TEST((made.tokens[2].bytes == ByteSpan{2, 3}));
  BOOST_TEST(continuation(spaced, prompt) == 2U);
}

BOOST_AUTO_TEST_CASE(a_continuation_is_all_behind_the_tokens_of_what_is_given) {
  const NgramModel model("x", 1, {" 2", "n A"});
  // The space contains no byte of the answer, but everything after "in" counts as the continuation.
  BOOST_TEST(continuation(model, {"in 3", {{3, 4}}, {}, 2}) == 2U);
  BOOST_TEST(continuation(model, {"in 2", {{3, 4}}, {}, 2}) == 2U);
  // "n A" spans the boundary: it is not a token of "in".
  BOOST_TEST(continuation(model, {"in A", {{3, 4}}, {}, 2}) == 1U);
  BOOST_TEST(continuation(model, {"in A", {{3, 4}}, {}, 0}) == 0U);
  // A trailing space in the given part belongs to that part if it is also a token of the whole
  // text.
  BOOST_TEST(continuation(model, {"in 3", {{3, 4}}, {}, 3}) == 3U);
  BOOST_TEST(continuation(model, {"in 2", {{3, 4}}, {}, 3}) == 2U);
}

BOOST_AUTO_TEST_CASE(continuation_finder_handles_prompts_with_different_prefixes) {
  const NgramModel model("x", 1, {"ab"});
  ContinuationFinder finder;
  const auto first = [&](const Prompt& prompt) {
    return finder.first(model, prompt, tokenize_prompt(model, prompt));
  };
  BOOST_TEST(first({"xaby", {}, {}, 3}) == 2U);
  BOOST_TEST(first({"xabz", {}, {}, 3}) == 2U);
  BOOST_TEST(first({"abz", {}, {}, 2}) == 1U);
  BOOST_TEST(first({"abz", {}, {1}, 2}) == 2U);  // the same text, cut
  BOOST_TEST(first({"abz", {}, {}, 2}) == 1U);
}

BOOST_AUTO_TEST_CASE(a_prompt_without_cuts_is_tokenised_whole) {
  const NgramModel model("x", 1, {"ab", "bc", "abc"});
  const Tokenization whole = tokenize_prompt(model, {"abcab", {}});
  BOOST_TEST(whole.tokens.size() == 2U);
  BOOST_TEST(whole.tokens[0].id == 258);
  BOOST_TEST(tokenize_prompt(model, {"", {}}).tokens.empty());
}

BOOST_AUTO_TEST_CASE(a_cut_prompt_is_tokenised_piece_by_piece) {
  const NgramModel model("x", 1, {"ab", "bc", "abc"});
  // "abcab" is cut into "a|bca|b": the tokens come from the pieces, but their byte ranges refer to
  // the whole text.
  const Tokenization cut = tokenize_prompt(model, {"abcab", {}, {1, 4}});
  std::vector<TokenId> found;
  std::size_t at = 0;
  for (const Token& token : cut.tokens) {
    found.push_back(token.id);
    BOOST_TEST(token.bytes.begin == at);
    at = token.bytes.end;
  }
  BOOST_TEST(at == 5U);
  BOOST_TEST(found == (std::vector<TokenId>{'a', 257, 'a', 'b'}));
  BOOST_TEST(cut.spells_text);
  // Cuts at the ends and duplicate cuts create empty pieces, which contain no tokens.
  const Tokenization same = tokenize_prompt(model, {"abcab", {}, {0, 1, 1, 4, 5}});
  BOOST_REQUIRE(same.tokens.size() == cut.tokens.size());
  for (std::size_t t = 0; t < same.tokens.size(); ++t) {
    BOOST_TEST(same.tokens[t].id == cut.tokens[t].id);
    BOOST_TEST((same.tokens[t].bytes == cut.tokens[t].bytes));
  }
}

BOOST_AUTO_TEST_CASE(one_piece_that_is_not_spelt_spoils_the_whole) {
  struct Lowers {
    NgramModel model{"x"};
    [[nodiscard]] Tokenization tokenize(std::string_view text) const {
      Tokenization result = model.tokenize(text);
      result.spells_text = text.find('R') == text.npos;
      return result;
    }
    [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
      return model.detokenize(ids);
    }
  };
  BOOST_TEST(tokenize_prompt(Lowers{}, {"a b c", {}, {1, 3}}).spells_text);
  BOOST_TEST(!tokenize_prompt(Lowers{}, {"R b c", {}, {1, 3}}).spells_text);
  BOOST_TEST(!tokenize_prompt(Lowers{}, {"a b R", {}, {1, 3}}).spells_text);
}

BOOST_AUTO_TEST_SUITE_END()
