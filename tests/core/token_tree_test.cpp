// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/token_tree.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

using Sequence = std::vector<TokenId>;

BOOST_AUTO_TEST_SUITE(token_tree_suite)

BOOST_AUTO_TEST_CASE(a_new_tree_is_the_empty_prefix) {
  const TokenTree tree;
  BOOST_TEST(tree.size() == 1U);
  BOOST_TEST(tree.depth(TokenTree::root) == 0U);
  BOOST_TEST(tree.parent(TokenTree::root) == TokenTree::none);
  BOOST_TEST(tree.child(TokenTree::root, 5) == TokenTree::none);
  BOOST_TEST(tree.prefix(TokenTree::root).empty());
}

BOOST_AUTO_TEST_CASE(sequences_share_their_common_prefix) {
  TokenTree tree;
  const NodeId first = tree.insert(Sequence{1, 2, 3});
  const NodeId second = tree.insert(Sequence{1, 2, 4, 5});
  BOOST_TEST(tree.size() == 6U);  // root, 1, 12, 123, 124, 1245
  BOOST_TEST(tree.parent(first) == tree.parent(tree.parent(second)));
  BOOST_TEST(tree.depth(first) == 3U);
  BOOST_TEST(tree.depth(second) == 4U);
  BOOST_TEST(tree.token(second) == 5);
  BOOST_TEST(tree.prefix(second) == (Sequence{1, 2, 4, 5}));
}

BOOST_AUTO_TEST_CASE(what_is_there_is_not_added_again) {
  TokenTree tree;
  const NodeId node = tree.insert(Sequence{1, 2});
  BOOST_TEST(tree.insert(Sequence{1, 2}) == node);
  BOOST_TEST(tree.add(tree.parent(node), 2) == node);
  BOOST_TEST(tree.child(tree.parent(node), 2) == node);
  BOOST_TEST(tree.insert(Sequence{}) == TokenTree::root);
  BOOST_TEST(tree.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_sequence_may_start_below_a_node) {
  TokenTree tree;
  const NodeId head = tree.insert(Sequence{1, 2});
  BOOST_TEST(tree.insert(Sequence{3, 4}, head) == tree.insert(Sequence{1, 2, 3, 4}));
  BOOST_TEST(tree.insert(Sequence{}, head) == head);
}

BOOST_AUTO_TEST_CASE(token_ids_use_their_whole_range) {
  TokenTree tree;
  const TokenId last = std::numeric_limits<TokenId>::max();
  const NodeId zero = tree.add(TokenTree::root, 0);
  const NodeId high = tree.add(TokenTree::root, last);
  BOOST_TEST(zero != high);
  BOOST_TEST(tree.child(TokenTree::root, last) == high);
  BOOST_TEST(tree.child(high, 0) == TokenTree::none);
}

BOOST_AUTO_TEST_CASE(cleared_tree_can_be_reused) {
  TokenTree tree;
  tree.insert(Sequence{1, 2, 3});
  tree.clear();
  BOOST_TEST(tree.size() == 1U);
  BOOST_TEST(tree.child(TokenTree::root, 1) == TokenTree::none);
  BOOST_TEST(tree.prefix(tree.insert(Sequence{2, 1})) == (Sequence{2, 1}));
  BOOST_TEST(tree.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_shrunk_tree_keeps_its_first_nodes_and_forgets_the_rest) {
  TokenTree tree;
  const NodeId stem = tree.insert(Sequence{1, 2});
  const NodeId left = tree.insert(Sequence{3, 4}, stem);
  tree.insert(Sequence{5, 6}, stem);
  tree.insert(Sequence{9});
  tree.shrink(stem + 1);
  BOOST_TEST(tree.size() == 3U);
  BOOST_TEST(tree.prefix(stem) == (Sequence{1, 2}));
  BOOST_TEST(tree.child(TokenTree::root, 1) == 1U);
  BOOST_TEST(tree.child(1, 2) == stem);
  for (const TokenId token : {3, 5}) BOOST_TEST(tree.child(stem, token) == TokenTree::none);
  BOOST_TEST(tree.child(left - 1, 4) == TokenTree::none);
  BOOST_TEST(tree.child(TokenTree::root, 9) == TokenTree::none);
  // New sequences reuse the freed ids, and the removed sequences may be added again.
  BOOST_TEST(tree.insert(Sequence{5, 4}, stem) == left);
  BOOST_TEST(tree.prefix(left) == (Sequence{1, 2, 5, 4}));
  BOOST_TEST(tree.insert(Sequence{1, 2, 3, 4}) == left + 2);
  BOOST_TEST(tree.size() == 7U);
}

BOOST_AUTO_TEST_CASE(shrinking_to_nothing_leaves_the_root_and_to_more_leaves_all) {
  TokenTree tree;
  tree.insert(Sequence{1, 2, 3});
  for (const std::size_t size : {100U, 4U}) {
    tree.shrink(size);
    BOOST_TEST(tree.size() == 4U);
  }
  tree.shrink(0);
  BOOST_TEST(tree.size() == 1U);
  BOOST_TEST(tree.depth(TokenTree::root) == 0U);
  BOOST_TEST(tree.child(TokenTree::root, 1) == TokenTree::none);
  tree.shrink(1);
  BOOST_TEST(tree.prefix(tree.insert(Sequence{3, 2})) == (Sequence{3, 2}));
}

// The oracle is a tree that only ever contained the kept nodes; the same sequences are added to it.
BOOST_AUTO_TEST_CASE(a_shrunk_tree_grows_as_one_that_never_held_more) {
  RandomStream random(2, "shrink");
  const auto draw = [&] {
    Sequence sequence(1 + random.below(6));
    for (TokenId& token : sequence) token = static_cast<TokenId>(random.below(3));
    return sequence;
  };
  for (int round = 0; round < 100; ++round) {
    TokenTree tree;
    for (int i = 0; i < 5; ++i) tree.insert(draw());
    const std::size_t kept = 1 + random.below(tree.size());
    TokenTree other;
    for (NodeId node = 1; node < kept; ++node) other.add(tree.parent(node), tree.token(node));
    tree.shrink(kept);
    for (int i = 0; i < 5; ++i) {
      const Sequence sequence = draw();
      BOOST_REQUIRE(tree.insert(sequence) == other.insert(sequence));
    }
    BOOST_REQUIRE(tree.size() == other.size());
    for (NodeId node = 0; node < tree.size(); ++node) {
      BOOST_REQUIRE(tree.prefix(node) == other.prefix(node));
    }
  }
}

// The oracle is the set of all prefixes. While the tree grows, ids stay valid and parents come
// before children.
BOOST_AUTO_TEST_CASE(nodes_are_the_distinct_prefixes) {
  RandomStream random(1, "token_tree");
  TokenTree tree;
  std::set<Sequence> prefixes{{}};
  std::vector<std::pair<NodeId, Sequence>> inserted;
  for (int round = 0; round < 300; ++round) {
    Sequence sequence(random.below(7));
    for (TokenId& token : sequence) token = static_cast<TokenId>(random.below(4));
    inserted.emplace_back(tree.insert(sequence), sequence);
    for (std::size_t length = 1; length <= sequence.size(); ++length) {
      prefixes.emplace(sequence.begin(), sequence.begin() + static_cast<std::ptrdiff_t>(length));
    }
    BOOST_REQUIRE(tree.size() == prefixes.size());
  }
  for (const auto& [node, sequence] : inserted) BOOST_TEST(tree.prefix(node) == sequence);
  std::set<Sequence> found;
  for (NodeId node = 0; node < tree.size(); ++node) found.insert(tree.prefix(node));
  BOOST_TEST((found == prefixes));
  for (NodeId node = 1; node < tree.size(); ++node) {
    BOOST_TEST(tree.parent(node) < node);
    BOOST_TEST(tree.depth(node) == tree.depth(tree.parent(node)) + 1);
    BOOST_TEST(tree.child(tree.parent(node), tree.token(node)) == node);
  }
}

BOOST_AUTO_TEST_SUITE_END()
