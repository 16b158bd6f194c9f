// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/causal_scorer.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(causal_scorer_suite)

namespace {

static_assert(CandidateScorer<CausalScorer<NgramModel>> && PackedScorer<CausalScorer<NgramModel>>);
static_assert(PackedScorer<CausalScorer<NgramTreeModel>>);

const std::string training = "The capital of France is Paris. The capital of Italy is Rome.";
const std::vector<std::string> pieces{" is", "capital", "Par", "Paris"};

/// A model without BOS and with a short context.
struct WithoutBos : NgramModel {
  using NgramModel::NgramModel;
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t context_length() const { return 12; }
};
static_assert(CausalLm<WithoutBos>);

/// A model that reports a smaller vocabulary than it has.
struct Shrunk : NgramModel {
  using NgramModel::NgramModel;
  std::size_t size = 256;
  [[nodiscard]] std::size_t vocabulary_size() const { return size; }
};

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
  const auto given = model.tokenize(prompt.text.substr(0, prompt.given)).tokens;
  bool is_given = true;
  std::size_t place = 0;
  for (const Token& token : model.tokenize(prompt.text).tokens) {
    is_given = is_given && place < given.size() && given[place].id == token.id;
    ++place;
    if (!prefix.empty()) {
      const double p = model.log_probability(prefix, token.id);
      bool is_answer = false;
      for (const ByteSpan span : prompt.answer) is_answer |= token.bytes.overlaps(span);
      score.statement.log_likelihood += p;
      ++score.statement.tokens;
      if (is_answer) {
        score.answer.log_likelihood += p;
        ++score.answer.tokens;
      }
      if (!is_given) {
        score.continuation.log_likelihood += p;
        ++score.continuation.tokens;
      }
    }
    prefix.push_back(token.id);
  }
  return score;
}

void check_close(const StatementScore& score, const StatementScore& expected) {
  BOOST_TEST(std::abs(score.statement.log_likelihood - expected.statement.log_likelihood) < 1e-5);
  BOOST_TEST(std::abs(score.answer.log_likelihood - expected.answer.log_likelihood) < 1e-5);
  BOOST_TEST(score.statement.tokens == expected.statement.tokens);
  BOOST_TEST(score.answer.tokens == expected.answer.tokens);
  BOOST_TEST(std::abs(score.continuation.log_likelihood - expected.continuation.log_likelihood) <
             1e-5);
  BOOST_TEST(score.continuation.tokens == expected.continuation.tokens);
}

/// The scores of all packs, in statement order. `only` selects the packs.
template <class Model, class Pick>
std::vector<StatementScore> score_packs(CausalScorer<Model>& scorer,
                                        typename CausalScorer<Model>::Block& block, Pick only) {
  std::vector<StatementScore> scores(block.cost().statements);
  for (std::size_t p = 0; p < block.packs(); ++p) {
    if (!only(p)) continue;
    const auto part = scorer.score(block, p);
    for (std::size_t i = 0; i < part.size(); ++i) scores[block.pack(p)[i]] = part[i];
  }
  return scores;
}

template <class Model>
std::vector<StatementScore> score_packs(CausalScorer<Model>& scorer,
                                        typename CausalScorer<Model>::Block& block) {
  return score_packs(scorer, block, [](std::size_t) { return true; });
}

/// Shots and statements. Some statements continue the shots, some branch off from them at every
/// possible depth, some are prefixes of them, and some share nothing with them.
struct Shots {
  explicit Shots(const std::string& text) : context{text, {}} {
    const auto add = [&](const std::string& before, const std::string& answer,
                         const std::string& after) {
      query.candidates.push_back(
          {before + answer + after, {{before.size(), before.size() + answer.size()}}});
    };
    for (const char* subject : {" Italy ", " Italian ", " Ch"}) {
      for (const char* answer : {"Paris", "Parisian", "P", "Rome", "Paris", ""}) {
        add(text + subject, answer, "");
        add(text + subject, answer, ".");
      }
    }
    for (std::size_t depth = 0; depth <= text.size(); ++depth) {
      const std::string begin = text.substr(0, depth);
      add(begin, "Paris", "");  // branches off there, or continues at the end
      add(begin, "zz", " Paris.");
      add(begin, "", "");  // a prefix of the shots, without an answer
      if (depth > 0) add(begin.substr(0, depth - 1), begin.substr(depth - 1), "");  // lies within
      add("", begin, "?");  // the shared part is the answer
    }
    add("Rome is in ", "Italy", "");
    add("", "", "");
  }

  template <class Model>
  typename CausalScorer<Model>::Block block(CausalScorer<Model>& scorer, bool shares = true) const {
    typename CausalScorer<Model>::Block made;
    if (shares) scorer.share(made, context);
    scorer.add(made, query);
    scorer.plan(made);
    return made;
  }

  Prompt context;
  Query query;
};

const Shots shots("France Paris Italy Rome");

/// The score that an answer-only scorer would assign to a statement.
StatementScore only(Span span, const StatementScore& score) {
  StatementScore kept;
  if (span == Span::answer) {
    kept.answer.log_likelihood = score.answer.log_likelihood;
    kept.answer.tokens = score.answer.tokens;
  } else {
    kept.continuation.log_likelihood = score.continuation.log_likelihood;
    kept.continuation.tokens = score.continuation.tokens;
  }
  return kept;
}

/// The minimum number of nodes to feed: the distinct prefixes that are followed by another token.
std::size_t needed_nodes(const NgramModel& model, const Query& query, bool with_bos) {
  std::set<std::vector<TokenId>> prefixes;
  for (const Prompt& prompt : query.candidates) {
    std::vector<TokenId> ids;
    if (with_bos) ids.push_back(*model.bos());
    for (const Token& token : model.tokenize(prompt.text).tokens) ids.push_back(token.id);
    for (std::size_t length = 1; length < ids.size(); ++length) {
      prefixes.emplace(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(length));
    }
  }
  return prefixes.size();
}

/// The scores of all queries in one block, in statement order.
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

// Four methods must agree: the tree in packs, sequences, one query at a time, and computation by
// hand.
BOOST_AUTO_TEST_CASE(tree_and_no_tree_and_the_models_own_probabilities_agree) {
  for (const bool with_bos : {true, false}) {
    for (const TreeLimits limits : {TreeLimits{1024, 256, 256}, {40, 3, 16}, {64, 1, 64}}) {
      NgramModel plain(training, 3, pieces);
      NgramTreeModel tree(training, 3, pieces);
      tree.limits = limits;
      CausalScorer one_by_one(plain, with_bos ? Bos() : Bos::none());
      CausalScorer in_packs(tree, with_bos ? Bos() : Bos::none());
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

// Scores from lookups must match hand-computed scores and cost the same as a tree model's; each
// pack is one call.
BOOST_AUTO_TEST_CASE(a_model_of_lookups_alone_gives_the_same_scores) {
  static_assert(PackedScorer<CausalScorer<NgramLookupModel>>);
  for (const bool with_bos : {true, false}) {
    NgramModel plain(training, 3, pieces);
    NgramTreeModel tree(training, 3, pieces);
    NgramLookupModel lookups(training, 3, pieces);
    tree.limits = lookups.limits = {40, 3, 16};
    CausalScorer by_rows(tree, with_bos ? Bos() : Bos::none());
    CausalScorer by_lookups(lookups, with_bos ? Bos() : Bos::none());
    ScoringCost row_cost, lookup_cost;
    (void)score_block(by_rows, row_cost);
    const auto scores = score_block(by_lookups, lookup_cost);
    std::size_t statement = 0;
    for (const Query& query : queries()) {
      for (const Prompt& prompt : query.candidates) {
        check_close(scores[statement++], by_hand(plain, prompt, with_bos));
      }
    }
    BOOST_TEST(lookup_cost.tokens_fed == row_cost.tokens_fed);
    BOOST_TEST(lookup_cost.tree_nodes == row_cost.tree_nodes);
    CausalScorer<NgramLookupModel>::Block block;
    for (const Query& query : queries()) by_lookups.add(block, query);
    by_lookups.plan(block);
    BOOST_TEST(lookups.calls == block.packs());
  }
}

// The context's own tokens are looked up once, not once per pack.
BOOST_AUTO_TEST_CASE(a_shared_context_is_looked_up_once) {
  NgramLookupModel lookups(training, 3, pieces);
  const NgramModel plain(training, 3, pieces);
  lookups.limits = {60, 3, 16};
  CausalScorer scorer(lookups);
  auto block = shots.block(scorer);
  BOOST_REQUIRE(block.packs() > 2U);
  const auto scores = score_packs(scorer, block);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    check_close(scores[i], by_hand(plain, shots.query.candidates[i], true));
  }
  BOOST_TEST(lookups.calls <= block.packs() + 1);
  const std::size_t asked = lookups.looked_up;
  (void)score_packs(scorer, block);  // the context's results are already known
  BOOST_TEST(lookups.looked_up - asked < asked);
}

BOOST_AUTO_TEST_CASE(a_packs_tokens_are_what_it_feeds) {
  NgramTreeModel model(training, 3, pieces);
  model.limits = {40, 3, 16};
  CausalScorer scorer(model);
  decltype(scorer)::Block block;
  for (const Query& query : queries()) scorer.add(block, query);
  scorer.plan(block);
  BOOST_TEST_REQUIRE(block.packs() > 2U);
  for (std::size_t p = 0; p < block.packs(); ++p) {
    const std::size_t before = model.tokens_fed;
    (void)scorer.score(block, p);
    BOOST_TEST(model.tokens_fed - before == block.tokens(p));
  }
}

BOOST_AUTO_TEST_CASE(the_cost_is_what_the_model_was_fed) {
  NgramTreeModel model(training, 3, pieces);
  model.limits = {40, 3, 16};
  CausalScorer scorer(model);
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
  CausalScorer scorer(model);
  CausalScorer<NgramTreeModel>::Block block;
  for (const Query& query : queries()) scorer.add(block, query);
  scorer.plan(block);
  BOOST_REQUIRE(block.packs() > 2U);
  const auto first = scorer.score(block, 1);
  (void)scorer.score(block, 0);
  const auto second = scorer.score(block, 1);
  for (std::size_t i = 0; i < first.size(); ++i) {
    BOOST_TEST(first[i].statement.log_likelihood == second[i].statement.log_likelihood);
  }
}

BOOST_AUTO_TEST_CASE(statements_without_a_scored_token_score_nothing) {
  NgramModel model(training);
  CausalScorer with(model);
  CausalScorer without(model, Bos::none());
  BOOST_TEST((with.bos() == model.bos()));
  BOOST_TEST(!without.bos());
  const Query query{{{"", {}}, {"a", {{0, 1}}}}};
  BOOST_TEST(with.score(query)[0].statement.tokens == 0U);
  BOOST_TEST(with.score(query)[1].answer.tokens == 1U);
  for (const StatementScore& score : without.score(query)) {
    BOOST_TEST(score.statement.tokens == 0U);
    BOOST_TEST(score.statement.log_likelihood == 0.0);
  }
  BOOST_TEST(with.score(Query{}).empty());
}

BOOST_AUTO_TEST_CASE(bos_on_a_model_without_one_is_refused) {
  WithoutBos model(training);
  BOOST_CHECK_EXCEPTION(CausalScorer{model}, Error,
                        says(Fault::user, "`bos`: the model has no BOS token; set `bos` to no"));
  BOOST_TEST(CausalScorer(model, Bos::none()).score({{{"Paris", {}}}})[0].statement.tokens == 4U);
}

BOOST_AUTO_TEST_CASE(a_statement_longer_than_the_context_is_refused) {
  WithoutBos model(training);
  CausalScorer scorer(model, Bos::none());
  BOOST_TEST(scorer.score({{{"twelve bytes", {}}}})[0].statement.tokens == 11U);
  BOOST_CHECK_EXCEPTION(scorer.score({{{"thirteen byte", {}}}}), Error,
                        says(Fault::user,
                             "statement: 'thirteen byte' has 13 tokens; the model's limit is 12; "
                             "shorten the template or remove the fact"));
}

BOOST_AUTO_TEST_CASE(a_long_statement_is_quoted_in_whole_characters) {
  WithoutBos model(training);
  CausalScorer scorer(model, Bos::none());
  std::string text = "x";
  for (int i = 0; i < 50; ++i) text += "é";
  BOOST_CHECK_EXCEPTION(scorer.score({{{text, {}}}}), Error, [](const Error& error) {
    return first_invalid_utf8(error.what()) == std::string_view::npos;
  });
}

BOOST_AUTO_TEST_CASE(the_answer_alone_is_scored_as_it_is_within_the_statement) {
  for (const bool with_bos : {true, false}) {
    NgramTreeModel model(training, 3, pieces);
    NgramModel plain(training, 3, pieces);
    CausalScorer whole(model, with_bos ? Bos() : Bos::none());
    CausalScorer alone(model, with_bos ? Bos() : Bos::none(), Span::answer);
    CausalScorer one_by_one(plain, with_bos ? Bos() : Bos::none(), Span::answer);
    for (const Query& query : queries()) {
      const auto expected = whole.score(query);
      const auto scores = alone.score(query);
      const auto plain_scores = one_by_one.score(query);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        check_close(scores[i], only(Span::answer, expected[i]));
        check_close(plain_scores[i], only(Span::answer, expected[i]));
      }
    }
  }
}

// Oracle: the model's own probabilities. " 2" is one token; " 3" is a space and a digit.
BOOST_AUTO_TEST_CASE(a_continuation_has_all_that_stands_behind_what_is_given) {
  for (const bool with_bos : {true, false}) {
    NgramTreeModel model(training, 3, {" 2", "n A"});
    CausalScorer scorer(model, with_bos ? Bos() : Bos::none(), Span::continuation);
    const Query query{{{"in 20", {{3, 5}}, {}, 2},
                       {"in 30", {{3, 5}}, {}, 2},
                       {"in A", {{3, 4}}, {}, 2},
                       {"30 in", {{0, 2}}, {}, 0}}};
    const auto scores = scorer.score(query);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      check_close(scores[i],
                  only(Span::continuation, by_hand(model, query.candidates[i], with_bos)));
    }
    BOOST_TEST(scores[0].continuation.tokens == 2U);
    BOOST_TEST(scores[1].continuation.tokens == 3U);
    BOOST_TEST(scores[2].continuation.tokens == 1U);
    BOOST_TEST(scores[3].continuation.tokens == (with_bos ? 5U : 4U));
  }
}

// Oracle: the model's own probabilities. "x 2" is cut after the x, so the token " 2" belongs to the
// statement: the space before the statement is not a separate token.
BOOST_AUTO_TEST_CASE(a_statement_is_all_that_stands_behind_its_context) {
  NgramTreeModel model(training, 3, {" 2"});
  CausalScorer scorer(model);
  const Query query{{{"xy 20", {{3, 5}}, {}, 2, 3}, {"xy 30", {{3, 5}}, {}, 2, 3}}};
  const auto scores = scorer.score(query);
  BOOST_TEST(scores[0].statement.tokens == 2U);  // " 2", "0"
  BOOST_TEST(scores[1].statement.tokens == 3U);  // " ", "3", "0"
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<TokenId> ids{*model.bos()};
    double expected = 0;
    for (const Token& token : model.tokenize(query.candidates[i].text).tokens) {
      if (token.bytes.begin >= 2) expected += model.log_probability(ids, token.id);
      ids.push_back(token.id);
    }
    BOOST_TEST(std::abs(scores[i].statement.log_likelihood - expected) < 1e-5);
    BOOST_TEST(scores[i].continuation.tokens == scores[i].statement.tokens);
  }
  BOOST_CHECK_EXCEPTION(
      (void)scorer.score(Query{{{std::string(5000, 'x') + "y", {{5000, 5001}}, {}, 0, 5000}}}),
      Error, says(Fault::user, "use fewer `shots` or a shorter `prefix`"));
}

BOOST_AUTO_TEST_CASE(a_prompt_with_nothing_behind_it_has_no_continuation_to_score) {
  NgramModel model(training);
  CausalScorer scorer(model);
  const auto check = [&](const char* text) {
    CausalScorer<NgramModel>::Block block;
    const Query query{{{text, {}, {}, 2}}};
    scorer.add(block, query);
    scorer.check(block, query, {Reduction::sum, Span::continuation});
  };
  BOOST_CHECK_EXCEPTION(
      check("in"), Error,
      says(Fault::user,
           "statement: 'in' has no scored token in its continuation; lengthen the template or set "
           "`bos` to yes"));
  check("in x");
}

// "Paris" is one token. Its probability is in the row for the prefix before it, and later tokens
// are not looked up.
BOOST_AUTO_TEST_CASE(what_follows_the_answer_is_not_fed) {
  NgramTreeModel model(training, 3, pieces);
  CausalScorer scorer(model, Bos(), Span::answer);
  const Query query{{{"to Paris and all that follows", {{3, 8}}}}};
  (void)scorer.score(query);
  BOOST_TEST(model.tokens_fed == 4U);  // BOS, "t", "o", " "
  // Everything between two answers is fed, because the second answer depends on it.
  model.tokens_fed = 0;
  (void)scorer.score(Query{{{"Paris or Paris!", {{0, 5}, {9, 14}}}}});
  BOOST_TEST(model.tokens_fed == 6U);  // BOS, "Paris", " ", "o", "r", " "
  // A token that extends into the answer belongs to the answer.
  model.tokens_fed = 0;
  const auto score = scorer.score(Query{{{"to Paris!", {{7, 9}}}}}).front();
  BOOST_TEST(score.answer.tokens == 2U);
  BOOST_TEST(model.tokens_fed == 5U);
  // Without an answer, nothing is fed.
  model.tokens_fed = 0;
  BOOST_TEST(scorer.score(Query{{{"to Paris", {}}}}).front().answer.tokens == 0U);
  BOOST_TEST(model.tokens_fed == 0U);
}

// The oracle is the model's own probabilities, which the same scorer without sharing must also
// match.
BOOST_AUTO_TEST_CASE(a_shared_context_changes_no_score) {
  for (const Span scored : {Span::statement, Span::answer, Span::continuation}) {
    for (const bool with_bos : {true, false}) {
      for (const TreeLimits limits : {TreeLimits{1024, 256, 256}, {60, 3, 16}, {64, 2, 8}}) {
        NgramTreeModel model(training, 4, pieces);
        model.limits = limits;
        CausalScorer scorer(model, with_bos ? Bos() : Bos::none(), scored);
        auto shared = shots.block(scorer);
        auto apart = shots.block(scorer, false);
        const auto scores = score_packs(scorer, shared);
        const auto expected = score_packs(scorer, apart);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          check_close(scores[i], expected[i]);
          StatementScore hand = by_hand(model, shots.query.candidates[i], with_bos);
          if (scored != Span::statement) hand = only(scored, hand);
          check_close(scores[i], hand);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(context_is_fed_once_and_the_cost_reflects_it) {
  for (const Span scored : {Span::statement, Span::answer}) {
    for (const TreeLimits limits : {TreeLimits{1024, 256, 256}, {60, 3, 16}}) {
      NgramTreeModel model(training, 4, pieces);
      model.limits = limits;
      CausalScorer scorer(model, Bos(), scored);
      // All statements end with their answer, so both spans feed the same tokens.
      Query query;
      for (const Prompt& prompt : shots.query.candidates) {
        if (!prompt.answer.empty() && prompt.answer[0].end == prompt.text.size() &&
            prompt.answer[0].begin < prompt.answer[0].end) {
          query.candidates.push_back(prompt);
        }
      }
      CausalScorer<NgramTreeModel>::Block block;
      scorer.share(block, shots.context);
      scorer.add(block, query);
      scorer.plan(block);
      BOOST_TEST((block.packs() > 4U) == (limits.nodes == 60U));
      (void)score_packs(scorer, block);
      BOOST_TEST(model.tokens_fed == block.cost().tokens_fed);
      BOOST_TEST(block.cost().tree_nodes == needed_nodes(model, query, true));
      BOOST_TEST(block.cost().tokens_one_by_one > 5 * block.cost().tokens_fed);
      if (limits.nodes == 1024U) BOOST_TEST(block.cost().tokens_fed == block.cost().tree_nodes);
      // In the second call, the model still holds the context, so only the packs are fed again.
      const std::size_t context = 1 + model.tokenize(shots.context.text).tokens.size();
      const std::size_t before = model.tokens_fed;
      (void)score_packs(scorer, block);
      BOOST_TEST(model.tokens_fed - before == before - context);
    }
  }
}

// If the statements share only the beginning of a context, only that beginning is fed.
BOOST_AUTO_TEST_CASE(no_more_of_the_context_is_fed_than_the_statements_share) {
  const auto fed = [](const std::vector<std::string>& texts) {
    NgramTreeModel model(training, 3);
    CausalScorer scorer(model);
    CausalScorer<NgramTreeModel>::Block block;
    scorer.share(block, {"abcdef", {}});
    for (const std::string& text : texts) scorer.add(block, Query{{{text, {}}}});
    scorer.plan(block);
    (void)score_packs(scorer, block);
    BOOST_TEST(model.tokens_fed == block.cost().tokens_fed);
    return model.tokens_fed;
  };
  BOOST_TEST(fed({}) == 0U);
  BOOST_TEST(fed({""}) == 0U);         // only BOS: nothing to look up
  BOOST_TEST(fed({"x"}) == 1U);        // BOS
  BOOST_TEST(fed({"ab"}) == 2U);       // a prefix of the context: BOS, a
  BOOST_TEST(fed({"abx"}) == 3U);      // branches off: BOS, a, b
  BOOST_TEST(fed({"abxy"}) == 4U);     // and x
  BOOST_TEST(fed({"abcdef"}) == 6U);   // equals the context, whose last token is not fed
  BOOST_TEST(fed({"abcdefg"}) == 7U);  // continues the context
  BOOST_TEST(fed({"abx", "abcd", "a"}) == 4U);
}

BOOST_AUTO_TEST_CASE(packs_on_a_context_score_the_same_in_any_order_and_by_themselves) {
  NgramTreeModel model(training, 4, pieces);
  model.limits = {60, 3, 16};
  CausalScorer scorer(model);
  auto block = shots.block(scorer);
  BOOST_REQUIRE(block.packs() > 4U);
  const auto expected = score_packs(scorer, block);
  const auto check_pack = [&](CausalScorer<NgramTreeModel>& by,
                              CausalScorer<NgramTreeModel>::Block& of, std::size_t p) {
    const auto scores = by.score(of, p);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      BOOST_TEST(scores[i].statement.log_likelihood ==
                 expected[of.pack(p)[i]].statement.log_likelihood);
      BOOST_TEST(scores[i].answer.log_likelihood == expected[of.pack(p)[i]].answer.log_likelihood);
    }
  };
  for (std::size_t p = block.packs(); p-- > 0;) check_pack(scorer, block, p);
  for (std::size_t p = 0; p < block.packs(); ++p) {  // a resumed job may begin at any pack
    NgramTreeModel another(training, 4, pieces);
    another.limits = model.limits;
    CausalScorer fresh(another);
    auto made = shots.block(fresh);
    BOOST_REQUIRE(made.packs() == block.packs());
    check_pack(fresh, made, p);
  }
}

BOOST_AUTO_TEST_CASE(blocks_with_the_same_with_other_and_without_contexts_may_take_turns) {
  NgramTreeModel model(training, 4, pieces);
  model.limits = {80, 5, 16};
  CausalScorer scorer(model);
  const std::vector<Shots> texts{shots, Shots("France Paris Italy R"), shots, Shots("Chad"),
                                 Shots("")};
  std::vector<CausalScorer<NgramTreeModel>::Block> blocks;
  for (std::size_t b = 0; b < texts.size(); ++b) {
    blocks.push_back(texts[b].block(scorer, b != 3));  // the fourth block shares nothing
  }
  std::vector<std::vector<StatementScore>> scores;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    scores.push_back(score_packs(scorer, blocks[b]));
    for (std::size_t i = 0; i < scores[b].size(); ++i) {
      check_close(scores[b][i], by_hand(model, texts[b].query.candidates[i], true));
    }
  }
  // Packs from different blocks alternate, with single queries in between.
  for (std::size_t p = 0; p < 12; ++p) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (p >= blocks[b].packs()) continue;
      const auto part = scorer.score(blocks[b], p);
      for (std::size_t i = 0; i < part.size(); ++i) {
        BOOST_TEST(part[i].statement.log_likelihood ==
                   scores[b][blocks[b].pack(p)[i]].statement.log_likelihood);
      }
    }
    if (p % 3 != 0) continue;
    const Query query{{shots.query.candidates[p]}};
    check_close(scorer.score(query).front(), by_hand(model, query.candidates[0], true));
  }
}

// Both contexts have the same number of tokens, so only the tokens themselves distinguish them.
// Text after " of " has different probabilities from text after " is ".
BOOST_AUTO_TEST_CASE(contexts_are_distinguished_by_their_tokens) {
  NgramTreeModel model(training, 4);
  CausalScorer scorer(model);
  const Shots of("Rome of");
  const Shots is("Rome is");
  auto first = of.block(scorer);
  auto second = is.block(scorer);
  auto third = is.block(scorer);  // another block with the same context
  for (int round = 0; round < 2; ++round) {
    for (auto* block : {&first, &second, &third}) {
      const Shots& shown = block == &first ? of : is;
      const auto scores = score_packs(scorer, *block);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        check_close(scores[i], by_hand(model, shown.query.candidates[i], true));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(after_the_scorer_the_model_holds_nothing) {
  NgramTreeModel model(training, 4, pieces);
  for (int round = 0; round < 2; ++round) {
    CausalScorer scorer(model);
    auto block = shots.block(scorer);
    (void)score_packs(scorer, block);
    BOOST_TEST(model.tokens_fed == (round + 1) * block.cost().tokens_fed);
  }
  TokenTree other;
  const NodeId node = other.insert(std::vector<TokenId>{1, 2, 3});
  const std::size_t before = model.tokens_fed;
  model.evaluate(other, std::vector{node}, [](NodeId, std::span<const float>) {});
  BOOST_TEST(model.tokens_fed == before + 3);
}

BOOST_AUTO_TEST_CASE(a_model_of_one_branch_does_without_a_context) {
  NgramModel plain(training, 4, pieces);
  NgramTreeModel single(training, 4, pieces);
  single.limits = {1024, 1, 256};
  CausalScorer one_by_one(plain);
  CausalScorer scorer(single);
  auto plain_block = shots.block(one_by_one);
  auto block = shots.block(scorer);
  auto apart = shots.block(scorer, false);
  BOOST_TEST(block.cost().tokens_fed == apart.cost().tokens_fed);
  BOOST_TEST(block.packs() == apart.packs());
  BOOST_TEST(plain_block.cost().tree_nodes == block.cost().tree_nodes);
  const auto plain_scores = score_packs(one_by_one, plain_block);
  const auto scores = score_packs(scorer, block);
  BOOST_TEST(single.tokens_fed == block.cost().tokens_fed);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    check_close(scores[i], by_hand(plain, shots.query.candidates[i], true));
    check_close(plain_scores[i], scores[i]);
  }
}

// In prompts with cuts, the context is tokenised with its own cuts, just like the statements.
BOOST_AUTO_TEST_CASE(context_with_cuts_is_shared_by_statements_with_the_same_cuts) {
  NgramTreeModel model(training, 4, pieces);
  CausalScorer scorer(model);
  CausalScorer<NgramTreeModel>::Block block;
  // Uncut, "Paris" would be one token; cut as "Par|is", it is "Par", "i" and "s".
  const Prompt context{"to Paris", {}, {6}};
  scorer.share(block, context);
  scorer.add(block, Query{{{"to Paris now", {}, {6}}, {"to Paris now", {}}}});
  scorer.plan(block);
  BOOST_TEST(block.cost().tokens_one_by_one == (1 + 3 + 1 + 2 + 4) + (1 + 3 + 1 + 4));
  // The first statement shares BOS, "to ", "Par", "i", "s" and adds " no"; the second branches off
  // after "to ".
  BOOST_TEST(block.cost().tokens_fed == (1 + 3 + 1 + 2) + 3 + (1 + 3));
  (void)score_packs(scorer, block);
  BOOST_TEST(model.tokens_fed == block.cost().tokens_fed);
}

BOOST_AUTO_TEST_CASE(a_context_is_no_leave_to_go_past_the_models_own) {
  struct Short : NgramTreeModel {
    using NgramTreeModel::NgramTreeModel;
    [[nodiscard]] std::size_t context_length() const { return 12; }
  };
  Short model(training);
  CausalScorer scorer(model, Bos::none());
  CausalScorer<Short>::Block block;
  scorer.share(block, {"eleven byte", {}});
  scorer.add(block, Query{{{"eleven bytes", {}}}});
  BOOST_CHECK_EXCEPTION(scorer.add(block, Query{{{"eleven bytes!", {}}}}), Error,
                        says(Fault::user,
                             "'eleven bytes!' has 13 tokens; the model's limit is "
                             "12"));
}

// The random statements use only a few letters, so they share prefixes, repeat one another, or are
// prefixes of one another.
BOOST_AUTO_TEST_CASE(random_statements_score_the_same_in_any_order_over_every_kind_of_model) {
  RandomStream random(47, "statements");
  const auto word = [&](std::size_t most) {
    static const std::vector<std::string> letters{"Par", "is", "Paris", " is", "R", " ", "é", "."};
    std::string text;
    for (std::size_t left = random.below(most + 1); left > 0; --left) {
      text += letters[random.below(letters.size())];
    }
    return text;
  };
  for (int round = 0; round < 25; ++round) {
    const bool with_bos = random.below(2) == 0;
    Query query;
    for (std::size_t c = 0; c < 1 + random.below(20); ++c) {
      const std::string before = word(5), answer = word(3), after = word(2);
      Prompt prompt{before + answer + after, {{before.size(), before.size() + answer.size()}}};
      prompt.given = random.below(2) == 0 ? before.size() : 0;
      query.candidates.push_back(prompt);
    }
    std::vector<std::size_t> order(query.candidates.size());
    for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
    random.shuffle(order);
    Query shuffled;
    for (const std::size_t c : order) shuffled.candidates.push_back(query.candidates[c]);

    NgramModel plain(training, 3, pieces);
    NgramTreeModel tree(training, 3, pieces);
    tree.limits = {20 + random.below(200), 1 + random.below(20), 1 + random.below(64)};
    NgramLookupModel lookups(training, 3, pieces);
    const auto check = [&](auto& model) {
      CausalScorer scorer(model, with_bos ? Bos() : Bos::none());
      typename std::remove_reference_t<decltype(scorer)>::Block block;
      scorer.add(block, shuffled);
      scorer.plan(block);
      const auto scores = score_packs(scorer, block);
      for (std::size_t c = 0; c < order.size(); ++c) {
        check_close(scores[c], by_hand(plain, query.candidates[order[c]], with_bos));
      }
    };
    check(plain);
    check(tree);
    check(lookups);
  }
}

BOOST_AUTO_TEST_CASE(a_token_past_the_vocabulary_is_refused_before_the_model_is_asked) {
  Shrunk model("Rome");
  BOOST_CHECK_EXCEPTION(CausalScorer{model}, Error,
                        says(Fault::user,
                             "bos: returned token 256, outside the vocabulary of 256; fix the "
                             "model's bos or vocabulary_size"));
  model.size = 'o';
  CausalScorer scorer(model, Bos::none());
  CausalScorer<Shrunk>::Block block;
  BOOST_CHECK_EXCEPTION(
      scorer.add(block, {{fill_template("[X] [Y]", "a", "o")}}), Error,
      says(Fault::user, "tokenize: returned token 111, outside the vocabulary of 111 for 'A o'"));
  scorer.add(block, {{fill_template("[X] [Y]", "a", "m")}});
}

BOOST_AUTO_TEST_SUITE_END()
