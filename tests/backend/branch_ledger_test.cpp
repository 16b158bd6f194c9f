// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/backend/branch_ledger.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(branch_ledger_suite)

namespace {

using Sequence = std::vector<TokenId>;

/// The oracle is a unified KV cache like llama.cpp's. A token sees the earlier cells that share a
/// sequence id with it; a cell without ids is free.
class Cache {
 public:
  void copy(const BranchLedger::Copy& copy) {
    for (Cell& cell : cells_) {
      BOOST_REQUIRE_MESSAGE(!cell.ids.contains(copy.to), "copied onto a sequence in use");
    }
    std::uint32_t copied = 0;
    for (Cell& cell : cells_) {
      if (!cell.ids.contains(copy.from) || cell.position >= copy.length) continue;
      cell.ids.insert(copy.to);
      ++copied;
    }
    BOOST_REQUIRE(copied == copy.length);
  }

  void feed(std::uint32_t position, TokenId token, const std::vector<SequenceId>& ids) {
    BOOST_REQUIRE(!ids.empty());
    cells_.push_back({position, token, {ids.begin(), ids.end()}});
    BOOST_REQUIRE(cells_.back().ids.size() == ids.size());
  }

  void cut(const BranchLedger::Cut& cut) {
    for (Cell& cell : cells_) {
      if (cell.position >= cut.length) cell.ids.erase(cut.sequence);
    }
    std::erase_if(cells_, [](const Cell& cell) { return cell.ids.empty(); });
  }

  /// The sorted (position, token) pairs that a cell attends to; `back` counts cells from the end.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, TokenId>> seen_by(std::size_t back) const {
    const Cell& self = cells_[cells_.size() - back];
    std::vector<std::pair<std::uint32_t, TokenId>> seen;
    for (const Cell& cell : cells_) {
      const bool shares =
          std::ranges::any_of(cell.ids, [&](auto id) { return self.ids.contains(id); });
      if (shares && cell.position <= self.position) seen.emplace_back(cell.position, cell.token);
    }
    std::ranges::sort(seen);
    return seen;
  }

  [[nodiscard]] std::size_t size() const { return cells_.size(); }

  /// Returns whether the caches contain the same cells, in any order.
  [[nodiscard]] bool holds_the_same(const Cache& other) const {
    const auto sorted = [](std::vector<Cell> cells) {
      std::ranges::sort(cells);
      return cells;
    };
    return sorted(cells_) == sorted(other.cells_);
  }

 private:
  struct Cell {
    std::uint32_t position;
    TokenId token;
    std::set<SequenceId> ids;
    auto operator<=>(const Cell&) const = default;
  };
  std::vector<Cell> cells_;
};

/// A ledger with a simulated cache, which executes and checks every step.
struct Checked {
  explicit Checked(std::size_t sequences) : ledger(sequences), limit(sequences) {}

  void evaluate(const TokenTree& tree, const std::vector<NodeId>& wanted) {
    const BranchLedger::Step step = ledger.plan(tree, wanted);
    for (const auto& copy : step.copies) cache.copy(copy);
    BOOST_REQUIRE(step.nodes.size() == step.sequences.size());
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
      const NodeId node = step.nodes[i];
      for (const SequenceId id : step.sequences[i]) {
        BOOST_REQUIRE((id >= 0 && static_cast<std::size_t>(id) < limit));
      }
      BOOST_REQUIRE(held.insert(node).second);  // no node is fed twice
      BOOST_REQUIRE((tree.parent(node) == TokenTree::root || held.contains(tree.parent(node))));
      cache.feed(tree.depth(node) - 1, tree.token(node), step.sequences[i]);
    }
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
      const Sequence prefix = tree.prefix(step.nodes[i]);
      std::vector<std::pair<std::uint32_t, TokenId>> path;
      for (const TokenId token : prefix) path.emplace_back(path.size(), token);
      BOOST_REQUIRE((cache.seen_by(step.nodes.size() - i) == path));
    }
    for (const NodeId node : wanted) BOOST_REQUIRE(held.contains(node));
    BOOST_REQUIRE(ledger.held() == held.size());
    BOOST_REQUIRE(cache.size() == held.size());
    check_resident(tree);
  }

  /// An empty cache that is fed the resident step must contain the same cells as this one.
  void check_resident(const TokenTree& tree) const {
    const BranchLedger::Step step = ledger.resident(tree);
    BOOST_REQUIRE(step.copies.empty());
    BOOST_REQUIRE((std::set(step.nodes.begin(), step.nodes.end()) == held));
    BOOST_REQUIRE(std::ranges::is_sorted(step.nodes));  // ancestors first
    BOOST_REQUIRE(step.sequences.size() == step.nodes.size());
    Cache fresh;
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
      const NodeId node = step.nodes[i];
      fresh.feed(tree.depth(node) - 1, tree.token(node), step.sequences[i]);
    }
    BOOST_REQUIRE(fresh.holds_the_same(cache));
  }

  void release(const TokenTree& tree, NodeId released) {
    for (const auto& cut : ledger.release(tree, released)) cache.cut(cut);
    std::erase_if(held, [&](NodeId node) {
      while (node != released && node != TokenTree::root) node = tree.parent(node);
      return node == released;
    });
    BOOST_REQUIRE(ledger.held() == held.size());
    BOOST_REQUIRE(cache.size() == held.size());
    check_resident(tree);
  }

  [[nodiscard]] std::size_t branches(const TokenTree& tree, const std::vector<NodeId>& more) const {
    std::set<NodeId> nodes = held;
    for (NodeId node : more) {
      for (; node != TokenTree::root; node = tree.parent(node)) nodes.insert(node);
    }
    std::set<NodeId> ends = nodes;
    for (const NodeId node : nodes) ends.erase(tree.parent(node));
    return ends.size();
  }

  BranchLedger ledger;
  Cache cache;
  std::set<NodeId> held;
  std::size_t limit;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_carries_the_ids_of_the_branches_below_it) {
  TokenTree tree;
  const NodeId left = tree.insert(Sequence{1, 2, 3});
  const NodeId right = tree.insert(Sequence{1, 4});
  BranchLedger ledger(4);
  const auto step = ledger.plan(tree, std::vector{left, right});
  BOOST_TEST(step.copies.empty());
  BOOST_TEST(step.nodes == (std::vector<NodeId>{1, 2, 3, 4}));
  BOOST_TEST((step.sequences == std::vector<std::vector<SequenceId>>{{0, 1}, {0}, {0}, {1}}));
  BOOST_TEST(ledger.held() == 4U);
}

BOOST_AUTO_TEST_CASE(growth_extends_the_branch_that_ends_there_and_copies_for_the_next) {
  TokenTree tree;
  const NodeId stem = tree.insert(Sequence{1, 2});
  BranchLedger ledger(4);
  (void)ledger.plan(tree, std::vector{stem});
  const NodeId first = tree.insert(Sequence{3}, stem);
  const NodeId second = tree.insert(Sequence{4}, stem);
  const auto step = ledger.plan(tree, std::vector{first, second});
  BOOST_TEST((step.sequences == std::vector<std::vector<SequenceId>>{{0}, {1}}));
  BOOST_REQUIRE(step.copies.size() == 1U);
  BOOST_TEST(step.copies[0].from == 0);
  BOOST_TEST(step.copies[0].to == 1);
  BOOST_TEST(step.copies[0].length == 2U);
}

BOOST_AUTO_TEST_CASE(what_is_resident_would_feed_all_that_is_held_to_an_empty_cache) {
  TokenTree tree;
  const NodeId stem = tree.insert(Sequence{1, 2});
  const NodeId left = tree.insert(Sequence{3}, stem);
  const NodeId right = tree.insert(Sequence{4, 5}, stem);
  tree.insert(Sequence{6}, stem);  // never evaluated
  BranchLedger ledger(4);
  BOOST_TEST(ledger.resident(tree).nodes.empty());
  (void)ledger.plan(tree, std::vector{stem});
  (void)ledger.plan(tree, std::vector{left, right});
  const auto step = ledger.resident(tree);
  BOOST_TEST(step.copies.empty());
  BOOST_TEST(step.nodes == (std::vector<NodeId>{1, 2, 3, 4, 5}));
  BOOST_TEST(
      (step.sequences == std::vector<std::vector<SequenceId>>{{0, 1}, {0, 1}, {0}, {1}, {1}}));
  BOOST_TEST(ledger.held() == 5U);  // a query changes nothing
  (void)ledger.release(tree, left);
  BOOST_TEST(ledger.resident(tree).nodes == (std::vector<NodeId>{1, 2, 4, 5}));
  (void)ledger.release(tree, TokenTree::root);
  BOOST_TEST(ledger.resident(tree).nodes.empty());
}

// Like a scorer with a context, the test keeps a stem while packs below it are added and removed.
BOOST_AUTO_TEST_CASE(stem_is_kept_while_the_tree_shrinks_and_regrows) {
  RandomStream random(4, "stem");
  TokenTree tree;
  const NodeId stem = tree.insert(Sequence{1, 2, 3});
  Checked checked(6);
  checked.evaluate(tree, {stem});
  for (int round = 0; round < 40; ++round) {
    std::vector<NodeId> wanted;
    for (int i = 0; i < 5; ++i) {
      Sequence tail(1 + random.below(3));
      for (TokenId& token : tail) token = static_cast<TokenId>(5 + random.below(3));
      const NodeId node = tree.insert(tail, static_cast<NodeId>(random.below(stem + 1)));
      if (std::ranges::count(wanted, node) == 0) wanted.push_back(node);
    }
    checked.evaluate(tree, wanted);
    for (NodeId node = stem + 1; node < tree.size(); ++node) {
      if (tree.parent(node) <= stem) checked.release(tree, node);
    }
    BOOST_REQUIRE(checked.held.size() == stem);
    tree.shrink(stem + 1);
  }
}

BOOST_AUTO_TEST_CASE(released_branches_free_their_sequences) {
  TokenTree tree;
  const NodeId left = tree.insert(Sequence{1, 2});
  const NodeId right = tree.insert(Sequence{1, 3});
  Checked checked(2);
  checked.evaluate(tree, {left, right});
  checked.release(tree, left);
  checked.evaluate(tree, {tree.insert(Sequence{1, 4})});
  checked.release(tree, TokenTree::root);
  BOOST_TEST(checked.cache.size() == 0U);
  TokenTree other;
  checked.evaluate(other, {other.insert(Sequence{7}), other.insert(Sequence{8})});
}

BOOST_AUTO_TEST_CASE(a_stem_outlives_the_last_of_its_branches) {
  TokenTree tree;
  const NodeId left = tree.insert(Sequence{1, 2, 3});
  Checked checked(1);
  checked.evaluate(tree, {left});
  checked.release(tree, left);
  BOOST_TEST(checked.ledger.held() == 2U);
  checked.evaluate(tree, {tree.insert(Sequence{1, 2, 5})});
  // The new node was never evaluated, so there is nothing to release.
  checked.release(tree, tree.insert(Sequence{1, 9}));
  BOOST_TEST(checked.ledger.held() == 3U);
}

BOOST_AUTO_TEST_CASE(what_was_evaluated_the_root_and_too_many_branches_are_refused) {
  TokenTree tree;
  const NodeId left = tree.insert(Sequence{1, 2});
  const NodeId right = tree.insert(Sequence{1, 3});
  BranchLedger ledger(2);
  (void)ledger.plan(tree, std::vector{left, right});
  BOOST_CHECK_EXCEPTION((void)ledger.plan(tree, std::vector{left}), Error,
                        says(Fault::internal, "already evaluated"));
  BOOST_CHECK_EXCEPTION((void)ledger.plan(tree, std::vector{TokenTree::root}), Error,
                        says(Fault::internal, "a wanted node is the root"));
  const NodeId third = tree.insert(Sequence{1, 4});
  BOOST_CHECK_EXCEPTION(
      (void)ledger.plan(tree, std::vector{third}), Error,
      says(Fault::internal, "a tree has more than 2 branches; stay within tree_limits()"));
}

// At random, the tree grows, and nodes are evaluated and released. After every step, each fed node
// sees only its own path, the cache contains exactly the held nodes, and there is room for as many
// branches as there are sequences.
BOOST_AUTO_TEST_CASE(each_node_sees_just_its_ancestors_in_a_simulated_cache) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "branch_ledger");
    const std::size_t sequences = 1 + random.below(8);
    Checked checked(sequences);
    TokenTree tree;
    for (int action = 0; action < 60; ++action) {
      const std::size_t kind = random.below(10);
      if (kind == 0) {
        checked.release(tree, TokenTree::root);
        tree.clear();
      } else if (kind <= 3 && tree.size() > 1) {
        checked.release(tree, static_cast<NodeId>(1 + random.below(tree.size() - 1)));
      } else {
        for (std::size_t more = random.below(4); more > 0; --more) {
          Sequence tail(1 + random.below(4));
          for (TokenId& token : tail) token = static_cast<TokenId>(random.below(3));
          tree.insert(tail, static_cast<NodeId>(random.below(tree.size())));
        }
        std::vector<NodeId> wanted;
        for (NodeId node = 1; node < tree.size(); ++node) {
          if (checked.held.contains(node) || random.below(3) != 0) continue;
          wanted.push_back(node);
          if (checked.branches(tree, wanted) > sequences) wanted.pop_back();
        }
        std::ranges::reverse(wanted);  // descendants may precede their ancestors
        checked.evaluate(tree, wanted);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
