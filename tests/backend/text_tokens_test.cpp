// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/text_tokens.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(text_tokens_suite)

namespace {

constexpr TokenId begin_of_text = 300, end_of_text = 301;

/// A tokenizer of bytes that adds given tokens before and after every text.
struct AddingTokenizer {
  std::vector<Token> before{}, after{};
  std::optional<TokenId> names = begin_of_text;
  bool spells = true;

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made{before, spells};
    for (std::size_t i = 0; i < text.size(); ++i) {
      made.tokens.push_back({static_cast<unsigned char>(text[i]), {i, i + 1}});
    }
    for (Token token : after) {
      token.bytes = {text.size(), text.size()};
      made.tokens.push_back(token);
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    std::string text;
    for (const TokenId id : ids) {
      if (id < 256) text += static_cast<char>(id);
      if (id == end_of_text) text += "</s>";
    }
    return text;
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return names; }
};

std::vector<TokenId> ids(const Tokenization& made) {
  std::vector<TokenId> all;
  for (const Token& token : made.tokens) all.push_back(token.id);
  return all;
}

using Ids = std::vector<TokenId>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_bos_that_the_tokenizer_adds_is_no_token_of_the_text) {
  const AddingTokenizer adds{.before = {{begin_of_text, {0, 0}}}};
  BOOST_TEST((ids(text_tokens(adds, "ab")) == Ids{'a', 'b'}));
  BOOST_TEST(text_tokens(adds, "").tokens.empty());
  // A BOS that covers bytes belongs to the text, and so does any added token other than BOS, even
  // if it covers no bytes.
  const AddingTokenizer own{.before = {{begin_of_text, {0, 1}}}}, other{.before = {{9, {0, 0}}}},
      nameless{.before = {{begin_of_text, {0, 0}}}, .names = std::nullopt};
  BOOST_TEST((ids(text_tokens(own, "a")) == Ids{begin_of_text, 'a'}));
  BOOST_TEST((ids(text_tokens(other, "a")) == Ids{9, 'a'}));
  BOOST_TEST((ids(text_tokens(nameless, "a")) == Ids{begin_of_text, 'a'}));
  // If the text itself begins with BOS, only the added BOS is removed.
  const AddingTokenizer both{.before = {{begin_of_text, {0, 0}}, {begin_of_text, {0, 1}}}};
  BOOST_TEST((ids(text_tokens(both, "a")) == Ids{begin_of_text, 'a'}));
}

BOOST_AUTO_TEST_CASE(where_no_bytes_are_known_an_added_bos_stands_before_any_text) {
  const AddingTokenizer adds{.before = {{begin_of_text, {}}}, .spells = false};
  BOOST_TEST((ids(text_tokens(adds, "ab")) == Ids{'a', 'b'}));
  struct Parses : AddingTokenizer {
    [[nodiscard]] Tokenization tokenize(std::string_view text) const {
      if (!text.starts_with("<s>")) return AddingTokenizer::tokenize(text);
      Tokenization made = AddingTokenizer::tokenize(text.substr(3));
      made.tokens.insert(made.tokens.begin(), {300, {}});
      return made;
    }
  };
  const Parses parses{{.spells = false}};
  BOOST_TEST((ids(text_tokens(parses, "<s>a")) == Ids{begin_of_text, 'a'}));
}

BOOST_AUTO_TEST_CASE(a_token_behind_the_text_is_refused) {
  const auto refused = [](const AddingTokenizer& tokenizer) {
    BOOST_CHECK_EXCEPTION((void)text_tokens(tokenizer, "ab"), Error,
                          says(Fault::user, "after 'ab', although it is not part of the text"));
  };
  refused({.after = {{begin_of_text, {}}}});
  refused({.after = {{end_of_text, {}}}});  // the added end token has a spelling
  refused({.after = {{302, {}}}});          // the added token has no spelling
  refused({.before = {{begin_of_text, {0, 0}}}, .after = {{end_of_text, {}}}});
  // If several tokens form one character, the last of them belongs to the text although it covers
  // no bytes.
  struct Halves : AddingTokenizer {
    [[nodiscard]] Tokenization tokenize(std::string_view) const {
      return {{{0xC3, {0, 2}}, {0xA9, {2, 2}}}, true};
    }
  };
  BOOST_TEST((ids(text_tokens(Halves{}, "é")) == Ids{0xC3, 0xA9}));
}

BOOST_AUTO_TEST_CASE(every_sequence_has_one_bos_or_none) {
  const AddingTokenizer plain, adds{.before = {{begin_of_text, {0, 0}}}},
      own{.before = {{begin_of_text, {0, 1}}}};
  for (const AddingTokenizer& one : {plain, adds, own}) {
    const Tokenization made = after_bos(text_tokens(one, "a"), begin_of_text);
    BOOST_TEST((ids(made) == Ids{begin_of_text, 'a'}));
  }
  BOOST_TEST((ids(after_bos(text_tokens(adds, "a"), std::nullopt)) == Ids{'a'}));
  BOOST_TEST((after_bos({}, begin_of_text).tokens.front().bytes == ByteSpan{}));
  BOOST_TEST(!begins_with({}, begin_of_text));
  BOOST_TEST(!begins_with(text_tokens(own, "a"), std::nullopt));
}

BOOST_AUTO_TEST_CASE(model_can_report_whether_its_tokenizer_adds_bos) {
  struct Says {
    [[nodiscard]] bool adds_bos() const { return true; }
  };
  struct MaySay {
    [[nodiscard]] std::optional<bool> adds_bos() const { return std::nullopt; }
  };
  BOOST_TEST((adds_bos_of(Says{}) == true));
  BOOST_TEST((adds_bos_of(MaySay{}) == std::nullopt));
  BOOST_TEST((adds_bos_of(NgramModel("a", 1)) == std::nullopt));
}

BOOST_AUTO_TEST_SUITE_END()
