// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is llama.cpp's llama-server asked?
//
// It gives no log-probabilities of given tokens, but two things that come to the same. With
// `n_probs` as large as the vocabulary a reply holds the whole distribution of the next token
// (megabytes), the softmax of the raw logits as long as `post_sampling_probs` is false. And
// whatever it samples, it says the same raw log-probability of that token: so a token that is
// wanted alone is forced by a bias, and the reply is small. Few tokens are forced one by one, many
// read from the whole distribution. A token that ends inside a UTF-8 character is left out of a
// reply that ends there, so it is asked wholly. Probabilities are computed in F32: none below e^-87
// can be reported, and sums are good to 1e-3 nats.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/server/llama_probabilities.hpp"
#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use one.
class LlamaServer final : public ServerDialect {
 public:
  /// Of the replies of /v1/models and /props. Throws an internal error for others.
  LlamaServer(const ReplyJson& models, const ReplyJson& props, std::string place)
      : place_(std::move(place)) {
    facts_ = {"llama-server",
              props.text_or("/build_info", ""),
              models.text_or("/data/0/id", ""),
              props.text_or("/model_ftype", ""),
              models.count_or("/data/0/meta/n_vocab", 0),
              props.count_or("/default_generation_settings/n_ctx", 0)};
    if (facts_.vocabulary == 0) throw models.wrong("/data/0/meta/n_vocab", "is missing");
    // A path tells where files lie on another machine; its last part is the model's name.
    facts_.model = facts_.model.substr(facts_.model.find_last_of("/\\") + 1);
    bos_ = props.text_or("/bos_token", "");
    if (std::string text = props.text_or("/chat_template", ""); !text.empty()) {
      chat_ = ChatTemplate{std::move(text),
                           {{"bos_token", bos_}, {"eos_token", props.text_or("/eos_token", "")}}};
    }
    // Writing, sending and reading a whole distribution took as long as nine forced tokens of
    // SmolLM2-135M, whose vocabulary has 49,152; a larger model's steps take longer, a larger
    // vocabulary's replies too. Five times as many made no difference to servers of 4 and of 32 slots.
    few_ = std::max<std::size_t>(1, facts_.vocabulary / 4096);
  }

  [[nodiscard]] const ServerFacts& facts() const override { return facts_; }
  [[nodiscard]] bool spells_tokens() const override { return true; }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const override { return chat_; }
  /// The text of the BOS token; empty where the model has none.
  [[nodiscard]] const std::string& bos_text() const noexcept { return bos_; }

  /// The token that is sampled where the whole distribution is wanted: one whose text is whole.
  /// To be set before any other thread uses it.
  void set_sampled(TokenId token) { sampled_ = token; }

  [[nodiscard]] std::size_t together(std::size_t count, QueryMode how) const override {
    return how != QueryMode::full_distribution && count <= few_ ? 1 : count;
  }

  [[nodiscard]] HttpRequest ask(std::span<const AskedPrefix> asked, QueryMode how) const override {
    const auto& [prefix, tokens, nats] = asked.front();
    const bool forced = how != QueryMode::full_distribution && tokens.size() == 1;
    return {"/completion",
            opening(prefix, 1) + ",\"n_probs\":" + std::to_string(forced ? 1 : facts_.vocabulary) +
                ",\"logit_bias\":[[" + std::to_string(forced ? tokens.front() : sampled_) +
                ",1e9]]" + greedy + ",\"cache_prompt\":" +
                (how == QueryMode::without_cache ? "false" : "true") + answer_fields};
  }

  [[nodiscard]] bool read(const HttpReply& reply, std::span<const AskedPrefix> asked,
                          ServerTally& tally) const override {
    const auto& [prefix, tokens, nats] = asked.front();
    const auto [json, made] = probabilities(reply);
    tally.tokens_computed += made.computed;
    if (made.generated.empty()) return false;
    if (made.likeliest.front().size() <= 1) {
      if (tokens.size() != 1) return refuse_cut(json, made.likeliest.front().size());
      const auto& [id, found] = made.generated.front();
      if (id != tokens.front()) {
        throw json.wrong("completion_probabilities/0/id",
                         "is " + std::to_string(id) + ", and token " +
                             std::to_string(tokens.front()) + " was forced");
      }
      nats[0] = reported_nats(json, found, id);
      return true;
    }
    const auto& whole = made.likeliest.front();
    if (whole.size() != facts_.vocabulary) return refuse_cut(json, whole.size());
    std::vector<double> by_id(facts_.vocabulary, std::numeric_limits<double>::quiet_NaN());
    for (const auto& [id, found] : whole) {
      if (id < 0 || static_cast<std::size_t>(id) >= by_id.size()) {
        throw json.wrong("top_logprobs",
                         "names token " + std::to_string(id) + ", which the vocabulary lacks");
      }
      by_id[static_cast<std::size_t>(id)] = found;
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      nats[i] = reported_nats(json, by_id[static_cast<std::size_t>(tokens[i])], tokens[i]);
    }
    return true;
  }

  [[nodiscard]] HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                     std::optional<std::uint32_t> seed) const override {
    const std::string how =
        seed ? ",\"samplers\":[],\"temperature\":1.0,\"seed\":" + std::to_string(*seed) : greedy;
    return {"/completion", opening(prompt, most) + ",\"n_probs\":1,\"return_tokens\":true" + how +
                               ",\"cache_prompt\":true" + answer_fields};
  }

  [[nodiscard]] ServerContinuation read_continuation(const HttpReply& reply,
                                                     ServerTally& tally) const override {
    const auto [json, made] = probabilities(reply);
    tally.tokens_computed += made.computed;
    ServerContinuation continuation;
    for (const std::int64_t id : made.tokens) {
      continuation.tokens.push_back(json.token(Json(id), "tokens", facts_.vocabulary));
    }
    const bool has_all =
        made.generated.size() == made.tokens.size() &&
        std::equal(made.tokens.begin(), made.tokens.end(), made.generated.begin(),
                   [](std::int64_t id, const auto& entry) { return id == entry.id; });
    for (std::size_t i = 0; has_all && i < made.generated.size(); ++i) {
      continuation.log_probabilities.push_back(
          reported_nats(json, made.generated[i].nats, made.generated[i].id));
    }
    continuation.ended = made.stop_type == "eos";
    continuation.drop_end();
    return continuation;
  }

  [[nodiscard]] HttpRequest embed(std::span<const std::vector<TokenId>> sequences) const override {
    return {"/embedding",
            "{\"content\":" + detail::json_id_lists(sequences) + ",\"embd_normalize\":-1}"};
  }

  /// A server without pooling gives the vectors of all tokens; the last is taken.
  [[nodiscard]] std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                             std::size_t count) const override {
    const ReplyJson json = parse_reply(reply.body, place_ + "/embedding");
    if (!json.value.is_array() || json.value.size() != count) {
      throw json.wrong("list", "is no list of " + std::to_string(count) + " vectors");
    }
    std::vector<std::vector<float>> vectors(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string item = "/" + std::to_string(i);
      const std::uint64_t index = json.count_or(item + "/index", i);
      if (index >= count || !vectors[index].empty()) throw json.wrong(item, "has a wrong index");
      const Json& rows = json.at(item + "/embedding");
      const bool is_nested = rows.is_array() && !rows.empty() && rows.back().is_array();
      vectors[index] = json.numbers(is_nested ? rows.back() : rows, item + "/embedding");
    }
    return vectors;
  }
  [[nodiscard]] bool gives_raw_vectors() const override { return true; }

  [[nodiscard]] HttpRequest tokenize(std::string_view text, bool parse_special) const override {
    return tokenize(text, parse_special, false);
  }
  /// Asks for a text's tokens with those that the model's tokenizer adds by its own configuration.
  [[nodiscard]] HttpRequest tokenize_as_configured(std::string_view text) const {
    return tokenize(text, false, true);
  }

  [[nodiscard]] Tokenization read_tokens(const HttpReply& reply,
                                         std::string_view text) const override {
    const ReplyJson json = parse_reply(reply.body, place_ + "/tokenize");
    const Json& tokens = json.at("/tokens");
    if (!tokens.is_array()) throw json.wrong("tokens", "is no list");
    Tokenization made;
    std::string spelt;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string item = "/tokens/" + std::to_string(i);
      const std::size_t begin = spelt.size();
      spelt += piece(json, item + "/piece");
      made.tokens.push_back({json.token(json.at(item + "/id"), item + "/id", facts_.vocabulary),
                             {begin, spelt.size()}});
    }
    // SentencePiece writes a space before the text; it covers no byte of it.
    const std::size_t extra = spelt.size() == text.size() + 1 && spelt.front() == ' ' ? 1 : 0;
    made.spells_text = std::string_view(spelt).substr(extra) == text;
    for (Token& token : made.tokens) {
      token.bytes = {(std::max)(token.bytes.begin, extra) - extra,
                     (std::max)(token.bytes.end, extra) - extra};
    }
    return made;
  }

  /// A token's text is a string, or the bytes of one that is no UTF-8.
  [[nodiscard]] static std::string piece(const ReplyJson& json, const std::string& pointer) {
    const Json& found = json.at(pointer);
    if (found.is_string()) return found.get<std::string>();
    if (!found.is_array()) throw json.wrong(pointer, "is no text");
    std::string bytes;
    for (const Json& byte : found) {
      if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > 255) {
        throw json.wrong(pointer, "holds " + shortened(byte.dump()) + ", which is no byte");
      }
      bytes += static_cast<char>(byte.get<std::uint8_t>());
    }
    return bytes;
  }

 private:
  static HttpRequest tokenize(std::string_view text, bool parse_special, bool add_special) {
    const Json body = {{"content", text},
                       {"add_special", add_special},
                       {"parse_special", parse_special},
                       {"with_pieces", true}};
    return {"/tokenize", body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }

  static constexpr const char* greedy = ",\"samplers\":[\"top_k\"],\"top_k\":1";
  static constexpr const char* answer_fields =
      ",\"post_sampling_probs\":false,\"response_fields\":[\"completion_probabilities\",\"tokens\","
      "\"stop_type\",\"timings/prompt_n\"]}";

  static std::string opening(std::span<const TokenId> prompt, std::size_t most) {
    return "{\"prompt\":" + detail::json_ids(prompt) + ",\"n_predict\":" + std::to_string(most);
  }

  static constexpr double least_nats = -87;

  struct Read {
    ReplyJson json;
    LlamaProbabilities made;
  };
  [[nodiscard]] Read probabilities(const HttpReply& reply) const {
    Read read{{{}, place_ + "/completion"}, {}};
    auto made = read_llama_probabilities(reply.body);
    if (!made) {
      (void)parse_reply(reply.body, read.json.place);  // says what is wrong
      throw read.json.wrong("text", "is not JSON");
    }
    read.made = *std::move(made);
    return read;
  }

  /// Minus infinity for a probability that F32 has not.
  static double reported_nats(const ReplyJson& json, double nats, std::int64_t id) {
    const double value =
        json.checked_log_probability(nats, "log-probability of token " + std::to_string(id));
    return value < least_nats ? -std::numeric_limits<double>::infinity() : value;
  }

  [[nodiscard]] bool refuse_cut(const ReplyJson& json, std::size_t entries) const {
    throw user_error({.field = json.place},
                     "gives " + std::to_string(entries) + " of " +
                         std::to_string(facts_.vocabulary) + " log-probabilities",
                     "use a llama-server that takes n_probs as large as the vocabulary");
  }

  ServerFacts facts_;
  std::optional<ChatTemplate> chat_;
  std::string place_, bos_;
  std::size_t few_ = 1;
  TokenId sampled_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
