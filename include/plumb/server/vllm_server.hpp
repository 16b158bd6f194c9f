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
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/server/server_dialect.hpp"

namespace plumb {

/// Any number of threads may use one.
class VllmServer final : public ServerDialect {
 public:
  /// Of the replies of /v1/models and /version, and the vocabulary's size, which it does not tell.
  /// Throws an internal error for others.
  VllmServer(const ReplyJson& models, const ReplyJson& version, std::string place,
             std::size_t vocabulary)
      : place_(std::move(place)), name_(models.text_or("/data/0/id", "")) {
    facts_ = {"vLLM",
              version.text_or("/version", ""),
              name_.substr(name_.find_last_of('/') + 1),
              "",
              vocabulary,
              models.count_or("/data/0/max_model_len", 0)};
  }

  [[nodiscard]] const ServerFacts& facts() const override { return facts_; }
  [[nodiscard]] bool spells_tokens() const override { return false; }

  [[nodiscard]] std::size_t together(std::size_t count, AskHow) const override {
    return std::min(count, most_tokens);
  }

  [[nodiscard]] HttpRequest ask(std::span<const TokenId> prefix, std::span<const TokenId> tokens,
                                AskHow) const override {
    return {"/v1/completions", opening(prefix, 1) +
                                   ",\"temperature\":0,\"logprobs\":1,\"logprob_token_ids\":" +
                                   detail::json_ids(tokens) + "}"};
  }

  [[nodiscard]] bool read(const HttpReply& reply, std::span<const TokenId> tokens,
                          std::span<double> nats, ServerTally& tally) const override {
    const ReplyJson json = parse_reply(reply.body, place_ + "/v1/completions");
    count_computed(json, tally);
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
    const ReplyJson json = parse_reply(reply.body, place_ + "/v1/completions");
    count_computed(json, tally);
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

  [[nodiscard]] HttpRequest embed(std::span<const std::vector<TokenId>> sequences) const override {
    return {"/v1/embeddings", "{\"model\":" + Json(name_).dump() +
                                  ",\"input\":" + detail::json_id_lists(sequences) +
                                  ",\"encoding_format\":\"float\"}"};
  }
  [[nodiscard]] std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                             std::size_t count) const override {
    return detail::read_openai_vectors(parse_reply(reply.body, place_ + "/v1/embeddings"), count);
  }
  [[nodiscard]] bool gives_raw_vectors() const override { return false; }

  /// It reads the texts of special tokens as these tokens, whatever is asked.
  [[nodiscard]] HttpRequest tokenize(std::string_view text, bool) const override {
    const Json body = {{"model", name_}, {"prompt", text}, {"add_special_tokens", false}};
    return {"/tokenize", body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }
  [[nodiscard]] Tokenization read_tokens(const HttpReply& reply, std::string_view) const override {
    return detail::read_bare_tokens(parse_reply(reply.body, place_ + "/tokenize"),
                                    facts_.vocabulary);
  }

 private:
  // vLLM takes no more ids in one request.
  static constexpr std::size_t most_tokens = 128;

  [[nodiscard]] std::string opening(std::span<const TokenId> prompt, std::size_t most) const {
    return "{\"model\":" + Json(name_).dump() + ",\"prompt\":" + detail::json_ids(prompt) +
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
    return json.token(Json(id), "token_id", facts_.vocabulary);
  }

  static void count_computed(const ReplyJson& json, ServerTally& tally) {
    const Json cached = json.find("/usage/prompt_tokens_details/cached_tokens");
    if (!cached.is_number_unsigned()) return;
    const std::uint64_t prompt = json.count_or("/usage/prompt_tokens", 0);
    tally.tokens_computed += prompt - std::min(prompt, cached.get<std::uint64_t>());
  }

  ServerFacts facts_;
  std::string place_, name_;
};

}  // namespace plumb
