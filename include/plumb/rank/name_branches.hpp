// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which names behind which prompts does the model hold?
//
// One tree for many prompts that begin alike: what they share is held all the while, each prompt is
// a branch of its own, and behind it hangs what was fed of the trie of names. Branches may be given
// up and are fed again when they are needed. A model without branches is fed prefix by prefix.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/backend/concepts.hpp"
#include "plumb/backend/evaluate.hpp"
#include "plumb/core/token_tree.hpp"
#include "plumb/score/name_trie.hpp"

namespace plumb {

/// Nodes and branches of a tree.
struct TreeRoom {
  std::size_t nodes = 0, leaves = 0;

  [[nodiscard]] bool holds(const TreeRoom& other) const {
    return other.nodes <= nodes && other.leaves <= leaves;
  }
  /// What is left of it.
  [[nodiscard]] TreeRoom without(const TreeRoom& other) const {
    return {nodes - std::min(nodes, other.nodes), leaves - std::min(leaves, other.leaves)};
  }
};

/// A prompt with the names behind it. Trie nodes are told by their ids; the trie's root is the
/// prompt's last token.
struct PromptBranch {
  std::span<const TokenId> prompt;
  /// The tree nodes of trie nodes.
  std::unordered_map<NodeId, NodeId> nodes{};
  /// Trie nodes the model holds.
  std::set<NodeId> held{};
};

/// Not thread-safe. Model and trie must outlive it; nobody else may ask the model meanwhile.
template <CausalLm Model>
class NameBranches {
 public:
  NameBranches(Model& model, const NameTrie& trie)
      : model_(model), trie_(trie), limits_(plumb::tree_limits(model)) {}
  NameBranches(const NameBranches&) = delete;
  NameBranches& operator=(const NameBranches&) = delete;
  ~NameBranches() { drop(); }

  [[nodiscard]] const TreeLimits& limits() const noexcept { return limits_; }
  [[nodiscard]] bool has_branches() const { return limits_.leaves > 1; }
  /// Tokens that all prompts begin with and the model holds.
  [[nodiscard]] std::size_t context() const noexcept { return context_; }

  /// What was fed so far: of names, and of what comes before them.
  [[nodiscard]] std::uint64_t fed_names() const noexcept { return fed_names_; }
  [[nodiscard]] std::uint64_t fed_prompts() const noexcept { return fed_prompts_; }

  /// Begins anew with what all prompts begin with.
  void hold_context(std::span<const TokenId> context) {
    drop();
    if (!has_branches() || context.empty()) return;
    context_ = context.size();
    fed_prompts_ += context_;
    const NodeId end = tree_.insert(context);
    if constexpr (TreeCausalLm<Model>) {
      evaluate_tree(model_, tree_, std::span(&end, 1), [](NodeId, std::span<const float>) {});
    }
  }

  /// A prompt that goes on from the context; nothing of it is fed yet.
  [[nodiscard]] PromptBranch add(std::span<const TokenId> prompt) {
    PromptBranch branch{prompt};
    branch.nodes[TokenTree::root] =
        tree_.insert(prompt.subspan(context_), static_cast<NodeId>(context_));
    return branch;
  }

  /// What a branch holds.
  [[nodiscard]] TreeRoom held_by(const PromptBranch& branch) const {
    if (branch.held.empty()) return {};
    return {branch.prompt.size() - context_ + branch.held.size() - 1, ends_of(branch.held)};
  }

  /// What the wanted trie nodes need beside what their branch holds.
  [[nodiscard]] TreeRoom needs(const PromptBranch& branch, std::span<const NodeId> wanted) const {
    std::set<NodeId> all = branch.held;
    std::size_t added = 0;
    for (NodeId node : wanted) {
      for (; all.insert(node).second; node = trie_.tree().parent(node)) {
        added += node == TokenTree::root ? branch.prompt.size() - context_ : 1;
        if (node == TokenTree::root) break;
      }
    }
    return {added, ends_of(all) - ends_of(branch.held)};
  }

  using Chosen = std::vector<std::pair<PromptBranch*, std::span<const NodeId>>>;

  /// Calls `visit(branch, trie node, logits)` once for each trie node that is chosen of a branch.
  template <class Visit>
  void evaluate(const Chosen& chosen, Visit visit) {
    if (!has_branches()) return evaluate_one_by_one(chosen, visit);
    std::vector<NodeId> wanted;
    std::unordered_map<NodeId, std::pair<PromptBranch*, NodeId>> of;
    for (const auto& [branch, names] : chosen) {
      for (const NodeId name : names) {
        wanted.push_back(place(*branch, name));
        of[wanted.back()] = {branch, name};
        for (NodeId at = name; branch->held.insert(at).second; at = trie_.tree().parent(at)) {
          if (at == TokenTree::root) {
            use(*branch);
            break;
          }
          ++fed_names_;
        }
      }
    }
    if constexpr (TreeCausalLm<Model>) {
      evaluate_tree(model_, tree_, wanted, [&](NodeId node, std::span<const float> row) {
        const auto& [branch, name] = of.at(node);
        visit(*branch, name, row);
      });
    }
  }

  /// The model keeps the prompt alone.
  void forget_names(PromptBranch& branch) {
    for (const NodeId node : branch.held) {
      if (node != TokenTree::root && trie_.tree().parent(node) == TokenTree::root) {
        release_node(model_, tree_, branch.nodes.at(node));
      }
    }
    branch.held = {TokenTree::root};
  }

  /// Releases a prompt and its names, but for what another one that is held begins with too.
  void release(PromptBranch& branch) {
    if (branch.held.empty()) return;
    branch.held.clear();
    NodeId top = TokenTree::none;
    for (NodeId node = branch.nodes.at(TokenTree::root); node > context_;
         node = tree_.parent(node)) {
      if (--users_.at(node) == 0) top = node;
    }
    release_node(model_, tree_, top);
  }

  void drop() {
    if (tree_.size() > 1) release_node(model_, tree_, TokenTree::root);
    tree_.clear();
    users_.clear();
    context_ = 0;
  }

 private:
  template <class Visit>
  void evaluate_one_by_one(const Chosen& chosen, Visit visit) {
    for (const auto& [branch, names] : chosen) {
      for (const NodeId name : names) {
        const NodeId node = place(*branch, name);
        fed_names_ += trie_.tree().depth(name);
        fed_prompts_ += branch->prompt.size();
        evaluate_and_release(
            model_, tree_, std::span(&node, 1),
            [&](NodeId, std::span<const float> row) { visit(*branch, name, row); });
      }
    }
  }

  /// The tree node of a trie node behind a prompt.
  NodeId place(PromptBranch& branch, NodeId node) {
    if (const auto found = branch.nodes.find(node); found != branch.nodes.end()) {
      return found->second;
    }
    const NodeId above = place(branch, trie_.tree().parent(node));
    return branch.nodes[node] = tree_.add(above, trie_.tree().token(node));
  }

  /// Nodes without one of theirs below.
  [[nodiscard]] std::size_t ends_of(const std::set<NodeId>& nodes) const {
    std::set<NodeId> inner;
    for (const NodeId node : nodes) {
      if (node != TokenTree::root) inner.insert(trie_.tree().parent(node));
    }
    return nodes.size() - inner.size();
  }

  void use(const PromptBranch& branch) {
    for (NodeId node = branch.nodes.at(TokenTree::root); node > context_;
         node = tree_.parent(node)) {
      fed_prompts_ += ++users_[node] == 1 ? 1 : 0;
    }
  }

  Model& model_;
  const NameTrie& trie_;
  TreeLimits limits_;
  TokenTree tree_;
  std::size_t context_ = 0;                          // tokens the model holds: nodes 1 … of tree_
  std::unordered_map<NodeId, std::uint32_t> users_;  // by prompt's tree node: prompts held
  std::uint64_t fed_names_ = 0, fed_prompts_ = 0;
};

}  // namespace plumb
