// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which candidates can a prefix still become?
//
// The candidates' texts, tokenised by themselves, as one trie, the same for every query. No candidate
// may begin another (a closing bracket sees to it), so each is a leaf. Candidates with one and the
// same tokens share a leaf.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/token_tree.hpp"
#include "plumb/prompt/prompt.hpp"
#include "plumb/score/tokenized_statements.hpp"

namespace plumb {

/// Any number of threads may read it.
class NameTrie {
 public:
  struct Child {
    TokenId token;
    NodeId node;
  };

  /// Throws a user error for a text without tokens and for one whose tokens begin another's.
  template <class Tokenizer>
  NameTrie(const Tokenizer& tokenizer, std::span<const std::string> texts) {
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      const std::vector<TokenId> ids = prompt_ids(tokenizer, {texts[i], {}, {}}, std::nullopt);
      if (ids.empty()) {
        throw user_error({.field = "candidate"}, "'" + texts[i] + "' has no token", "leave it out");
      }
      const NodeId leaf = tree_.insert(ids);
      leaves_.push_back(leaf);
      candidates_[leaf].push_back(i);
    }
    count_.assign(tree_.size(), 0);
    longest_.assign(tree_.size(), 0);
    children_.resize(tree_.size());
    for (auto node = static_cast<NodeId>(tree_.size() - 1); node != TokenTree::root; --node) {
      const NodeId parent = tree_.parent(node);
      if (const auto found = candidates_.find(node); found != candidates_.end()) {
        if (!children_[node].empty()) {
          throw user_error({.field = "candidate"},
                           "'" + texts[found->second.front()] + "' begins another candidate",
                           "end each with a text that none has within");
        }
        count_[node] = static_cast<std::uint32_t>(found->second.size());
        longest_[node] = tree_.depth(node);
      }
      count_[parent] += count_[node];
      longest_[parent] = std::max(longest_[parent], longest_[node]);
      children_[parent].push_back({tree_.token(node), node});
    }
  }

  [[nodiscard]] const TokenTree& tree() const noexcept { return tree_; }
  /// A node that is a candidate; others have children.
  [[nodiscard]] bool is_leaf(NodeId node) const { return children_[node].empty(); }
  [[nodiscard]] std::span<const Child> children(NodeId node) const { return children_[node]; }
  [[nodiscard]] NodeId leaf(std::size_t candidate) const { return leaves_[candidate]; }
  /// The candidates of a leaf, ascending.
  [[nodiscard]] std::span<const std::uint32_t> candidates(NodeId leaf) const {
    return candidates_.at(leaf);
  }
  /// Candidates at or below a node, and tokens of the longest.
  [[nodiscard]] std::size_t count(NodeId node) const { return count_[node]; }
  [[nodiscard]] std::size_t longest(NodeId node) const { return longest_[node]; }
  [[nodiscard]] std::size_t size() const noexcept { return leaves_.size(); }
  /// Nodes that have children, the root left out: what exhaustive scoring feeds for each query.
  [[nodiscard]] std::size_t inner_nodes() const {
    std::size_t inner = 0;
    for (NodeId node = 1; node < tree_.size(); ++node) inner += is_leaf(node) ? 0U : 1U;
    return inner;
  }

 private:
  TokenTree tree_;
  std::vector<NodeId> leaves_;  // by candidate
  std::unordered_map<NodeId, std::vector<std::uint32_t>> candidates_;
  std::vector<std::uint32_t> count_, longest_;
  std::vector<std::vector<Child>> children_;
};

}  // namespace plumb
