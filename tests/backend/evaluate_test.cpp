// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/evaluate.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(evaluate_suite)

namespace {

using Rows = std::map<NodeId, std::vector<float>>;

/// Makes a tree model forget all nodes except those with ids up to `kept`, which form a chain from
/// the root.
template <class M>
void release_behind(M& model, const TokenTree& tree, NodeId kept) {
  if (kept == TokenTree::root) return model.release(tree, TokenTree::root);
  for (NodeId node = kept + 1; node < tree.size(); ++node) {
    if (tree.parent(node) <= kept) model.release(tree, node);
  }
}

/// Returns the rows of the wanted nodes; fails if a node is visited twice.
template <class Model>
Rows rows_of(Model& model, const TokenTree& tree, const std::vector<NodeId>& wanted,
             NodeId kept = TokenTree::root) {
  Rows rows;
  evaluate_tree(model, tree, wanted, [&](NodeId node, std::span<const float> row) {
    BOOST_TEST(rows.emplace(node, std::vector<float>(row.begin(), row.end())).second);
  });
  if constexpr (TreeCausalLm<Model>) release_behind(model, tree, kept);
  return rows;
}

/// A model without trees that records its calls.
struct Told : NgramModel {
  using NgramModel::NgramModel;
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    asked.emplace_back(sequence.begin(), sequence.end());
    NgramModel::evaluate(sequence, visit);
  }
  std::vector<std::vector<TokenId>> asked;
};
static_assert(CausalLm<Told> && !TreeCausalLm<Told>);

/// Models, without and with trees, that change their rows before visiting them.
using Meddle = std::function<void(const LogitsVisitor&, std::uint32_t, std::span<const float>)>;
struct Meddled : NgramModel {
  explicit Meddled(Meddle meddle) : NgramModel("abcab"), meddle_(std::move(meddle)) {}
  void evaluate(std::span<const TokenId> sequence, const LogitsVisitor& visit) {
    NgramModel::evaluate(sequence, [&](std::uint32_t position, std::span<const float> row) {
      meddle_(visit, position, row);
    });
  }

 protected:
  Meddle meddle_;
};
struct MeddledTree : Meddled {
  using Meddled::evaluate;
  using Meddled::Meddled;
  [[nodiscard]] TreeLimits tree_limits() const { return {64, 8, 64}; }
  void evaluate(const TokenTree& tree, std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    for (const NodeId node : wanted) {
      NgramModel::evaluate(tree.prefix(node),
                           [&](std::uint32_t position, std::span<const float> row) {
                             if (position + 1 == tree.depth(node)) meddle_(visit, node, row);
                           });
    }
  }
  void release(const TokenTree&, NodeId) {}
};
static_assert(!TreeCausalLm<Meddled> && TreeCausalLm<MeddledTree>);

/// Checks that the rows of "a" and "ab" are rejected with this message.
template <class Model>
void refused(Meddle meddle, const std::string& message) {
  Model model(std::move(meddle));
  TokenTree tree;
  const NodeId last = tree.insert(std::vector<TokenId>{'a', 'b'});
  BOOST_CHECK_EXCEPTION(rows_of(model, tree, {last - 1, last}), Error,
                        says(Fault::user, "evaluate: " + message));
}

/// Compares each row with the row of the prefix evaluated on its own.
void check_rows(const Rows& rows, const TokenTree& tree, const std::vector<NodeId>& wanted) {
  NgramModel plain("abcabdaabbcc", 3);
  BOOST_REQUIRE(rows.size() == wanted.size());
  for (const NodeId node : wanted) {
    std::vector<float> expected;
    plain.evaluate(tree.prefix(node), [&](std::uint32_t, std::span<const float> row) {
      expected.assign(row.begin(), row.end());
    });
    BOOST_TEST((rows.at(node) == expected));
  }
}

TokenTree random_tree(RandomStream& random) {
  TokenTree tree;
  for (std::size_t sequences = 1 + random.below(8); sequences > 0; --sequences) {
    std::vector<TokenId> sequence(1 + random.below(6));
    for (TokenId& token : sequence) token = static_cast<TokenId>('a' + random.below(3));
    tree.insert(sequence);
  }
  return tree;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_without_trees_holds_one_branch_as_long_as_its_context) {
  NgramModel plain("abc");
  const TreeLimits one = tree_limits(plain);
  BOOST_TEST(one.nodes == plain.context_length());
  BOOST_TEST(one.leaves == 1U);
  BOOST_TEST(one.batch == plain.context_length());
  NgramTreeModel tree("abc");
  tree.limits = {7, 5, 3};
  BOOST_TEST(tree_limits(tree).nodes == 7U);
  BOOST_TEST(tree_limits(tree).leaves == 5U);
  BOOST_TEST(tree_limits(tree).batch == 3U);
}

// Models with and without trees must produce the same rows as evaluating each prefix on its own.
BOOST_AUTO_TEST_CASE(each_wanted_node_is_visited_once_with_its_prefixs_row) {
  RandomStream random(1, "evaluate");
  for (int round = 0; round < 50; ++round) {
    Told plain("abcabdaabbcc", 3);
    NgramTreeModel tree_model("abcabdaabbcc", 3);
    const TokenTree tree = random_tree(random);
    std::vector<NodeId> wanted;
    for (NodeId node = 1; node < tree.size(); ++node) {
      if (random.below(2) == 0) wanted.push_back(node);
    }
    std::vector<bool> needed(tree.size(), false);  // wanted, or an ancestor of a wanted node
    std::vector<bool> inner(tree.size(), false);
    for (NodeId node : wanted) {
      for (; node != TokenTree::root; node = tree.parent(node)) {
        needed[node] = true;
        inner[tree.parent(node)] = true;
      }
    }
    check_rows(rows_of(plain, tree, wanted), tree, wanted);
    check_rows(rows_of(tree_model, tree, wanted), tree, wanted);
    BOOST_TEST(tree_model.tokens_fed == static_cast<std::size_t>(std::ranges::count(needed, true)));
    // Without trees, the model receives one sequence per needed branch, ending at the last wanted
    // node.
    std::set<std::vector<TokenId>> branches;
    for (NodeId node = 1; node < tree.size(); ++node) {
      if (needed[node] && !inner[node]) branches.insert(tree.prefix(node));
    }
    BOOST_TEST(plain.asked.size() == branches.size());
    BOOST_TEST((std::set(plain.asked.begin(), plain.asked.end()) == branches));
  }
}

BOOST_AUTO_TEST_CASE(what_nobody_wants_is_not_evaluated) {
  TokenTree tree;
  const NodeId stem = tree.insert(std::vector<TokenId>{'a', 'b'});
  tree.insert(std::vector<TokenId>{'c', 'd', 'e'}, stem);
  tree.insert(std::vector<TokenId>{'x', 'y'});
  Told plain("abcabdaabbcc", 3);
  check_rows(rows_of(plain, tree, {stem}), tree, {stem});
  BOOST_TEST((plain.asked == std::vector<std::vector<TokenId>>{{'a', 'b'}}));
  NgramTreeModel model("abcabdaabbcc", 3);
  check_rows(rows_of(model, tree, {stem}), tree, {stem});
  BOOST_TEST(model.tokens_fed == 2U);
}

BOOST_AUTO_TEST_CASE(the_tree_is_forgotten_afterwards) {
  NgramTreeModel model("abc");
  TokenTree tree;
  tree.insert(std::vector<TokenId>{'a', 'b'});
  // the second round would fail if the model still held a wanted node
  for (int round = 0; round < 2; ++round) {
    BOOST_TEST(rows_of(model, tree, {1, 2}).size() == 2U);
  }
  BOOST_TEST(model.tokens_fed == 4U);
}

BOOST_AUTO_TEST_CASE(a_kept_chain_is_not_fed_again_and_the_rest_is_forgotten) {
  NgramTreeModel model("abcabdaabbcc", 3);
  TokenTree tree;
  const NodeId end = tree.insert(std::vector<TokenId>{'a', 'b', 'c'});
  check_rows(rows_of(model, tree, {1, end}, end), tree, {1, end});
  BOOST_TEST(model.tokens_fed == 3U);
  RandomStream random(2, "kept");
  for (int round = 0; round < 30; ++round) {
    // Branches start at every node of the chain, including the root and the end of the chain.
    tree.shrink(end + 1);
    std::vector<NodeId> wanted;
    for (std::size_t branches = 1 + random.below(5); branches > 0; --branches) {
      std::vector<TokenId> sequence(1 + random.below(4));
      for (TokenId& token : sequence) token = static_cast<TokenId>('a' + random.below(3));
      const NodeId node = tree.insert(sequence, static_cast<NodeId>(random.below(end + 1)));
      if (node > end && std::ranges::count(wanted, node) == 0) wanted.push_back(node);
    }
    std::ranges::sort(wanted);
    std::vector<bool> needed(tree.size(), false);
    for (NodeId node : wanted) {
      for (; node > end; node = tree.parent(node)) needed[node] = true;
    }
    const std::size_t before = model.tokens_fed;
    check_rows(rows_of(model, tree, wanted, end), tree, wanted);
    BOOST_TEST(model.tokens_fed - before ==
               static_cast<std::size_t>(std::ranges::count(needed, true)));
  }
  // If no node is to be kept, the model also forgets the chain.
  tree.shrink(end + 1);
  const NodeId last = tree.add(end, 'd');
  const std::size_t before = model.tokens_fed;
  check_rows(rows_of(model, tree, {last}), tree, {last});
  BOOST_TEST(model.tokens_fed == before + 1);
  check_rows(rows_of(model, tree, {last}), tree, {last});
  BOOST_TEST(model.tokens_fed == before + 5);
}

BOOST_AUTO_TEST_CASE(a_chain_may_be_kept_that_ends_above_what_was_evaluated) {
  NgramTreeModel model("abcabdaabbcc", 3);
  TokenTree tree;
  const NodeId end = tree.insert(std::vector<TokenId>{'a', 'b', 'c', 'd'});
  check_rows(rows_of(model, tree, {end}, 2), tree, {end});
  // Node 3 was forgotten, so it is requested again.
  check_rows(rows_of(model, tree, {3, end}, 2), tree, {3, end});
  BOOST_TEST(model.tokens_fed == 6U);
}

// A chain of four nodes with a branch at each node and at the root.
BOOST_AUTO_TEST_CASE(release_keeps_only_the_given_chain_for_logits_and_embeddings) {
  TokenTree tree;
  const NodeId end = tree.insert(std::vector<TokenId>{'a', 'b', 'c', 'd'});
  for (NodeId at = 0; at <= end; ++at) {
    tree.insert(std::vector<TokenId>{'x', 'y'}, at);
  }
  std::vector<NodeId> all;
  for (NodeId node = 1; node < tree.size(); ++node) all.push_back(node);
  const LogitsVisitor ignore = [](NodeId, std::span<const float>) {};
  for (NodeId kept = 0; kept <= end; ++kept) {
    for (const bool embeds : {false, true}) {
      NgramTreeModel model("abcabdaabbcc", 3);
      const auto feed = [&](const std::vector<NodeId>& wanted) {
        embeds ? model.embed(tree, wanted, ignore) : model.evaluate(tree, wanted, ignore);
      };
      feed(all);
      release_behind(model, tree, kept);
      for (NodeId node = 1; node <= kept; ++node) {
        BOOST_CHECK_EXCEPTION(feed({node}), Error, says(Fault::internal, "already evaluated"));
      }
      const std::size_t before = model.tokens_fed;
      feed({all.begin() + kept, all.end()});  // fails if a node is still held
      BOOST_TEST(model.tokens_fed - before == all.size() - kept);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_tree_asks_nothing) {
  Told plain("abc");
  NgramTreeModel model("abc");
  BOOST_TEST(rows_of(plain, TokenTree(), {}).empty());
  BOOST_TEST(plain.asked.empty());
  BOOST_TEST(rows_of(model, TokenTree(), {}).empty());
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_AUTO_TEST_CASE(a_model_is_held_to_its_concept) {
  const Meddle short_row = [](const LogitsVisitor& visit, std::uint32_t at,
                              std::span<const float> row) { visit(at, row.first(50)); };
  refused<Meddled>(short_row, "returned a row of 50 logits, but vocabulary_size() is 257");
  refused<MeddledTree>(short_row, "returned a row of 50 logits, but vocabulary_size() is 257");
  const Meddle silent = [](const LogitsVisitor&, std::uint32_t, std::span<const float>) {};
  refused<Meddled>(silent, "returned no row for the token at position 0");
  refused<MeddledTree>(silent, "returned no row for the token at position 0");
  const Meddle from_one = [](const LogitsVisitor& visit, std::uint32_t at,
                             std::span<const float> row) { visit(at + 1, row); };
  refused<Meddled>(from_one, "returned a row for position 2 of 2; positions count from 0");
  const Meddle twice = [](const LogitsVisitor& visit, std::uint32_t at,
                          std::span<const float> row) {
    visit(at, row);
    visit(at, row);
  };
  refused<Meddled>(twice,
                   "returned a row for position 0 twice, or after the row of a later position");
  refused<MeddledTree>(
      from_one, "returned a row for node 3, which was not requested or had already been returned");
  refused<MeddledTree>(
      twice, "returned a row for node 1, which was not requested or had already been returned");
  const Meddle last_alone = [](const LogitsVisitor& visit, std::uint32_t at,
                               std::span<const float> row) {
    if (at == 1) visit(at, row);
  };
  refused<Meddled>(last_alone, "returned no row for the token at position 0");
}

BOOST_AUTO_TEST_CASE(wanted_nodes_ascend_whoever_asks) {
  TokenTree tree;
  tree.insert(std::vector<TokenId>{'a', 'b', 'c'});
  NgramTreeModel model("abc");
  const LogitsVisitor nobody = [](NodeId, std::span<const float>) {};
  for (const std::vector<NodeId>& wanted : {std::vector<NodeId>{2, 1}, std::vector<NodeId>{1, 1}}) {
    BOOST_CHECK_EXCEPTION(evaluate_tree(model, tree, wanted, nobody), Error,
                          says(Fault::internal, "wanted nodes are not ascending"));
  }
  BOOST_TEST(model.tokens_fed == 0U);
}

BOOST_AUTO_TEST_CASE(a_sequence_is_evaluated_as_a_tree_of_one_branch) {
  NgramTreeModel tree("abcabd", 2);
  NgramModel plain("abcabd", 2);
  const std::vector<TokenId> sequence{'a', 'b', 'c'};
  std::vector<std::vector<float>> expected, found;
  const auto keep = [](std::vector<std::vector<float>>& rows) {
    return [&rows](std::uint32_t position, std::span<const float> row) {
      BOOST_TEST(position == rows.size());
      rows.emplace_back(row.begin(), row.end());
    };
  };
  plain.evaluate(std::span<const TokenId>(sequence), keep(expected));
  evaluate_as_tree(tree, sequence, keep(found));
  BOOST_TEST((found == expected));
}

BOOST_AUTO_TEST_SUITE_END()
