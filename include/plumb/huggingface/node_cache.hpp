// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do the keys and values of a tree's nodes stand?
//
// Each node that is held has a slot: a row of keys and values in every layer, at the same place. A
// token sees the rows of its own path, whatever else is held, so a tree may branch as it likes.
// Slots of released nodes are used again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/token_tree.hpp"

namespace plumb {

/// Not thread-safe while it takes or releases nodes. Node ids are those of one tree until the root
/// is released.
class NodeCache {
 public:
  NodeCache() = default;
  /// `row` numbers for each node in each layer.
  NodeCache(std::size_t layers, std::size_t row) : row_(row), numbers_(layers) {}

  /// Nodes held now.
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  [[nodiscard]] bool holds(NodeId node) const {
    return node < slots_.size() && slots_[node] != none;
  }

  /// The nodes that must be computed so that all wanted ones are, ancestors first. Throws an internal
  /// error for a wanted node that is the root or is held.
  [[nodiscard]] std::vector<NodeId> missing(const TokenTree& tree,
                                            std::span<const NodeId> wanted) const {
    std::vector<bool> is_missing(tree.size(), false);
    for (NodeId node : wanted) {
      if (node == TokenTree::root || holds(node)) {
        throw internal_error({}, "a wanted node is the root or was evaluated before");
      }
      for (; node != TokenTree::root && !holds(node) && !is_missing[node];
           node = tree.parent(node)) {
        is_missing[node] = true;
      }
    }
    std::vector<NodeId> nodes;
    for (NodeId node = 1; node < tree.size(); ++node) {  // ids ascend from parent to child
      if (is_missing[node]) nodes.push_back(node);
    }
    return nodes;
  }

  /// Gives each node a slot. Rows move, so pointers to them end here.
  void take(std::span<const NodeId> nodes) {
    for (const NodeId node : nodes) {
      if (node >= slots_.size()) slots_.resize(node + 1, none);
      if (free_.empty()) {
        slots_[node] = used_++;
      } else {
        slots_[node] = free_.back();
        free_.pop_back();
      }
    }
    held_ += nodes.size();
    for (auto& layer : numbers_) {
      if (layer.size() < used_ * row_) layer.resize(used_ * row_);
    }
  }

  /// A held node's row in a layer.
  [[nodiscard]] float* row(std::size_t layer, NodeId node) {
    return numbers_[layer].data() + slots_[node] * row_;
  }

  /// Room for that many nodes.
  void reserve(std::size_t nodes) {
    for (auto& layer : numbers_) layer.reserve(nodes * row_);
  }

  /// Forgets the node and all below it; the root forgets everything. Memory is kept for the
  /// next tree.
  void release(const TokenTree& tree, NodeId released) {
    if (released == TokenTree::root) {
      slots_.clear();
      free_.clear();
      held_ = used_ = 0;
      return;
    }
    std::vector<bool> is_below(slots_.size(), false);
    for (NodeId node = released; node < slots_.size() && node < tree.size(); ++node) {
      is_below[node] = node == released || is_below[tree.parent(node)];
      if (!is_below[node] || slots_[node] == none) continue;
      free_.push_back(slots_[node]);
      slots_[node] = none;
      --held_;
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t row_ = 0, held_ = 0, used_ = 0;
  std::vector<std::size_t> slots_;  // by node
  std::vector<std::size_t> free_;
  std::vector<std::vector<float>> numbers_;  // by layer: [slots][row]
};

}  // namespace plumb
