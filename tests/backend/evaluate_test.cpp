// SPDX-License-Identifier: Apache-2.0
#include "plumb/backend/evaluate.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "plumb/backend/archetypes.hpp"
#include "plumb/core/random.hpp"

using namespace plumb;

namespace {

using Rows = std::map<NodeId, std::vector<float>>;

/// The rows of the wanted nodes; a node visited twice fails.
template <class Model>
Rows rows_of(Model& model, const TokenTree& tree, const std::vector<NodeId>& wanted,
             std::size_t& fed) {
  Rows rows;
  fed = evaluate_and_release(model, tree, wanted, [&](NodeId node, std::span<const float> row) {
    BOOST_TEST(rows.emplace(node, std::vector<float>(row.begin(), row.end())).second);
  });
  return rows;
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

BOOST_AUTO_TEST_SUITE(evaluate_suite)

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

// Both ways, and against the row of each prefix evaluated by itself.
BOOST_AUTO_TEST_CASE(each_wanted_node_is_visited_once_with_its_prefixs_row) {
  RandomStream random(1, "evaluate");
  for (int round = 0; round < 50; ++round) {
    NgramModel plain("abcabdaabbcc", 3);
    NgramTreeModel tree_model("abcabdaabbcc", 3);
    const TokenTree tree = random_tree(random);
    std::vector<bool> inner(tree.size(), false);
    for (NodeId node = 1; node < tree.size(); ++node) inner[tree.parent(node)] = true;
    std::vector<NodeId> wanted;  // every leaf, and some of the nodes above
    std::size_t one_by_one = 0;
    for (NodeId node = 1; node < tree.size(); ++node) {
      if (!inner[node] || random.below(2) == 0) wanted.push_back(node);
      if (!inner[node]) one_by_one += tree.depth(node);
    }
    std::size_t fed_plain = 0;
    std::size_t fed_tree = 0;
    const Rows plain_rows = rows_of(plain, tree, wanted, fed_plain);
    const Rows tree_rows = rows_of(tree_model, tree, wanted, fed_tree);
    BOOST_TEST(fed_plain == one_by_one);
    BOOST_TEST(fed_tree == tree.size() - 1);
    BOOST_TEST(fed_tree == tree_model.tokens_fed);
    BOOST_TEST((plain_rows == tree_rows));
    BOOST_TEST(plain_rows.size() == wanted.size());
    for (const NodeId node : wanted) {
      std::vector<float> expected;
      plain.evaluate(tree.prefix(node), [&](std::uint32_t, std::span<const float> row) {
        expected.assign(row.begin(), row.end());
      });
      BOOST_TEST((plain_rows.at(node) == expected));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_tree_is_forgotten_afterwards) {
  NgramTreeModel model("abc");
  TokenTree tree;
  tree.insert(std::vector<TokenId>{'a', 'b'});
  std::size_t fed = 0;
  for (int round = 0; round < 2; ++round) {  // a node that is still held could not be wanted again
    BOOST_TEST(rows_of(model, tree, {1, 2}, fed).size() == 2U);
  }
  BOOST_TEST(model.tokens_fed == 4U);
}

BOOST_AUTO_TEST_CASE(an_empty_tree_asks_nothing) {
  NgramModel plain("abc");
  NgramTreeModel model("abc");
  std::size_t fed = 1;
  BOOST_TEST(rows_of(plain, TokenTree(), {}, fed).empty());
  BOOST_TEST(fed == 0U);
  BOOST_TEST(rows_of(model, TokenTree(), {}, fed).empty());
  BOOST_TEST(fed == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
