// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are lookups of many tokens after many prefixes sent to a server?
//
// Prefixes are sent in the given order, as many per request as the dialect allows. This is the
// order of a walk through a tree, so the server's prefix cache still contains the parent of the
// next prefix. If a reply does not contain a result, the result is requested again in another mode.
// Whole sequences are divided among requests, depending on their lengths and on the tokens to look
// up after them.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Tokens to look up after one prefix, and the location in which to store their log-probabilities.
/// The memory behind the spans must outlive the call.
struct NextTokenQuestion {
  std::span<const TokenId> tokens;
  std::span<double> nats;
};

/// The request for the log-probabilities of tokens after prefixes.
[[nodiscard]] inline HttpRequest prefix_request(const ServerDialect& dialect, ServerTally& tally,
                                                std::span<const AskedPrefix> asked, QueryMode how) {
  for (const AskedPrefix& one : asked) tally.tokens_sent += one.prefix.size();
  return dialect.ask(asked, how);
}

/// Reads the reply to this request. If it does not contain the result, the result is requested
/// again in other modes.
inline void read_prefixes(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                          const HttpReply& reply, std::span<const AskedPrefix> asked,
                          QueryMode how) {
  constexpr int most = 4;  // from `normal` through each of the other modes
  std::optional<QueryMode> next = dialect.read(reply, asked, how, tally);
  for (int more = 0; next && next != how && more < most; ++more) {
    how = *next;
    next = dialect.read(client.ask(prefix_request(dialect, tally, asked, how)), asked, how, tally);
  }
  if (!next) return;
  throw internal_error(client.site(),
                       "returns no log-probabilities after " +
                           std::to_string(asked.front().prefix.size()) + " tokens",
                       "see docs/servers.md for the servers and versions that plumb supports");
}

/// Sends all questions from several threads; `prefix(i)` is the prefix of the i-th question. Throws
/// the errors of the client and the dialect. If an error is thrown, some results may already have
/// been set.
template <class Prefix>
void ask_questions(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                   std::span<const NextTokenQuestion> questions, Prefix prefix,
                   QueryMode how = QueryMode::normal) {
  struct Slice {
    std::size_t question, first, count;
  };
  // The range [begin, end) of slices in a request.
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
  client.ask_all(
      requests.size(),
      [&](std::size_t i) { return prefix_request(dialect, tally, asked_in(requests[i]), how); },
      [&](std::size_t i, const HttpReply& reply) {
        read_prefixes(client, dialect, tally, reply, asked_in(requests[i]), how);
      });
}

/// Divides sequences into requests; each request is a list of indices. If possible, the sequences
/// are divided evenly among the threads, but a request has at least 64 of them, because a server
/// batches across requests. A request has fewer if no more remain, if the dialect allows no more
/// sequences or no more different tokens after them, or if it would exceed about 16,000 tokens (a
/// slow server needs minutes for that many). A sequence is added to one of the last eight requests
/// with room for it; more would take longer to search.
[[nodiscard]] inline std::vector<std::vector<std::size_t>> sequence_requests(
    const ServerDialect& dialect, std::size_t threads, std::span<const AskedSequence> sequences) {
  constexpr std::size_t most_tokens = 16'384, most_open = 8;
  const std::size_t share = (sequences.size() + threads - 1) / threads;
  const std::size_t each =
      (std::min)((std::max<std::size_t>)(share, 64), dialect.sequences_together());
  struct Open {
    std::size_t request = 0, tokens = 0;
    std::unordered_set<TokenId> next{};
  };
  std::vector<std::vector<std::size_t>> requests;
  // A sequence goes into the first of these that has room for it.
  std::deque<Open> open;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const AskedSequence& one = sequences[s];
    const auto has_room = [&](const Open& in) {
      const auto fresh = static_cast<std::size_t>(
          ranges::count_if(one.next, [&](TokenId token) { return !in.next.contains(token); }));
      return in.tokens + one.tokens.size() <= most_tokens &&
             in.next.size() + fresh <= dialect.next_tokens_together();
    };
    auto into = ranges::find_if(open, has_room);
    if (into == open.end()) {
      if (open.size() == most_open) open.pop_front();
      into = open.insert(open.end(), Open{requests.size()});
      requests.emplace_back();
    }
    into->tokens += one.tokens.size();
    into->next.insert(one.next.begin(), one.next.end());
    requests[into->request].push_back(s);
    if (requests[into->request].size() == each) open.erase(into);
  }
  return requests;
}

/// Requests the log-probabilities of each sequence's tokens and of the tokens after it, many
/// sequences per request, from several threads. The dialect must support this.
inline void ask_sequences(HttpClient& client, const ServerDialect& dialect, ServerTally& tally,
                          std::span<AskedSequence> sequences) {
  const std::vector<std::vector<std::size_t>> requests =
      sequence_requests(dialect, client.concurrency(), sequences);
  const auto asked_in = [&](std::size_t request) {
    std::vector<AskedSequence> asked;
    for (const std::size_t s : requests[request]) asked.push_back(sequences[s]);
    return asked;
  };
  client.ask_all(
      requests.size(),
      [&](std::size_t i) {
        const std::vector<AskedSequence> asked = asked_in(i);
        for (const AskedSequence& one : asked) tally.tokens_sent += one.tokens.size();
        return dialect.ask_sequences(asked);
      },
      [&](std::size_t i, const HttpReply& reply) {
        std::vector<AskedSequence> asked = asked_in(i);
        dialect.read_sequences(reply, asked, tally);
        for (std::size_t k = 0; k < asked.size(); ++k) {
          sequences[requests[i][k]] = std::move(asked[k]);
        }
      });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
