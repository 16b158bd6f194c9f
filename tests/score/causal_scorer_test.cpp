// SPDX-License-Identifier: Apache-2.0
#include "plumb/score/causal_scorer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/backend/archetypes.hpp"
#include "plumb/core/utf8.hpp"
#include "plumb/prompt/statement.hpp"
#include "support/errors.hpp"

using namespace plumb;
using test::says;

namespace {

static_assert(CandidateScorer<CausalScorer<NgramModel>> && PackedScorer<CausalScorer<NgramModel>>);
static_assert(PackedScorer<CausalScorer<NgramTreeModel>>);

const std::string training = "The capital of France is Paris. The capital of Italy is Rome.";
const std::vector<std::string> pieces{" is", "capital", "Par", "Paris"};

/// A model that has no BOS and takes few tokens.
struct WithoutBos : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t context_length() const { return 12; }
};
static_assert(CausalLm<WithoutBos>);

std::vector<Query> queries() {
  const std::vector<std::string> answers{"Paris", "Rome",     "Par", "Parisis",
                                         "",      "Paris is", "é",   "Paris"};
  std::vector<Query> result;
  for (const char* subject : {"France", "Italy", "Fra"}) {
    for (const char* pattern :
         {"The capital of [X] is [Y].", "[Y] is in [X]", "The capital of [X] is [Y]"}) {
      Query query;
      for (const std::string& answer : answers) {
        query.candidates.push_back(fill_template(pattern, subject, answer));
      }
      result.push_back(std::move(query));
    }
  }
  return result;
}

/// The oracle: the model's own probabilities, added up token by token.
StatementScore by_hand(const NgramModel& model, const Prompt& prompt, bool with_bos) {
  StatementScore score;
  std::vector<TokenId> prefix;
  if (with_bos) prefix.push_back(*model.bos());
  for (const Token& token : model.tokenize(prompt.text).tokens) {
    if (!prefix.empty()) {
      const double p = model.log_probability(prefix, token.id);
      bool is_answer = false;
      for (const ByteSpan span : prompt.answer) is_answer |= token.bytes.overlaps(span);
      score.log_likelihood += p;
      ++score.tokens;
      if (is_answer) {
        score.answer_log_likelihood += p;
        ++score.answer_tokens;
      }
    }
    prefix.push_back(token.id);
  }
  return score;
}

void check_close(const StatementScore& score, const StatementScore& expected) {
  BOOST_TEST(std::abs(score.log_likelihood - expected.log_likelihood) < 1e-5);
  BOOST_TEST(std::abs(score.answer_log_likelihood - expected.answer_log_likelihood) < 1e-5);
  BOOST_TEST(score.tokens == expected.tokens);
  BOOST_TEST(score.answer_tokens == expected.answer_tokens);
}

/// All queries as one block, back in the order of the statements.
template <class Model>
std::vector<StatementScore> score_block(CausalScorer<Model>& scorer, ScoringCost& cost) {
  typename CausalScorer<Model>::Block block;
  for (const Query& query : queries()) scorer.add(block, query);
  scorer.plan(block);
  cost = block.cost();
  std::vector<StatementScore> scores(cost.statements);
  for (std::size_t p = block.packs(); p-- > 0;) {
    const auto part = scorer.score(block, p);
    for (std::size_t i = 0; i < part.size(); ++i) scores[block.pack(p)[i]] = part[i];
  }
  return scores;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(causal_scorer_suite)

// Four ways that must agree: the tree in packs, sequences, one query at a time, and by hand.
BOOST_AUTO_TEST_CASE(tree_and_no_tree_and_the_models_own_probabilities_agree) {
  for (const bool with_bos : {true, false}) {
    for (const TreeLimits limits : {TreeLimits{1024, 256, 256}, {40, 3, 16}, {64, 1, 64}}) {
      NgramModel plain(training, 3, pieces);
      NgramTreeModel tree(training, 3, pieces);
      tree.limits = limits;
      CausalScorer one_by_one(plain, with_bos);
      CausalScorer in_packs(tree, with_bos);
      ScoringCost plain_cost;
      ScoringCost tree_cost;
      const auto plain_scores = score_block(one_by_one, plain_cost);
      const auto tree_scores = score_block(in_packs, tree_cost);
      std::size_t statement = 0;
      for (const Query& query : queries()) {
        const auto alone = in_packs.score(query);
        for (std::size_t c = 0; c < query.candidates.size(); ++c, ++statement) {
          check_close(by_hand(plain, query.candidates[c], with_bos), tree_scores[statement]);
          check_close(plain_scores[statement], tree_scores[statement]);
          check_close(alone[c], tree_scores[statement]);
        }
      }
      BOOST_TEST(statement == tree_cost.statements);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_cost_is_what_the_model_was_fed) {
  NgramTreeModel model(training, 3, pieces);
  model.limits = {40, 3, 16};
  CausalScorer scorer(model, true);
  ScoringCost cost;
  (void)score_block(scorer, cost);
  BOOST_TEST(model.tokens_fed == cost.tokens_fed);
  std::uint64_t one_by_one = 0;
  for (const Query& query : queries()) {
    for (const Prompt& prompt : query.candidates)
      one_by_one += 1 + model.tokenize(prompt.text).tokens.size();
  }
  BOOST_TEST(cost.tokens_one_by_one == one_by_one);
  BOOST_TEST(cost.tree_nodes <= cost.tokens_fed);
  BOOST_TEST(cost.tokens_fed < cost.tokens_one_by_one);
}

BOOST_AUTO_TEST_CASE(a_pack_scores_the_same_whatever_was_scored_before) {
  NgramTreeModel model(training, 3, pieces);
  model.limits = {40, 3, 16};
  CausalScorer scorer(model, true);
  CausalScorer<NgramTreeModel>::Block block;
  for (const Query& query : queries()) scorer.add(block, query);
  scorer.plan(block);
  BOOST_REQUIRE(block.packs() > 2U);
  const auto first = scorer.score(block, 1);
  (void)scorer.score(block, 0);
  const auto second = scorer.score(block, 1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    BOOST_TEST(first[i].log_likelihood == second[i].log_likelihood);
  }
}

BOOST_AUTO_TEST_CASE(statements_without_a_scored_token_score_nothing) {
  NgramModel model(training);
  CausalScorer with(model, true);
  CausalScorer without(model, false);
  BOOST_TEST((with.bos() == model.bos()));
  BOOST_TEST(!without.bos());
  const Query query{{{"", {}}, {"a", {{0, 1}}}}};
  BOOST_TEST(with.score(query)[0].tokens == 0U);
  BOOST_TEST(with.score(query)[1].answer_tokens == 1U);
  for (const StatementScore& score : without.score(query)) {
    BOOST_TEST(score.tokens == 0U);
    BOOST_TEST(score.log_likelihood == 0.0);
  }
  BOOST_TEST(with.score(Query{}).empty());
}

BOOST_AUTO_TEST_CASE(bos_on_a_model_without_one_is_refused) {
  WithoutBos model(training);
  BOOST_CHECK_EXCEPTION(CausalScorer(model, true), Error,
                        says(Fault::user,
                             "--bos: the model has no BOS token; use --bos no; the first "
                             "token of each statement is then not scored"));
  BOOST_TEST(CausalScorer(model, false).score({{{"Paris", {}}}})[0].tokens == 4U);
}

BOOST_AUTO_TEST_CASE(a_statement_longer_than_the_context_is_refused) {
  WithoutBos model(training);
  CausalScorer scorer(model, false);
  BOOST_TEST(scorer.score({{{"twelve bytes", {}}}})[0].tokens == 11U);
  BOOST_CHECK_EXCEPTION(scorer.score({{{"thirteen byte", {}}}}), Error,
                        says(Fault::user,
                             "statement: 'thirteen byte' has 13 tokens, the model's "
                             "context 12; shorten the template or leave the fact out"));
}

BOOST_AUTO_TEST_CASE(a_long_statement_is_quoted_in_whole_characters) {
  WithoutBos model(training);
  CausalScorer scorer(model, false);
  std::string text = "x";
  for (int i = 0; i < 50; ++i) text += "é";
  BOOST_CHECK_EXCEPTION(scorer.score({{{text, {}}}}), Error, [](const Error& error) {
    return first_invalid_utf8(error.what()) == std::string_view::npos;
  });
}

BOOST_AUTO_TEST_SUITE_END()
