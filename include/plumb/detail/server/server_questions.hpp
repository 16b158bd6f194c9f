// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are many tokens after many prefixes asked of a server?
//
// Prefixes are asked in the order they are given, as many in a request as the dialect takes: a walk
// through a tree, so that a server's prefix cache still holds the parent of what is asked next. What
// a reply cannot contain is asked again, wholly. Whole sequences are asked in parts of equal size.

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
                   QueryMode how = QueryMode::normal) {
  struct Slice {
    std::size_t question, first, count;
  };
  // Slices [begin, end) of a request.
  struct Request {
    std::size_t begin, end;
  };
  std::vector<Slice> slices;
  std::vector<Request> requests;
  std::size_t tokens_left = 0;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const std::size_t all = questions[q].tokens.size();
    const std::size_t together = dialect.together(all, how);
    for (std::size_t first = 0; first < all; first += together) {
      const std::size_t count = (std::min)(together, all - first);
      if (requests.empty() || tokens_left < count ||
          requests.back().end - requests.back().begin >= dialect.prefixes_together()) {
        requests.push_back({slices.size(), slices.size()});
        tokens_left = dialect.together(static_cast<std::size_t>(-1), how);
      }
      slices.push_back({q, first, count});
      requests.back().end = slices.size();
      tokens_left -= (std::min)(tokens_left, count);
    }
  }
  const auto asked_in = [&](const Request& request) {
    std::vector<AskedPrefix> asked;
    for (std::size_t s = request.begin; s < request.end; ++s) {
      const auto& [question, first, count] = slices[s];
      asked.push_back({prefix(question), questions[question].tokens.subspan(first, count),
                       questions[question].nats.subspan(first, count)});
    }
    return asked;
  };
  const auto made = [&](std::span<const AskedPrefix> asked, QueryMode as) {
    for (const AskedPrefix& one : asked) tally.tokens_sent += one.prefix.size();
    return dialect.ask(asked, as);
  };
  client.ask_all(
      requests.size(), [&](std::size_t i) { return made(asked_in(requests[i]), how); },
      [&](std::size_t i, const HttpReply& reply) {
        const std::vector<AskedPrefix> asked = asked_in(requests[i]);
        if (dialect.read(reply, asked, tally)) return;
        if (dialect.read(client.ask(made(asked, QueryMode::full_distribution)), asked, tally))
          return;
        throw internal_error(client.site(),
                             "gives no log-probabilities after " +
                                 std::to_string(asked.front().prefix.size()) + " tokens",
                             "see docs/servers.md for the servers and versions that plumb asks");
      });
}

/// Asks for the log-probabilities of the tokens of each sequence, many sequences in a request, from
/// several threads. The dialect can be asked so.
inline void ask_sequences(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                          std::span<AskedSequence> sequences) {
  // A request for each thread, but not of fewer than 64 sequences, as a server batches across requests,
  // and not of more than about 16,000 tokens, which a slow server computes in minutes.
  constexpr std::size_t most_tokens = 16'384;
  const std::size_t share = (sequences.size() + client.concurrency() - 1) / client.concurrency();
  const std::size_t each =
      (std::min)((std::max<std::size_t>)(share, 64), dialect.sequences_together());
  std::vector<std::span<AskedSequence>> parts;
  for (std::size_t first = 0; first < sequences.size();) {
    std::size_t count = 0, tokens = 0;
    while (first + count < sequences.size() && count < each &&
           (count == 0 || tokens + sequences[first + count].tokens.size() <= most_tokens)) {
      tokens += sequences[first + count++].tokens.size();
    }
    parts.push_back(sequences.subspan(first, count));
    first += count;
  }
  client.ask_all(
      parts.size(),
      [&](std::size_t i) {
        for (const AskedSequence& one : parts[i]) tally.tokens_sent += one.tokens.size();
        return dialect.ask_sequences(parts[i]);
      },
      [&](std::size_t i, const HttpReply& reply) {
        dialect.read_sequences(reply, parts[i], tally);
      });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
