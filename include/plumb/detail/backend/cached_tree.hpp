// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tree that a model holds, and forgets when its owner goes.
//
// A model keeps what it was fed until it is told to release it; nodes that nobody releases fill its
// cache, and another tree's ids would be taken for theirs. So whoever feeds a model in trees owns one
// of these. It begins with a context, a chain from the root that stays while branches behind it come
// and go; a model that keeps nothing between calls is asked the same and told to release nothing.

#include <span>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/backend/look_up.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model must outlive it; nobody else may feed the model meanwhile. Not thread-safe.
template <class Model>
class CachedTree {
 public:
  explicit CachedTree(Model& model) : model_(model) {}
  CachedTree(const CachedTree&) = delete;
  CachedTree& operator=(const CachedTree&) = delete;
  ~CachedTree() { drop(); }

  [[nodiscard]] const TokenTree& tree() const noexcept { return tree_; }
  /// As TokenTree's; what is added is not fed yet.
  NodeId add(NodeId node, TokenId token) { return tree_.add(node, token); }
  NodeId insert(std::span<const TokenId> sequence, NodeId from = TokenTree::root) {
    return tree_.insert(sequence, from);
  }

  /// The context's tokens; their nodes are 1 … of the tree.
  [[nodiscard]] std::span<const TokenId> context() const noexcept { return context_; }
  [[nodiscard]] NodeId context_end() const noexcept { return static_cast<NodeId>(context_.size()); }

  /// Makes the model hold a context and nothing else. One that it does not hold yet is fed by
  /// `feed(its last node)`, unless it is empty; where that throws there is no context.
  template <class Feed>
  void hold(std::span<const TokenId> context, Feed feed) {
    if (ranges::equal(context, context_)) return back_to_context();
    drop();
    if (context.empty()) return;
    feed(tree_.insert(context));
    context_.assign(context.begin(), context.end());
    is_fed_ = false;
  }

  /// As evaluate_tree, TreeEmbedder's `embed`, and `look_up`.
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

  /// The model forgets a node and all behind it; the tree keeps their ids. The root is the whole
  /// tree, context and all.
  void release(NodeId node) {
    release_node(model_, tree_, node);
    if (node != TokenTree::root) return;
    context_.clear();
    is_fed_ = false;
  }

  /// The model forgets all behind the context, and the tree is cut back to it.
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
  bool is_fed_ = false;  // the model may hold nodes behind the context
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
