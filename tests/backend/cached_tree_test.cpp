// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/cached_tree.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(cached_tree)

namespace {

using Tokens = std::vector<TokenId>;
using Nodes = std::vector<NodeId>;

/// Records the nodes that are released.
struct Told : NgramTreeModel {
  Told() : NgramTreeModel("abcabd", 3) {}
  void release(const TokenTree& tree, NodeId node) {
    released.push_back(node);
    NgramTreeModel::release(tree, node);
  }
  Nodes released;
};

const auto ignore = [](NodeId, std::span<const float>) {};

template <class Tree>
void hold(Tree& tree, const Tokens& context) {
  tree.hold(context, [&](NodeId end) { tree.evaluate(std::span(&end, 1), ignore); });
}

template <class Tree>
void feed(Tree& tree, const Tokens& rest) {
  const NodeId end = tree.insert(rest, tree.context_end());
  tree.evaluate(std::span(&end, 1), ignore);
}

}  // namespace

BOOST_AUTO_TEST_CASE(context_is_fed_once_and_its_descendants_are_released) {
  Told model;
  CachedTree tree(model);
  hold(tree, {'a', 'b'});
  BOOST_TEST(model.tokens_fed == 2U);
  BOOST_TEST(tree.context().size() == 2U);
  BOOST_TEST(tree.context_end() == 2U);
  for (int pack = 0; pack < 2; ++pack) {
    feed(tree, {'c', 'd'});
    BOOST_TEST(tree.tree().size() == 5U);
    tree.back_to_context();
    BOOST_TEST(tree.tree().size() == 3U);
  }
  BOOST_TEST(model.tokens_fed == 6U);
  BOOST_TEST(model.released == (Nodes{3, 3}), boost::test_tools::per_element());
  tree.back_to_context();  // nothing has been fed since the context
  BOOST_TEST(model.released.size() == 2U);
  hold(tree, {'a', 'b'});  // the node is already held
  BOOST_TEST(model.tokens_fed == 6U);
  feed(tree, {'c'});
  hold(tree, {'a', 'b'});
  BOOST_TEST(model.tokens_fed == 7U);
  BOOST_TEST(model.released.back() == 3U);
  hold(tree, {'x'});
  BOOST_TEST(model.released.back() == TokenTree::root);
  BOOST_TEST(tree.tree().size() == 2U);
}

BOOST_AUTO_TEST_CASE(without_a_context_all_is_released) {
  Told model;
  CachedTree tree(model);
  hold(tree, {});
  BOOST_TEST(model.tokens_fed == 0U);
  feed(tree, {'a', 'b'});
  tree.back_to_context();
  BOOST_TEST(model.released == Nodes{TokenTree::root}, boost::test_tools::per_element());
  BOOST_TEST(tree.tree().size() == 1U);
}

// Every topmost node below the context is released once, together with the nodes below it.
BOOST_AUTO_TEST_CASE(branches_off_the_middle_of_the_context_go_too) {
  Told model;
  CachedTree tree(model);
  hold(tree, {'a', 'b'});
  Nodes ends{tree.insert(Tokens{'c', 'd'}, 2), tree.insert(Tokens{'x', 'y', 'z'}, 1),
             tree.insert(Tokens{'q'}, TokenTree::root)};
  tree.evaluate(ends, ignore);
  tree.back_to_context();
  BOOST_TEST(model.released == (Nodes{3, 5, 8}), boost::test_tools::per_element());
  BOOST_TEST(tree.tree().size() == 3U);
  const std::uint64_t before = model.tokens_fed;
  feed(tree, {'c'});  // the context is still there
  BOOST_TEST(model.tokens_fed - before == 1U);
}

BOOST_AUTO_TEST_CASE(its_end_releases_what_the_model_holds_and_only_then) {
  Told model;
  {
    CachedTree unused(model);
    unused.insert(Tokens{'a'});
  }
  BOOST_TEST(model.released.empty());
  {
    CachedTree tree(model);
    hold(tree, {'a'});
  }
  BOOST_TEST(model.released == Nodes{TokenTree::root}, boost::test_tools::per_element());
  {
    CachedTree tree(model);
    feed(tree, {'a', 'b'});
  }
  BOOST_TEST(model.released.size() == 2U);
  CachedTree again(model);  // the nodes with these ids are no longer held
  feed(again, {'a', 'b'});
  BOOST_TEST(model.tokens_fed == 5U);
}

BOOST_AUTO_TEST_CASE(a_part_can_be_released_and_the_root_is_all) {
  Told model;
  CachedTree tree(model);
  hold(tree, {'a'});
  feed(tree, {'b', 'c'});
  tree.release(3);
  feed(tree, {'b', 'c'});
  BOOST_TEST(model.tokens_fed == 4U);
  tree.release(TokenTree::root);
  BOOST_TEST(tree.context().empty());
  BOOST_TEST(tree.tree().size() == 4U);
  tree.drop();  // nothing is held now
  BOOST_TEST(model.released == (Nodes{3, TokenTree::root}), boost::test_tools::per_element());
  BOOST_TEST(tree.tree().size() == 1U);
}

// A model that throws may have stored some of the fed nodes.
BOOST_AUTO_TEST_CASE(a_context_that_cannot_be_fed_is_none_and_is_released) {
  Told model;
  CachedTree tree(model);
  const auto fails = [&](NodeId end) {
    tree.evaluate(std::span(&end, 1), ignore);
    throw std::runtime_error("gone");
  };
  BOOST_CHECK_THROW(tree.hold(Tokens{'a', 'b'}, fails), std::runtime_error);
  BOOST_TEST(tree.context().empty());
  tree.back_to_context();
  BOOST_TEST(model.released == Nodes{TokenTree::root}, boost::test_tools::per_element());
  BOOST_TEST(tree.tree().size() == 1U);
}

BOOST_AUTO_TEST_CASE(vectors_and_lookups_hold_nodes_too) {
  Told model;
  {
    CachedTree tree(model);
    const NodeId end = tree.insert(Tokens{'a', 'b'});
    tree.embed(std::span(&end, 1), ignore);
  }
  {
    CachedTree tree(model);
    const TokenLookup lookup{tree.add(TokenTree::root, 'a'), 'b'};
    double nats = 1;
    tree.look_up(std::span(&lookup, 1), std::span(&nats, 1));
    BOOST_TEST(nats < 0);
  }
  BOOST_TEST(model.released.size() == 2U);
}

BOOST_AUTO_TEST_CASE(stateless_model_receives_no_release_calls) {
  NgramModel plain("abcabd");
  NgramLookupModel lookups("abcabd");
  CachedTree of_rows(plain);
  feed(of_rows, {'a', 'b'});
  of_rows.back_to_context();
  CachedTree of_lookups(lookups);
  const TokenLookup lookup{of_lookups.add(TokenTree::root, 'a'), 'b'};
  double nats = 1;
  of_lookups.look_up(std::span(&lookup, 1), std::span(&nats, 1));
  of_lookups.drop();
  BOOST_TEST(lookups.calls == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
