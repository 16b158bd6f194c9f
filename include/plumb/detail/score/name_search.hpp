// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prefixes must be evaluated to determine the true candidate's rank?
//
// A prefix's log-probability is an upper bound for every candidate below it, because further tokens
// can only lower it. For a mean over tokens, the bound is the prefix's sum divided by the length of
// the longest candidate below it. So only prefixes whose bound reaches the true candidate's score
// are expanded, highest bound first; at each depth there are at most 1 / p(true) such prefixes. The
// ranks equal those obtained by scoring every candidate, except that candidates whose scores differ
// from the true candidate's only by rounding may be ordered differently.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/score/name_trie.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model's results after one prompt: for each evaluated trie node, the log-probabilities of its
/// children. Searches after the same prompt share these rows. Not thread-safe while rows are added.
class NameRows {
 public:
  explicit NameRows(const NameTrie& trie) : trie_(trie) {}

  [[nodiscard]] bool has(NodeId node) const { return rows_.contains(node); }

  /// Stores the log-probabilities of a node's children, in order.
  void read(NodeId node, std::span<const double> nats) {
    std::vector<double>& row = rows_[node];
    row.assign(nats.begin(), nats.end());
    const auto children = trie_.children(node);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (trie_.is_given(children[i].node)) row[i] = 0;
    }
  }

  /// In nats, parallel to the node's children; 0 for a child that is a given token.
  [[nodiscard]] std::span<const double> of(NodeId node) const { return rows_.at(node); }

 private:
  const NameTrie& trie_;
  std::unordered_map<NodeId, std::vector<double>> rows_;
};

/// The reduction over a name's tokens.
enum class NameReduction : std::uint8_t { sum, mean };
[[nodiscard]] constexpr std::array<NameReduction, 2> every(NameReduction) noexcept {
  return {NameReduction::sum, NameReduction::mean};
}
[[nodiscard]] inline std::string_view name_of(NameReduction reduction) noexcept {
  return name_of(reduction == NameReduction::sum ? Reduction::sum : Reduction::mean);
}

struct NameSearchOptions {
  NameReduction reduction = NameReduction::sum;
  /// The search ends once the filtered rank is certain to exceed this value; 0 means no limit.
  std::size_t hits = 0;
  /// The maximum number of nodes that may be evaluated in addition to those on the true candidate's
  /// path. When this limit is reached, the search ends with a range of ranks. 0 means no limit.
  std::size_t budget = 0;
};

/// The true candidate's rank, as far as the search has determined it.
struct SearchedRank {
  /// The true candidate's reduced score, in nats.
  double score = 0;
  /// The numbers of candidates found whose scores are higher than the true candidate's and equal to
  /// it; the filtered numbers exclude other true candidates.
  std::size_t above = 0, equal = 0;
  std::size_t filtered_above = 0, filtered_equal = 0;
  /// The number of candidates that may still rank above the true one; 0 if the rank is exact.
  std::size_t undecided = 0;
  /// The number of candidates found whose scores are within 1e-4 nats of the true one's but not
  /// equal to it.
  std::size_t nearby = 0;
  /// The number of evaluated trie nodes.
  std::size_t expanded = 0;
};

/// Searches for one true candidate's rank after one prompt. The trie, the rows and the truths must
/// outlive it. Not thread-safe.
class NameSearch {
 public:
  /// `truths` lists all true candidates in ascending order; they are excluded from the filtered
  /// rank.
  NameSearch(const NameTrie& trie, NameRows& rows, std::uint32_t gold,
             std::span<const std::uint32_t> truths, const NameSearchOptions& options)
      : trie_(trie), rows_(rows), gold_(trie.leaf(gold)), truths_(truths), options_(options) {
    for (NodeId node = gold_; node != TokenTree::root;) {
      node = trie.tree().parent(node);
      path_.push_back(node);
    }
    ranges::reverse(path_);
  }

  /// At most `most` nodes to evaluate next; the first call instead returns all nodes on the true
  /// candidate's path that have no rows yet, if there are any. Empty if the search has ended. The
  /// rows of all these nodes must be evaluated and stored with `NameRows::read` before the next
  /// call.
  [[nodiscard]] std::vector<NodeId> next(std::size_t most) {
    if (!begun_) {
      std::vector<NodeId> wanted;
      for (const NodeId node : path_) {
        if (!rows_.has(node)) wanted.push_back(node);
      }
      if (!wanted.empty()) return wanted;
      begin();
    }
    std::vector<NodeId> wanted;
    for (const Prefix& prefix : std::exchange(asked_, {})) expand(prefix.node);
    while (!frontier_.empty() && asked_.size() < most && !has_ended(asked_.size())) {
      const Prefix prefix = frontier_.top();
      frontier_.pop();
      if (rows_.has(prefix.node)) {
        expand(prefix.node);
      } else {
        asked_.push_back(prefix);
      }
    }
    if (has_ended()) {
      for (const Prefix& prefix : std::exchange(asked_, {})) frontier_.push(prefix);
    }
    for (const Prefix& prefix : asked_) wanted.push_back(prefix.node);
    return wanted;
  }

  [[nodiscard]] SearchedRank result() const {
    SearchedRank rank = found_;
    auto rest = frontier_;
    for (; !rest.empty(); rest.pop()) rank.undecided += trie_.count(rest.top().node);
    return rank;
  }

 private:
  struct Prefix {
    double bound;
    NodeId node;
    bool operator<(const Prefix& other) const {
      return bound != other.bound ? bound < other.bound : node > other.node;
    }
  };

  [[nodiscard]] double reduced(double sum, std::size_t tokens) const {
    return options_.reduction == NameReduction::mean ? sum / static_cast<double>(tokens) : sum;
  }

  /// Whether the search has ended. `underway` is the number of nodes that are being evaluated and
  /// have not been counted yet.
  [[nodiscard]] bool has_ended(std::size_t underway = 0) const {
    return (options_.hits > 0 && found_.filtered_above >= options_.hits) ||
           (options_.budget > 0 && found_.expanded + underway >= options_.budget + path_.size());
  }

  void begin() {
    begun_ = true;
    double sum = 0;
    sums_[TokenTree::root] = 0;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const NodeId below = i + 1 < path_.size() ? path_[i + 1] : gold_;
      const auto children = trie_.children(path_[i]);
      const auto place = ranges::find(children, below, &NameTrie::Child::node);
      sum += rows_.of(path_[i])[static_cast<std::size_t>(place - children.begin())];
      sums_[below] = sum;
    }
    found_.score = reduced(sum, trie_.length(gold_));
    for (const NodeId node : path_) expand(node);
  }

  /// Counts the candidates among a node's children and stores the prefixes that may lead to
  /// higher-ranked candidates.
  void expand(NodeId node) {
    ++found_.expanded;
    const double before = sums_.at(node);
    const auto children = trie_.children(node);
    const std::span<const double> row = rows_.of(node);
    for (std::size_t i = 0; i < children.size(); ++i) {
      const NodeId child = children[i].node;
      const double sum = before + row[i];
      if (trie_.is_leaf(child)) {
        count(child, reduced(sum, trie_.length(child)));
        continue;
      }
      const double bound = reduced(sum, trie_.longest(child));
      if (bound < found_.score || ranges::binary_search(path_, child)) continue;
      sums_[child] = sum;
      frontier_.push({bound, child});
    }
  }

  void count(NodeId leaf, double score) {
    const std::span<const std::uint32_t> candidates = trie_.candidates(leaf);
    const auto others = static_cast<std::size_t>(ranges::count_if(
        candidates, [&](std::uint32_t c) { return !ranges::binary_search(truths_, c); }));
    if (leaf == gold_) {
      found_.equal += candidates.size() - 1;
      found_.filtered_equal += others;
    } else if (score > found_.score) {
      found_.above += candidates.size();
      found_.filtered_above += others;
    } else if (score == found_.score) {
      found_.equal += candidates.size();
      found_.filtered_equal += others;
    }
    const double apart = std::abs(score - found_.score);
    if (apart > 0 && apart < 1e-4) found_.nearby += candidates.size();
  }

  const NameTrie& trie_;
  NameRows& rows_;
  NodeId gold_;
  std::span<const std::uint32_t> truths_;
  NameSearchOptions options_;
  // from the root to the true candidate's last inner node, in ascending order
  std::vector<NodeId> path_;
  std::unordered_map<NodeId, double> sums_;
  std::priority_queue<Prefix> frontier_;
  std::vector<Prefix> asked_;
  SearchedRank found_;
  bool begun_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
