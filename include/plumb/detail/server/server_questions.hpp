// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are many tokens after many prefixes asked of a server?
//
// One request for each prefix and what the dialect asks together, in the order they are given: a
// walk through a tree, so that a server's prefix cache still holds the parent of what is asked
// next. What a reply cannot have is asked again, wholly.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Tokens that are asked after one prefix, and where their log-probabilities go. All that the spans
/// name must outlive the call that asks.
struct NextTokenQuestion {
  std::span<const TokenId> tokens;
  std::span<double> nats;
};

/// Asks each question, whose prefix is `prefix(i)`, from several threads. Throws what the client
/// and the dialect do; some answers are then set.
template <class Prefix>
void ask_questions(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                   std::span<const NextTokenQuestion> questions, Prefix prefix,
                   AskHow how = AskHow::plainly) {
  struct Slice {
    std::size_t question, first, count;
  };
  std::vector<Slice> parts;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const std::size_t all = questions[q].tokens.size();
    const std::size_t together = dialect.together(all, how);
    for (std::size_t first = 0; first < all; first += together) {
      parts.push_back({q, first, (std::min)(together, all - first)});
    }
  }
  const auto request = [&](const Slice& part, AskHow as) {
    const std::vector<TokenId> before = prefix(part.question);
    tally.tokens_sent += before.size();
    return dialect.ask(before, questions[part.question].tokens.subspan(part.first, part.count), as);
  };
  client.ask_all(
      parts.size(), [&](std::size_t i) { return request(parts[i], how); },
      [&](std::size_t i, const HttpReply& reply) {
        const Slice& part = parts[i];
        const auto tokens = questions[part.question].tokens.subspan(part.first, part.count);
        const auto nats = questions[part.question].nats.subspan(part.first, part.count);
        if (dialect.read(reply, tokens, nats, tally)) return;
        const HttpReply whole = client.ask(request(part, AskHow::wholly));
        if (dialect.read(whole, tokens, nats, tally)) return;
        throw internal_error(client.site(),
                             "gives no log-probabilities after " +
                                 std::to_string(prefix(part.question).size()) + " tokens",
                             "see docs/servers.md for the servers and versions that plumb asks");
      });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
