// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which candidates can continue a prefix?
//
// This is a trie of the candidates' tokens after a prompt. The prompt and the candidate are
// tokenised as one text. The lead is the part at the end of the prompt that affects this
// tokenisation (token_joins.hpp), so prompts with the same lead share a trie. If a candidate's
// token spans the boundary, the trie begins before the end of the prompt, at the earliest such
// token. The prompt's own tokens in the trie are called given tokens; they contribute nothing to a
// candidate's score. No candidate may be a prefix of another (a closing bracket ensures this), so
// every candidate is a leaf. Candidates with equal tokens share a leaf.

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

/// Any number of threads may read the same trie.
class NameTrie {
 public:
  struct Child {
    TokenId token;
    NodeId node;
  };

  /// The trie of texts after a lead. Throws a user error if a text has no tokens, or if its tokens
  /// are a prefix of another text's tokens.
  template <class Tokenizer>
  NameTrie(const Tokenizer& tokenizer, std::span<const std::string> texts,
           std::string_view lead = {})
      : NameTrie(tokens_of(tokenizer, texts, lead), texts,
                 lead.empty() ? std::vector<TokenId>() : ids_of(text_tokens(tokenizer, lead))) {}

  /// The trie of texts whose tokens are known. `own` contains the lead's tokens. Each element of
  /// `tokens` either begins with all of these tokens or diverges from them earlier.
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
      throw user_error({.field = "candidate"}, "'" + texts[i] + "' has no tokens", "remove it");
    }
    count_.assign(tree_.size(), 0);
    longest_.assign(tree_.size(), 0);
    children_.resize(tree_.size());
    for (auto node = static_cast<NodeId>(tree_.size() - 1); node != TokenTree::root; --node) {
      const NodeId parent = tree_.parent(node);
      if (const auto found = candidates_.find(node); found != candidates_.end()) {
        if (!children_[node].empty()) {
          NodeId longer = node;
          while (!children_[longer].empty()) longer = children_[longer].front().node;
          throw user_error({.field = "candidate"},
                           "'" + texts[found->second.front()] +
                               "' is the beginning of another candidate, '" +
                               texts[candidates_.at(longer).front()] + "'",
                           "rename one of them, or end every candidate with a text that occurs "
                           "inside none");
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
  /// The last tokens of the prompt, which are part of the trie; the trie's root represents the
  /// prompt without them.
  [[nodiscard]] std::span<const TokenId> given() const noexcept { return given_; }
  /// Whether a node's last token is a given token.
  [[nodiscard]] bool is_given(NodeId node) const { return given_depth_[node] == tree_.depth(node); }
  /// The number of tokens in a node's prefix that belong to a candidate, that is, are not given
  /// tokens.
  [[nodiscard]] std::size_t length(NodeId node) const {
    return tree_.depth(node) - given_depth_[node];
  }
  /// Whether a node is a candidate; all other nodes have children.
  [[nodiscard]] bool is_leaf(NodeId node) const { return children_[node].empty(); }
  [[nodiscard]] std::span<const Child> children(NodeId node) const { return children_[node]; }
  [[nodiscard]] NodeId leaf(std::size_t candidate) const { return leaves_[candidate]; }
  /// The candidates of a leaf, in ascending order.
  [[nodiscard]] std::span<const std::uint32_t> candidates(NodeId leaf) const {
    return candidates_.at(leaf);
  }
  /// The number of candidates at or below a node, and the length of the longest of them.
  [[nodiscard]] std::size_t count(NodeId node) const { return count_[node]; }
  [[nodiscard]] std::size_t longest(NodeId node) const { return longest_[node]; }
  [[nodiscard]] std::size_t size() const noexcept { return leaves_.size(); }
  /// The number of nodes with children, excluding the root, which equals the number of nodes that
  /// exhaustive scoring feeds per query.
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
  std::vector<std::uint32_t> given_depth_;  // by node: the number of given tokens in its prefix
  TokenTree tree_;
  std::vector<NodeId> leaves_;  // by candidate
  std::unordered_map<NodeId, std::vector<std::uint32_t>> candidates_;
  std::vector<std::uint32_t> count_, longest_;
  std::vector<std::vector<Child>> children_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
