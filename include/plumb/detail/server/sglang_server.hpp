// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does plumb query SGLang?
//
// It sends `input_ids` to the server's /generate. `token_ids_logprob` lists the tokens whose
// log-probabilities are wanted; `meta_info.output_token_ids_logprobs` contains them as [nats, id,
// text] for each generated token; plumb requests only one generated token. Prompt log-probabilities
// are not requested, because the server would have to recompute tokens that are already in its
// prefix cache. Vectors come from /v1/embeddings of a server started with `--is-embedding`, and are
// normalised. Source: SGLang's native API; tested with a stand-in server, not with a real one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "plumb/detail/server/openai_compatible_server.hpp"
#include "plumb/detail/server/reply_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class SglangServer final : public OpenAiCompatibleServer {
 public:
  /// Reads the replies to /v1/models and /get_server_info; the vocabulary size is passed because
  /// SGLang does not report it.
  SglangServer(const ReplyJson& models, const ReplyJson& server, std::string place,
               std::size_t vocabulary)
      : OpenAiCompatibleServer("SGLang", server.text_or("/version", ""), models, std::move(place),
                               vocabulary) {}

  [[nodiscard]] std::size_t together(std::size_t count, QueryMode) const override { return count; }

  [[nodiscard]] HttpRequest ask(std::span<const AskedPrefix> asked, QueryMode) const override {
    return {"/generate", opening(detail::json_ids(asked.front().prefix), 1) +
                             ",\"temperature\":0},\"token_ids_logprob\":" +
                             detail::json_ids(asked.front().tokens) + "}"};
  }

  [[nodiscard]] std::optional<QueryMode> read(const HttpReply& reply,
                                              std::span<const AskedPrefix> asked, QueryMode,
                                              ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/generate");
    tally_reply(json, tally);
    const Json rows = json.find("/meta_info/output_token_ids_logprobs/0");
    if (!rows.is_array()) {
      throw user_error({.field = json.place}, "gives no output_token_ids_logprobs",
                       "use an SGLang version that supports token_ids_logprob");
    }
    std::unordered_map<TokenId, double> found;
    for (const Json& row : rows) {
      const auto [id, value] = entry(json, row, "output_token_ids_logprobs");
      found[id] = value;
    }
    const AskedPrefix& only = asked.front();
    for (std::size_t i = 0; i < only.tokens.size(); ++i) {
      const auto one = found.find(only.tokens[i]);
      if (one == found.end()) {
        throw json.wrong("output_token_ids_logprobs",
                         "lacks token " + std::to_string(only.tokens[i]));
      }
      only.nats[i] = one->second;
    }
    return std::nullopt;
  }

  /// Seeds have an effect only if the server runs with `--enable-deterministic-inference`;
  /// otherwise samples differ from run to run.
  [[nodiscard]] HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                     std::optional<std::uint32_t> seed) const override {
    const std::string how =
        seed ? ",\"temperature\":1,\"top_p\":1,\"top_k\":-1,\"min_p\":0,\"sampling_seed\":" +
                   std::to_string(*seed >> 1U)
             : ",\"temperature\":0";
    return {"/generate", opening(detail::json_ids(prompt), most) + how + "}}"};
  }

  [[nodiscard]] ServerContinuation read_continuation(const HttpReply& reply,
                                                     ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/generate");
    tally_reply(json, tally);
    ServerContinuation continuation;
    continuation.ended = json.text_or("/meta_info/finish_reason/type", "") == "stop";
    const Json& rows = json.at("/meta_info/output_token_logprobs");
    if (!rows.is_array()) throw json.wrong("output_token_logprobs", "is not a list");
    for (const Json& row : rows) {
      const auto [id, value] = entry(json, row, "output_token_logprobs");
      continuation.tokens.push_back(id);
      continuation.log_probabilities.push_back(value);
    }
    continuation.drop_end();
    return continuation;
  }

 private:
  static std::string opening(const std::string& prompt, std::size_t most) {
    return "{\"input_ids\":" + prompt +
           ",\"return_logprob\":true,\"sampling_params\":{\"max_new_tokens\":" +
           std::to_string(most);
  }

  [[nodiscard]] std::pair<TokenId, double> entry(const ReplyJson& json, const Json& row,
                                                 const std::string& field) const {
    if (!row.is_array() || row.size() < 2)
      throw json.wrong(field,
                       "is not a list of [nats, id, "
                       "text]");
    return {token(json, row[1], field), json.log_probability(row[0], field)};
  }

  static void tally_reply(const ReplyJson& json, ServerTally& tally) {
    count_computed(json, "/meta_info/prompt_tokens", "/meta_info/cached_tokens", tally);
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
