// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is vLLM asked?
//
// By /v1/completions with token ids as the prompt. `logprob_token_ids` (its pull request 43463)
// gives the log-probabilities of up to 128 given tokens at the next position, and keeps the prefix
// cache, which `echo` and `prompt_logprobs` do not. `return_tokens_as_token_ids` names tokens
// "token_id:42" in replies. It must run with its standard `--logprobs-mode raw_logprobs`. Vectors
// come by /v1/embeddings from a server of its pooling runner, normalised. Source: vLLM's
// OpenAI-compatible server; tried on a stand-in that speaks it, not on a real one.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "plumb/detail/server/openai_compatible_server.hpp"
#include "plumb/detail/server/reply_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use one.
class VllmServer final : public OpenAiCompatibleServer {
 public:
  /// Of the replies of /v1/models and /version, and the vocabulary's size, which it does not tell.
  /// Throws an internal error for others.
  VllmServer(const ReplyJson& models, const ReplyJson& version, std::string place,
             std::size_t vocabulary)
      : OpenAiCompatibleServer("vLLM", version.text_or("/version", ""), models, std::move(place),
                               vocabulary) {}

  [[nodiscard]] std::size_t together(std::size_t count, AskHow) const override {
    return (std::min)(count, most_tokens);
  }

  [[nodiscard]] HttpRequest ask(std::span<const TokenId> prefix, std::span<const TokenId> tokens,
                                AskHow) const override {
    return {"/v1/completions", opening(prefix, 1) +
                                   ",\"temperature\":0,\"logprobs\":1,\"logprob_token_ids\":" +
                                   detail::json_ids(tokens) + "}"};
  }

  [[nodiscard]] bool read(const HttpReply& reply, std::span<const TokenId> tokens,
                          std::span<double> nats, ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    tally_reply(json, tally);
    const Json& top = json.at("/choices/0/logprobs/top_logprobs/0");
    if (!top.is_object()) throw json.wrong("top_logprobs", "is no object");
    std::unordered_map<TokenId, double> found;
    for (const auto& [name, value] : top.items()) {
      found[id_of(json, name)] = json.log_probability(value, "top_logprobs of " + name);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto entry = found.find(tokens[i]);
      if (entry == found.end()) {
        throw user_error({.field = json.place},
                         "gives no log-probability of token " + std::to_string(tokens[i]) +
                             ", only of " + std::to_string(found.size()) + " others",
                         "use a vLLM whose completions take logprob_token_ids");
      }
      nats[i] = entry->second;
    }
    return true;
  }

  [[nodiscard]] HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                     std::optional<std::uint32_t> seed) const override {
    const std::string how = seed ? ",\"temperature\":1,\"top_p\":1,\"top_k\":0,\"min_p\":0,"
                                   "\"repetition_penalty\":1,\"seed\":" +
                                       std::to_string(*seed)
                                 : ",\"temperature\":0,\"repetition_penalty\":1";
    return {"/v1/completions", opening(prompt, most) + ",\"logprobs\":1" + how + "}"};
  }

  [[nodiscard]] ServerContinuation read_continuation(const HttpReply& reply,
                                                     ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    tally_reply(json, tally);
    ServerContinuation continuation;
    continuation.ended = json.text_or("/choices/0/finish_reason", "") == "stop";
    const Json& tokens = json.at("/choices/0/logprobs/tokens");
    const Json& nats = json.at("/choices/0/logprobs/token_logprobs");
    if (!tokens.is_array() || !nats.is_array() || tokens.size() != nats.size()) {
      throw json.wrong("logprobs", "has lists of different lengths");
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is_string()) throw json.wrong("logprobs/tokens", "holds no texts");
      continuation.tokens.push_back(id_of(json, tokens[i].get<std::string>()));
      continuation.log_probabilities.push_back(
          json.log_probability(nats[i], "logprobs/token_logprobs"));
    }
    continuation.drop_end();
    return continuation;
  }

 private:
  // vLLM takes no more ids in one request.
  static constexpr std::size_t most_tokens = 128;

  [[nodiscard]] std::string opening(std::span<const TokenId> prompt, std::size_t most) const {
    return "{\"model\":" + quoted_name() + ",\"prompt\":" + detail::json_ids(prompt) +
           ",\"max_tokens\":" + std::to_string(most) +
           ",\"add_special_tokens\":false,\"return_tokens_as_token_ids\":true";
  }

  [[nodiscard]] TokenId id_of(const ReplyJson& json, std::string_view name) const {
    constexpr std::string_view lead = "token_id:";
    std::int64_t id = -1;
    if (name.starts_with(lead)) {
      const char* const end = name.data() + name.size();
      const auto [stop, failed] = std::from_chars(name.data() + lead.size(), end, id);
      if (failed != std::errc() || stop != end) id = -1;
    }
    if (id < 0) {
      throw json.wrong("token '" + shortened(std::string(name)) + "'",
                       "is no \"token_id:N\", though return_tokens_as_token_ids was asked");
    }
    return token(json, Json(id), "token_id");
  }

  static void tally_reply(const ReplyJson& json, ServerTally& tally) {
    count_computed(json, "/usage/prompt_tokens", "/usage/prompt_tokens_details/cached_tokens",
                   tally);
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
