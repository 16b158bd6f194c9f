// SPDX-License-Identifier: Apache-2.0
#pragma once

// A token tree that a model holds. When this object is destroyed, the model forgets the tree.
//
// A model keeps the nodes that it was fed until they are released. Nodes that are never released
// fill its cache, and their ids could be confused with those of another tree. So all code that
// feeds trees to a model owns a CachedTree. The tree begins with a context: a chain from the root
// that stays while branches after it are added and released. A model that keeps nothing between
// calls receives the same requests, but no releases.

#include <span>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/backend/look_up.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model must outlive this object, and no other code may feed the model while this object
/// exists. Not thread-safe.
template <class Model>
class CachedTree {
 public:
  explicit CachedTree(Model& model) : model_(model) {}
  CachedTree(const CachedTree&) = delete;
  CachedTree& operator=(const CachedTree&) = delete;
  ~CachedTree() { drop(); }

  [[nodiscard]] const TokenTree& tree() const noexcept { return tree_; }
  /// Works like TokenTree::add; the new node is not fed yet.
  NodeId add(NodeId node, TokenId token) { return tree_.add(node, token); }
  NodeId insert(std::span<const TokenId> sequence, NodeId from = TokenTree::root) {
    return tree_.insert(sequence, from);
  }

  /// The context's tokens. Their tree nodes are numbered from 1.
  [[nodiscard]] std::span<const TokenId> context() const noexcept { return context_; }
  [[nodiscard]] NodeId context_end() const noexcept { return static_cast<NodeId>(context_.size()); }

  /// Makes the model hold only the given context. If the context is not empty and the model does
  /// not hold it yet, calls `feed(its last node)` to feed it. If that call throws, the tree has no
  /// context.
  template <class Feed>
  void hold(std::span<const TokenId> context, Feed feed) {
    if (ranges::equal(context, context_)) return back_to_context();
    drop();
    if (context.empty()) return;
    feed(tree_.insert(context));
    context_.assign(context.begin(), context.end());
    is_fed_ = false;
  }

  /// These work like evaluate_tree, TreeEmbedder's `embed` and `look_up`.
  void evaluate(std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    is_fed_ = true;
    evaluate_tree(model_, tree_, wanted, visit);
  }
  void embed(std::span<const NodeId> wanted, const LogitsVisitor& visit) {
    is_fed_ = true;
    detail::refuse_unsorted(wanted);
    model_.embed(tree_, wanted, visit);
  }
  void look_up(std::span<const TokenLookup> lookups, std::span<double> log_probabilities,
               NodeId held = TokenTree::none) {
    is_fed_ = true;
    plumb::detail::look_up(model_, tree_, lookups, log_probabilities, held);
  }

  /// The model forgets a node and all nodes after it; the tree keeps their ids. Releasing the root
  /// releases the whole tree, including the context.
  void release(NodeId node) {
    release_node(model_, tree_, node);
    if (node != TokenTree::root) return;
    context_.clear();
    is_fed_ = false;
  }

  /// The model forgets all nodes after the context, and the tree is truncated to the context.
  void back_to_context() {
    if (is_fed_ && context_.empty()) release_node(model_, tree_, TokenTree::root);
    for (NodeId node = context_end() + 1; is_fed_ && !context_.empty() && node < tree_.size();
         ++node) {
      if (tree_.parent(node) <= context_end()) release_node(model_, tree_, node);
    }
    tree_.shrink(context_.size() + 1);
    is_fed_ = false;
  }

  /// Forgets everything.
  void drop() {
    if (is_fed_ || !context_.empty()) release_node(model_, tree_, TokenTree::root);
    context_.clear();
    tree_.clear();
    is_fed_ = false;
  }

 private:
  Model& model_;
  TokenTree tree_;
  std::vector<TokenId> context_;
  bool is_fed_ = false;  // the model may hold nodes after the context
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
