// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which statements are scored together?
//
// Sorting the statements by their tokens puts them in the order in which a walk through their trie
// visits them. So a run of consecutive statements forms a contiguous piece of the trie. If the
// sorted list is cut into runs ("packs"), only the path to each cut is fed again. Let S be the
// running total of the nodes that each statement adds beyond those of the previous statement. Then
// the pack of statements i … j−1 has (length_i − 1) + S_j − S_{i+1} nodes. The cuts minimise the
// sum over all packs of
//   cost(pack) = nodes · (1 + cells / attention_scale) + step_cost · ⌈nodes / batch⌉.
// Dynamic programming over the sorted list finds them. Each step has a fixed cost, and attention covers all cells of the cache, including the context's, in whole blocks. The best packs
// are therefore neither tiny nor huge and just fill a block, and the best cuts are where paths are
// short. A statement's last token is not fed if only its probability is needed, because the row of
// its parent contains that probability. Tokens that statements share with the block's context
// remain in the model's cache and cost nothing: the tries grow from the context's nodes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/score/tokenized_statements.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct PackPlan {
  /// Statements in the order of the trie walk.
  std::vector<std::uint32_t> order;
  /// Pack p is order[begins[p]] … order[begins[p + 1] − 1].
  std::vector<std::uint32_t> begins;
  /// The number of nodes fed for each pack, excluding the context's nodes.
  std::vector<std::uint64_t> nodes;
  /// The number of nodes in the whole trie that have a successor, excluding the context's nodes.
  std::uint64_t tree_nodes = 0;
  /// The number of nodes that are fed, summed over packs.
  std::uint64_t pack_nodes = 0;

  [[nodiscard]] std::size_t packs() const { return begins.empty() ? 0 : begins.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> pack(std::size_t p) const {
    return std::span(order).subspan(begins[p], begins[p + 1] - begins[p]);
  }

  /// Passes the members to a ByteWriter or ByteReader.
  template <class Archive>
  void archive(Archive& of) {
    of(order, begins, nodes, tree_nodes, pack_nodes);
  }
};

/// Whether a statement's last token is fed. This is needed to obtain the token's own row or vector,
/// but not its probability.
enum class LastToken { is_predicted, is_fed };

// Costs in tokens. The fixed cost of a step and the slope of attention were measured with
// SmolLM2-135M on two cores (362 nodes/s at 256 nodes per pack, 329 at 512). Plans are insensitive
// to small changes in these values.
inline constexpr double step_cost = 24;
inline constexpr double attention_scale = 2300;

/// The number of nodes that a statement adds to the context if it is fed alone.
inline std::size_t inner_length(const TokenizedStatements& statements, std::size_t statement,
                                LastToken last) {
  const std::size_t rest = statements.rest(statement).size();
  return last == LastToken::is_fed || rest == 0 ? rest : rest - 1;
}

/// Plans the packs of a block. A statement with more nodes than the limit forms its own pack; the
/// caller has already rejected statements longer than the model's context.
[[nodiscard]] inline PackPlan plan_packs(const TokenizedStatements& statements, TreeLimits limits,
                                         LastToken last = LastToken::is_predicted) {
  const std::size_t count = statements.size();
  PackPlan plan;
  plan.order.resize(count);
  std::iota(plan.order.begin(), plan.order.end(), 0U);
  ranges::sort(plan.order, [&](std::uint32_t a, std::uint32_t b) {
    if (const auto x = statements.shared(a), y = statements.shared(b); x != y) return x < y;
    const auto x = statements.rest(a);
    const auto y = statements.rest(b);
    const std::size_t same = common_prefix(x, y);
    if (same < x.size() && same < y.size()) return x[same] < y[same];
    return x.size() != y.size() ? x.size() < y.size() : a < b;
  });
  const auto inner = [&](std::size_t k) {
    return detail::inner_length(statements, plan.order[k], last);
  };
  limits = limits.filled();
  if (!statements.context().empty()) {
    limits.nodes -= (std::min)(limits.nodes, statements.context().size());
    limits.leaves -= std::min<std::size_t>(limits.leaves, 1);  // the context's own branch
  }

  // A statement opens a new branch in a pack if the node that it extends already has a child in
  // that pack. This happens in packs that contain the last statement whose path continues past that
  // node. Usually that is the previous statement. It is an earlier statement if the previous
  // statement ends at the node ("1 2 3", "1 4", "1 4 5" feed 1 2, then 1, then 1 4).
  std::vector<std::uint64_t> nodes(count + 1, 0);  // S, by sorted index
  constexpr auto none = (std::numeric_limits<std::uint32_t>::max)();
  // For each statement, the later statement that branches off from it.
  std::vector<std::uint32_t> branched_by(plan.order.size(), none);
  std::uint32_t is_resumed =
      none;  // the last statement whose path continues past the end of this one's path
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t added = inner(k);
    if (k > 0) {
      const std::uint32_t current = plan.order[k];
      const std::uint32_t previous = plan.order[k - 1];
      std::size_t held = 0;
      if (statements.shared(previous) == statements.shared(current)) {
        held = (std::min)(common_prefix(statements.rest(previous), statements.rest(current)),
                          inner(k - 1));
      }
      added -= (std::min)(added, held);
      if (inner(k - 1) > (std::min)(held, inner(k))) {
        is_resumed = static_cast<std::uint32_t>(k - 1);
      }
      if (added > 0) {
        if (is_resumed != none) branched_by[is_resumed] = static_cast<std::uint32_t>(k);
        is_resumed = none;
      }
    }
    nodes[k + 1] = nodes[k] + added;
  }
  plan.tree_nodes = nodes[count];

  const auto pack_nodes = [&](std::size_t i, std::size_t j) {
    return inner(i) + nodes[j] - nodes[i + 1];
  };
  const std::uint64_t held = statements.context().size();
  const auto cost = [&](std::uint64_t n) {
    const double steps = static_cast<double>((n + limits.batch - 1) / limits.batch);
    const std::uint64_t blocks = (held + n + limits.block - 1) / limits.block;
    const auto cells =
        limits.attends_to_path_only ? 0.0 : static_cast<double>(blocks * limits.block);
    return static_cast<double>(n) * (1 + cells / detail::attention_scale) +
           detail::step_cost * steps;
  };
  // Because of attention, a pack with more added nodes or statements than this is never cheaper
  // than two packs. Without this cost, packs of one step are large enough.
  std::size_t longest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    longest = (std::max)(longest, inner(k));
  }
  const std::size_t window =
      (limits.attends_to_path_only ? limits.batch : std::max<std::size_t>(1024, 4 * limits.batch)) +
      longest;
  constexpr std::size_t most_statements = 4096;
  // Cached, because the loop below needs the cost of every small pack thousands of times.
  std::vector<double> costs((std::min)({limits.nodes, window + longest, nodes[count] + longest}) +
                            1);
  for (std::size_t n = 0; n < costs.size(); ++n) costs[n] = cost(n);
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::uint32_t> cut(count + 1, 0);
  best[0] = 0;
  for (std::size_t j = 1; j <= count; ++j) {
    std::size_t leaves = 1;
    for (std::size_t i = j; i-- > 0;) {
      const std::uint64_t n = pack_nodes(i, j);
      if (branched_by[i] < j) ++leaves;
      // As i decreases, the pack's number of added nodes can only grow, but its first path may
      // become shorter. So the loop ends once there are too many added nodes even without the first
      // path.
      const std::uint64_t grown = nodes[j] - nodes[i + 1];
      if (j - i > 1 && (grown > (std::min)(limits.nodes, window) || leaves > limits.leaves)) break;
      if (j - i > most_statements) break;
      if (j - i > 1 && n > limits.nodes) continue;
      const double total = best[i] + (n < costs.size() ? costs[n] : cost(n));
      if (total < best[j]) {
        best[j] = total;
        cut[j] = static_cast<std::uint32_t>(i);
      }
    }
  }
  for (std::size_t j = count; j > 0; j = cut[j]) {
    plan.begins.push_back(static_cast<std::uint32_t>(j));
    plan.nodes.push_back(pack_nodes(cut[j], j));
    plan.pack_nodes += plan.nodes.back();
  }
  plan.begins.push_back(0);
  ranges::reverse(plan.begins);
  ranges::reverse(plan.nodes);
  if (count == 0) plan.begins.clear();
  return plan;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
