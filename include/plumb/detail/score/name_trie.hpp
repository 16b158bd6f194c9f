// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which candidates can a prefix still become?
//
// The tokens that the candidates' texts have behind a prompt, as one trie. Prompt and candidate are
// tokenised as one text; the lead is as much of the prompt's end as decides how (token_joins.hpp),
// so prompts of one lead share a trie. Where a candidate's token spans the join, the trie begins as
// many tokens before the prompt's end, and the prompt's own tokens on the way down are given: they
// cost nothing. No candidate may begin another (a closing bracket sees to it), so each is a leaf.
// Candidates with one and the same tokens share a leaf.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may read it.
class NameTrie {
 public:
  struct Child {
    TokenId token;
    NodeId node;
  };

  /// Of texts behind a lead. Throws a user error for a text without tokens and for one whose tokens
  /// begin another's.
  template <class Tokenizer>
  NameTrie(const Tokenizer& tokenizer, std::span<const std::string> texts,
           std::string_view lead = {})
      : NameTrie(tokens_of(tokenizer, texts, lead), texts,
                 lead.empty() ? std::vector<TokenId>() : ids_of(text_tokens(tokenizer, lead))) {}

  /// Of texts whose tokens are known; `own` are the lead's, which `tokens` begin with or leave early.
  NameTrie(const std::vector<std::vector<TokenId>>& tokens, std::span<const std::string> texts,
           std::vector<TokenId> own = {})
      : given_(std::move(own)) {
    std::size_t shared = given_.size();
    for (const auto& ids : tokens) shared = (std::min)(shared, common_prefix(given_, ids));
    given_.erase(given_.begin(), given_.begin() + static_cast<std::ptrdiff_t>(shared));
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      const NodeId leaf = tree_.insert(std::span(tokens[i]).subspan(shared));
      leaves_.push_back(leaf);
      candidates_[leaf].push_back(i);
    }
    find_given();
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      if (length(leaves_[i]) > 0) continue;
      throw user_error({.field = "candidate"}, "'" + texts[i] + "' has no token", "leave it out");
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
        longest_[node] = static_cast<std::uint32_t>(length(node));
      }
      count_[parent] += count_[node];
      longest_[parent] = (std::max)(longest_[parent], longest_[node]);
      children_[parent].push_back({tree_.token(node), node});
    }
  }

  [[nodiscard]] const TokenTree& tree() const noexcept { return tree_; }
  /// The prompt's last tokens, which stand in the trie: its root is the prompt without them.
  [[nodiscard]] std::span<const TokenId> given() const noexcept { return given_; }
  /// Whether a node's last token is one of these.
  [[nodiscard]] bool is_given(NodeId node) const { return given_depth_[node] == tree_.depth(node); }
  /// Tokens of a node's prefix that are a candidate's and not given.
  [[nodiscard]] std::size_t length(NodeId node) const {
    return tree_.depth(node) - given_depth_[node];
  }
  /// A node that is a candidate; others have children.
  [[nodiscard]] bool is_leaf(NodeId node) const { return children_[node].empty(); }
  [[nodiscard]] std::span<const Child> children(NodeId node) const { return children_[node]; }
  [[nodiscard]] NodeId leaf(std::size_t candidate) const { return leaves_[candidate]; }
  /// The candidates of a leaf, ascending.
  [[nodiscard]] std::span<const std::uint32_t> candidates(NodeId leaf) const {
    return candidates_.at(leaf);
  }
  /// Candidates at or below a node, and the longest one's length.
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
  template <class Tokenizer>
  static std::vector<std::vector<TokenId>> tokens_of(const Tokenizer& tokenizer,
                                                     std::span<const std::string> texts,
                                                     std::string_view lead) {
    std::vector<std::vector<TokenId>> all;
    for (const std::string& text : texts) {
      all.push_back(ids_of(text_tokens(tokenizer, std::string(lead) + text)));
    }
    return all;
  }

  void find_given() {
    given_depth_.assign(tree_.size(), 0);
    NodeId at = TokenTree::root;
    for (const TokenId token : given_) {
      at = tree_.child(at, token);
      if (at == TokenTree::none) break;
      given_depth_[at] = tree_.depth(at);
    }
    for (NodeId node = 1; node < tree_.size(); ++node) {
      given_depth_[node] = (std::max)(given_depth_[node], given_depth_[tree_.parent(node)]);
    }
  }

  std::vector<TokenId> given_;
  std::vector<std::uint32_t> given_depth_;  // by node: given tokens of its prefix
  TokenTree tree_;
  std::vector<NodeId> leaves_;  // by candidate
  std::unordered_map<NodeId, std::vector<std::uint32_t>> candidates_;
  std::vector<std::uint32_t> count_, longest_;
  std::vector<std::vector<Child>> children_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
