// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/likelihood_ranker.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/names.hpp"

using namespace plumb::detail;
using test::exhaustive_scores;
using test::ids_of;
using test::standing;

BOOST_AUTO_TEST_SUITE(likelihood_ranker_suite)

namespace {

using Strings = std::vector<std::string>;
using Sequence = std::vector<TokenId>;

/// A model without trees that counts the tokens it is fed.
struct Counted : NgramModel {
  using NgramModel::NgramModel;
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    tokens_fed += sequence.size();
    NgramModel::evaluate(sequence, visit);
  }
  std::size_t tokens_fed = 0;
};
static_assert(CausalLm<Counted> && !TreeCausalLm<Counted>);

std::string random_training(RandomStream& random) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += test::random_letters(random, 1, 5) + "] ";
  return text;
}

/// Names that include homographs, and questions that follow a context. The prompts share prefixes;
/// some continue another prompt, and some of these do so with a name.
template <class Model>
struct World {
  explicit World(RandomStream& random, std::size_t names_count = 40, std::size_t asked = 30)
      : model(random_training(random), 3 + random.below(3), Strings{"ab", "bb]", "ca"}),
        names(test::random_names(random, names_count, 5)),
        trie(model, names) {
    context = ids_of(model, test::random_letters(random, 0, 4));
    context.insert(context.begin(), *model.bos());
    std::vector<Sequence> prompts;
    for (std::size_t i = 0; i < asked; ++i) {
      const std::size_t kind = random.below(6);
      Sequence prompt = prompts.empty() || kind > 2 ? context : prompts[random.below(i)];
      const std::string more =
          kind == 1 ? names[random.below(names.size())] : test::random_letters(random, 1, 5);
      if (kind > 0 || prompt == context) {
        for (const TokenId id : ids_of(model, more)) prompt.push_back(id);
      }
      prompts.push_back(prompt);
      const auto gold = static_cast<std::uint32_t>(random.below(names.size()));
      questions.push_back({prompt, gold, test::random_truths(random, names.size(), gold)});
    }
  }

  Model model;
  Strings names;
  NameTrie trie;
  Sequence context;
  std::vector<NameQuestion> questions;
};

void check_exact(const SearchedRank& found, std::span<const double> scores,
                 const NameQuestion& question) {
  const Rank raw = standing(scores, question.gold);
  const Rank filtered = standing(scores, question.gold, question.truths);
  BOOST_TEST(found.score == scores[question.gold]);
  BOOST_TEST(found.undecided == 0U);
  BOOST_TEST(found.above == raw.above);
  BOOST_TEST(found.equal == raw.equal);
  BOOST_TEST(found.filtered_above == filtered.above);
  BOOST_TEST(found.filtered_equal == filtered.equal);
}

/// Ranks all questions and compares the ranks with those obtained by scoring every name.
template <class Model>
void check_world(World<Model>& world, NameReduction reduction) {
  LikelihoodRanker ranker(world.model, world.trie, {.reduction = reduction});
  const auto ranks = ranker.rank(world.context, world.questions);
  BOOST_REQUIRE(ranks.size() == world.questions.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const NameQuestion& question = world.questions[i];
    check_exact(ranks[i], exhaustive_scores(world.model, world.names, question.prompt, reduction),
                question);
  }
}

void check_same(const std::vector<SearchedRank>& ranks, const std::vector<SearchedRank>& expected) {
  BOOST_REQUIRE(ranks.size() == expected.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    BOOST_TEST(ranks[i].score == expected[i].score);
    BOOST_TEST(ranks[i].above == expected[i].above);
    BOOST_TEST(ranks[i].equal == expected[i].equal);
    BOOST_TEST(ranks[i].filtered_above == expected[i].filtered_above);
    BOOST_TEST(ranks[i].filtered_equal == expected[i].filtered_equal);
    BOOST_TEST(ranks[i].undecided == expected[i].undecided);
    BOOST_TEST(ranks[i].nearby == expected[i].nearby);
    BOOST_TEST(ranks[i].expanded == expected[i].expanded);
  }
}

/// The number of distinct prefixes of the prompts.
std::size_t prompt_nodes(std::span<const NameQuestion> questions) {
  std::set<Sequence> prefixes;
  for (const NameQuestion& question : questions) {
    for (Sequence prefix = question.prompt; !prefix.empty(); prefix.pop_back()) {
      prefixes.insert(prefix);
    }
  }
  return prefixes.size();
}

/// The sum of the token counts of the longest prompt and the longest name.
template <class Model>
std::size_t longest_branch(const World<Model>& world) {
  std::size_t longest = 0;
  for (const NameQuestion& q : world.questions) longest = std::max(longest, q.prompt.size());
  return longest + world.trie.longest(TokenTree::root);
}

constexpr NameReduction both[]{NameReduction::sum, NameReduction::mean};

}  // namespace

BOOST_AUTO_TEST_CASE(ranks_are_those_of_scoring_every_name) {
  RandomStream random(1, "ranker");
  for (int round = 0; round < 40; ++round) {
    World<NgramTreeModel> world(random, 2 + random.below(60));
    for (const NameReduction reduction : both) check_world(world, reduction);
  }
}

BOOST_AUTO_TEST_CASE(a_model_without_trees_gives_the_same_ranks) {
  RandomStream random(2, "ranker");
  for (int round = 0; round < 20; ++round) {
    World<NgramModel> world(random);
    for (const NameReduction reduction : both) check_world(world, reduction);
  }
}

// The search looks up tokens instead of reading rows, but it evaluates the same nodes.
BOOST_AUTO_TEST_CASE(a_model_of_lookups_alone_gives_the_same_ranks) {
  for (const TreeLimits limits : {TreeLimits{1024, 256, 256}, {1024, 5, 16}, {1024, 1, 16}}) {
    RandomStream random(12, "ranker"), again(12, "ranker");
    for (int round = 0; round < 10; ++round) {
      World<NgramTreeModel> tree(random);
      World<NgramLookupModel> lookups(again);
      tree.model.limits = lookups.model.limits = limits;
      for (const NameReduction reduction : both) {
        LikelihoodRanker by_rows(tree.model, tree.trie, {.reduction = reduction});
        LikelihoodRanker by_lookups(lookups.model, lookups.trie, {.reduction = reduction});
        const auto expected = by_rows.rank(tree.context, tree.questions);
        const auto ranks = by_lookups.rank(lookups.context, lookups.questions);
        BOOST_REQUIRE(ranks.size() == expected.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          BOOST_TEST(std::abs(ranks[i].score - expected[i].score) < 1e-5);
          // When rows are read, the scores of candidates with equal probabilities may differ by
          // rounding errors.
          BOOST_TEST(ranks[i].above <= expected[i].above + expected[i].equal + expected[i].nearby);
          BOOST_TEST(ranks[i].above + ranks[i].equal + ranks[i].nearby >= expected[i].above);
          BOOST_TEST(ranks[i].undecided == 0U);
        }
        BOOST_TEST(lookups.model.calls > 0U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_tree_model_of_one_branch_gives_the_same_ranks) {
  RandomStream random(3, "ranker");
  for (int round = 0; round < 20; ++round) {
    World<NgramTreeModel> world(random);
    world.model.limits = {longest_branch(world), 1, 16};
    for (const NameReduction reduction : both) check_world(world, reduction);
  }
}

// With these limits, only some of the nodes that a search offers can be evaluated at a time.
BOOST_AUTO_TEST_CASE(searches_that_run_out_of_branches_end_in_the_same_ranks) {
  RandomStream random(4, "ranker");
  std::size_t fed_again = 0;
  for (int round = 0; round < 20; ++round) {
    World<NgramTreeModel> world(random, 80);
    LikelihoodRanker ample(world.model, world.trie, {});
    const auto expected = ample.rank(world.context, world.questions);
    const std::uint64_t fed = ample.fed_for_names();
    for (const std::size_t leaves : {5U, 9U, 14U}) {
      world.model.limits = {1024, leaves, 16};
      LikelihoodRanker narrow(world.model, world.trie, {});
      check_same(narrow.rank(world.context, world.questions), expected);
      BOOST_TEST(narrow.fed_for_names() >= fed);
      fed_again += narrow.fed_for_names() > fed ? 1U : 0U;
    }
  }
  BOOST_TEST(fed_again > 5U);  // out of 60: some searches ran out of room
}

BOOST_AUTO_TEST_CASE(a_model_of_few_branches_is_asked_part_by_part) {
  RandomStream random(5, "ranker");
  for (int round = 0; round < 10; ++round) {
    World<NgramTreeModel> world(random, 80);
    for (const std::size_t leaves : {2U, 3U, 8U, 20U}) {
      for (const NameSearchOptions& options :
           {NameSearchOptions{}, {.reduction = NameReduction::mean}, {.hits = 3}}) {
        world.model.limits = {1024, 256, 256};
        LikelihoodRanker ample(world.model, world.trie, options);
        const auto expected = ample.rank(world.context, world.questions);
        world.model.limits = {1024, leaves, 16};
        LikelihoodRanker ranker(world.model, world.trie, options);
        std::vector<SearchedRank> ranks;
        BOOST_REQUIRE_NO_THROW(ranks = ranker.rank(world.context, world.questions));
        check_same(ranks, expected);
      }
    }
  }
}

// The node limit leaves room for only one prompt and the names of one search step.
BOOST_AUTO_TEST_CASE(searches_that_run_out_of_nodes_end_in_the_same_ranks) {
  RandomStream random(6, "ranker");
  for (int round = 0; round < 20; ++round) {
    World<NgramTreeModel> world(random, 60);
    LikelihoodRanker ample(world.model, world.trie, {});
    const auto expected = ample.rank(world.context, world.questions);
    // Four prompts are searched together, and each step of a search evaluates at most 40 prefixes.
    std::size_t prompts = 0;
    for (const NameQuestion& q : world.questions) prompts = std::max(prompts, q.prompt.size());
    const std::size_t longest = world.trie.longest(TokenTree::root);
    world.model.limits = {5 * prompts + 40 * longest, 256, 16};
    LikelihoodRanker ranker(world.model, world.trie, {});
    check_same(ranker.rank(world.context, world.questions), expected);
  }
}

BOOST_AUTO_TEST_CASE(prompts_too_long_to_be_held_together_are_asked_one_after_another) {
  RandomStream random(7, "ranker");
  NgramTreeModel model(random_training(random), 4);
  const NameTrie trie(model, Strings{"ab]", "b]", "ca]"});
  std::vector<NameQuestion> questions;
  for (int i = 0; i < 10; ++i) {
    Sequence prompt = ids_of(model, test::random_letters(random, 50, 50));
    prompt.insert(prompt.begin(), *model.bos());
    questions.push_back({prompt, 0, {0}});
  }
  const Sequence context{*model.bos()};
  for (const NameSearchOptions& options : {NameSearchOptions{}, {.hits = 3}}) {
    LikelihoodRanker ample(model, trie, options);
    const auto expected = ample.rank(context, questions);
    model.limits = {130, 256, 64};
    LikelihoodRanker ranker(model, trie, options);
    std::vector<SearchedRank> ranks;
    BOOST_CHECK_NO_THROW(ranks = ranker.rank(context, questions));
    check_same(ranks, expected);
    model.limits = {1024, 256, 256};
  }
}

BOOST_AUTO_TEST_CASE(room_for_one_branch_is_room_enough) {
  RandomStream random(8, "ranker");
  for (int round = 0; round < 10; ++round) {
    World<NgramTreeModel> world(random, 60);
    LikelihoodRanker ample(world.model, world.trie, {});
    const auto expected = ample.rank(world.context, world.questions);
    world.model.limits = {longest_branch(world), 2, 16};
    LikelihoodRanker ranker(world.model, world.trie, {});
    std::vector<SearchedRank> ranks;
    BOOST_REQUIRE_NO_THROW(ranks = ranker.rank(world.context, world.questions));
    check_same(ranks, expected);
  }
}

BOOST_AUTO_TEST_CASE(an_early_end_is_never_wrong_about_a_hit) {
  RandomStream random(9, "ranker");
  std::size_t ended_early = 0;
  for (int round = 0; round < 30; ++round) {
    World<NgramTreeModel> world(random, 60);
    const std::size_t hits = 1 + random.below(5);
    for (const NameReduction reduction : both) {
      LikelihoodRanker ranker(world.model, world.trie, {.reduction = reduction, .hits = hits});
      const auto ranks = ranker.rank(world.context, world.questions);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const NameQuestion& question = world.questions[i];
        const auto scores = exhaustive_scores(world.model, world.names, question.prompt, reduction);
        const Rank raw = standing(scores, question.gold);
        const Rank filtered = standing(scores, question.gold, question.truths);
        if (filtered.above < hits) {
          check_exact(ranks[i], scores, question);
          continue;
        }
        BOOST_TEST(ranks[i].filtered_above >= hits);
        BOOST_TEST(ranks[i].above <= raw.above);
        BOOST_TEST(ranks[i].above + ranks[i].equal + ranks[i].undecided >= raw.above + raw.equal);
        ended_early += ranks[i].undecided > 0 ? 1U : 0U;
      }
    }
  }
  BOOST_TEST(ended_early > 100U);
}

BOOST_AUTO_TEST_CASE(the_true_rank_lies_between_the_two_ends_that_a_budget_leaves) {
  RandomStream random(10, "ranker");
  std::size_t undecided = 0;
  for (int round = 0; round < 30; ++round) {
    World<NgramTreeModel> world(random, 150);
    const std::size_t budget = 1 + random.below(20);
    LikelihoodRanker ranker(world.model, world.trie, {.budget = budget});
    const auto ranks = ranker.rank(world.context, world.questions);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const NameQuestion& question = world.questions[i];
      const auto scores = exhaustive_scores(world.model, world.names, question.prompt);
      const Rank raw = standing(scores, question.gold);
      const Rank filtered = standing(scores, question.gold, question.truths);
      const SearchedRank& rank = ranks[i];
      BOOST_TEST(rank.above <= raw.above);
      BOOST_TEST(rank.above + rank.equal + rank.undecided >= raw.above + raw.equal);
      BOOST_TEST(rank.filtered_above <= filtered.above);
      BOOST_TEST(rank.filtered_above + rank.filtered_equal + rank.undecided >=
                 filtered.above + filtered.equal);
      if (rank.undecided == 0) check_exact(rank, scores, question);
      undecided += rank.undecided > 0 ? 1U : 0U;
    }
  }
  BOOST_TEST(undecided > 20U);
}

// The number of nodes that a search offers and reads does not depend on the model's limits, so the
// results of searches that end early do not depend on them either.
BOOST_AUTO_TEST_CASE(unfinished_searches_do_not_depend_on_the_models_limits) {
  RandomStream random(11, "ranker");
  for (int round = 0; round < 20; ++round) {
    World<NgramTreeModel> world(random, 80);
    for (const NameSearchOptions& options :
         {NameSearchOptions{.hits = 2}, {.reduction = NameReduction::mean, .budget = 5}}) {
      world.model.limits = {1024, 256, 256};
      LikelihoodRanker ample(world.model, world.trie, options);
      const auto expected = ample.rank(world.context, world.questions);
      for (const TreeLimits limits : {TreeLimits{1024, 60, 8}, {1024, 128, 40}, {1024, 1, 16}}) {
        world.model.limits = limits;
        LikelihoodRanker ranker(world.model, world.trie, options);
        check_same(ranker.rank(world.context, world.questions), expected);
      }
    }
  }
}

// Each question yields the same result alone as together with the others.
BOOST_AUTO_TEST_CASE(full_ranks_do_not_depend_on_what_else_is_asked) {
  RandomStream random(12, "ranker");
  World<NgramTreeModel> world(random, 60, 40);
  LikelihoodRanker ranker(world.model, world.trie, {});
  const auto all = ranker.rank(world.context, world.questions);
  auto reversed = world.questions;
  std::ranges::reverse(reversed);
  auto backwards = ranker.rank(world.context, reversed);
  std::ranges::reverse(backwards);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto alone = ranker.rank(world.context, std::span(world.questions).subspan(i, 1));
    for (const SearchedRank& other : {alone.front(), backwards[i]}) {
      BOOST_TEST(other.score == all[i].score);
      BOOST_TEST(other.above == all[i].above);
      BOOST_TEST(other.equal == all[i].equal);
      BOOST_TEST(other.filtered_above == all[i].filtered_above);
      BOOST_TEST(other.filtered_equal == all[i].filtered_equal);
    }
  }
}

// The model holds BOS and "to ". The prompts then continue with "x" and "xy", which must be
// evaluated one after the other, and with "z".
BOOST_AUTO_TEST_CASE(prompts_that_extend_other_prompts_are_evaluated_separately) {
  NgramTreeModel model("to xy] to z] to xyab] to xb] y] yb]", 4);
  // "x" followed by "y…" is the same as "xy" followed by "…"
  const Strings names{"y]", "ab]", "b]", "yb]"};
  const NameTrie trie(model, names);
  Sequence context = ids_of(model, "to ");
  context.insert(context.begin(), *model.bos());
  std::vector<NameQuestion> questions;
  for (const char* end : {"xy", "z", "x", "xyb", "xy]"}) {
    Sequence prompt = context;
    for (const TokenId id : ids_of(model, end)) prompt.push_back(id);
    for (std::uint32_t gold = 0; gold < names.size(); ++gold) {
      questions.push_back({prompt, gold, {gold}});
    }
  }
  LikelihoodRanker ranker(model, trie, {});
  const auto ranks = ranker.rank(context, questions);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    check_exact(ranks[i], exhaustive_scores(model, names, questions[i].prompt), questions[i]);
  }
}

BOOST_AUTO_TEST_CASE(fed_tokens_are_counted_for_names_and_prompts) {
  RandomStream random(13, "ranker");
  for (int round = 0; round < 20; ++round) {
    World<NgramTreeModel> world(random, 60);
    for (const TreeLimits limits : {TreeLimits{4096, 4096, 256}, {1024, 60, 16}}) {
      for (const NameSearchOptions& options : {NameSearchOptions{}, {.hits = 3}}) {
        world.model.limits = limits;
        world.model.tokens_fed = 0;
        LikelihoodRanker ranker(world.model, world.trie, options);
        (void)ranker.rank(world.context, world.questions);
        BOOST_TEST(ranker.fed_for_names() + ranker.fed_for_prompts() == world.model.tokens_fed);
        const std::uint64_t once = ranker.fed_for_names();
        (void)ranker.rank(world.context, world.questions);  // the totals include both calls
        BOOST_TEST(ranker.fed_for_names() == 2 * once);
        BOOST_TEST(ranker.fed_for_names() + ranker.fed_for_prompts() == world.model.tokens_fed);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(fed_tokens_are_counted_without_branches) {
  RandomStream random(14, "ranker");
  World<Counted> plain(random);
  LikelihoodRanker one_by_one(plain.model, plain.trie, {});
  (void)one_by_one.rank(plain.context, plain.questions);
  BOOST_TEST(one_by_one.fed_for_names() + one_by_one.fed_for_prompts() == plain.model.tokens_fed);
  World<NgramTreeModel> single(random);
  single.model.limits = {longest_branch(single), 1, 16};
  LikelihoodRanker ranker(single.model, single.trie, {});
  (void)ranker.rank(single.context, single.questions);
  BOOST_TEST(ranker.fed_for_names() + ranker.fed_for_prompts() == single.model.tokens_fed);
}

// If there is room for everything, no node is fed twice. For the names, all evaluated nodes are
// fed, except for the root, whose row belongs to the prompt. For the prompts, all nodes of their
// trie are fed.
BOOST_AUTO_TEST_CASE(nothing_is_fed_twice_while_there_is_room) {
  RandomStream random(15, "ranker");
  for (int round = 0; round < 30; ++round) {
    World<NgramTreeModel> world(random);
    // If one prompt is a prefix of another, the two must be evaluated one after the other, so this
    // test uses only one of them.
    std::vector<NameQuestion> questions;
    for (const NameQuestion& question : world.questions) {
      const bool stands = std::ranges::any_of(questions, [&](const NameQuestion& other) {
        const auto [a, b] = std::ranges::mismatch(question.prompt, other.prompt);
        return a == question.prompt.end() || b == other.prompt.end();
      });
      if (!stands) questions.push_back(question);
    }
    world.model.limits = {1U << 16U, 1U << 12U, 256};
    LikelihoodRanker ranker(world.model, world.trie, {});
    const auto ranks = ranker.rank(world.context, questions);
    std::size_t looked_at = 0;
    for (const SearchedRank& rank : ranks) looked_at += rank.expanded - 1;
    BOOST_TEST(ranker.fed_for_names() == looked_at);
    BOOST_TEST(ranker.fed_for_prompts() == prompt_nodes(questions));
    BOOST_TEST(world.model.tokens_fed == looked_at + prompt_nodes(questions));
  }
}

// All questions use the same prompt, so nodes read for one question are not fed again for the next.
BOOST_AUTO_TEST_CASE(questions_behind_one_prompt_share_what_was_read) {
  RandomStream random(16, "ranker");
  for (int round = 0; round < 20; ++round) {
    World<NgramTreeModel> world(random, 60, 1);
    std::vector<NameQuestion> questions;
    for (std::uint32_t gold = 0; gold < world.names.size(); ++gold) {
      questions.push_back({world.questions[0].prompt, gold, {gold}});
    }
    const auto scores = exhaustive_scores(world.model, world.names, questions[0].prompt);
    LikelihoodRanker ranker(world.model, world.trie, {});
    const auto ranks = ranker.rank(world.context, questions);
    for (std::size_t i = 0; i < ranks.size(); ++i) check_exact(ranks[i], scores, questions[i]);
    // Together, the questions needed every prefix of the names, and each prefix was fed exactly
    // once.
    BOOST_TEST(ranker.fed_for_names() == world.trie.inner_nodes());
    BOOST_TEST(ranker.fed_for_prompts() == questions[0].prompt.size());
  }
}

BOOST_AUTO_TEST_CASE(names_of_one_token_are_ranked_by_the_prompts_own_row) {
  RandomStream random(17, "ranker");
  NgramTreeModel model(random_training(random), 3);
  const Strings names{"a", "b", "c", "]", "b", " ", "z"};
  const NameTrie trie(model, names);
  const Sequence context{*model.bos()};
  std::vector<NameQuestion> questions;
  for (std::uint32_t gold = 0; gold < names.size(); ++gold) {
    Sequence prompt = context;
    for (const TokenId id : ids_of(model, test::random_letters(random, 1, 3))) prompt.push_back(id);
    questions.push_back({prompt, gold, {gold}});
  }
  LikelihoodRanker ranker(model, trie, {});
  const auto ranks = ranker.rank(context, questions);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    check_exact(ranks[i], exhaustive_scores(model, names, questions[i].prompt), questions[i]);
    BOOST_TEST(ranks[i].expanded == 1U);
  }
  BOOST_TEST(ranker.fed_for_names() == 0U);
}

BOOST_AUTO_TEST_CASE(prompts_may_share_no_context) {
  RandomStream random(18, "ranker");
  for (int round = 0; round < 10; ++round) {
    World<NgramTreeModel> world(random);
    LikelihoodRanker ranker(world.model, world.trie, {});
    const auto expected = ranker.rank(world.context, world.questions);
    check_same(ranker.rank({}, world.questions), expected);
    // The prompts need not even begin with the same token.
    for (NameQuestion& question : world.questions) {
      if (random.below(2) == 0) question.prompt[0] = static_cast<TokenId>('a' + random.below(3));
    }
    world.context.clear();
    check_world(world, NameReduction::sum);
  }
}

BOOST_AUTO_TEST_CASE(callback_is_called_once_per_answer) {
  RandomStream random(19, "ranker");
  World<NgramTreeModel> world(random);
  World<NgramModel> plain(random);
  std::size_t told = 0;
  LikelihoodRanker ranker(world.model, world.trie, {});
  (void)ranker.rank(world.context, world.questions, [&] { ++told; });
  BOOST_TEST(told == world.questions.size());
  LikelihoodRanker one_by_one(plain.model, plain.trie, {});
  (void)one_by_one.rank(plain.context, plain.questions, [&] { ++told; });
  BOOST_TEST(told == world.questions.size() + plain.questions.size());
  BOOST_TEST(ranker.rank(world.context, {}, [&] { ++told; }).empty());
  BOOST_TEST(told == world.questions.size() + plain.questions.size());
}

// Two contexts alternate, and a different tree is evaluated between them and after them.
BOOST_AUTO_TEST_CASE(after_ranking_the_model_holds_nothing) {
  RandomStream random(20, "ranker");
  World<NgramTreeModel> world(random);
  LikelihoodRanker ranker(world.model, world.trie, {});
  const auto expected = ranker.rank(world.context, world.questions);
  std::vector<NameQuestion> others = world.questions;
  for (NameQuestion& question : others) question.prompt.insert(question.prompt.begin() + 1, 'c');
  Sequence context = world.context;
  context.insert(context.begin() + 1, 'c');
  for (int round = 0; round < 3; ++round) {
    const auto ranks = ranker.rank(context, others);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      check_exact(ranks[i], exhaustive_scores(world.model, world.names, others[i].prompt),
                  others[i]);
    }
    TokenTree tree;
    const NodeId end = tree.insert(Sequence{1, 2, 3});
    const std::size_t before = world.model.tokens_fed;
    world.model.evaluate(tree, std::vector{end}, [](NodeId, std::span<const float>) {});
    BOOST_TEST(world.model.tokens_fed == before + 3);
    world.model.release(tree, TokenTree::root);
    check_same(ranker.rank(world.context, world.questions), expected);
  }
}

BOOST_AUTO_TEST_SUITE_END()
