// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do vLLM, SGLang and the servers that EchoServer queries have in common?
//
// All support OpenAI's /v1/models. vLLM and SGLang also support /v1/embeddings, which returns
// normalised vectors, and a /tokenize route that returns token ids but not the tokens' bytes. Other
// servers may lack both routes. The servers differ in the requests and replies for
// log-probabilities and continuations.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class OpenAiCompatibleServer : public ServerDialect {
 public:
  [[nodiscard]] const ServerFacts& facts() const final { return facts_; }
  [[nodiscard]] bool spells_tokens() const final { return false; }
  [[nodiscard]] bool gives_raw_vectors() const final { return false; }

  [[nodiscard]] HttpRequest embed(std::span<const std::vector<TokenId>> sequences) const final {
    return {"/v1/embeddings", "{\"model\":" + quoted_name() +
                                  ",\"input\":" + detail::json_id_lists(sequences) +
                                  ",\"encoding_format\":\"float\"}"};
  }

  /// The vectors, in the order of the requested sequences.
  [[nodiscard]] std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                             std::size_t count) const final {
    const ReplyJson json = read_reply(reply, "/v1/embeddings");
    const Json& data = json.at("/data");
    if (!data.is_array() || data.size() != count) {
      throw json.wrong("data", "is not a list of " + std::to_string(count) + " vectors");
    }
    std::vector<std::vector<float>> vectors(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string item = "/data/" + std::to_string(i);
      const std::uint64_t index = json.count_or(item + "/index", i);
      if (index >= count || !vectors[index].empty()) throw json.wrong(item, "has the wrong index");
      vectors[index] = json.numbers(json.at(item + "/embedding"), item + "/embedding");
    }
    return vectors;
  }

  /// The texts of special tokens are always parsed as those tokens, regardless of the flag.
  [[nodiscard]] HttpRequest tokenize(std::string_view text, bool) const final {
    const Json body = {{"model", name_}, {"prompt", text}, {"add_special_tokens", false}};
    return {"/tokenize", body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }

  [[nodiscard]] Tokenization read_tokens(const HttpReply& reply, std::string_view) const final {
    const ReplyJson json = read_reply(reply, "/tokenize");
    const Json& tokens = json.at("/tokens");
    if (!tokens.is_array()) throw json.wrong("tokens", "is not a list");
    Tokenization made;
    made.spells_text = false;
    for (const Json& id : tokens) made.tokens.push_back({token(json, id, "tokens"), {}});
    return made;
  }

 protected:
  /// Reads the reply to /v1/models; the vocabulary size is passed because none of the servers
  /// reports it.
  OpenAiCompatibleServer(std::string kind, std::string version, const ReplyJson& models,
                         std::string place, std::size_t vocabulary)
      : name_(models.text_or("/data/0/id", "")),
        facts_{std::move(kind),
               std::move(version),
               name_.substr(name_.find_last_of('/') + 1),
               "",
               vocabulary,
               models.count_or("/data/0/max_model_len", 0)},
        place_(std::move(place)) {
    facts_.other_models = other_models(models);
  }

  /// The model's name as a JSON string for requests.
  [[nodiscard]] std::string quoted_name() const { return Json(name_).dump(); }

  /// Throws an internal error for a reply that is not JSON.
  [[nodiscard]] ReplyJson read_reply(const HttpReply& reply, const std::string& route) const {
    return parse_reply(reply.body, place_ + route);
  }

  /// Throws an internal error for an id outside the vocabulary.
  [[nodiscard]] TokenId token(const ReplyJson& json, const Json& id,
                              const std::string& field) const {
    return json.token(id, field, facts_.vocabulary);
  }

  /// Adds the number of prompt tokens that were not cached, if the reply contains the number of
  /// cached tokens.
  static void count_computed(const ReplyJson& json, const std::string& prompt_tokens,
                             const std::string& cached_tokens, ServerTally& tally) {
    const Json cached = json.find(cached_tokens);
    if (!cached.is_number_unsigned()) return;
    const std::uint64_t prompt = json.count_or(prompt_tokens, 0);
    tally.tokens_computed += prompt - (std::min)(prompt, cached.get<std::uint64_t>());
  }

  /// Does the same for a reply to /v1/completions.
  static void count_usage(const ReplyJson& json, ServerTally& tally) {
    count_computed(json, "/usage/prompt_tokens", "/usage/prompt_tokens_details/cached_tokens",
                   tally);
  }

  /// For each choice in a reply: its JSON pointer, and the index, below `count`, of the prompt that
  /// it answers.
  [[nodiscard]] static std::vector<std::pair<std::string, std::size_t>> choices(
      const ReplyJson& json, std::size_t count) {
    const Json& all = json.at("/choices");
    if (!all.is_array() || all.size() != count) {
      throw json.wrong("choices", "is not a list of " + std::to_string(count));
    }
    std::vector<std::pair<std::string, std::size_t>> found;
    std::vector<bool> is_answered(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string place = "/choices/" + std::to_string(i);
      const std::uint64_t prompt = json.count_or(place + "/index", i);
      if (prompt >= count || is_answered[prompt]) throw json.wrong(place, "has the wrong index");
      is_answered[prompt] = true;
      found.emplace_back(place, prompt);
    }
    return found;
  }

  /// The log-probabilities in the first choice's `top_logprobs`, in any order.
  [[nodiscard]] static std::vector<double> likeliest(const ReplyJson& json) {
    const Json& top = json.at("/choices/0/logprobs/top_logprobs/0");
    if (!top.is_object()) throw json.wrong("top_logprobs", "is not an object");
    std::vector<double> nats;
    for (const auto& [name, value] : top.items()) {
      nats.push_back(json.log_probability(value, "top_logprobs of " + name));
    }
    return nats;
  }

 private:
  std::string name_;
  ServerFacts facts_;
  std::string place_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
