// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/masked_scorer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(masked_scorer_suite)

namespace {

/// A model whose tokens are letters. Each row is a hash of the masked text and the position, so
/// equal rows mean equal inputs. Texts are enclosed in '<' and '>'; words end at spaces.
class HashModel {
 public:
  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made;
    for (std::size_t i = 0; i < text.size(); ++i) {
      made.tokens.push_back({static_cast<unsigned char>(text[i]), {i, i + 1}});
    }
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    std::string text;
    for (const TokenId id : ids) text += static_cast<char>(id);
    return text;
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t vocabulary_size() const { return 128; }
  [[nodiscard]] std::size_t context_length() const { return 40; }
  [[nodiscard]] TokenId mask() const { return '#'; }
  [[nodiscard]] TextFrame frame() const { return {{'<'}, {'>'}}; }
  [[nodiscard]] std::optional<TokenId> unknown() const { return '?'; }
  [[nodiscard]] std::vector<std::uint32_t> words(std::string_view text) const {
    std::vector<std::uint32_t> numbers;
    std::uint32_t word = 0;
    for (const char letter : text) {
      if (letter == ' ') ++word;
      numbers.push_back(word);
    }
    return numbers;
  }
  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
      seen.push_back(detokenize(queries[q].sequence) + std::to_string(queries[q].position));
      visit(q, row(queries[q]));
    }
  }
  [[nodiscard]] static std::vector<float> row(const MaskedQuery& query) {
    std::uint32_t state = query.position + 7;
    for (const TokenId id : query.sequence) state = state * 31 + static_cast<std::uint32_t>(id);
    std::vector<float> logits;
    for (int v = 0; v < 128; ++v) {
      state = state * 1664525 + 1013904223;
      logits.push_back(static_cast<float>(state >> 20) / 1000.0F);
    }
    return logits;
  }

  std::vector<std::string> seen{};
};

/// A statement with its answer in this byte range.
Prompt prompt(const std::string& text, std::size_t begin, std::size_t end) {
  return {text, {{begin, end}}};
}

/// ln P of the letter at a position in an already masked and enclosed text.
double by_hand(const std::string& framed, std::uint32_t position, char letter) {
  MaskedQuery query{{framed.begin(), framed.end()}, position};
  const std::vector<float> row = HashModel::row(query);
  double sum = 0;
  for (const float logit : row) sum += std::exp(static_cast<double>(logit));
  return static_cast<double>(row[static_cast<std::size_t>(letter)]) - std::log(sum);
}

}  // namespace

static_assert(CandidateScorer<MaskedScorer<HashModel>> && PackedScorer<MaskedScorer<HashModel>>);

BOOST_AUTO_TEST_CASE(original_masks_each_token_alone) {
  HashModel model;
  MaskedScorer scorer(model, PseudoLikelihood::original);
  const auto scores = scorer.score(Query{{prompt("ab c", 3, 4)}});
  const double c = by_hand("<ab #>", 4, 'c');
  const double all =
      by_hand("<#b c>", 1, 'a') + by_hand("<a# c>", 2, 'b') + by_hand("<ab#c>", 3, ' ') + c;
  BOOST_TEST(scores[0].statement.log_likelihood == all, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(scores[0].answer.log_likelihood == c, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(scores[0].statement.tokens == 4U);
  BOOST_TEST(scores[0].answer.tokens == 1U);
}

BOOST_AUTO_TEST_CASE(within_words_later_tokens_of_the_word_are_masked_too) {
  HashModel model;
  MaskedScorer scorer(model);
  const auto scores = scorer.score(Query{{prompt("abc de", 4, 6)}});
  const double de = by_hand(
                        "<abc #"
                        "#>",
                        5, 'd') +
                    by_hand("<abc d#>", 6, 'e');
  const double all = by_hand("<### de>", 1, 'a') + by_hand("<a## de>", 2, 'b') +
                     by_hand("<ab# de>", 3, 'c') +
                     by_hand(
                         "<abc#"
                         "#"
                         "#>",
                         4, ' ') +
                     de;
  BOOST_TEST(scores[0].statement.log_likelihood == all, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(scores[0].answer.log_likelihood == de, boost::test_tools::tolerance(1e-7));
}

// The model sees the text before a statement, but none of its tokens is masked and scored.
BOOST_AUTO_TEST_CASE(what_stands_before_a_statement_is_not_scored) {
  HashModel model;
  MaskedScorer scorer(model, PseudoLikelihood::original);
  Prompt behind = prompt("ab. cd", 4, 6);
  behind.context = 3;
  behind.given = 3;
  const auto scores = scorer.score(Query{{behind}});
  const double all =
      by_hand("<ab.#cd>", 4, ' ') + by_hand("<ab. #d>", 5, 'c') + by_hand("<ab. c#>", 6, 'd');
  BOOST_TEST(scores[0].statement.log_likelihood == all, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(scores[0].statement.tokens == 3U);
  BOOST_TEST(scores[0].answer.tokens == 2U);
  BOOST_TEST(model.seen.size() == 3U);
}

BOOST_AUTO_TEST_CASE(equal_masked_inputs_are_computed_once) {
  HashModel model;
  MaskedScorer scorer(model, PseudoLikelihood::original);
  decltype(scorer)::Block block;
  scorer.add(block, Query{{prompt("in x", 3, 4), prompt("in y", 3, 4), prompt("in z", 3, 4)}});
  scorer.plan(block);
  (void)score_all_packs(scorer, block);
  // In each statement, the first three letters are masked while the statement's own answer is
  // visible; the input for the answer is the same for all statements.
  BOOST_TEST(block.cost().masked_inputs == 12U);
  BOOST_TEST(block.cost().masked_inputs_computed == 10U);
  BOOST_TEST(block.cost().tokens_one_by_one == 12U * 6);
  BOOST_TEST(block.cost().tokens_fed == 10U * 6);
  BOOST_TEST(block.packs() == 1U);
  BOOST_TEST(block.tokens(0) == 10U * 6);
  BOOST_TEST(model.seen.size() == 10U);
  BOOST_TEST(std::set<std::string>(model.seen.begin(), model.seen.end()).size() == 10U);
}

BOOST_AUTO_TEST_CASE(packs_are_bounded_and_change_no_score) {
  HashModel model;
  Query query;
  for (int i = 0; i < 60; ++i) {
    std::string text = "it is number " + std::to_string(i * i * 7919);
    query.candidates.push_back(prompt(text, 13, text.size()));
  }
  for (const PseudoLikelihood rule : every(PseudoLikelihood::original)) {
    MaskedScorer scorer(model, rule);
    typename decltype(scorer)::Block block;
    scorer.add(block, query);
    scorer.plan(block);
    BOOST_TEST(block.packs() > 1U);
    std::set<std::uint32_t> all;
    std::uint64_t computed = 0;
    for (std::size_t p = 0; p < block.packs(); ++p) {
      model.seen.clear();
      (void)scorer.score(block, p);
      std::size_t tokens = 0;
      for (const std::string& input : model.seen) tokens += input.find('>') + 1;
      BOOST_TEST(tokens <= scorer.pack_tokens);
      computed += model.seen.size();
      for (const std::uint32_t statement : block.pack(p)) {
        BOOST_TEST(all.insert(statement).second);
      }
    }
    BOOST_TEST(all.size() == 60U);
    BOOST_TEST(computed == block.cost().masked_inputs_computed);
    const auto scores = score_all_packs(scorer, block);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const auto alone = scorer.score(Query{{query.candidates[i]}}).front();
      BOOST_TEST(scores[i].statement.log_likelihood == alone.statement.log_likelihood);
      BOOST_TEST(scores[i].answer.log_likelihood == alone.answer.log_likelihood);
    }
  }
}

BOOST_AUTO_TEST_CASE(answers_with_unknown_tokens_are_flagged) {
  HashModel model;
  MaskedScorer scorer(model);
  MaskedScorer<HashModel>::Block block;
  const Query query{{prompt("a ?", 2, 3), prompt("? a", 2, 3), prompt("a a", 2, 3)}};
  scorer.add(block, Query{{prompt("a ?", 2, 3)}});  // another query's
  scorer.add(block, query);
  const auto unknown = scorer.unknown_answers(block, query);
  BOOST_TEST((unknown == std::vector<bool>{true, false, false}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_scored_is_refused) {
  HashModel model;
  MaskedScorer scorer(model);
  const auto check = [&](const Prompt& asked, Scoring scoring) {
    MaskedScorer<HashModel>::Block block;
    scorer.add(block, Query{{asked}});
    scorer.check(block, Query{{asked}}, scoring);
  };
  const auto refused = [&](const Prompt& asked, Scoring scoring, const char* text) {
    BOOST_CHECK_EXCEPTION(check(asked, scoring), Error, test::says(Fault::user, text));
  };
  refused(prompt("a b", 2, 3), {Reduction::sum, Span::continuation}, "the text on both sides");
  refused(prompt("a b", 2, 2), {Reduction::sum, Span::answer}, "'a b' has no tokens in its answer");
  refused(prompt("", 0, 0), {}, "has no tokens in its statement");
  refused(prompt(std::string(39, 'a'), 0, 1), {}, "has 41 tokens; the model's limit is 40");
  check(prompt(std::string(38, 'a'), 0, 1), {});
}

BOOST_AUTO_TEST_CASE(a_model_without_words_is_scored_by_the_original_rule_alone) {
  struct NoWords : private NeighbourModel {
    using NeighbourModel::bos, NeighbourModel::context_length, NeighbourModel::detokenize;
    using NeighbourModel::evaluate, NeighbourModel::mask, NeighbourModel::tokenize;
    using NeighbourModel::NeighbourModel;
    using NeighbourModel::vocabulary_size;
  };
  NoWords model("abcabd");
  BOOST_CHECK_EXCEPTION(MaskedScorer{model}, Error,
                        test::says(Fault::user, "the model has no words(text)"));
  MaskedScorer scorer(model, PseudoLikelihood::original);
  const auto scores = scorer.score(Query{{prompt("ab", 1, 2)}});
  // In training, 'a' was once between BOS and 'b', but nothing was ever between 'a' and BOS.
  const double v = static_cast<double>(model.vocabulary_size());
  BOOST_TEST(scores[0].statement.log_likelihood == std::log(2 / (1 + v)) + std::log(1 / v),
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_SUITE_END()
