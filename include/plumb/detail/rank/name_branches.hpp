// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts does the model hold, and which of the names that follow each prompt does it hold?
//
// One tree serves many prompts with a common beginning. Their shared tokens stay in the model; each
// prompt is a branch, followed by the part of the name trie that has been fed. Branches may be
// released; they are fed again when needed. If a model does not support branches, prefixes are fed
// to it one by one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/backend/cached_tree.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/score/name_trie.hpp"
#include "plumb/detail/score/token_lookups.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An amount of room, measured in nodes and branches.
struct TreeRoom {
  std::size_t nodes = 0, leaves = 0;

  [[nodiscard]] bool holds(const TreeRoom& other) const {
    return other.nodes <= nodes && other.leaves <= leaves;
  }
  /// The room left after subtracting `other`.
  [[nodiscard]] TreeRoom without(const TreeRoom& other) const {
    return {nodes - (std::min)(nodes, other.nodes), leaves - (std::min)(leaves, other.leaves)};
  }
};

/// A prompt and the names that follow it. Trie nodes are identified by id; the trie's root is the
/// prompt's last token.
struct PromptBranch {
  std::span<const TokenId> prompt;
  /// Maps trie nodes to tree nodes.
  std::unordered_map<NodeId, NodeId> nodes{};
  /// Trie nodes that the model holds.
  std::set<NodeId> held{};
};

/// Not thread-safe. The model and the trie must outlive this object. While it exists, nothing else
/// may use the model.
template <ScoringLm Model>
class NameBranches {
 public:
  NameBranches(Model& model, const NameTrie& trie)
      : trie_(trie), limits_(plumb::detail::tree_limits(model)), tree_(model) {}

  [[nodiscard]] const TreeLimits& limits() const noexcept { return limits_; }
  [[nodiscard]] bool has_branches() const { return limits_.leaves > 1; }
  /// The number of tokens in the prefix shared by all prompts; the model holds these tokens.
  [[nodiscard]] std::size_t context() const noexcept { return tree_.context().size(); }

  /// The number of tokens fed so far for names, and for the prompts before them.
  [[nodiscard]] std::uint64_t fed_names() const noexcept { return fed_names_; }
  [[nodiscard]] std::uint64_t fed_prompts() const noexcept { return fed_prompts_; }

  /// Releases everything, then feeds the prefix shared by all prompts.
  void hold_context(std::span<const TokenId> context) {
    drop();
    if (!has_branches()) return;
    tree_.hold(context, [&](NodeId end) { tree_.look_up({}, {}, end); });
    fed_prompts_ += context.size();
  }

  /// Adds a prompt that continues the context; nothing is fed yet.
  [[nodiscard]] PromptBranch add(std::span<const TokenId> prompt) {
    PromptBranch branch{prompt};
    branch.nodes[TokenTree::root] = tree_.insert(prompt.subspan(context()), tree_.context_end());
    return branch;
  }

  /// The room that a branch occupies.
  [[nodiscard]] TreeRoom held_by(const PromptBranch& branch) const {
    if (branch.held.empty()) return {};
    return {branch.prompt.size() - context() + branch.held.size() - 1, ends_of(branch.held)};
  }

  /// The room needed for the wanted trie nodes, beyond what their branch already holds.
  [[nodiscard]] TreeRoom needs(const PromptBranch& branch, std::span<const NodeId> wanted) const {
    std::set<NodeId> all = branch.held;
    std::size_t added = 0;
    for (NodeId node : wanted) {
      for (; all.insert(node).second; node = trie_.tree().parent(node)) {
        added += node == TokenTree::root ? branch.prompt.size() - context() : 1;
        if (node == TokenTree::root) break;
      }
    }
    return {added, ends_of(all) - ends_of(branch.held)};
  }

  using Chosen = std::vector<std::pair<PromptBranch*, std::span<const NodeId>>>;

  /// Calls `visit(branch, trie node, nats)` once for each chosen trie node of a branch, with the
  /// log-probabilities of the node's children, in order.
  template <class Visit>
  void evaluate(const Chosen& chosen, Visit visit) {
    if (!has_branches()) return evaluate_one_by_one(chosen, visit);
    lookups_.clear();
    for (const auto& [branch, names] : chosen) {
      for (const NodeId name : names) {
        ask(place(*branch, name), name);
        for (NodeId at = name; branch->held.insert(at).second; at = trie_.tree().parent(at)) {
          if (at == TokenTree::root) {
            use(*branch);
            break;
          }
          ++fed_names_;
        }
      }
    }
    answer();
    std::size_t slot = 0;
    for (const auto& [branch, names] : chosen) {
      for (const NodeId name : names) visit(*branch, name, children_of(name, slot));
    }
  }

  /// Releases a branch's names; the model keeps the prompt.
  void forget_names(PromptBranch& branch) {
    for (const NodeId node : branch.held) {
      if (node != TokenTree::root && trie_.tree().parent(node) == TokenTree::root) {
        tree_.release(branch.nodes.at(node));
      }
    }
    branch.held = {TokenTree::root};
  }

  /// Releases a prompt and its names, except the tokens that it shares with another held prompt.
  void release(PromptBranch& branch) {
    if (branch.held.empty()) return;
    branch.held.clear();
    NodeId top = TokenTree::none;
    for (NodeId node = branch.nodes.at(TokenTree::root); node > tree_.context_end();
         node = tree_.tree().parent(node)) {
      if (--users_.at(node) == 0) top = node;
    }
    if (top != TokenTree::none) tree_.release(top);
  }

  void drop() {
    tree_.drop();
    users_.clear();
  }

 private:
  template <class Visit>
  void evaluate_one_by_one(const Chosen& chosen, Visit visit) {
    for (const auto& [branch, names] : chosen) {
      for (const NodeId name : names) {
        lookups_.clear();
        ask(place(*branch, name), name);
        fed_names_ += trie_.tree().depth(name);
        fed_prompts_ += branch->prompt.size();
        answer();
        tree_.release(TokenTree::root);
        std::size_t slot = 0;
        visit(*branch, name, children_of(name, slot));
      }
    }
  }

  /// Adds lookups of all children of a trie node.
  void ask(NodeId node, NodeId name) {
    for (const NameTrie::Child& child : trie_.children(name)) lookups_.ask(node, child.token);
  }

  void answer() {
    lookups_.prepare();
    tree_.look_up(lookups_.lookups(), lookups_.answers());
    const auto unknown =
        ranges::find_if(lookups_.answers(), [](double nats) { return std::isnan(nats); });
    if (unknown == lookups_.answers().end()) return;
    const auto nth = static_cast<std::size_t>(unknown - lookups_.answers().begin());
    throw user_error({.field = "look_up"},
                     "the engine did not report the likelihood of token " +
                         std::to_string(lookups_.lookups()[nth].token) +
                         " (which continues a name)",
                     "use an engine that reports every token");
  }

  /// The log-probabilities of a trie node's children, starting at `slot`. Advances `slot` past
  /// them. Valid until the next call.
  [[nodiscard]] std::span<const double> children_of(NodeId name, std::size_t& slot) {
    nats_.clear();
    for (std::size_t i = 0; i < trie_.children(name).size(); ++i) nats_.push_back(lookups_[slot++]);
    return nats_;
  }

  /// The tree node for a trie node that follows a prompt.
  NodeId place(PromptBranch& branch, NodeId node) {
    if (const auto found = branch.nodes.find(node); found != branch.nodes.end()) {
      return found->second;
    }
    const NodeId above = place(branch, trie_.tree().parent(node));
    return branch.nodes[node] = tree_.add(above, trie_.tree().token(node));
  }

  /// The number of nodes without a descendant in `nodes`.
  [[nodiscard]] std::size_t ends_of(const std::set<NodeId>& nodes) const {
    std::set<NodeId> inner;
    for (const NodeId node : nodes) {
      if (node != TokenTree::root) inner.insert(trie_.tree().parent(node));
    }
    return nodes.size() - inner.size();
  }

  void use(const PromptBranch& branch) {
    for (NodeId node = branch.nodes.at(TokenTree::root); node > tree_.context_end();
         node = tree_.tree().parent(node)) {
      if (++users_[node] == 1) ++fed_prompts_;
    }
  }

  const NameTrie& trie_;
  TreeLimits limits_;
  CachedTree<Model> tree_;
  TokenLookups lookups_;
  std::vector<double> nats_;
  std::unordered_map<NodeId, std::uint32_t> users_;  // by prompt node: the number of held prompts
                                                     // that contain it
  std::uint64_t fed_names_ = 0, fed_prompts_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
