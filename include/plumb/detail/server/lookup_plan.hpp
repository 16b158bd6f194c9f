// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are a tree's lookups sent prefix by prefix, or as whole sequences?
//
// If a server reports the log-probabilities of a prompt's own tokens, one sequence can answer all
// lookups on a path from the root to a leaf, but the server computes every token of that sequence.
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

/// Sequences whose own tokens cover all lookups of a tree.
class LookupSequences {
 public:
  /// There must be no lookup after the root.
  LookupSequences(const TokenTree& tree, std::span<const TokenLookup> lookups)
      : tree_(tree), lookups_(lookups), is_passed_(tree.size()) {
    for (const TokenLookup& lookup : lookups) {
      for (NodeId n = lookup.node; n != TokenTree::root && !is_passed_[n]; n = tree.parent(n)) {
        is_passed_[n] = true;
      }
    }
    std::unordered_set<std::uint64_t> known;
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      if (passed_child(lookups[i]) != TokenTree::none) continue;
      if (!known.insert(key_of(lookups[i])).second) continue;
      last_.push_back(i);
      tokens_ += tree.depth(lookups[i].node) + 1;
      longest_ = (std::max<std::size_t>)(longest_, tree.depth(lookups[i].node) + 1);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return last_.size(); }
  [[nodiscard]] std::size_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

  [[nodiscard]] std::vector<AskedSequence> sequences() const {
    std::vector<AskedSequence> made;
    for (const std::size_t i : last_) {
      made.push_back({tree_.prefix(lookups_[i].node), {}});
      made.back().tokens.push_back(lookups_[i].token);
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
      const TokenLookup& leaf = lookups_[last_[s]];
      std::size_t place = answered[s].tokens.size() - 1;
      leaves[key_of(leaf)] = answered[s].nats[place];
      for (NodeId n = leaf.node; n != TokenTree::root; n = tree_.parent(n)) {
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
  std::vector<bool> is_passed_;
  std::vector<std::size_t> last_;  // lookups whose tokens end a sequence
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
  const auto whole = static_cast<double>(sequences.size());
  return seconds(std::ceil(whole / static_cast<double>(dialect.sequences_together())), whole,
                 static_cast<double>(sequences.tokens())) < seconds(requests, prompts, tokens);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
