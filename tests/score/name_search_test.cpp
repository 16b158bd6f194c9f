// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/name_search.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"
#include "support/names.hpp"

using namespace plumb::detail;
using test::exhaustive_scores;
using test::standing;

BOOST_AUTO_TEST_SUITE(name_search_suite)

namespace {

using Strings = std::vector<std::string>;
using Indices = std::vector<std::uint32_t>;

/// A made-up model: the probabilities of a few letters after each text. The remaining probability
/// goes to token 0, which no name contains.
using Said = std::map<std::string, std::map<char, double>>;

std::vector<float> logits_of(const std::map<char, double>& probabilities) {
  std::vector<float> logits(256, -INFINITY);
  double left = 1;
  for (const auto& [letter, p] : probabilities) {
    logits[static_cast<std::size_t>(letter)] = static_cast<float>(std::log(p));
    left -= p;
  }
  logits[0] = static_cast<float>(std::log(left));
  return logits;
}

std::string text_of(const NameTrie& trie, NodeId node) {
  std::string text;
  for (const TokenId id : trie.tree().prefix(node)) text.push_back(static_cast<char>(id));
  return text;
}

/// The log-probabilities of a node's children, in order, computed from a row of logits.
std::vector<double> of_children(const NameTrie& trie, NodeId node, std::span<const float> logits) {
  std::vector<double> nats;
  for (const NameTrie::Child& child : trie.children(node)) {
    nats.push_back(log_probability(logits, child.token, log_sum_exp(logits)));
  }
  return nats;
}

/// Runs a search to completion and returns the texts it evaluates, step by step.
std::vector<Strings> run(NameSearch& search, const NameTrie& trie, NameRows& rows, const Said& said,
                         std::size_t most) {
  std::vector<Strings> steps;
  for (auto wanted = search.next(most); !wanted.empty(); wanted = search.next(most)) {
    Strings& step = steps.emplace_back();
    for (const NodeId node : wanted) {
      step.push_back(text_of(trie, node));
      rows.read(node, of_children(trie, node, logits_of(said.at(step.back()))));
    }
  }
  return steps;
}

/// Runs a search to completion after a prompt, with an n-gram model. Fails if a node is requested
/// twice or if too many nodes are requested.
void run(NameSearch& search, const NameTrie& trie, NameRows& rows, NgramModel& model,
         const std::vector<TokenId>& prompt, std::size_t most) {
  bool first = true;
  for (auto wanted = search.next(most); !wanted.empty(); wanted = search.next(most)) {
    BOOST_TEST((first || wanted.size() <= most));
    first = false;
    for (const NodeId node : wanted) {
      BOOST_TEST(!rows.has(node));
      std::vector<TokenId> sequence = prompt;
      const auto ids = trie.tree().prefix(node);
      sequence.insert(sequence.end(), ids.begin(), ids.end());
      model.evaluate(sequence, [&](std::uint32_t position, std::span<const float> logits) {
        if (position + 1 == sequence.size()) rows.read(node, of_children(trie, node, logits));
      });
    }
  }
}

void check_ranks(const SearchedRank& found, const Rank& raw, const Rank& filtered) {
  BOOST_TEST(found.undecided == 0U);
  BOOST_TEST(found.above == raw.above);
  BOOST_TEST(found.equal == raw.equal);
  BOOST_TEST(found.filtered_above == filtered.above);
  BOOST_TEST(found.filtered_equal == filtered.equal);
}

// The probabilities are a] 0.25, ba] 0.162, bb] 0.03 and c] 0.09.
const Strings four{"a]", "ba]", "bb]", "c]"};
const Said said{{"", {{'a', 0.5}, {'b', 0.3}, {'c', 0.1}}},
                {"a", {{']', 0.5}}},
                {"b", {{'a', 0.6}, {'b', 0.2}}},
                {"c", {{']', 0.9}}},
                {"ba", {{']', 0.9}}},
                {"bb", {{']', 0.5}}}};

/// Random test data: a model, names with homographs, and prompts.
struct World {
  explicit World(RandomStream& random)
      : model(random_training(random), 2 + random.below(3), {"ab", "bb]", "ca"}),
        names(test::random_names(random, 2 + random.below(40), 1 + random.below(5))),
        trie(model, names) {}

  static std::string random_training(RandomStream& random) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += test::random_letters(random, 1, 4) + "]";
    return text;
  }

  std::vector<TokenId> prompt(RandomStream& random) const {
    std::vector<TokenId> ids = test::ids_of(model, test::random_letters(random, 0, 5));
    ids.insert(ids.begin(), *model.bos());
    return ids;
  }

  std::uint32_t gold(RandomStream& random) const {
    return static_cast<std::uint32_t>(random.below(names.size()));
  }

  NgramModel model;
  Strings names;
  NameTrie trie;
};

constexpr NameReduction both[]{NameReduction::sum, NameReduction::mean};

}  // namespace

BOOST_AUTO_TEST_CASE(a_row_keeps_the_log_probabilities_of_a_nodes_children) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  NameRows rows(trie);
  const NodeId b = trie.tree().child(TokenTree::root, 'b');
  BOOST_TEST(!rows.has(b));
  rows.read(b, of_children(trie, b, logits_of(said.at("b"))));
  BOOST_TEST(rows.has(b));
  BOOST_TEST(!rows.has(TokenTree::root));
  BOOST_REQUIRE(rows.of(b).size() == 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const double p = trie.children(b)[i].token == 'a' ? 0.6 : 0.2;
    BOOST_TEST(std::abs(rows.of(b)[i] - std::log(p)) < 1e-6);
  }
}

// The true candidate is c], with probability 0.09. The search first evaluates the true candidate's
// path, then the prefixes that could still reach 0.09, most likely first; bb (0.06) could not.
// Oracle: the model's own probabilities of whole texts, starting after the longest token prefix
// they share with the prompt. The token ", N" spans the boundary, so the search begins before the
// comma.
BOOST_AUTO_TEST_CASE(tokens_that_are_given_cost_nothing) {
  NgramModel model("(a, Nn] (a, Nb] (a, Ob] (a, Oo]", 3, {", N"});
  const Strings names{" Nn]", " Nb]", " Ob]", " Oo]"};
  const std::string prompt = "(a,";
  const NameTrie trie(model, names, prompt);
  BOOST_REQUIRE(trie.given().size() == 1U);
  const std::vector<TokenId> before{*model.bos(), '(', 'a'};
  const auto by_hand = [&](const std::string& name, NameReduction reduction) {
    std::vector<TokenId> ids{*model.bos()};
    double sum = 0;
    std::size_t count = 0;
    for (const Token& token : model.tokenize(prompt + name).tokens) {
      if (token.bytes.end > prompt.size()) {
        sum += model.log_probability(ids, token.id);
        ++count;
      }
      ids.push_back(token.id);
    }
    return reduction == NameReduction::sum ? sum : sum / static_cast<double>(count);
  };
  for (const NameReduction reduction : {NameReduction::sum, NameReduction::mean}) {
    for (std::uint32_t gold = 0; gold < names.size(); ++gold) {
      NameRows rows(trie);
      const Indices truths{gold};
      NameSearch search(trie, rows, gold, truths, {.reduction = reduction});
      for (auto wanted = search.next(2); !wanted.empty(); wanted = search.next(2)) {
        for (const NodeId node : wanted) {
          std::vector<TokenId> ids = before;
          for (const TokenId id : trie.tree().prefix(node)) ids.push_back(id);
          model.evaluate(ids, [&](std::uint32_t position, std::span<const float> row) {
            if (position + 1 == ids.size()) rows.read(node, of_children(trie, node, row));
          });
        }
      }
      const SearchedRank rank = search.result();
      const double score = by_hand(names[gold], reduction);
      BOOST_TEST(std::abs(rank.score - score) < 1e-5);
      std::size_t above = 0;
      for (const std::string& name : names) above += by_hand(name, reduction) > score + 1e-5;
      BOOST_TEST(rank.above == above);
    }
  }
}

BOOST_AUTO_TEST_CASE(prefixes_are_looked_at_from_the_likeliest_down_to_the_true_one) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  NameRows rows(trie);
  const Indices truths{3};
  NameSearch search(trie, rows, 3, truths, {});
  const auto steps = run(search, trie, rows, said, 1);
  BOOST_TEST((steps == std::vector<Strings>{{"", "c"}, {"a"}, {"b"}, {"ba"}}));
  const SearchedRank rank = search.result();
  check_ranks(rank, {2, 0}, {2, 0});
  BOOST_TEST(std::abs(rank.score - std::log(0.09)) < 1e-6);
  BOOST_TEST(rank.expanded == 5U);
  BOOST_TEST(rank.nearby == 0U);
}

BOOST_AUTO_TEST_CASE(several_prefixes_are_offered_at_once) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  NameRows rows(trie);
  const Indices truths{3};
  NameSearch search(trie, rows, 3, truths, {});
  const auto steps = run(search, trie, rows, said, 40);
  BOOST_TEST((steps == std::vector<Strings>{{"", "c"}, {"a", "b"}, {"ba"}}));
  check_ranks(search.result(), {2, 0}, {2, 0});
}

// The true candidate is the most likely one, with probability 0.25: b (0.3) must be evaluated, but
// ba (0.18) and c (0.1) need not be.
BOOST_AUTO_TEST_CASE(a_likely_candidate_is_found_with_few_looks) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  NameRows rows(trie);
  const Indices truths{0};
  NameSearch search(trie, rows, 0, truths, {});
  const auto steps = run(search, trie, rows, said, 40);
  BOOST_TEST((steps == std::vector<Strings>{{"", "a"}, {"b"}}));
  check_ranks(search.result(), {0, 0}, {0, 0});
}

// Raised to the power 1 / tokens, the probabilities are a] 0.5, ba] 0.545, bb] 0.311 and c] 0.3.
// The bound for b assumes three tokens.
BOOST_AUTO_TEST_CASE(a_mean_is_over_the_candidates_own_tokens) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  const std::vector<std::size_t> above{1, 0, 2, 3};
  const std::vector<double> p{0.25, 0.162, 0.03, 0.09};
  for (std::uint32_t gold = 0; gold < 4; ++gold) {
    NameRows rows(trie);
    const Indices truths{gold};
    NameSearch search(trie, rows, gold, truths, {.reduction = NameReduction::mean});
    (void)run(search, trie, rows, said, 1);
    check_ranks(search.result(), {above[gold], 0}, {above[gold], 0});
    const double tokens = static_cast<double>(four[gold].size());
    BOOST_TEST(std::abs(search.result().score - std::log(p[gold]) / tokens) < 1e-6);
  }
}

// The letters a and c have probability 0.25, and d has 0.4. Two names are a], one is c] (just as
// likely, but with different tokens), and three are d].
BOOST_AUTO_TEST_CASE(equals_are_counted_each_and_true_ones_are_left_out) {
  const NgramModel model("");
  const Strings names{"d]", "a]", "d]", "c]", "a]", "d]"};
  const NameTrie trie(model, names);
  const Said even{{"", {{'a', 0.25}, {'c', 0.25}, {'d', 0.4}}},
                  {"a", {{']', 0.75}}},
                  {"c", {{']', 0.75}}},
                  {"d", {{']', 0.75}}}};
  const auto ranked = [&](std::uint32_t gold, const Indices& truths) {
    NameRows rows(trie);
    NameSearch search(trie, rows, gold, truths, {});
    (void)run(search, trie, rows, even, 2);
    return search.result();
  };
  check_ranks(ranked(1, {1}), {3, 2}, {3, 2});
  // one of the candidates above is true, too
  check_ranks(ranked(1, {1, 2}), {3, 2}, {2, 2});
  // all candidates above and one tied candidate are also true
  check_ranks(ranked(1, {0, 1, 2, 3, 5}), {3, 2}, {0, 1});
  check_ranks(ranked(1, {1, 4}), {3, 2}, {3, 1});  // the name's own homograph is true too
  check_ranks(ranked(4, {1, 3, 4}), {3, 2}, {3, 0});
  check_ranks(ranked(0, {0}), {0, 2}, {0, 2});
  check_ranks(ranked(0, {0, 2, 5}), {0, 2}, {0, 0});
}

// b is as likely as a, and its continuation is certain, so b] scores the same as a.
BOOST_AUTO_TEST_CASE(a_prefix_that_may_only_just_reach_the_true_one_is_looked_at) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"a", "b]"});
  const Said certain{{"", {{'a', 0.25}, {'b', 0.25}}}, {"b", {{']', 1}}}};
  NameRows rows(trie);
  const Indices truths{0};
  NameSearch search(trie, rows, 0, truths, {});
  (void)run(search, trie, rows, certain, 1);
  check_ranks(search.result(), {0, 1}, {0, 1});
}

// 0.2 exp(±5e-5) is within 1e-4 nats of 0.2, but 0.2 exp(2e-4) is not.
BOOST_AUTO_TEST_CASE(candidates_nearly_tied_with_the_true_one_are_counted) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"a", "b", "c", "d", "e", "b"});
  const Said close{{"",
                    {{'a', 0.2},
                     {'b', 0.2 * std::exp(5e-5)},
                     {'c', 0.2 * std::exp(-5e-5)},
                     {'d', 0.2 * std::exp(2e-4)},
                     {'e', 0.1}}}};
  NameRows rows(trie);
  const Indices truths{0};
  NameSearch search(trie, rows, 0, truths, {});
  (void)run(search, trie, rows, close, 1);
  check_ranks(search.result(), {3, 0}, {3, 0});
  BOOST_TEST(search.result().nearby == 3U);  // b twice, c
}

// `nearby` counts only candidates above or below the true one. A candidate with an equal score but
// different tokens does not count.
BOOST_AUTO_TEST_CASE(candidates_level_with_the_true_one_are_not_near_it) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"a", "b"});
  NameRows rows(trie);
  const Indices truths{0};
  NameSearch search(trie, rows, 0, truths, {});
  (void)run(search, trie, rows, {{"", {{'a', 0.2}, {'b', 0.2}}}}, 1);
  check_ranks(search.result(), {0, 1}, {0, 1});
  BOOST_TEST(search.result().nearby == 0U);
}

// A second search after the same prompt requests only nodes that the first did not read.
BOOST_AUTO_TEST_CASE(searches_behind_one_prompt_share_their_rows) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  NameRows rows(trie);
  const Indices first_truths{3}, second_truths{2}, third_truths{1};
  NameSearch first(trie, rows, 3, first_truths, {});
  BOOST_TEST(run(first, trie, rows, said, 1).size() == 4U);
  NameSearch second(trie, rows, 2, second_truths, {});
  BOOST_TEST((run(second, trie, rows, said, 1) == std::vector<Strings>{{"bb"}}));
  check_ranks(second.result(), {3, 0}, {3, 0});
  NameSearch third(trie, rows, 1, third_truths, {});
  BOOST_TEST(run(third, trie, rows, said, 1).empty());
  check_ranks(third.result(), {1, 0}, {1, 0});
}

BOOST_AUTO_TEST_CASE(a_lone_candidate_is_first) {
  const NgramModel model("");
  const NameTrie trie(model, Strings{"a]"});
  NameRows rows(trie);
  const Indices truths{0};
  NameSearch search(trie, rows, 0, truths, {.hits = 1, .budget = 1});
  BOOST_TEST((run(search, trie, rows, said, 9) == std::vector<Strings>{{"", "a"}}));
  check_ranks(search.result(), {0, 0}, {0, 0});
}

// The true candidate is the last of four. With `hits` set to 1, the search ends at the first
// candidate above the true one, leaving two candidates undecided.
BOOST_AUTO_TEST_CASE(a_search_ends_once_it_is_beyond_the_hits) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  const Indices truths{2}, with_the_best{0, 2};
  {
    NameRows rows(trie);
    NameSearch search(trie, rows, 2, truths, {.hits = 1});
    const auto steps = run(search, trie, rows, said, 1);
    BOOST_TEST((steps == std::vector<Strings>{{"", "b", "bb"}, {"a"}}));
    BOOST_TEST(search.result().filtered_above == 1U);
    BOOST_TEST(search.result().undecided == 2U);  // ba] and c]
  }
  {  // the best candidate is also true, so it does not count
    NameRows rows(trie);
    NameSearch search(trie, rows, 2, with_the_best, {.hits = 1});
    const auto steps = run(search, trie, rows, said, 1);
    BOOST_TEST((steps == std::vector<Strings>{{"", "b", "bb"}, {"a"}, {"ba"}}));
    BOOST_TEST(search.result().above == 2U);
    BOOST_TEST(search.result().filtered_above == 1U);
    BOOST_TEST(search.result().undecided == 1U);  // c]
  }
  {  // if the true candidate is a hit, no candidate is skipped
    NameRows rows(trie);
    NameSearch search(trie, rows, 2, truths, {.hits = 4});
    (void)run(search, trie, rows, said, 1);
    check_ranks(search.result(), {3, 0}, {3, 0});
  }
}

BOOST_AUTO_TEST_CASE(budget_excludes_nodes_of_the_true_candidate) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  const Indices truths{2};
  for (const std::size_t budget : {1U, 2U, 3U, 4U}) {
    NameRows rows(trie);
    NameSearch search(trie, rows, 2, truths, {.budget = budget});
    (void)run(search, trie, rows, said, 1);
    const std::size_t looks = std::min<std::size_t>(budget, 3);  // a, ba, c
    BOOST_TEST(search.result().expanded == 3 + looks);
    BOOST_TEST(search.result().above == looks);
    BOOST_TEST(search.result().undecided == 3 - looks);
  }
}

// Nodes offered together count towards the budget before they are read.
BOOST_AUTO_TEST_CASE(no_more_nodes_are_offered_than_the_budget_has_left) {
  const NgramModel model("");
  const NameTrie trie(model, four);
  const Indices truths{2};
  NameRows rows(trie);
  NameSearch search(trie, rows, 2, truths, {.budget = 1});
  (void)run(search, trie, rows, said, 40);
  BOOST_TEST(search.result().expanded == 3U + 1U);
  BOOST_TEST(search.result().undecided == 2U);
}

BOOST_AUTO_TEST_CASE(ranks_are_those_of_scoring_every_candidate) {
  RandomStream random(1, "search");
  std::size_t pruned = 0, level = 0;
  for (int round = 0; round < 200; ++round) {
    World world(random);
    for (int prompts = 0; prompts < 3; ++prompts) {
      const auto prompt = world.prompt(random);
      for (const NameReduction reduction : both) {
        const auto scores = exhaustive_scores(world.model, world.names, prompt, reduction);
        NameRows rows(world.trie);
        for (int asked = 0; asked < 4; ++asked) {
          const std::uint32_t gold = world.gold(random);
          const auto truths = test::random_truths(random, world.names.size(), gold);
          NameSearch search(world.trie, rows, gold, truths, {.reduction = reduction});
          run(search, world.trie, rows, world.model, prompt, 1 + random.below(6));
          const SearchedRank rank = search.result();
          BOOST_TEST(rank.score == scores[gold]);
          check_ranks(rank, standing(scores, gold), standing(scores, gold, truths));
          pruned += rank.expanded < world.trie.inner_nodes() + 1 ? 1U : 0U;
          level += rank.equal > 0 ? 1U : 0U;
          BOOST_TEST(rank.expanded <= world.trie.inner_nodes() + 1);
        }
      }
    }
  }
  BOOST_TEST(pruned > 1000U);  // of 4800 searches: these skip nodes
  BOOST_TEST(level > 1000U);   // and ties occur often
}

// The expected scores come from the model's own log-probabilities, in double precision.
BOOST_AUTO_TEST_CASE(the_score_is_the_log_probability_of_the_candidates_own_tokens) {
  RandomStream random(2, "search");
  for (int round = 0; round < 40; ++round) {
    World world(random);
    const auto prompt = world.prompt(random);
    const std::uint32_t gold = world.gold(random);
    const auto ids = test::ids_of(world.model, world.names[gold]);
    double sum = 0;
    std::vector<TokenId> prefix = prompt;
    for (const TokenId id : ids) {
      sum += world.model.log_probability(prefix, id);
      prefix.push_back(id);
    }
    for (const NameReduction reduction : both) {
      NameRows rows(world.trie);
      const Indices truths{gold};
      NameSearch search(world.trie, rows, gold, truths, {.reduction = reduction});
      run(search, world.trie, rows, world.model, prompt, 3);
      const double tokens = reduction == NameReduction::mean ? static_cast<double>(ids.size()) : 1;
      BOOST_TEST(std::abs(search.result().score - sum / tokens) < 1e-5);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_early_end_is_never_wrong_about_a_hit) {
  RandomStream random(3, "hits");
  std::size_t ended_early = 0;
  for (int round = 0; round < 100; ++round) {
    World world(random);
    const auto prompt = world.prompt(random);
    for (const NameReduction reduction : both) {
      const auto scores = exhaustive_scores(world.model, world.names, prompt, reduction);
      NameRows rows(world.trie);
      for (int asked = 0; asked < 3; ++asked) {
        const std::size_t hits = 1 + random.below(5);
        const std::uint32_t gold = world.gold(random);
        const auto truths = test::random_truths(random, world.names.size(), gold);
        NameSearch search(world.trie, rows, gold, truths, {.reduction = reduction, .hits = hits});
        run(search, world.trie, rows, world.model, prompt, 1 + random.below(4));
        const SearchedRank rank = search.result();
        const Rank raw = standing(scores, gold);
        const Rank filtered = standing(scores, gold, truths);
        if (filtered.above < hits) {  // a search that ends in a hit must not be cut short
          check_ranks(rank, raw, filtered);
          continue;
        }
        BOOST_TEST(rank.filtered_above >= hits);
        BOOST_TEST(rank.above <= raw.above);
        BOOST_TEST(rank.filtered_above <= filtered.above);
        BOOST_TEST(rank.above + rank.equal + rank.undecided >= raw.above + raw.equal);
        ended_early += rank.above < raw.above ? 1U : 0U;
      }
    }
  }
  BOOST_TEST(ended_early > 50U);
}

BOOST_AUTO_TEST_CASE(the_true_rank_lies_between_the_two_ends_that_a_budget_leaves) {
  RandomStream random(4, "budget");
  std::size_t undecided = 0;
  for (int round = 0; round < 100; ++round) {
    World world(random);
    const auto prompt = world.prompt(random);
    for (const NameReduction reduction : both) {
      const auto scores = exhaustive_scores(world.model, world.names, prompt, reduction);
      for (int asked = 0; asked < 3; ++asked) {
        NameRows rows(world.trie);
        const std::size_t budget = 1 + random.below(8);
        const std::uint32_t gold = world.gold(random);
        const auto truths = test::random_truths(random, world.names.size(), gold);
        NameSearch search(world.trie, rows, gold, truths,
                          {.reduction = reduction, .budget = budget});
        run(search, world.trie, rows, world.model, prompt, 1);
        const SearchedRank rank = search.result();
        const Rank raw = standing(scores, gold);
        const Rank filtered = standing(scores, gold, truths);
        BOOST_TEST(rank.expanded <=
                   world.trie.tree().depth(world.trie.leaf(gold)) + budget);  // plus its own path
        BOOST_TEST(rank.above <= raw.above);
        BOOST_TEST(rank.above + rank.equal + rank.undecided >= raw.above + raw.equal);
        BOOST_TEST(rank.filtered_above <= filtered.above);
        BOOST_TEST(rank.filtered_above + rank.filtered_equal + rank.undecided >=
                   filtered.above + filtered.equal);
        if (rank.undecided == 0) check_ranks(rank, raw, filtered);
        undecided += rank.undecided > 0 ? 1U : 0U;
      }
    }
  }
  BOOST_TEST(undecided > 50U);
}

BOOST_AUTO_TEST_SUITE_END()
