// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prefixes do many token sequences share?
//
// A trie of token sequences: node 0 is the empty prefix, and every other node is the prefix that
// ends with that node's token. A language model needs to compute each prefix only once, so it is
// fed the tree's nodes instead of the tokens of separate sequences. Nodes are added at the end, a
// parent before its children, and removed from the end. A tree may therefore grow and shrink
// between two evaluations, and the ids of the remaining nodes stay valid.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The index of a node in a token tree, counted from 0.
using NodeId = std::uint32_t;

/// Not thread-safe while the tree grows; otherwise, any number of threads may read it.
class TokenTree {
 public:
  /// The empty prefix. The root has no token and no logits.
  static constexpr NodeId root = 0;
  static constexpr NodeId none = static_cast<NodeId>(-1);

  TokenTree() : nodes_(1) {}

  /// The number of nodes, including the root.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] TokenId token(NodeId node) const { return nodes_[node].token; }
  /// `none` for the root.
  [[nodiscard]] NodeId parent(NodeId node) const { return nodes_[node].parent; }
  /// The number of tokens in the prefix; 0 for the root.
  [[nodiscard]] std::uint32_t depth(NodeId node) const { return nodes_[node].depth; }

  /// The child of `node` with this token, or `none`.
  [[nodiscard]] NodeId child(NodeId node, TokenId token) const {
    const auto found = children_.find(key(node, token));
    return found == children_.end() ? none : found->second;
  }

  /// The child of `node` with this token, which is added if it does not exist.
  NodeId add(NodeId node, TokenId token) {
    const auto [entry, added] =
        children_.try_emplace(key(node, token), static_cast<NodeId>(nodes_.size()));
    if (added) nodes_.push_back({token, node, nodes_[node].depth + 1});
    return entry->second;
  }

  /// The node reached by following a whole sequence from `from`; adds missing nodes. Returns `from`
  /// for the empty sequence.
  NodeId insert(std::span<const TokenId> sequence, NodeId from = root) {
    for (const TokenId token : sequence) from = add(from, token);
    return from;
  }

  /// The tokens of a node's prefix, first to last.
  [[nodiscard]] std::vector<TokenId> prefix(NodeId node) const {
    std::vector<TokenId> tokens(depth(node));
    for (auto position = tokens.rbegin(); position != tokens.rend(); ++position) {
      *position = token(node);
      node = parent(node);
    }
    return tokens;
  }

  /// Removes the nodes with id `size` and above; the root always stays.
  void shrink(std::size_t size) {
    for (std::size_t n = nodes_.size(); n-- > std::max<std::size_t>(size, 1);) {
      children_.erase(key(nodes_[n].parent, nodes_[n].token));
      nodes_.pop_back();
    }
  }

  /// Removes all nodes except the root; keeps the memory for the next tree.
  void clear() {
    nodes_.resize(1);
    children_.clear();
  }

 private:
  struct Node {
    TokenId token = -1;
    NodeId parent = none;
    std::uint32_t depth = 0;
  };

  static std::uint64_t key(NodeId node, TokenId token) {
    return (static_cast<std::uint64_t>(node) << 32) | static_cast<std::uint32_t>(token);
  }

  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, NodeId> children_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
