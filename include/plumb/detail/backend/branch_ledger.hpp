// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which sequence ids does each node of a tree have in a llama.cpp-style KV cache?
//
// A unified KV cache represents sequences, not trees: each cell has a set of sequence ids, and a
// token sees the cells that have one of the token's own ids. So every branch (an evaluated node
// without an evaluated child) is a sequence, and a node has the ids of all branches below it. When
// a tree grows below an evaluated node, the branch that ends at that node is extended, and each
// additional branch starts as a copy of the node's path. This class only tracks the ids; llama.hpp
// executes the steps.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using SequenceId = std::int32_t;

/// Not thread-safe. Until the root is released, all node ids must belong to one tree.
class BranchLedger {
 public:
  /// Before feeding: copy the first `length` cells of `from` to `to`.
  struct Copy {
    SequenceId from, to;
    std::uint32_t length;
  };
  /// On release: keep the first `length` cells of the sequence.
  struct Cut {
    SequenceId sequence;
    std::uint32_t length;
  };
  struct Step {
    std::vector<Copy> copies;
    /// Nodes to feed, ancestors first.
    std::vector<NodeId> nodes;
    /// Parallel to `nodes`: the sequence ids of each node, never empty.
    std::vector<std::vector<SequenceId>> sequences;
  };

  explicit BranchLedger(std::size_t max_sequences) : tips_(max_sequences, TokenTree::none) {}

  /// The number of nodes currently held.
  [[nodiscard]] std::size_t held() const noexcept { return held_; }

  /// Returns the step that would feed all held nodes to an empty cache.
  [[nodiscard]] Step resident(const TokenTree& tree) const {
    Step step;
    std::vector<std::vector<SequenceId>> carried(sequence_of_.size());
    for (std::size_t s = 0; s < tips_.size(); ++s) {
      if (tips_[s] == TokenTree::none) continue;
      for (NodeId at = tips_[s]; at != TokenTree::root; at = tree.parent(at)) {
        carried[at].push_back(static_cast<SequenceId>(s));
      }
    }
    for (NodeId node = 1; node < carried.size(); ++node) {  // ids ascend from parent to child
      if (carried[node].empty()) continue;
      step.nodes.push_back(node);
      step.sequences.push_back(std::move(carried[node]));
    }
    return step;
  }

  /// Returns the step that evaluates every wanted node. The ledger then treats the step as
  /// executed. Throws an internal error if a wanted node is already held or there are more branches
  /// than sequences.
  [[nodiscard]] Step plan(const TokenTree& tree, std::span<const NodeId> wanted) {
    sequence_of_.resize(tree.size(), unfed);
    std::vector<NodeId> slot(tree.size(), TokenTree::none);  // node -> index in step.nodes
    std::vector<bool> inner(tree.size(), false);
    Step step;
    for (const NodeId node : wanted) {
      if (node == TokenTree::root || sequence_of_[node] != unfed) {
        throw internal_error({}, "a wanted node is the root or was already evaluated");
      }
      for (NodeId at = node; at != TokenTree::root && sequence_of_[at] == unfed;
           at = tree.parent(at)) {
        inner[tree.parent(at)] = true;
        if (slot[at] != TokenTree::none) break;
        slot[at] = 0;
      }
    }
    for (NodeId node = 1; node < tree.size(); ++node) {  // ids ascend from parent to child
      if (slot[node] == TokenTree::none) continue;
      slot[node] = static_cast<NodeId>(step.nodes.size());
      step.nodes.push_back(node);
    }
    step.sequences.resize(step.nodes.size());
    for (const NodeId leaf : step.nodes) {
      if (inner[leaf]) continue;
      NodeId base = leaf;
      while (base != TokenTree::root && slot[base] != TokenTree::none) base = tree.parent(base);
      const SequenceId sequence = branch_from(tree, base, step);
      for (NodeId at = leaf; at != base; at = tree.parent(at)) {
        step.sequences[slot[at]].push_back(sequence);
      }
      tips_[static_cast<std::size_t>(sequence)] = leaf;
    }
    for (std::size_t i = 0; i < step.nodes.size(); ++i) {
      sequence_of_[step.nodes[i]] = step.sequences[i].front();
    }
    held_ += step.nodes.size();
    return step;
  }

  /// Forgets the node and all nodes below it. A sequence is dropped if other sequences contain all
  /// of its remaining path.
  [[nodiscard]] std::vector<Cut> release(const TokenTree& tree, NodeId released) {
    std::vector<Cut> cuts;
    if (released == TokenTree::root) {
      for (std::size_t s = 0; s < tips_.size(); ++s) {
        if (tips_[s] != TokenTree::none) cuts.push_back({static_cast<SequenceId>(s), 0});
      }
      tips_.assign(tips_.size(), TokenTree::none);
      sequence_of_.clear();
      held_ = 0;
      return cuts;
    }
    const NodeId kept = tree.parent(released);
    bool kept_is_held = kept == TokenTree::root;
    std::vector<std::size_t> touched;
    for (std::size_t s = 0; s < tips_.size(); ++s) {
      if (tips_[s] == TokenTree::none) continue;
      if (is_within(tree, tips_[s], released)) {
        touched.push_back(s);
      } else if (is_within(tree, tips_[s], kept)) {
        kept_is_held = true;
      }
    }
    for (const std::size_t s : touched) {
      tips_[s] = kept_is_held ? TokenTree::none : kept;
      cuts.push_back({static_cast<SequenceId>(s), kept_is_held ? 0 : tree.depth(kept)});
      kept_is_held = true;
    }
    sequence_of_.assign(sequence_of_.size(), unfed);
    held_ = 0;
    for (std::size_t s = 0; s < tips_.size(); ++s) {
      for (NodeId at = tips_[s]; at != TokenTree::none && at != TokenTree::root;
           at = tree.parent(at)) {
        if (sequence_of_[at] != unfed) break;
        sequence_of_[at] = static_cast<SequenceId>(s);
        ++held_;
      }
    }
    return cuts;
  }

 private:
  static constexpr SequenceId unfed = -1;

  static bool is_within(const TokenTree& tree, NodeId node, NodeId top) {
    while (node > top) node = tree.parent(node);  // ids ascend from parent to child
    return node == top;
  }

  SequenceId branch_from(const TokenTree& tree, NodeId base, Step& step) {
    const SequenceId from = base == TokenTree::root ? unfed : sequence_of_[base];
    if (from != unfed && tips_[static_cast<std::size_t>(from)] == base) return from;
    for (std::size_t s = 0; s < tips_.size(); ++s) {
      if (tips_[s] != TokenTree::none) continue;
      if (from != unfed)
        step.copies.push_back({from, static_cast<SequenceId>(s), tree.depth(base)});
      return static_cast<SequenceId>(s);
    }
    throw internal_error({}, "a tree has more than " + std::to_string(tips_.size()) + " branches",
                         "stay within tree_limits()");
  }

  // for each sequence, its last node, or none if the sequence is free
  std::vector<NodeId> tips_;
  std::vector<SequenceId> sequence_of_;  // for each node, a sequence that contains it
  std::size_t held_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
