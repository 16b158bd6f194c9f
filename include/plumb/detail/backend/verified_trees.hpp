// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a model give the same answers for trees as for single sequences?
//
// The test covers whole trees in two orders, trees that grow, and branches that are released while
// their prefix stays, so that other branches reuse their ids. CachedTree and generation use models
// in these ways.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/model_verification.hpp"
#include "plumb/detail/backend/verified_sequences.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Compares the rows or vectors of a tree's nodes with the known ones at the same positions. Not
/// thread-safe.
class VerifiedTrees {
 public:
  /// The difference between a row and the known row at a position in a sequence.
  using Apart = std::function<double(PlacedTree::Place, std::span<const float>)>;
  /// Evaluates a tree's nodes.
  using Ask =
      std::function<void(const TokenTree&, const std::vector<NodeId>&, const LogitsVisitor&)>;

  using Release = std::function<void(const TokenTree&, NodeId)>;

  /// All arguments must outlive it. If `backwards` is true, whole trees are also evaluated in
  /// reverse order.
  VerifiedTrees(DifferenceLog& log, std::span<const VerifiedSequence> sequences,
                const TreeLimits& limits, bool backwards, Release release)
      : log_(log),
        sequences_(sequences),
        limits_(limits),
        backwards_(backwards),
        release_(std::move(release)) {}

  /// `of` is the name of the tested function: "evaluate" or "embed".
  void compare(const std::string& of, const Apart& apart, const Ask& ask) const {
    const auto groups = sequences_together(sequences_, limits_);
    const auto asked = [&](PlacedTree& tree, const std::vector<NodeId>& wanted) {
      if (wanted.empty()) return;
      ask(tree.tree(), wanted, [&](NodeId node, std::span<const float> row) {
        log_.note(tree.place(node), apart(tree.place(node), row));
      });
    };
    const auto length = [&](std::size_t s) { return sequences_[s].tokens.size(); };
    log_.begin(of + " of a tree");
    for (const auto& group : groups) {
      PlacedTree tree(sequences_);
      std::vector<NodeId> wanted;
      for (const std::size_t s : group) tree.grow(s, length(s), wanted);
      asked(tree, wanted);
      release_(tree.tree(), TokenTree::root);
      if (!backwards_) continue;
      PlacedTree backwards(sequences_);
      wanted.clear();
      for (auto s = group.rbegin(); s != group.rend(); ++s) {
        backwards.grow(*s, length(*s), wanted);
      }
      asked(backwards, wanted);
      release_(backwards.tree(), TokenTree::root);
    }
    log_.end();
    log_.begin(of + " of a tree that grows");
    for (const auto& group : groups) {
      PlacedTree tree(sequences_);
      for (const std::size_t quarters : {std::size_t{2}, std::size_t{3}}) {
        std::vector<NodeId> wanted;
        for (const std::size_t s : group) {
          tree.grow(s, (std::max)(sequences_[s].shared, length(s) * quarters / 4), wanted);
        }
        asked(tree, wanted);
      }
      std::vector<NodeId> ends;  // the nodes in between are evaluated but not visited
      const std::size_t before = tree.tree().size();
      for (const std::size_t s : group) {
        const NodeId end = tree.grow(s, length(s));
        if (end >= before) ends.push_back(end);
      }
      ranges::sort_distinct(ends);
      asked(tree, ends);
      release_(tree.tree(), TokenTree::root);
    }
    log_.end();
    if (limits_.leaves < 2) return;  // such a model can release only a whole tree
    log_.begin(of + " of a tree after a release");
    for (std::size_t s = 0; s < sequences_.size(); ++s) {
      if (sequences_[s].other) compare_released(s, asked);
    }
    log_.end();
  }

 private:
  /// Tests a text and a sequence `s` that departs from it. The two are branches that follow a
  /// shared prefix, which is kept.
  template <class Asked>
  void compare_released(std::size_t s, Asked asked) const {
    const VerifiedSequence& branch = sequences_[s];
    const std::size_t text = branch.base, length = sequences_[text].tokens.size();
    PlacedTree tree(sequences_);
    const auto grown = [&](std::size_t sequence, std::size_t to) {
      std::vector<NodeId> wanted;
      tree.grow(sequence, to, wanted);
      return wanted;
    };
    const std::size_t nodes = length + branch.tokens.size() - branch.shared;
    if (nodes > limits_.nodes) return;
    asked(tree, grown(text, branch.shared));
    const std::vector<NodeId> first = grown(text, length);
    asked(tree, first);
    release_(tree.tree(), first.front());
    tree.shrink(branch.shared + 1);
    const std::vector<NodeId> second = grown(s, branch.tokens.size());  // reuses the released ids
    asked(tree, second);
    if (length > branch.shared + 1) {
      asked(tree, grown(text, length - 1));
      release_(tree.tree(), second.front());
      asked(tree, grown(text, length));  // uses nodes that the model must still hold
    }
    release_(tree.tree(), TokenTree::root);
  }

  DifferenceLog& log_;
  std::span<const VerifiedSequence> sequences_;
  TreeLimits limits_;
  bool backwards_;
  Release release_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
