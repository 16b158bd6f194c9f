// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a tree evaluated by a model that may not support trees?
//
// All scorers evaluate trees through the same function. A TreeCausalLm receives the tree. Any other
// CausalLm receives each branch as a separate sequence, and the rows of shared prefixes are passed
// on only once. Both ways yield the same scores.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/token_tree.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The tree limits of a model. A model without trees or lookups holds one branch, up to its context
/// length.
template <ScoringLm M>
[[nodiscard]] TreeLimits tree_limits(M& model) {
  if constexpr (TreeCausalLm<M> || LookupLm<M>) {
    const Capabilities can = capabilities_of(model);
    if (can.trees || can.lookups) return model.tree_limits();
  }
  return {model.context_length(), 1, model.context_length()};
}

inline Error evaluate_error(const std::string& problem) {
  return user_error({.field = "evaluate"}, problem, "fix the model's evaluate");
}

/// Checks that wanted nodes are ascending and distinct, as the TreeCausalLm concept guarantees.
inline void refuse_unsorted(std::span<const NodeId> wanted) {
  if (std::adjacent_find(wanted.begin(), wanted.end(), std::greater_equal<>()) == wanted.end()) {
    return;
  }
  throw internal_error({}, "wanted nodes are not ascending and distinct",
                       "sort the wanted nodes and remove duplicates");
}

/// Passes rows on and checks that the model follows its concept: it must provide each wanted node's
/// row exactly once, and the row must be as long as the vocabulary.
class CheckedRows {
 public:
  CheckedRows(const TokenTree& tree, std::span<const NodeId> wanted, std::size_t vocabulary,
              const LogitsVisitor& visit)
      : tree_(tree), visit_(visit), vocabulary_(vocabulary), pending_(tree.size(), false) {
    for (const NodeId node : wanted) pending_[node] = true;
  }

  [[nodiscard]] bool wants(NodeId node) const { return node < pending_.size() && pending_[node]; }

  /// Throws a user error for a row that was not requested or was already provided, and for a row of
  /// the wrong length.
  void operator()(NodeId node, std::span<const float> logits) {
    if (!wants(node)) {
      throw evaluate_error("returned a row for node " + std::to_string(node) +
                           ", which was not requested or had already been returned");
    }
    if (logits.size() != vocabulary_) {
      throw evaluate_error("returned a row of " + std::to_string(logits.size()) +
                           " logits, but vocabulary_size() is " + std::to_string(vocabulary_));
    }
    pending_[node] = false;
    visit_(node, logits);
  }

  /// Throws a user error if a row is still missing.
  void finish() const {
    const auto missing = std::find(pending_.begin(), pending_.end(), true);
    if (missing == pending_.end()) return;
    const auto node = static_cast<NodeId>(missing - pending_.begin());
    throw evaluate_error("returned no row for the token at position " +
                         std::to_string(tree_.depth(node) - 1));
  }

 private:
  const TokenTree& tree_;
  const LogitsVisitor& visit_;
  std::size_t vocabulary_;
  std::vector<bool> pending_;
};

/// Whether a model evaluates trees and keeps the nodes that it evaluated.
template <class M>
[[nodiscard]] bool holds_trees(M& model) {
  if constexpr (TreeCausalLm<M>) return capabilities_of(model).trees;
  return false;
}

/// Calls `visit(node, logits)` once for each wanted node, in any order. A TreeCausalLm then holds
/// these nodes and all nodes above them; any other model keeps nothing. `wanted` contains distinct
/// nodes in ascending order, excluding the root and nodes that are already held. Throws a user
/// error if the model's rows violate its concept, and an internal error if `wanted` is not
/// ascending.
template <CausalLm M>
void evaluate_tree(M& model, const TokenTree& tree, std::span<const NodeId> wanted,
                   const LogitsVisitor& visit) {
  detail::refuse_unsorted(wanted);
  detail::CheckedRows rows(tree, wanted, model.vocabulary_size(), visit);
  if constexpr (TreeCausalLm<M>) {
    if (holds_trees(model)) {
      model.evaluate(tree, wanted,
                     [&](NodeId node, std::span<const float> logits) { rows(node, logits); });
      return rows.finish();
    }
  }
  std::vector<bool> inner(tree.size(), false);  // whether a node below this one is wanted
  for (NodeId node : wanted) {
    while ((node = tree.parent(node)) != TokenTree::root && !inner[node]) inner[node] = true;
  }
  for (const NodeId leaf : wanted) {
    if (inner[leaf]) continue;
    const std::vector<TokenId> sequence = tree.prefix(leaf);
    std::vector<NodeId> path(sequence.size());
    for (NodeId node = leaf, at = tree.depth(leaf); at-- > 0; node = tree.parent(node)) {
      path[at] = node;
    }
    std::uint32_t next = 0;
    model.evaluate(std::span<const TokenId>(sequence), [&](std::uint32_t position,
                                                           std::span<const float> logits) {
      if (position >= path.size()) {
        throw detail::evaluate_error("returned a row for position " + std::to_string(position) +
                                     " of " + std::to_string(path.size()) +
                                     "; positions count from 0");
      }
      if (position < next) {
        throw detail::evaluate_error("returned a row for position " + std::to_string(position) +
                                     " twice, or after the row of a later position");
      }
      next = position + 1;
      if (rows.wants(path[position])) rows(path[position], logits);
    });
  }
  rows.finish();
}

/// Throws a user error for a model that neither provides whole rows of logits nor continues texts
/// on its own. The message begins with `needs`, for example "generating needs".
template <class M>
void require_rows(const M& model, const Site& site, const std::string& needs,
                  const std::string& remedy) {
  const Capabilities can = capabilities_of(model);
  if (can.causal || can.generates) return;
  throw user_error(
      site,
      needs + " the likelihoods of all possible next tokens, but this backend looks up only " +
          "given ones",
      remedy);
}

/// Makes a model that holds a tree forget a node and all nodes after it. Any other model holds
/// nothing.
template <class M>
void release_node(M& model, const TokenTree& tree, NodeId node) {
  if constexpr (requires { model.release(tree, node); }) {
    const Capabilities can = capabilities_of(model);
    if (can.trees || can.tree_embeddings || can.lookups) model.release(tree, node);
  }
}

/// Evaluates a sequence as a tree and calls `visit(position, logits)` for each position. Releases
/// all nodes that the model held.
template <class M>
void evaluate_as_tree(M& model, std::span<const TokenId> sequence, const LogitsVisitor& visit) {
  TokenTree tree;
  tree.insert(sequence);
  std::vector<NodeId> wanted(sequence.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<NodeId>(i + 1);
  model.release(tree, TokenTree::root);
  model.evaluate(tree, wanted,
                 [&](NodeId node, std::span<const float> row) { visit(node - 1, row); });
  model.release(tree, TokenTree::root);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
