// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where are the keys and values of a tree's nodes stored?
//
// Each node in the cache has a slot, which has the same index in every layer. A token sees only the
// slots of its own path, so a tree may branch freely. Slots of released nodes are reused, lowest
// first, so that paths form long runs of consecutive slots.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/huggingface/attention.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe during `take` and `release`. Until the root is released, all node ids must
/// belong to one tree.
class NodeCache {
 public:
  NodeCache() = default;
  /// Each key and each value consists of `size` numbers per head and layer.
  NodeCache(std::size_t layers, std::size_t heads, std::size_t size)
      : layers_(layers, KeyValues(heads, size)) {}

  /// The number of nodes in the cache.
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  [[nodiscard]] bool holds(NodeId node) const {
    return node < slots_.size() && slots_[node] != none;
  }

  /// The nodes that must be computed so that the cache contains all wanted nodes, ancestors first.
  /// Throws an internal error for a wanted node that is the root or already in the cache.
  [[nodiscard]] std::vector<NodeId> missing(const TokenTree& tree,
                                            std::span<const NodeId> wanted) const {
    std::vector<bool> is_missing(tree.size(), false);
    for (NodeId node : wanted) {
      if (node == TokenTree::root || holds(node)) {
        throw internal_error({}, "a wanted node is the root or was already evaluated");
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

  /// Assigns a slot to each node.
  void take(std::span<const NodeId> nodes) {
    std::sort(free_.begin(), free_.end(), std::greater<>());
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
    for (KeyValues& layer : layers_) layer.resize(used_);
  }

  /// Sets the keys and values of a cached node in one layer, as KeyValues does. Different nodes may
  /// be set at the same time.
  void set(std::size_t layer, NodeId node, const float* key_value) {
    layers_[layer].set(slots_[node], key_value);
  }
  [[nodiscard]] const KeyValues& layer(std::size_t l) const { return layers_[l]; }

  /// The slots that the given nodes see. Each node sees its own path, including itself, ancestors
  /// first. If `window` is above 0, it sees only the last `window` nodes of the path. `nodes` must
  /// contain between 1 and SeenSlots::most_queries() nodes, all of them in the cache.
  /// `with_positions` adds positions.
  [[nodiscard]] SeenSlots seen_by(const TokenTree& tree, std::span<const NodeId> nodes,
                                  std::size_t window = 0, bool with_positions = false) const {
    NodeId common = nodes[0];  // the last node common to all paths; ids ascend from parent to child
    bool is_cut = false;
    for (NodeId other : nodes) {
      is_cut = is_cut || (window > 0 && tree.depth(other) > window);
      while (common != other) {
        NodeId& later = common > other ? common : other;
        later = tree.parent(later);
      }
    }
    // with a window, the nodes that all of them see need not come first
    if (is_cut) common = TokenTree::root;
    SeenSlots seen;
    seen.shared = tree.depth(common);
    std::vector<NodeId> order(seen.shared);  // nodes in the order of summation
    for (NodeId node = common; node != TokenTree::root; node = tree.parent(node)) {
      order[tree.depth(node) - 1] = node;
    }
    const auto for_each_own = [&](NodeId node, const auto& visit) {
      const std::size_t depth = tree.depth(node);
      const std::size_t first = is_cut && depth > window ? depth - window + 1 : 1;
      for (; node != common && tree.depth(node) >= first; node = tree.parent(node)) visit(node);
    };
    for (const NodeId node : nodes) {
      for_each_own(node, [&](NodeId one) { order.push_back(one); });
    }
    const auto others = order.begin() + static_cast<std::ptrdiff_t>(seen.shared);
    std::sort(others, order.end());
    order.erase(std::unique(others, order.end()), order.end());
    for (const NodeId node : nodes) {
      std::vector<std::uint32_t>& own = seen.own.emplace_back();
      for_each_own(node, [&](NodeId one) {
        const auto place = std::lower_bound(others, order.end(), one) - order.begin();
        own.push_back(static_cast<std::uint32_t>(place));
      });
      std::reverse(own.begin(), own.end());
    }
    for (const NodeId node : order) {
      const bool is_resumed =
          !seen.runs.empty() && seen.runs.back().first + seen.runs.back().count == slots_[node];
      if (!is_resumed) seen.runs.push_back({slots_[node], 0});
      ++seen.runs.back().count;
      if (with_positions)
        seen.positions.push_back(static_cast<std::uint32_t>(tree.depth(node) - 1));
    }
    return seen;
  }

  /// Reserves space for `nodes` nodes.
  void reserve(std::size_t nodes) {
    for (KeyValues& layer : layers_) layer.reserve(nodes);
  }

  /// Removes the node and all nodes below it. Removing the root removes everything. Keeps the
  /// memory for the next tree.
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

  std::size_t held_ = 0, used_ = 0;
  std::vector<std::size_t> slots_;  // by node
  std::vector<std::size_t> free_;
  std::vector<KeyValues> layers_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
