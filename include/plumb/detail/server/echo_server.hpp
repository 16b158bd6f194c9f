// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does plumb query a server that only supports echoing prompts with their log-probabilities?
//
// It uses /v1/completions with `echo` and `logprobs`, as in OpenAI's first API. The reply repeats
// the prompt's tokens, each with its log-probability given the preceding tokens. This is enough for
// every probe that scores given tokens: each lookup is sent as a prompt that ends with the token to
// look up. The reply contains the tokens' texts, not their ids, so plumb needs the model's
// tokenizer and cannot read generated answers. Any server that accepts token ids as a prompt and
// supports both fields works; `tests/servers.sh` queries a vLLM server this way, through a proxy.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/server/openai_compatible_server.hpp"
#include "plumb/detail/server/reply_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class EchoServer final : public OpenAiCompatibleServer {
 public:
  /// Reads the reply to /v1/models; `maker` is the value of `owned_by` in it.
  EchoServer(const std::string& maker, const ReplyJson& models, std::string place,
             std::size_t vocabulary)
      : OpenAiCompatibleServer(maker.empty() ? "echo" : "echo (" + shortened(maker) + ")", "",
                               models, std::move(place), vocabulary) {}

  /// A request that sends two tokens to any server with /v1/completions, to find out whether it
  /// `echoes`. `model` is the name that /v1/models reports.
  [[nodiscard]] static HttpRequest trial(const std::string& model) {
    return {"/v1/completions", body(Json(model).dump(), "[1,2]", 1, true)};
  }
  /// Whether the reply to `trial` contains the log-probability of the second token.
  [[nodiscard]] static bool echoes(const HttpReply& reply) {
    if (reply.status < 200 || reply.status >= 300) return false;
    const Json json = Json::parse(reply.body, nullptr, false);
    if (json.is_discarded()) return false;
    const Json::json_pointer place("/choices/0/logprobs/token_logprobs");
    if (!json.contains(place)) return false;
    const Json& nats = json.at(place);
    return nats.is_array() && nats.size() >= 2 && nats.size() <= 3 && nats[0].is_null() &&
           nats[1].is_number();
  }

  [[nodiscard]] bool reports_only_token_texts() const override { return true; }
  [[nodiscard]] HttpRequest ask_token_texts(std::string_view text) const override {
    return echo(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  [[nodiscard]] HttpRequest ask_token_texts(std::span<const TokenId> ids) const override {
    return echo(detail::json_ids(ids));
  }
  [[nodiscard]] std::vector<std::string> read_token_texts(const HttpReply& reply) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    const Json& tokens = json.at("/choices/0/logprobs/tokens");
    if (!tokens.is_array()) throw json.wrong("logprobs/tokens", "is not a list");
    std::vector<std::string> texts;
    for (const Json& one : tokens) {
      if (!one.is_string())
        throw json.wrong("logprobs/tokens", "contains something other than strings");
      texts.push_back(one.get<std::string>());
    }
    return texts;
  }

  [[nodiscard]] bool scores_only_sequences() const override { return true; }
  [[nodiscard]] bool reports_generated_ids() const override { return false; }

  [[nodiscard]] std::size_t together(std::size_t count, QueryMode) const override {
    return (std::min)(count, most_prompts);
  }
  [[nodiscard]] std::size_t prefixes_together() const override { return most_prompts; }

  /// One prompt per token, consisting of the prefix and the token.
  [[nodiscard]] HttpRequest ask(std::span<const AskedPrefix> asked, QueryMode) const override {
    std::vector<std::vector<TokenId>> prompts;
    for (const AskedPrefix& one : asked) {
      for (const TokenId token : one.tokens) {
        prompts.push_back(one.prefix);
        prompts.back().push_back(token);
      }
    }
    return echo(detail::json_id_lists(prompts));
  }

  [[nodiscard]] std::optional<QueryMode> read(const HttpReply& reply,
                                              std::span<const AskedPrefix> asked, QueryMode,
                                              ServerTally& tally) const override {
    std::vector<std::pair<const AskedPrefix*, std::size_t>> prompts;
    for (const AskedPrefix& one : asked) {
      for (std::size_t i = 0; i < one.tokens.size(); ++i) prompts.emplace_back(&one, i);
    }
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    for (const auto& [choice, number] : choices(json, prompts.size())) {
      const auto& [one, i] = prompts[number];
      one->nats[i] = own_nats(json, choice, one->prefix.size() + 1).back();
    }
    return std::nullopt;
  }

  [[nodiscard]] HttpRequest ask_likeliest(std::span<const TokenId> prefix,
                                          std::size_t count) const override {
    return {"/v1/completions", body(quoted_name(), detail::json_ids(prefix), count, false)};
  }
  [[nodiscard]] std::vector<double> read_likeliest(const HttpReply& reply,
                                                   ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    return likeliest(json);
  }

  [[nodiscard]] std::size_t sequences_together() const override { return most_prompts; }

  [[nodiscard]] HttpRequest ask_sequences(std::span<const AskedSequence> asked) const override {
    const auto ids = [](const AskedSequence& one) -> const auto& {
      return one.tokens;
    };
    return echo(detail::json_id_lists(asked, ids));
  }

  void read_sequences(const HttpReply& reply, std::span<AskedSequence> asked,
                      ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    for (const auto& [choice, number] : choices(json, asked.size())) {
      asked[number].nats = own_nats(json, choice, asked[number].tokens.size());
    }
  }

  /// Only the continuation's text is available. plumb compares greedy continuations to find out
  /// whether the model has changed.
  [[nodiscard]] HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                     std::optional<std::uint32_t>) const override {
    return {"/v1/completions",
            "{\"model\":" + quoted_name() + ",\"prompt\":" + detail::json_ids(prompt) +
                ",\"max_tokens\":" + std::to_string(most) + ",\"temperature\":0}"};
  }
  [[nodiscard]] ServerContinuation read_continuation(const HttpReply& reply,
                                                     ServerTally& tally) const override {
    const ReplyJson json = read_reply(reply, "/v1/completions");
    count_usage(json, tally);
    const Json& text = json.at("/choices/0/text");
    if (!text.is_string()) throw json.wrong("choices/0/text", "is not a string");
    ServerContinuation made;
    made.text = text.get<std::string>();
    return made;
  }

 private:
  // The OpenAI API does not state a limit.
  static constexpr std::size_t most_prompts = 64;

  /// One token must be generated, because some servers reject `max_tokens` 0.
  [[nodiscard]] static std::string body(const std::string& model, const std::string& prompt,
                                        std::size_t logprobs, bool echoes) {
    return "{\"model\":" + model + ",\"prompt\":" + prompt +
           ",\"max_tokens\":1,\"temperature\":0,\"logprobs\":" + std::to_string(logprobs) +
           (echoes ? ",\"echo\":true}" : "}");
  }
  [[nodiscard]] HttpRequest echo(const std::string& prompts) const {
    return {"/v1/completions", body(quoted_name(), prompts, 1, true)};
  }

  /// The log-probabilities of a prompt's own tokens; the first is 0, since no token precedes it.
  [[nodiscard]] static std::vector<double> own_nats(const ReplyJson& json,
                                                    const std::string& choice, std::size_t length) {
    const Json& all = json.at(choice + "/logprobs/token_logprobs");
    // The generated token comes last, if the server includes it.
    if (!all.is_array() || all.size() < length || all.size() > length + 1) {
      throw json.wrong("token_logprobs",
                       "is not a list of " + std::to_string(length) + " tokens and the next");
    }
    std::vector<double> nats(length);
    for (std::size_t i = 1; i < length; ++i) {
      nats[i] = json.log_probability(all[i], "token_logprobs/" + std::to_string(i));
    }
    return nats;
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
