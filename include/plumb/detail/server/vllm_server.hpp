// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does plumb query vLLM?
//
// It uses /v1/completions with token ids as prompts, many per request. `prompt_logprobs` returns
// the log-probabilities of a prompt's own tokens, which requires the server to compute every token;
// this suits many short statements. `logprob_token_ids` (vLLM's pull request 43463) returns the
// log-probabilities of up to 128 given tokens at the next position. Without `prompt_logprobs`, a
// request uses the prefix cache, which suits a long prefix with many lookups after it. Together
// with `prompt_logprobs`, it returns those of the statements' last tokens, so the server does not
// compute these tokens. With `return_tokens_as_token_ids`, replies represent tokens as
// "token_id:42". The server must run with its default `--logprobs-mode raw_logprobs`. Vectors come
// from /v1/embeddings of a server with the pooling runner, and are normalised. Source: vLLM's
// OpenAI-compatible server.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/server/openai_compatible_server.hpp"
#include "plumb/detail/server/reply_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class VllmServer final : public OpenAiCompatibleServer {
 public:
  /// Reads the replies to /v1/models and /version; the vocabulary size is passed because vLLM does
  /// not report it.
  VllmServer(const ReplyJson& models, const ReplyJson& version, std::string place,
             std::size_t vocabulary)
      : OpenAiCompatibleServer("vLLM", version.text_or("/version", ""), models, std::move(place),
                               vocabulary) {}

  [[nodiscard]] std::size_t together(std::size_t count, QueryMode) const override {
    return (std::min)(count, most_tokens);
  }

  [[nodiscard]] bool can_bypass_cache() const override { return true; }
  [[nodiscard]] std::size_t prefixes_together() const override { return 64; }

  [[nodiscard]] HttpRequest ask(std::span<const AskedPrefix> asked, QueryMode how) const override {
    const auto prefix = [](const AskedPrefix& one) -> const auto& {
      return one.prefix;
    };
    const auto tokens = [](const AskedPrefix& one) { return one.tokens; };
    // A unique salt, so that nothing in the cache matches this request.
    const std::string unlike_others =
        how == QueryMode::without_cache
            ? ",\"cache_salt\":\"" +
                  std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "\""
            : "";
    return {"/v1/completions", opening(detail::json_id_lists(asked, prefix), 1) + unlike_others +
                                   ",\"temperature\":0" + next_tokens(asked, tokens) + "}"};
  }

  [[nodiscard]] std::optional<QueryMode> read(const HttpReply& reply,
                                              std::span<const AskedPrefix> asked, QueryMode,
                                              ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    // The reply contains the number of cached tokens of the last prompt only.
    const bool is_cached = ranges::any_of(asked, [&](const AskedPrefix& one) {
      return tokens_behind_cache(one.prefix.size()) < one.prefix.size();
    });
    if (asked.size() > 1 && is_cached) tally.computed_is_unknown = true;
    for (const auto& [choice, number] : choices(json, asked.size())) {
      read_next(json, choice, asked[number].tokens, asked[number].nats);
    }
    return std::nullopt;
  }

  [[nodiscard]] HttpRequest ask_likeliest(std::span<const TokenId> prefix,
                                          std::size_t count) const override {
    return {"/v1/completions", opening(detail::json_ids(prefix), 1) +
                                   ",\"temperature\":0,\"logprobs\":" + std::to_string(count) +
                                   "}"};
  }
  [[nodiscard]] std::vector<double> read_likeliest(const HttpReply& reply,
                                                   ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    return likeliest(json);
  }

  [[nodiscard]] std::size_t sequences_together() const override { return 256; }
  [[nodiscard]] std::size_t next_tokens_together() const override { return most_tokens; }
  /// vLLM's cache has blocks of 16 tokens, and at least one token is always computed.
  [[nodiscard]] std::size_t tokens_behind_cache(std::size_t length) const override {
    return length == 0 ? 0 : (length - 1) % 16 + 1;
  }

  [[nodiscard]] HttpRequest ask_sequences(std::span<const AskedSequence> asked) const override {
    const auto ids = [](const AskedSequence& one) -> const auto& {
      return one.tokens;
    };
    const auto next = [](const AskedSequence& one) -> const auto& {
      return one.next;
    };
    return {"/v1/completions", opening(detail::json_id_lists(asked, ids), 1) +
                                   ",\"temperature\":0,\"prompt_logprobs\":0" +
                                   next_tokens(asked, next) + "}"};
  }

  void read_sequences(const HttpReply& reply, std::span<AskedSequence> asked,
                      ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    for (const auto& [choice, number] : choices(json, asked.size())) {
      const Json& places = json.at(choice + "/prompt_logprobs");
      AskedSequence& one = asked[number];
      if (!places.is_array() || places.size() != one.tokens.size()) {
        throw json.wrong("prompt_logprobs",
                         "is not a list of " + std::to_string(one.tokens.size()) + " tokens");
      }
      one.nats.assign(one.tokens.size(), 0);
      for (std::size_t i = 1; i < one.tokens.size(); ++i) {
        const std::string id = std::to_string(one.tokens[i]);
        const auto entry = places[i].find(id);
        if (entry == places[i].end() || !entry->is_object()) {
          throw json.wrong("prompt_logprobs/" + std::to_string(i), "lacks token " + id);
        }
        one.nats[i] = json.log_probability(entry->value("logprob", Json()), "logprob of " + id);
      }
      one.next_nats.assign(one.next.size(), 0);
      if (!one.next.empty()) read_next(json, choice, one.next, one.next_nats);
    }
  }

  [[nodiscard]] HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                     std::optional<std::uint32_t> seed) const override {
    const std::string how = seed ? ",\"temperature\":1,\"top_p\":1,\"top_k\":0,\"min_p\":0,"
                                   "\"repetition_penalty\":1,\"seed\":" +
                                       std::to_string(*seed)
                                 : ",\"temperature\":0,\"repetition_penalty\":1";
    return {"/v1/completions",
            opening(detail::json_ids(prompt), most) + ",\"logprobs\":1" + how + "}"};
  }

  [[nodiscard]] ServerContinuation read_continuation(const HttpReply& reply,
                                                     ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    ServerContinuation continuation;
    continuation.ended = json.text_or("/choices/0/finish_reason", "") == "stop";
    const Json& tokens = json.at("/choices/0/logprobs/tokens");
    const Json& nats = json.at("/choices/0/logprobs/token_logprobs");
    if (!tokens.is_array() || !nats.is_array() || tokens.size() != nats.size()) {
      throw json.wrong("logprobs", "has lists of different lengths");
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!tokens[i].is_string()) throw json.wrong("logprobs/tokens", "does not contain strings");
      continuation.tokens.push_back(id_of(json, tokens[i].get<std::string>()));
      continuation.log_probabilities.push_back(
          json.log_probability(nats[i], "logprobs/token_logprobs"));
    }
    continuation.drop_end();
    return continuation;
  }

 private:
  // vLLM's limit on the number of ids in one request.
  static constexpr std::size_t most_tokens = 128;

  /// The fields that request the log-probabilities, after each prompt, of the tokens of all
  /// questions; none if no question has tokens.
  [[nodiscard]] static std::string next_tokens(const auto& asked, auto tokens_of) {
    std::vector<TokenId> wanted;
    for (const auto& one : asked) {
      const auto& tokens = tokens_of(one);
      wanted.insert(wanted.end(), tokens.begin(), tokens.end());
    }
    if (wanted.empty()) return "";
    ranges::sort_distinct(wanted);
    return ",\"logprobs\":1,\"logprob_token_ids\":" + detail::json_ids(wanted);
  }

  /// Reads the log-probabilities of `tokens` after the prompt of a choice.
  void read_next(const ReplyJson& json, const std::string& choice, std::span<const TokenId> tokens,
                 std::span<double> nats) const {
    const Json& top = json.at(choice + "/logprobs/top_logprobs/0");
    if (!top.is_object()) throw json.wrong("top_logprobs", "is not an object");
    std::unordered_map<TokenId, double> found;
    for (const auto& [name, value] : top.items()) {
      found[id_of(json, name)] = json.log_probability(value, "top_logprobs of " + name);
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const auto entry = found.find(tokens[i]);
      if (entry == found.end()) {
        throw user_error({.field = json.place},
                         "returns no log-probability for token " + std::to_string(tokens[i]) +
                             ", only for " + std::to_string(found.size()) + " others",
                         "use a vLLM version whose completions support logprob_token_ids");
      }
      nats[i] = entry->second;
    }
  }

  /// `prompt` is JSON: a list of ids, or a list of such lists.
  [[nodiscard]] std::string opening(const std::string& prompt, std::size_t most) const {
    return "{\"model\":" + quoted_name() + ",\"prompt\":" + prompt +
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
                       "is not \"token_id:N\", although return_tokens_as_token_ids was set");
    }
    return token(json, Json(id), "token_id");
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
