// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a tree evaluated by a model that may know nothing of trees?
//
// One entry for every scorer: a TreeCausalLm gets the tree, any other CausalLm gets each branch as
// a sequence of its own and the rows of shared prefixes are passed on once. Both give the same
// scores.

#include <span>
#include <vector>

#include "plumb/backend/concepts.hpp"

namespace plumb {

/// A model without trees holds one branch, of any length it can take.
template <CausalLm M>
[[nodiscard]] TreeLimits tree_limits(M& model) {
  if constexpr (TreeCausalLm<M>) {
    return model.tree_limits();
  } else {
    return {model.context_length(), 1, model.context_length()};
  }
}

/// Makes a model that holds a tree forget all nodes but those up to id `kept`, which are a chain from
/// the root.
template <class M>
void release_behind(M& model, const TokenTree& tree, NodeId kept) {
  if (kept == TokenTree::root) return model.release(tree, TokenTree::root);
  for (NodeId node = kept + 1; node < tree.size(); ++node) {
    if (tree.parent(node) <= kept) model.release(tree, node);
  }
}

/// Calls `visit(node, logits)` once for each wanted node, then forgets all nodes but those up to id
/// `kept`, which are a chain from the root. A TreeCausalLm need not be fed these again when the
/// tree, shrunk to them and grown anew, is evaluated next; any other model keeps nothing and is
/// given `kept` 0. `wanted` holds distinct nodes, none the root and none kept from before.
template <CausalLm M>
void evaluate_and_release(M& model, const TokenTree& tree, std::span<const NodeId> wanted,
                          const LogitsVisitor& visit, NodeId kept = TokenTree::root) {
  if constexpr (TreeCausalLm<M>) {
    model.evaluate(tree, wanted, visit);
    release_behind(model, tree, kept);
  } else {
    std::vector<bool> pending(tree.size(), false);
    std::vector<bool> inner(tree.size(), false);  // a node below it is wanted
    for (const NodeId node : wanted) pending[node] = true;
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
      model.evaluate(std::span<const TokenId>(sequence),
                     [&](std::uint32_t position, std::span<const float> logits) {
                       if (!pending[path[position]]) return;
                       pending[path[position]] = false;
                       visit(path[position], logits);
                     });
    }
  }
}

}  // namespace plumb
