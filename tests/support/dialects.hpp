// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests of the three dialects share: a dialect, and the stand-in that speaks it, in one
// process.

#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/server/find_server.hpp"
#include "support/stand_in_model.hpp"
#include "support/stand_in_server.hpp"

namespace plumb::test {

/// Waits are short, so that a test of failures is.
inline HttpOptions quick_http(std::size_t concurrency = 4, std::string key = "") {
  HttpOptions options;
  options.key = std::move(key);
  options.concurrency = concurrency;
  options.retry = {.tries = 4, .first = RetryPolicy::Seconds(0.01)};
  return options;
}

/// A stand-in, and a client and a dialect that have found it.
struct FoundStandIn {
  explicit FoundStandIn(StandInModel::Options options, std::size_t concurrency = 4)
      : made(options),
        server(made),
        client(parse_server_url(server.url()), quick_http(concurrency, options.key)),
        dialect(find_server(client, made.model().vocabulary_size())) {
    if (auto* const llama = dynamic_cast<LlamaServer*>(dialect.get())) llama->set_sampled('a');
  }

  [[nodiscard]] std::vector<TokenId> ids(const std::string& text) const {
    std::vector<TokenId> all;
    for (const Token& token : made.model().tokenize(text).tokens) all.push_back(token.id);
    return all;
  }

  /// What the dialect reads of one token in a reply's body. Nats.
  [[nodiscard]] double read_one(const std::string& body, TokenId token) const {
    double nats = 0;
    ServerTally computed;
    BOOST_TEST(dialect->read({200, body}, std::span(&token, 1), std::span(&nats, 1), computed));
    return nats;
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

inline const char* const all_makers[] = {"llamacpp", "vllm", "sglang"};

}  // namespace plumb::test
