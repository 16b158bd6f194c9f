// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/bos.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/any_model.hpp"
#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(bos_suite)

namespace {

Bos read(const std::string& word) {
  Bos made;
  made.read(word, "bos");
  return made;
}

const std::vector<std::string> pieces{"<|endoftext|>", "<|im_start|>", "<|im_end|>"};

/// A model without its own BOS, like Qwen.
struct Bare : SpecialTokenModel {
  explicit Bare(bool parses = false) : SpecialTokenModel("abcabd", 3, pieces, parses) {}
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
};

/// A model whose tokenizer adds BOS before every text.
struct Adding : NgramTreeModel {
  Adding() : NgramTreeModel("abcabd 5", 3, {"ab"}) {}
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made = NgramTreeModel::tokenize(text);
    made.tokens.insert(made.tokens.begin(), {*bos(), {0, 0}});
    return made;
  }
};

Query query(const std::string& text, std::size_t given = 0) {
  return {{{text, {{given, text.size()}}, {}, given}}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_word_is_yes_no_or_the_text_of_a_token) {
  BOOST_TEST(read("yes").wanted);
  BOOST_TEST(!read("no").wanted);
  BOOST_TEST(read("<|endoftext|>").token == "<|endoftext|>");
  BOOST_TEST(read("\n").token == "\n");
  BOOST_TEST(read("text:yes").token == "yes");
  BOOST_TEST(read("text:text:").token == "text:");
  for (const char* word : {"yes", "no", "<s>", "text:yes", "text:the", " the", "text:text:"}) {
    BOOST_TEST(read(word).word() == word);
  }
  for (const char* word : {"", "maybe", "No", "true", "text:"}) {
    BOOST_CHECK_EXCEPTION((void)read(word), Error,
                          says(Fault::user, "`bos`: '" + std::string(word) +
                                                "' is not a valid choice; use yes, no, or"));
  }
}

BOOST_AUTO_TEST_CASE(a_bos_that_is_wanted_must_be_there) {
  struct Begins : NgramModel {
    explicit Begins(std::optional<TokenId> of) : NgramModel("ab", 2), token(of) {}
    std::optional<TokenId> token;
    [[nodiscard]] std::optional<TokenId> bos() const { return token; }
  };
  const Begins with(5), without(std::nullopt);
  BOOST_TEST(require_bos(with, Bos()).value() == 5);
  BOOST_TEST(!require_bos(with, Bos::none()).has_value());
  BOOST_TEST(!require_bos(without, Bos::none()).has_value());
  BOOST_CHECK_EXCEPTION((void)require_bos(without, Bos()), Error,
                        says(Fault::user, "`bos`: the model has no BOS token; set `bos` to no"));
  BOOST_CHECK_EXCEPTION((void)require_bos(without, Bos(), "leave it out"), Error,
                        says(Fault::user, "the model has no BOS token; leave it out"));
}

BOOST_AUTO_TEST_CASE(a_token_is_found_by_its_text) {
  Bare model;
  BOOST_TEST((require_bos(model, Bos::of("<|im_end|>")) == 258));
  BOOST_TEST((require_bos(model, Bos::of("a")) == 'a'));
  BOOST_TEST((require_bos(model, Bos::none()) == std::nullopt));
  BOOST_CHECK_EXCEPTION(
      (void)require_bos(model, Bos()), Error,
      says(Fault::user, "`bos`: the model has no BOS token; set `bos` to no, or choose"));
  // The message lists the most similar tokens first, regardless of the model's own order.
  BOOST_CHECK_EXCEPTION((void)require_bos(model, Bos::of("<|im_ends|>")), Error,
                        says(Fault::user, "'<|im_ends|>' is not a token of this model"));
  BOOST_CHECK_EXCEPTION((void)require_bos(model, Bos::of("<|im_ends|>")), Error,
                        says(Fault::user,
                             "similar special tokens: <|im_end|>, <|im_start|> and "
                             "<|endoftext|>"));
  NgramModel silent("ab", 2, {"ab"});
  BOOST_TEST((require_bos(silent, Bos::of("ab")) == 256));
  BOOST_TEST((require_bos(silent, Bos()) == silent.bos()));
  BOOST_CHECK_EXCEPTION((void)require_bos(silent, Bos::of("abc")), Error,
                        says(Fault::user, "which splits it into 2 tokens; use a token of its"));
  AnyModel any = AnyModel::made_by([] { return Bare(); });
  BOOST_TEST((require_bos(any, Bos::of("<|im_start|>")) == 257));
}

BOOST_AUTO_TEST_CASE(error_for_a_model_without_bos_suggests_an_existing_token) {
  Bare model;
  BOOST_CHECK_EXCEPTION(CausalScorer{model}, Error,
                        says(Fault::user, "to use instead, such as `bos` <|endoftext|>"));
  struct Other : Bare {
    [[nodiscard]] std::vector<SpecialToken> special_tokens() const {
      return {{"</s>", 256}, {"<s>", 257}};
    }
  } other;
  BOOST_TEST(stand_in_remedy(other) == "choose a token to use instead, such as `bos` <s>");
  NgramModel silent("ab", 2, {"ab"});  // lists none
  BOOST_TEST(stand_in_remedy(silent) == "choose a token to use instead");
}

// Computed by hand: log P(a b c | token) from the model itself.
BOOST_AUTO_TEST_CASE(statement_scores_are_conditioned_on_the_named_token) {
  Bare model;
  CausalScorer scorer(model, Bos::of("<|endoftext|>"));
  const std::vector<TokenId> sequence{256, 'a', 'b', 'c'};
  double expected = 0;
  for (std::size_t t = 1; t < sequence.size(); ++t) {
    expected += model.log_probability(std::span(sequence).first(t), sequence[t]);
  }
  const StatementScore score = scorer.score(query("abc")).front();
  BOOST_TEST(score.statement.tokens == 3U);
  BOOST_TEST(std::abs(score.statement.log_likelihood - expected) < 1e-9);
  BOOST_TEST(scorer.bos_setting().word() == "<|endoftext|>");
}

BOOST_AUTO_TEST_CASE(a_text_that_begins_with_bos_gets_no_other) {
  Bare parses(true), reads(false);
  const Bos bos = Bos::of("<|endoftext|>");
  CausalScorer parsed(parses, bos), plain(reads, bos);
  const StatementScore own = parsed.score(query("<|endoftext|>abc")).front();
  const StatementScore put = parsed.score(query("abc")).front();
  BOOST_TEST(own.statement.tokens == 3U);
  BOOST_TEST(own.statement.log_likelihood == put.statement.log_likelihood);
  BOOST_TEST(parsed.begins_with_bos(query("<|endoftext|>abc").candidates.front()));
  // In the middle of a text, BOS is an ordinary token; read as plain text, it is thirteen bytes.
  BOOST_TEST(parsed.score(query("ab<|endoftext|>c")).front().statement.tokens == 4U);
  BOOST_TEST(!parsed.begins_with_bos(query("ab<|endoftext|>c").candidates.front()));
  BOOST_TEST(plain.score(query("<|endoftext|>abc")).front().statement.tokens == 16U);
  BOOST_TEST(!plain.begins_with_bos(query("<|endoftext|>abc").candidates.front()));
  // The given part of a text may consist of BOS alone.
  const StatementScore behind = parsed.score(query("<|endoftext|>abc", 13)).front();
  BOOST_TEST(behind.continuation.tokens == 3U);
  BOOST_TEST(behind.answer.tokens == 3U);
  BOOST_TEST(behind.continuation.log_likelihood == put.statement.log_likelihood);
  // With no BOS added before it, the BOS in the text is the first token, which has no probability.
  CausalScorer none(parses, Bos::none());
  BOOST_TEST(none.score(query("<|endoftext|>abc")).front().statement.log_likelihood ==
             put.statement.log_likelihood);
}

BOOST_AUTO_TEST_CASE(a_tokenizer_that_adds_bos_scores_as_one_that_does_not) {
  NgramTreeModel plain("abcabd 5", 3, {"ab"});
  Adding adds;
  for (const bool with_bos : {true, false}) {
    CausalScorer one(plain, with_bos ? Bos() : Bos::none());
    CausalScorer other(adds, with_bos ? Bos() : Bos::none());
    // The text is tokenised as a whole and in pieces; the tokenizer adds a BOS before each piece.
    for (const std::vector<Cut>& cuts : {std::vector<Cut>{}, {{2, false}, {3, true}, {4, false}}}) {
      const Query asked{{{"ab 5abc", {{4, 7}}, cuts, 3}}};
      const StatementScore expected = one.score(asked).front(), score = other.score(asked).front();
      BOOST_TEST(score.statement.log_likelihood == expected.statement.log_likelihood);
      BOOST_TEST(score.answer.log_likelihood == expected.answer.log_likelihood);
      BOOST_TEST(score.continuation.log_likelihood == expected.continuation.log_likelihood);
      BOOST_TEST(score.statement.tokens == expected.statement.tokens);
      BOOST_TEST(score.continuation.tokens == expected.continuation.tokens);
    }
  }
}

BOOST_AUTO_TEST_CASE(texts_that_begin_with_bos_are_counted_in_words) {
  BOOST_TEST((own_bos_warning(0, "text") == std::nullopt));
  BOOST_TEST(*own_bos_warning(1, "text") ==
             "Warning: 1 text begins with BOS already; no second BOS is added to it.");
  BOOST_TEST(*own_bos_warning(2, "statement") ==
             "Warning: 2 statements begin with BOS already; no second BOS is added to them.");
  const NgramModel silent("ab", 2);
  BOOST_TEST(!OwnBos(silent, silent.bos()).begins("ab"));  // its BOS has no text
  BOOST_TEST(!OwnBos(silent, std::nullopt).begins("ab"));
}

BOOST_AUTO_TEST_SUITE_END()
