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
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
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

/// A tree's lookups, divided into paths and into sets of tokens after one prefix.
class ForcedPaths {
 public:
  struct Request {
    /// The node of the prefix.
    NodeId node;
    /// Indices into `edges()`: successive tokens of a path, or alternative tokens after the prefix.
    std::vector<std::size_t> edges;
    bool is_path;
  };

  /// Best if the lookups are ordered by node. A path has at most `longest` tokens.
  ForcedPaths(const TokenTree& tree, std::span<const TokenLookup> lookups, std::size_t longest) {
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (const TokenLookup& lookup : lookups) {
      const std::uint64_t key =
          static_cast<std::uint64_t>(lookup.node) << 32U | static_cast<std::uint32_t>(lookup.token);
      const auto [at, is_new] = known.try_emplace(key, edges_.size());
      if (is_new) edges_.push_back(lookup);
      edge_of_.push_back(at->second);
    }
    std::vector<bool> is_passed(tree.size());
    for (const TokenLookup& edge : edges_) {
      for (NodeId n = edge.node; n != TokenTree::root && !is_passed[n]; n = tree.parent(n)) {
        is_passed[n] = true;
      }
    }
    // By edge: the node that it leads to if there are lookups after that node, otherwise
    // TokenTree::none.
    std::vector<NodeId> children;
    // By node: the edge that leads to it and is not in a request yet.
    std::vector<std::size_t> edge_into(tree.size(), none);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const NodeId child = tree.child(edges_[e].node, edges_[e].token);
      children.push_back(child != TokenTree::none && is_passed[child] ? child : TokenTree::none);
      if (children[e] != TokenTree::none) edge_into[child] = e;
    }
    // The edges after one node, as [begins[g], begins[g + 1]).
    std::vector<std::size_t> begins;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      if (e == 0 || edges_[e].node != edges_[e - 1].node) begins.push_back(e);
    }
    begins.push_back(edges_.size());
    const auto is_set = [&](std::size_t g) { return begins[g + 1] - begins[g] > 2; };
    for (std::size_t g = 0; g + 1 < begins.size(); ++g) {
      for (std::size_t e = begins[g]; is_set(g) && e < begins[g + 1]; ++e) {
        if (children[e] != TokenTree::none) edge_into[children[e]] = none;
      }
    }
    // From the last edge to the first, so that every path ends as far from the root as possible.
    for (std::size_t g = begins.size() - 1; g-- > 0;) {
      if (is_set(g)) {
        Request& set = requests_.emplace_back(Request{edges_[begins[g]].node, {}, false});
        for (std::size_t e = begins[g]; e < begins[g + 1]; ++e) set.edges.push_back(e);
        continue;
      }
      for (std::size_t e = begins[g + 1]; e-- > begins[g];) {
        if (children[e] == TokenTree::none || edge_into[children[e]] == e) {
          add_path(e, children[e], edge_into, longest);
        }
      }
    }
    std::reverse(requests_.begin(), requests_.end());
  }

  /// The distinct lookups.
  [[nodiscard]] const std::vector<TokenLookup>& edges() const noexcept { return edges_; }
  /// The index of each lookup's edge.
  [[nodiscard]] const std::vector<std::size_t>& edge_of() const noexcept { return edge_of_; }
  [[nodiscard]] const std::vector<Request>& requests() const noexcept { return requests_; }

  [[nodiscard]] std::vector<TokenId> tokens(const Request& request) const {
    std::vector<TokenId> ids;
    for (const std::size_t e : request.edges) ids.push_back(edges_[e].token);
    return ids;
  }

  /// The first request of each part, if at most `most` parts are sent at the same time. More parts
  /// make larger batches, but each part computes its first prefix. All parts generate about the
  /// same number of tokens.
  [[nodiscard]] std::vector<std::size_t> part_begins(const TokenTree& tree,
                                                     std::size_t most) const {
    std::vector<std::size_t> best, steps{0};
    for (const Request& one : requests_) {
      steps.push_back(steps.back() + (one.is_path ? one.edges.size() : 2));
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t parts = 1; parts <= (std::min)(most, requests_.size()); ++parts) {
      std::vector<std::size_t> begins;
      double tokens = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const auto from = std::lower_bound(steps.begin(), steps.end() - 1,
                                           (steps.back() * p + parts - 1) / parts);
        const auto begin =
            (std::min)(static_cast<std::size_t>(from - steps.begin()), requests_.size() - 1);
        if (!begins.empty() && begin <= begins.back()) continue;
        begins.push_back(begin);
        tokens += static_cast<double>(tree.depth(requests_[begin].node));
      }
      const double cost = tokens + step_tokens * static_cast<double>(steps.back()) /
                                       static_cast<double>(begins.size());
      if (cost >= least) continue;
      least = cost;
      best = std::move(begins);
    }
    return best;
  }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);
  /// The time of one generation step of all slots, divided by the time of a prompt token. This is an
  /// estimate for a CPU; on a GPU, it is larger.
  static constexpr double step_tokens = 10;

  /// Adds the path that ends with an edge and begins as near to the root as possible. `child` is
  /// the node that the edge leads to if there are lookups after it.
  void add_path(std::size_t edge, NodeId child, std::vector<std::size_t>& edge_into,
                std::size_t longest) {
    Request path{edges_[edge].node, {edge}, true};
    if (child != TokenTree::none) edge_into[child] = none;
    while (path.node != TokenTree::root && edge_into[path.node] != none &&
           path.edges.size() < longest) {
      const std::size_t before = edge_into[path.node];
      // The server can force a token only once.
      if (ranges::any_of(path.edges,
                         [&](std::size_t e) { return edges_[e].token == edges_[before].token; })) {
        break;
      }
      edge_into[path.node] = none;
      path.edges.push_back(before);
      path.node = edges_[before].node;
    }
    std::reverse(path.edges.begin(), path.edges.end());
    requests_.push_back(std::move(path));
  }

  std::vector<TokenLookup> edges_;
  std::vector<std::size_t> edge_of_;
  std::vector<Request> requests_;
};

/// Sets the log-probability of each lookup. There must be no lookup after the root, and the dialect
/// must support forced paths. Tokens that the server does not report are looked up one by one.
/// Throws the errors of the client and the dialect. If an error is thrown, no log-probability is
/// set.
inline void ask_paths(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                      const TokenTree& tree, std::span<const TokenLookup> lookups,
                      std::span<double> log_probabilities) {
  const ForcedPaths plan(tree, lookups, dialect.forced_together());
  std::vector<double> found(plan.edges().size());
  // With more connections than slots, a request would often replace another part's prefix.
  std::size_t connections = client.concurrency();
  if (const std::size_t slots = dialect.facts().slot_count; slots > 0) {
    connections = (std::min)(connections, slots);
  }
  ContiguousParts parts(plan.part_begins(tree, connections), plan.requests().size());
  client.ask_in_parts(
      parts,
      [&](std::size_t i) {
        const ForcedPaths::Request& one = plan.requests()[i];
        std::vector<TokenId> tokens = plan.tokens(one);
        std::vector<TokenId> prefix = tree.prefix(one.node);
        if (one.is_path && tokens.size() > 1) {
          tally.tokens_sent += prefix.size();
          return dialect.force({std::move(prefix), std::move(tokens), {}});
        }
        const AskedPrefix asked{std::move(prefix), tokens, {}};
        return prefix_request(dialect, tally, std::span(&asked, 1), QueryMode::normal);
      },
      [&](std::size_t i, const HttpReply& reply) {
        const ForcedPaths::Request& one = plan.requests()[i];
        const std::vector<TokenId> tokens = plan.tokens(one);
        std::vector<double> nats(tokens.size());
        if (one.is_path && tokens.size() > 1) {
          ForcedPath path{{}, tokens, {}};
          dialect.read_forced(reply, path, tally);
          nats = std::move(path.nats);
          for (std::size_t t = 0; t < tokens.size(); ++t) {
            if (!std::isnan(nats[t])) continue;
            const AskedPrefix asked{tree.prefix(plan.edges()[one.edges[t]].node),
                                    std::span(tokens).subspan(t, 1), std::span(nats).subspan(t, 1)};
            const std::span<const AskedPrefix> alone(&asked, 1);
            read_prefixes(client, dialect, tally,
                          client.ask(prefix_request(dialect, tally, alone, QueryMode::normal)),
                          alone);
          }
        } else {
          const AskedPrefix asked{tree.prefix(one.node), tokens, nats};
          read_prefixes(client, dialect, tally, reply, std::span(&asked, 1));
        }
        for (std::size_t t = 0; t < tokens.size(); ++t) found[one.edges[t]] = nats[t];
      });
  for (std::size_t i = 0; i < lookups.size(); ++i) log_probabilities[i] = found[plan.edge_of()[i]];
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
