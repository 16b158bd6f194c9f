// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are a tree's lookups sent to a server that can be forced to generate given tokens?
//
// One request can force a whole path of the tree: the server generates its tokens one after another
// and reports the log-probability of each. The lookups are divided into paths, so that each lookup
// is on exactly one path. If more than two tokens are looked up after a prefix, they share one
// request (or two) instead, because a path for each of them would compute the prefix's last token
// again. Each connection sends a contiguous part of the requests, so the slot that computed its
// previous path contains most of the next path's prefix.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/server/contiguous_parts.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/server_questions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A tree's lookups, divided into paths and into sets of tokens after one prefix. The tree and the
/// lookups must outlive it.
class ForcedPaths {
 public:
  struct Request {
    /// Indices of lookups: successive tokens of a path, or alternative tokens after one prefix.
    std::vector<std::size_t> lookups;
    bool is_set;
  };

  /// The lookups must be as LookupLm describes them. A path has at most `longest` tokens.
  ForcedPaths(const TokenTree& tree, std::span<const TokenLookup> lookups, std::size_t longest)
      : tree_(tree), lookups_(lookups), lookup_into_(tree.size(), none) {
    std::vector<bool> is_passed(tree.size());
    for (const TokenLookup& lookup : lookups) {
      for (NodeId n = lookup.node; n != TokenTree::root && !is_passed[n]; n = tree.parent(n)) {
        is_passed[n] = true;
      }
    }
    // By lookup: the node that it leads to if there are lookups after that node, otherwise
    // TokenTree::none.
    std::vector<NodeId> children;
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const NodeId child = tree.child(lookups[i].node, lookups[i].token);
      children.push_back(child != TokenTree::none && is_passed[child] ? child : TokenTree::none);
      const bool is_alone = count_after(lookups[i].node) <= 2;
      if (children[i] != TokenTree::none && is_alone) lookup_into_[child] = i;
    }
    // From the last lookup to the first, so that every path ends as far from the root as possible.
    for (std::size_t end = lookups.size(); end > 0;) {
      const std::size_t count = count_after(lookups[end - 1].node);
      if (count > 2) {
        Request& set = requests_.emplace_back(Request{{}, true});
        for (std::size_t i = end - count; i < end; ++i) set.lookups.push_back(i);
      }
      for (std::size_t i = end; count <= 2 && i-- > end - count;) {
        if (children[i] == TokenTree::none || lookup_into_[children[i]] == i) add_path(i, longest);
      }
      end -= count;
    }
    std::reverse(requests_.begin(), requests_.end());
  }

  [[nodiscard]] const std::vector<Request>& requests() const noexcept { return requests_; }

  [[nodiscard]] std::vector<TokenId> tokens(const Request& request) const {
    std::vector<TokenId> ids;
    for (const std::size_t i : request.lookups) ids.push_back(lookups_[i].token);
    return ids;
  }
  /// The tokens before the request's first token.
  [[nodiscard]] std::vector<TokenId> prefix(const Request& request) const {
    return tree_.prefix(lookups_[request.lookups.front()].node);
  }

  /// The first request of each part, if at most `most` parts are sent at the same time. More parts
  /// make larger batches, but each part computes its first prefix. All parts take about the
  /// same number of generation steps; a token of a path takes `steps_per_token`.
  [[nodiscard]] std::vector<std::size_t> part_begins(std::size_t most,
                                                     double steps_per_token) const {
    std::vector<std::size_t> best;
    std::vector<double> steps{0};
    for (const Request& one : requests_) {
      const auto count = static_cast<double>(one.lookups.size());
      steps.push_back(steps.back() + (one.is_set ? 2 : count * steps_per_token));
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t parts = 1; parts <= (std::min)(most, requests_.size()); ++parts) {
      std::vector<std::size_t> begins;
      double prefixes = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const double before = steps.back() * static_cast<double>(p) / static_cast<double>(parts);
        const auto from = std::lower_bound(steps.begin(), steps.end() - 1, before);
        const auto begin =
            (std::min)(static_cast<std::size_t>(from - steps.begin()), requests_.size() - 1);
        if (!begins.empty() && begin <= begins.back()) continue;
        begins.push_back(begin);
        const NodeId node = lookups_[requests_[begin].lookups.front()].node;
        prefixes += static_cast<double>(tree_.depth(node));
      }
      const double rounds = steps.back() / static_cast<double>(begins.size());
      const double cost = prefixes + step_tokens * rounds;
      if (cost >= least) continue;
      least = cost;
      best = std::move(begins);
    }
    return best;
  }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);
  /// The time of one generation step of all slots, divided by the time of a prompt token. This is
  /// an estimate for a CPU; on a GPU, it is larger.
  static constexpr double step_tokens = 10;

  /// The number of tokens that are looked up after a node.
  [[nodiscard]] std::size_t count_after(NodeId node) const {
    const auto found = std::equal_range(
        lookups_.begin(), lookups_.end(), TokenLookup{node, 0},
        [](const TokenLookup& a, const TokenLookup& b) { return a.node < b.node; });
    return static_cast<std::size_t>(found.second - found.first);
  }

  /// Adds the path that ends with a lookup and begins as near to the root as possible.
  void add_path(std::size_t last, std::size_t longest) {
    Request path{{last}, false};
    while (path.lookups.size() < longest) {
      const NodeId node = lookups_[path.lookups.back()].node;
      const std::size_t before = lookup_into_[node];
      // The server can force a token only once.
      if (before == none || ranges::any_of(path.lookups, [&](std::size_t later) {
            return lookups_[later].token == lookups_[before].token;
          })) {
        break;
      }
      lookup_into_[node] = none;
      path.lookups.push_back(before);
    }
    std::reverse(path.lookups.begin(), path.lookups.end());
    requests_.push_back(std::move(path));
  }

  const TokenTree& tree_;
  std::span<const TokenLookup> lookups_;
  /// By node: the lookup that leads to it, as long as it is on no path and in no set.
  std::vector<std::size_t> lookup_into_;
  std::vector<Request> requests_;
};

/// Sets the log-probability of each lookup. The lookups must be as LookupLm describes them, and the
/// dialect must support forced paths. Tokens of a path that the server does not report are looked up
/// one by one. Throws the errors of the client and the dialect. If an error is thrown, some results
/// may already have been set.
inline void ask_paths(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                      const TokenTree& tree, std::span<const TokenLookup> lookups,
                      std::span<double> log_probabilities) {
  const ForcedPaths plan(tree, lookups, dialect.forced_together());
  // With more connections than slots, a request would often replace another part's prefix.
  std::size_t connections = client.concurrency();
  if (const std::size_t count = dialect.facts().slot_count; count > 0) {
    connections = (std::min)(connections, count);
  }
  const auto is_forced = [](const ForcedPaths::Request& one) {
    return !one.is_set && one.lookups.size() > 1;
  };
  const auto request = [&](std::size_t i) {
    const ForcedPaths::Request& one = plan.requests()[i];
    const std::vector<TokenId> tokens = plan.tokens(one);
    if (is_forced(one)) {
      ForcedPath path{plan.prefix(one), tokens};
      tally.tokens_sent += path.prefix.size();
      return dialect.force(path);
    }
    const AskedPrefix asked{plan.prefix(one), tokens, {}};
    return prefix_request(dialect, tally, std::span(&asked, 1), QueryMode::normal);
  };
  const auto take = [&](std::size_t i, const HttpReply& reply) {
    const ForcedPaths::Request& one = plan.requests()[i];
    const std::vector<TokenId> tokens = plan.tokens(one);
    std::vector<double> nats(tokens.size());
    if (is_forced(one)) {
      ForcedPath path{{}, tokens};
      dialect.read_forced(reply, path, tally);
      nats = std::move(path.nats);
      tally.tokens_forced += tokens.size();
      // The last token first, so that the slot always contains the next prefix.
      for (std::size_t t = tokens.size(); t-- > 0;) {
        if (!std::isnan(nats[t])) continue;
        // A generated token that is not reported ends within a character.
        const bool is_unreported = t < path.generated;
        if (is_unreported) ++tally.tokens_unreported;
        const AskedPrefix asked{tree.prefix(lookups[one.lookups[t]].node),
                                std::span(tokens).subspan(t, 1), std::span(nats).subspan(t, 1)};
        const std::span<const AskedPrefix> alone(&asked, 1);
        const auto how = is_unreported ? QueryMode::reference : QueryMode::normal;
        read_prefixes(client, dialect, tally,
                      client.ask(prefix_request(dialect, tally, alone, how)), alone, how);
      }
    } else {
      const AskedPrefix asked{plan.prefix(one), tokens, nats};
      read_prefixes(client, dialect, tally, reply, std::span(&asked, 1), QueryMode::normal);
    }
    for (std::size_t t = 0; t < tokens.size(); ++t) log_probabilities[one.lookups[t]] = nats[t];
  };
  ContiguousParts parts(plan.part_begins(connections, tally.steps_per_forced_token()),
                        plan.requests().size());
  client.ask_in_parts(parts, request, take);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
