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

/// Calls `visit(node, logits)` once for each wanted node, then forgets the tree. Returns the number
/// of tokens the model was fed. `wanted` holds distinct nodes, none the root; `tree` is used whole:
/// every node that is not wanted must have a wanted descendant.
template <CausalLm M>
std::size_t evaluate_and_release(M& model, const TokenTree& tree, std::span<const NodeId> wanted,
                                 const LogitsVisitor& visit) {
  if constexpr (TreeCausalLm<M>) {
    model.evaluate(tree, wanted, visit);
    model.release(tree, TokenTree::root);
    return tree.size() - 1;
  } else {
    std::vector<bool> pending(tree.size(), false);
    std::vector<bool> inner(tree.size(), false);
    for (const NodeId node : wanted) pending[node] = true;
    for (NodeId node = 1; node < tree.size(); ++node) inner[tree.parent(node)] = true;
    std::size_t fed = 0;
    for (NodeId leaf = 1; leaf < tree.size(); ++leaf) {
      if (inner[leaf]) continue;
      const std::vector<TokenId> sequence = tree.prefix(leaf);
      std::vector<NodeId> path(sequence.size());
      for (NodeId node = leaf, at = tree.depth(leaf); at-- > 0; node = tree.parent(node)) {
        path[at] = node;
      }
      fed += sequence.size();
      model.evaluate(std::span<const TokenId>(sequence),
                     [&](std::uint32_t position, std::span<const float> logits) {
                       if (!pending[path[position]]) return;
                       pending[path[position]] = false;
                       visit(path[position], logits);
                     });
    }
    return fed;
  }
}

}  // namespace plumb
