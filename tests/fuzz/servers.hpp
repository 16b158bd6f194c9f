// SPDX-License-Identifier: Apache-2.0
#pragma once

// Server replies: each input is a response body, which is parsed as every kind of reply in every
// dialect.

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/sound.hpp"
#include "plumb/detail/server/echo_server.hpp"
#include "plumb/detail/server/llama_server.hpp"
#include "plumb/detail/server/sglang_server.hpp"
#include "plumb/detail/server/vllm_server.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz {

/// A vocabulary of 5 tokens.
inline const std::vector<std::unique_ptr<ServerDialect>>& dialects() {
  static const std::vector<std::unique_ptr<ServerDialect>> all = [] {
    const ReplyJson models = parse_reply(
        R"({"data": [{"id": "m", "max_model_len": 9, "meta": {"n_vocab": 5}}]})", "http://h");
    std::vector<std::unique_ptr<ServerDialect>> made;
    made.push_back(std::make_unique<LlamaServer>(models, models, "http://h"));
    made.push_back(std::make_unique<VllmServer>(models, models, "http://h", 5));
    made.push_back(std::make_unique<SglangServer>(models, models, "http://h", 5));
    made.push_back(std::make_unique<EchoServer>("maker", models, "http://h", 5));
    return made;
  }();
  return all;
}

inline void servers(std::string_view input) {
  const HttpReply reply{200, std::string(input)};
  const std::string place = "http://h";
  const auto is_token = [](TokenId id) {
    require(id >= 0 && id < 5, "a token that the vocabulary lacks");
  };
  ServerTally tally;
  for (const auto& dialect : dialects()) {
    for (const std::size_t count : {1U, 3U}) {
      const std::array<TokenId, 3> tokens{1, 3, 4};
      for (const QueryMode how :
           {QueryMode::normal, QueryMode::reference, QueryMode::reference_anchor}) {
        std::array<double, 3> nats{};
        nats.fill(1);
        bool answers = false;
        const bool read = is_read(place, [&] {
          const AskedPrefix asked{
              {0}, std::span(tokens).first(count), std::span(nats).first(count)};
          answers = !dialect->read(reply, std::span(&asked, 1), how, tally);
        });
        for (std::size_t i = 0; read && answers && i < count; ++i) {
          require(nats[i] <= 1e-3, "a log-probability that is none");
        }
      }
      if (dialect->sequences_together() > 0) {
        AskedSequence sequence{{1, 3, 4}, {}};
        if (dialect->next_tokens_together() > 0) sequence.next = {5};
        std::vector<AskedSequence> sequences(count, sequence);
        const bool told = is_read(place, [&] { dialect->read_sequences(reply, sequences, tally); });
        for (const AskedSequence& one : sequences) {
          require(!told || one.nats.size() == 3, "a sequence without all of its numbers");
          for (std::size_t i = 1; told && i < 3; ++i) {
            require(one.nats[i] <= 1e-3, "a log-probability that is none");
          }
          require(!told || one.next_nats.size() == one.next.size(),
                  "a sequence without the numbers after it");
          for (const double nats : one.next_nats) {
            require(!told || nats <= 1e-3, "a log-probability that is none");
          }
        }
        (void)is_read(place, [&] {
          for (const double one : dialect->read_likeliest(reply, tally)) {
            require(one <= 1e-3, "a log-probability that is none");
          }
        });
      }
      if (dialect->forced_together() > 0) {
        ForcedPath path{{0}, {1, 3, 4}};
        const bool told = is_read(place, [&] { dialect->read_forced(reply, path, tally); });
        require(!told || path.nats.size() == 3, "another number of numbers than tokens");
        for (const double one : path.nats) {
          require(!told || std::isnan(one) || one <= 1e-3, "a log-probability that is none");
        }
      }
      (void)is_read(place, [&] {
        const auto vectors = dialect->read_vectors(reply, count);
        require(vectors.size() == count, "vectors of another number");
        for (const auto& vector : vectors) {
          require(!vector.empty(), "a vector without numbers");
          for (const float one : vector) require(!std::isnan(one), "a vector with no number");
        }
      });
    }
    (void)is_read(place, [&] {
      const ServerContinuation made = dialect->read_continuation(reply, tally);
      for (const TokenId id : made.tokens) is_token(id);
      require(made.log_probabilities.empty() || made.log_probabilities.size() == made.tokens.size(),
              "tokens without log-probabilities");
    });
    (void)is_read(place, [&] {
      const Tokenization made = dialect->read_tokens(reply, "ab c");
      for (const Token& token : made.tokens) {
        is_token(token.id);
        require(token.bytes.begin <= token.bytes.end, "a token that ends before it begins");
        require(!made.spells_text || token.bytes.end <= 4, "a token past its text");
      }
    });
  }
  (void)error_message(input);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::fuzz
