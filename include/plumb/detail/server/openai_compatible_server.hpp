// SPDX-License-Identifier: Apache-2.0
#pragma once

// What have vLLM and SGLang in common?
//
// Both have OpenAI's /v1/models and /v1/embeddings, whose vectors are normalised, and a /tokenize of
// their own that gives the ids of tokens and not their bytes. Log-probabilities and continuations are
// asked and read by each in its own way.

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

/// Any number of threads may use one.
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

  /// In the order of what was asked.
  [[nodiscard]] std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                             std::size_t count) const final {
    const ReplyJson json = read_reply(reply, "/v1/embeddings");
    const Json& data = json.at("/data");
    if (!data.is_array() || data.size() != count) {
      throw json.wrong("data", "is no list of " + std::to_string(count) + " vectors");
    }
    std::vector<std::vector<float>> vectors(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string item = "/data/" + std::to_string(i);
      const std::uint64_t index = json.count_or(item + "/index", i);
      if (index >= count || !vectors[index].empty()) throw json.wrong(item, "has a wrong index");
      vectors[index] = json.numbers(json.at(item + "/embedding"), item + "/embedding");
    }
    return vectors;
  }

  /// The texts of special tokens are read as these tokens, whatever is asked.
  [[nodiscard]] HttpRequest tokenize(std::string_view text, bool) const final {
    const Json body = {{"model", name_}, {"prompt", text}, {"add_special_tokens", false}};
    return {"/tokenize", body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }

  [[nodiscard]] Tokenization read_tokens(const HttpReply& reply, std::string_view) const final {
    const ReplyJson json = read_reply(reply, "/tokenize");
    const Json& tokens = json.at("/tokens");
    if (!tokens.is_array()) throw json.wrong("tokens", "is no list");
    Tokenization made;
    made.spells_text = false;
    for (const Json& id : tokens) made.tokens.push_back({token(json, id, "tokens"), {}});
    return made;
  }

 protected:
  /// Of the reply of /v1/models, and the vocabulary's size, which neither server tells.
  OpenAiCompatibleServer(std::string kind, std::string version, const ReplyJson& models,
                         std::string place, std::size_t vocabulary)
      : name_(models.text_or("/data/0/id", "")),
        facts_{std::move(kind),
               std::move(version),
               name_.substr(name_.find_last_of('/') + 1),
               "",
               vocabulary,
               models.count_or("/data/0/max_model_len", 0)},
        place_(std::move(place)) {}

  /// The model's name as requests write it.
  [[nodiscard]] std::string quoted_name() const { return Json(name_).dump(); }

  /// Throws an internal error for a reply that is no JSON.
  [[nodiscard]] ReplyJson read_reply(const HttpReply& reply, const std::string& route) const {
    return parse_reply(reply.body, place_ + route);
  }

  /// Throws an internal error for an id that the vocabulary lacks.
  [[nodiscard]] TokenId token(const ReplyJson& json, const Json& id,
                              const std::string& field) const {
    return json.token(id, field, facts_.vocabulary);
  }

  /// Adds the prompt's tokens that were not cached, where the reply tells both numbers, which these
  /// JSON pointers name.
  static void count_computed(const ReplyJson& json, const std::string& prompt_tokens,
                             const std::string& cached_tokens, ServerTally& tally) {
    const Json cached = json.find(cached_tokens);
    if (!cached.is_number_unsigned()) return;
    const std::uint64_t prompt = json.count_or(prompt_tokens, 0);
    tally.tokens_computed += prompt - (std::min)(prompt, cached.get<std::uint64_t>());
  }

 private:
  std::string name_;
  ServerFacts facts_;
  std::string place_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
