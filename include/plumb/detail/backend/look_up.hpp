// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely are given tokens after given prefixes, regardless of which concept the model meets?
//
//   log P(token | prefix) = logits[token] − log Σ_v exp(logits[v])
// All likelihood probes use the function `look_up`. A LookupLm answers directly. For any other
// CausalLm, the tokens' log-probabilities are computed from its rows. Each row is read once,
// without a copy, in the order in which the rows arrive.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/evaluate.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/kernels/log_softmax.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Marks a lookup that the model has not answered.
inline constexpr double no_answer = std::numeric_limits<double>::infinity();

/// Calls a model that answers lookups itself, and checks that the model follows its concept. Minus
/// infinity is a valid answer. NaN means that the model does not know the answer. Values slightly
/// above 0 are accepted as rounding errors.
template <LookupLm M>
void ask_lookups(M& model, const TokenTree& tree, std::span<const TokenLookup> lookups,
                 std::span<double> log_probabilities) {
  std::fill(log_probabilities.begin(), log_probabilities.end(), no_answer);
  model.look_up(tree, lookups, log_probabilities);
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const double nats = log_probabilities[i];
    if (nats <= 1e-3 || std::isnan(nats)) continue;
    throw user_error({.field = "look_up"},
                     (nats == no_answer ? "returned no log-probability for token "
                                        : "returned " + std::to_string(nats) + " for token ") +
                         std::to_string(lookups[i].token) + " at position " +
                         std::to_string(tree.depth(lookups[i].node)) +
                         (nats == no_answer ? "" : "; a log-probability must be 0 or less"),
                     "fix the model's look_up");
  }
}

/// Answers lookups from rows. The node `held` is evaluated too, even if no lookup needs it.
template <CausalLm M>
void read_lookups(M& model, const TokenTree& tree, std::span<const TokenLookup> lookups,
                  std::span<double> log_probabilities, NodeId held) {
  std::vector<NodeId> wanted;
  std::vector<std::size_t> begins;  // for each wanted node, the index of its first lookup
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    if (!wanted.empty() && wanted.back() == lookups[i].node) continue;
    wanted.push_back(lookups[i].node);
    begins.push_back(i);
  }
  begins.push_back(lookups.size());
  const std::vector<NodeId> asked = wanted;
  if (held != TokenTree::none && !ranges::binary_search(asked, held)) {
    wanted.insert(ranges::lower_bound(wanted, held), held);
  }
  evaluate_tree(model, tree, wanted, [&](NodeId node, std::span<const float> logits) {
    const auto found = ranges::lower_bound(asked, node);
    if (found == asked.end() || *found != node) return;
    const auto place = static_cast<std::size_t>(found - asked.begin());
    const double normalizer = log_sum_exp(logits);
    for (std::size_t i = begins[place]; i < begins[place + 1]; ++i) {
      log_probabilities[i] = log_probability(logits, lookups[i].token, normalizer);
    }
  });
}

/// Sets, for each lookup, the log-probability of its token after its node's prefix, in nats.
/// Lookups are distinct and ascending, and none refers to the root or to a node that was evaluated
/// before. A TreeCausalLm also evaluates `held`, so that later calls can continue from that node.
/// Throws a user error if the model's answers violate its concept, and for a token that has no
/// logit in the model's rows.
template <ScoringLm M>
void look_up(M& model, const TokenTree& tree, std::span<const TokenLookup> lookups,
             std::span<double> log_probabilities, NodeId held = TokenTree::none) {
  if constexpr (LookupLm<M>) {
    if (capabilities_of(model).lookups) {
      if (!lookups.empty()) detail::ask_lookups(model, tree, lookups, log_probabilities);
      return;
    }
  }
  if constexpr (CausalLm<M>) {
    const bool holds = held != TokenTree::none && holds_trees(model);
    if (lookups.empty() && !holds) return;
    detail::read_lookups(model, tree, lookups, log_probabilities, holds ? held : TokenTree::none);
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
