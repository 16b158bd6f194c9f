// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers for testing all three dialects: a dialect and the stand-in server that uses it, in one
// process.

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/server/find_server.hpp"
#include "support/near.hpp"
#include "support/stand_in_model.hpp"
#include "support/stand_in_server.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Options with short waits, so that failure tests run quickly.
inline HttpOptions quick_http(std::size_t concurrency = 4, std::string key = "") {
  HttpOptions options;
  options.key = std::move(key);
  options.concurrency = concurrency;
  options.retry = {.tries = 4, .first = RetryPolicy::Seconds(0.01)};
  return options;
}

/// A stand-in server, with the client and the dialect found for it.
struct FoundStandIn {
  explicit FoundStandIn(StandInModel::Options options, std::size_t concurrency = 4)
      : made(options),
        server(made),
        client(parse_server_url(server.url()), quick_http(concurrency, options.key)),
        dialect(find_server(client, made.model().vocabulary_size())) {
    dialect->set_reference('a');
  }

  [[nodiscard]] std::vector<TokenId> ids(const std::string& text) const {
    std::vector<TokenId> all;
    for (const Token& token : made.model().tokenize(text).tokens) all.push_back(token.id);
    return all;
  }

  StandInModel made;
  StandInServer server;
  HttpClient client;
  std::unique_ptr<ServerDialect> dialect;
  ServerTally tally;
};

inline StandInModel::Options speaking(std::string maker) {
  StandInModel::Options options;
  options.maker = std::move(maker);
  return options;
}

/// The request for the log-probabilities of these tokens after one prefix.
[[nodiscard]] inline HttpRequest ask_after(const ServerDialect& dialect,
                                           const std::vector<TokenId>& prefix,
                                           std::span<const TokenId> tokens, QueryMode how) {
  const AskedPrefix one{prefix, tokens, {}};
  return dialect.ask(std::span(&one, 1), how);
}
/// Reads the reply to a request of ask_after().
[[nodiscard]] inline bool read_after(const ServerDialect& dialect, const HttpReply& reply,
                                     std::span<const TokenId> tokens, std::span<double> nats,
                                     ServerTally& tally) {
  const AskedPrefix one{{0}, tokens, nats};
  return !dialect.read(reply, std::span(&one, 1), QueryMode::normal, tally);
}

/// The log-probability that a dialect reads for one token in a reply's body, in nats.
[[nodiscard]] inline double read_one(const ServerDialect& dialect, const std::string& body,
                                     TokenId token) {
  double nats = 0;
  ServerTally tally;
  BOOST_TEST(read_after(dialect, {200, body}, std::span(&token, 1), std::span(&nats, 1), tally));
  return nats;
}

/// Requests the log-probabilities of three tokens from a stand-in, via `route`.
inline void check_given_tokens(const std::string& maker, const std::string& route) {
  FoundStandIn found(speaking(maker));
  const std::vector<TokenId> prefix = found.ids("the c"), tokens{'a', 'z', 256};
  const HttpRequest request = ask_after(*found.dialect, prefix, tokens, QueryMode::normal);
  BOOST_TEST(request.route == route);
  std::vector<double> nats(3);
  BOOST_TEST(read_after(*found.dialect, found.client.ask(request), tokens, nats, found.tally));
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(near(nats[i], found.made.model().log_probability(prefix, tokens[i])));
  }
  BOOST_TEST(found.tally.tokens_computed == 1U);
}

/// Requests one greedy continuation from a stand-in, and one drawn with seed 8, which the model
/// must receive as `drawn_by`.
inline void check_continuations(const std::string& maker, std::uint64_t drawn_by) {
  FoundStandIn found(speaking(maker));
  const std::vector<TokenId> prompt = found.ids("the d");
  for (const std::optional<std::uint32_t> seed :
       {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(8)}) {
    const HttpReply reply = found.client.ask(found.dialect->generate(prompt, 5, seed));
    const ServerContinuation made = found.dialect->read_continuation(reply, found.tally);
    const Continuation expected =
        found.made.model().generate(prompt, {seed ? 1U : 0U, 5, {}, seed ? drawn_by : 0}).front();
    BOOST_TEST(made.tokens == expected.tokens, boost::test_tools::per_element());
    BOOST_TEST(made.log_probabilities.size() == made.tokens.size());
    for (std::size_t i = 0; i < made.tokens.size(); ++i) {
      BOOST_TEST(near(made.log_probabilities[i], expected.log_probabilities[i]));
    }
    BOOST_TEST(made.ended == (made.tokens.size() < 5));
  }
}

inline const char* const all_makers[] = {"llamacpp", "vllm", "sglang"};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
