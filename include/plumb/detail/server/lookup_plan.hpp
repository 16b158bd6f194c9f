// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are a tree's lookups sent prefix by prefix, or as whole sequences?
//
// If a server reports the log-probabilities of a prompt's own tokens, one sequence can answer all
// lookups on a path from the root to a leaf, but the server computes every token of that sequence.
// If the server can also report the log-probabilities of given tokens after a sequence, the last
// token of each path is left out, and paths that differ only in that token share a sequence.
// With one prompt per prefix, the server computes little more than the tokens missing from its
// prefix cache, but it processes more prompts. For short statements, whole sequences are cheaper.
// For a long prefix with many lookups after it, one prompt per prefix is cheaper. The costs per
// prompt and per token are measured when plumb connects.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/token_tree.hpp"
#include "plumb/detail/server/server_dialect.hpp"
#include "plumb/detail/server/server_questions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A server's costs in seconds: per request, per prompt in a request, and per computed token.
struct ServerCosts {
  double request = 0, prompt = 0, token = 0;
};

/// Times requests with one short sequence, with 16 short sequences, and with one long sequence.
/// Each request is sent twice and the shorter time is used, because a server may do setup work for
/// a new input shape. Prompts with next-token lookups are assumed to cost the same.
[[nodiscard]] inline ServerCosts measure_costs(HttpClient& client, const ServerDialect& dialect,
                                               ServerTally& tally) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t length = 8, several = 16;
  const std::size_t context = dialect.facts().context;
  const std::size_t longest = context == 0 ? 256 : (std::min<std::size_t>)(256, context - 1);
  const auto vocabulary = static_cast<TokenId>(dialect.facts().vocabulary);
  TokenId next = 0;
  const auto seconds = [&](std::size_t count, std::size_t tokens) {
    std::chrono::duration<double> least{1e9};
    for (int again = 0; again < 2; ++again) {
      std::vector<AskedSequence> sequences(count);
      for (AskedSequence& one : sequences) {
        for (std::size_t t = 0; t < tokens; ++t) one.tokens.push_back(next++ % vocabulary);
        tally.tokens_sent += tokens;
      }
      const Clock::time_point begin = Clock::now();
      const HttpReply reply = client.ask(dialect.ask_sequences(sequences));
      least = (std::min<std::chrono::duration<double>>)(least, Clock::now() - begin);
      dialect.read_sequences(reply, sequences, tally);
    }
    return least.count();
  };
  const double one = seconds(1, length);
  ServerCosts costs;
  if (longest > length) {
    costs.token = (seconds(1, longest) - one) / static_cast<double>(longest - length);
  }
  costs.token = (std::max)(costs.token, 1e-7);
  costs.prompt = (seconds(several, length) - one) / static_cast<double>(several - 1) -
                 costs.token * static_cast<double>(length);
  costs.prompt = (std::max)(costs.prompt, 0.0);
  costs.request = (std::max)(one - costs.prompt - costs.token * static_cast<double>(length), 0.0);
  return costs;
}

/// Sequences whose own tokens, and the tokens looked up after them, cover all lookups of a tree.
class LookupSequences {
 public:
  /// There must be no lookup after the root, and lookups after the same node should be adjacent.
  /// `most_next` is the maximum number of tokens that are looked up after a sequence.
  LookupSequences(const TokenTree& tree, std::span<const TokenLookup> lookups,
                  std::size_t most_next)
      : tree_(tree), lookups_(lookups), most_next_(most_next), is_passed_(tree.size()) {
    for (const TokenLookup& lookup : lookups) {
      for (NodeId n = lookup.node; n != TokenTree::root && !is_passed_[n]; n = tree.parent(n)) {
        is_passed_[n] = true;
      }
    }
    std::unordered_set<std::uint64_t> known;
    for (const TokenLookup& lookup : lookups) {
      if (passed_child(lookup) != TokenTree::none) continue;
      if (!known.insert(key_of(lookup)).second) continue;
      const bool continues = !ends_.empty() && ends_.back().node == lookup.node &&
                             ends_.back().tokens.size() < most_next;
      if (continues) {
        ends_.back().tokens.push_back(lookup.token);
        continue;
      }
      ends_.push_back({lookup.node, {lookup.token}});
      const std::size_t length = tree.depth(lookup.node) + (most_next == 0 ? 1U : 0U);
      tokens_ += length;
      longest_ = (std::max)(longest_, length);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] std::size_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

  [[nodiscard]] std::vector<AskedSequence> sequences() const {
    std::vector<AskedSequence> made;
    for (const End& end : ends_) {
      made.push_back({tree_.prefix(end.node), {}});
      if (most_next_ > 0) {
        made.back().next = end.tokens;
      } else {
        made.back().tokens.push_back(end.tokens.front());
      }
    }
    return made;
  }

  /// Sets each lookup's result from `answered`, which contains the result of `sequences()` with the
  /// log-probabilities filled in.
  void read(std::span<const AskedSequence> answered, std::span<double> log_probabilities) const {
    std::unordered_map<std::uint64_t, double> leaves;
    // By node: the log-probability of the token that leads to it.
    std::vector<double> into(tree_.size());
    for (std::size_t s = 0; s < answered.size(); ++s) {
      const End& end = ends_[s];
      std::size_t place = tree_.depth(end.node);
      for (std::size_t t = 0; t < end.tokens.size(); ++t) {
        leaves[key_of({end.node, end.tokens[t]})] =
            most_next_ > 0 ? answered[s].next_nats[t] : answered[s].nats[place];
      }
      for (NodeId n = end.node; n != TokenTree::root; n = tree_.parent(n)) {
        into[n] = answered[s].nats[--place];
      }
    }
    for (std::size_t i = 0; i < lookups_.size(); ++i) {
      const NodeId child = passed_child(lookups_[i]);
      log_probabilities[i] =
          child != TokenTree::none ? into[child] : leaves.at(key_of(lookups_[i]));
    }
  }

 private:
  /// The last node of a sequence, and the tokens to look up after it. If the server cannot look up
  /// tokens after a sequence, there is one such token, which ends the sequence.
  struct End {
    NodeId node;
    std::vector<TokenId> tokens;
  };

  static std::uint64_t key_of(const TokenLookup& lookup) {
    return static_cast<std::uint64_t>(lookup.node) << 32U |
           static_cast<std::uint32_t>(lookup.token);
  }
  /// The node that a lookup's token leads to if there are lookups after that node; otherwise
  /// TokenTree::none.
  [[nodiscard]] NodeId passed_child(const TokenLookup& lookup) const {
    const NodeId child = tree_.child(lookup.node, lookup.token);
    return child != TokenTree::none && is_passed_[child] ? child : TokenTree::none;
  }

  const TokenTree& tree_;
  std::span<const TokenLookup> lookups_;
  std::size_t most_next_;
  std::vector<bool> is_passed_;
  std::vector<End> ends_;
  std::size_t tokens_ = 0, longest_ = 0;
};

/// Whether a server needs less time for sequences than for `questions`, whose prefixes are `nodes`,
/// when `at_once` requests are in flight.
[[nodiscard]] inline bool sequences_are_cheaper(const ServerDialect& dialect,
                                                const ServerCosts& costs, const TokenTree& tree,
                                                const LookupSequences& sequences,
                                                std::span<const NodeId> nodes,
                                                std::span<const NextTokenQuestion> questions,
                                                std::size_t at_once) {
  const std::size_t context = dialect.facts().context;
  if (dialect.sequences_together() == 0 || (context > 0 && sequences.longest() >= context)) {
    return false;
  }
  const auto seconds = [&](double requests, double prompts, double tokens) {
    return costs.request * std::ceil(requests / static_cast<double>(at_once)) +
           costs.prompt * prompts + costs.token * tokens;
  };
  double prompts = 0, tokens = 0, asked = 0;
  for (std::size_t q = 0; q < nodes.size(); ++q) {
    const std::size_t count = questions[q].tokens.size();
    const std::size_t together = dialect.together(count, QueryMode::normal);
    const auto parts = static_cast<double>((count + together - 1) / together);
    prompts += parts;
    asked += static_cast<double>(count);
    tokens += parts * static_cast<double>(dialect.tokens_behind_cache(tree.depth(nodes[q])));
  }
  const auto most = static_cast<double>(
      dialect.together((std::numeric_limits<std::size_t>::max)(), QueryMode::normal));
  const double requests =
      (std::max)(std::ceil(prompts / static_cast<double>(dialect.prefixes_together())),
                 std::ceil(asked / most));
  const double by_prefix = seconds(requests, prompts, tokens);
  const auto whole = static_cast<double>(sequences.size());
  const auto sent = static_cast<double>(sequences.tokens());
  if (seconds(0, whole, sent) >= by_prefix) return false;  // saves building the sequences
  const auto parts = sequence_requests(dialect, at_once, sequences.sequences());
  return seconds(static_cast<double>(parts.size()), whole, sent) < by_prefix;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
