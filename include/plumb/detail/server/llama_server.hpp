// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does plumb query llama.cpp's llama-server?
//
// llama-server does not report the log-probabilities of given tokens, so plumb combines five kinds
// of request:
//   forced: a bias makes it sample one token, and the reply has that token's raw log-probability;
//   ratios: a bias of 100 lifts all wanted tokens above the others, `top_k` keeps only them, and
//     `post_sampling_probs` reports their probabilities among one another. Forcing the likeliest of
//     these tokens (QueryMode::anchor) then gives the missing constant;
//   path: several tokens are forced one after another. Biases rank the tokens by their order, and a
//     frequency penalty puts each token last once it is generated. A token in the prefix is already
//     penalised for each occurrence; its bias compensates for this;
//   reference: a token that ends in the middle of a UTF-8 character is missing from the reply if it
//     is the last one. So plumb requests the ratios of the wanted tokens to a reference token that
//     ends at a character boundary. A larger bias makes the server sample the reference token.
//     Forcing it (QueryMode::reference_anchor) then gives the constant;
//   whole: `n_probs` as large as the vocabulary gives the whole distribution, which is megabytes of
//     text and delays the server's other work. plumb requests it for large sets of tokens, to check
//     the server, and if the other kinds fail.
// The server computes probabilities in F32: values below e^-87 cannot be reported, and sums are
// accurate to 1e-3 nats. The bias rounds logits to multiples of 8e-6, or 1.5e-5 for the reference token.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/server/llama_probabilities.hpp"
#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class LlamaServer final : public ServerDialect {
 public:
  /// Reads the replies to /v1/models and /props. Throws an internal error if their content is
  /// unexpected.
  LlamaServer(const ReplyJson& models, const ReplyJson& props, std::string place)
      : place_(std::move(place)) {
    facts_ = {"llama-server",
              props.text_or("/build_info", ""),
              models.text_or("/data/0/id", ""),
              props.text_or("/model_ftype", ""),
              models.count_or("/data/0/meta/n_vocab", 0),
              props.count_or("/default_generation_settings/n_ctx", 0)};
    facts_.slot_count = props.count_or("/total_slots", 0);
    facts_.other_models = other_models(models);
    if (facts_.vocabulary == 0) throw models.wrong("/data/0/meta/n_vocab", "is missing");
    // The name may be a path on the server's machine; its last component is the model's name.
    facts_.model = facts_.model.substr(facts_.model.find_last_of("/\\") + 1);
    bos_ = props.text_or("/bos_token", "");
    chat_ = ChatTemplate{props.text_or("/chat_template", ""),
                         {{"bos_token", bos_}, {"eos_token", props.text_or("/eos_token", "")}}};
  }

  [[nodiscard]] const ServerFacts& facts() const override { return facts_; }
  [[nodiscard]] bool spells_tokens() const override { return true; }
  [[nodiscard]] std::optional<ChatTemplate> chat_template() const override { return chat_; }
  [[nodiscard]] std::optional<std::string> bos_text() const override { return bos_; }

  /// The reference token is also the one that is sampled in requests for the whole distribution.
  void set_reference(TokenId token) override { reference_ = token; }

  /// Two tokens are forced one at a time, because a `ratios` request followed by an `anchor`
  /// request would also take two requests.
  [[nodiscard]] std::size_t together(std::size_t count, QueryMode how) const override {
    return how != QueryMode::full_distribution && count <= 2 ? 1 : count;
  }

  [[nodiscard]] bool can_bypass_cache() const override { return true; }
  [[nodiscard]] bool has_reference() const override { return true; }

  [[nodiscard]] HttpRequest ask(std::span<const AskedPrefix> asked, QueryMode how) const override {
    const AskedPrefix& one = asked.front();
    const std::vector<TokenId> wanted = distinct(one.tokens);
    const bool cached = how != QueryMode::without_cache;
    const auto forced = [&](TokenId token, std::size_t n_probs) {
      return completion(one.prefix, n_probs, bias_of(token, "1e9"), 1, cached, false);
    };
    if (how == QueryMode::anchor) return forced(one.tokens[likeliest(one)], 1);
    if (how == QueryMode::reference_anchor) return forced(reference_, 1);
    const bool has_many = wanted.size() > facts_.vocabulary / 8 && wanted.size() > 1;
    if (how == QueryMode::full_distribution || has_many) {
      return forced(reference_, facts_.vocabulary);
    }
    if (how != QueryMode::reference && wanted.size() == 1) return forced(wanted.front(), 1);
    std::string biases;
    for (const TokenId token : wanted) {
      if (how == QueryMode::reference && token == reference_) continue;
      add_to_list(biases, bias_of(token, std::to_string(lift)), ",");
    }
    if (how == QueryMode::reference) {
      add_to_list(biases, bias_of(reference_, std::to_string(lift + reference_lift)), ",");
    }
    const std::size_t kept = kept_tokens(wanted, how);
    return completion(one.prefix, kept, biases, kept, cached, true);
  }

  [[nodiscard]] std::optional<QueryMode> read(const HttpReply& reply,
                                              std::span<const AskedPrefix> asked, QueryMode how,
                                              ServerTally& tally) const override {
    const AskedPrefix& one = asked.front();
    const auto [json, made] = probabilities(reply);
    tally.tokens_computed += made.computed;
    if (made.generated.empty()) {
      const bool reference_failed = how == QueryMode::reference ||
                                    how == QueryMode::reference_anchor ||
                                    how == QueryMode::full_distribution;
      return reference_failed ? QueryMode::full_distribution : QueryMode::reference;
    }
    const auto& entries = made.likeliest.front();
    if (how == QueryMode::reference_anchor) {
      return read_reference(json, made.generated.front(), one);
    }
    if (made.after_sampling) {
      return how == QueryMode::reference ? read_reference_ratios(json, entries, one)
                                         : read_ratios(json, entries, one);
    }
    if (entries.size() <= 1) return read_forced_token(json, made.generated.front(), one);
    // In this case, the server ignored `post_sampling_probs`.
    if (entries.size() == kept_tokens(distinct(one.tokens), how) &&
        entries.size() < facts_.vocabulary) {
      return QueryMode::full_distribution;
    }
    if (entries.size() != facts_.vocabulary) refuse_cut(json, entries.size());
    std::vector<double> by_id(facts_.vocabulary, std::numeric_limits<double>::quiet_NaN());
    for (const auto& [id, found] : entries) by_id[known(json, id)] = found;
    for (std::size_t i = 0; i < one.tokens.size(); ++i) {
      one.nats[i] =
          reported_nats(json, by_id[static_cast<std::size_t>(one.tokens[i])], one.tokens[i]);
    }
    return std::nullopt;
  }

  /// Biases are rounded to F32. The largest is `path_step` × (tokens + 1) × occurrences; up to
  /// 2^22 × `path_step`, the rounding does not change the order.
  [[nodiscard]] std::size_t forced_together() const override { return 64; }

  [[nodiscard]] HttpRequest force(const ForcedPath& path) const override {
    std::unordered_map<TokenId, std::size_t> occurrences;
    for (const TokenId token : path.prefix) ++occurrences[token];
    const std::size_t count = path.tokens.size();
    const std::size_t penalty = path_step * (count + 1);
    std::string biases;
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = occurrences.find(path.tokens[i]);
      const std::size_t before = found == occurrences.end() ? 0 : found->second;
      const std::size_t bias = penalty * before + path_step * (count - i);
      add_to_list(biases, bias_of(path.tokens[i], std::to_string(bias)), ",");
    }
    return {"/completion",
            opening(path.prefix, count) + ",\"n_probs\":1,\"return_tokens\":true,\"logit_bias\":[" +
                biases +
                "],\"samplers\":[\"top_k\",\"penalties\"],\"top_k\":" + std::to_string(count) +
                ",\"repeat_last_n\":" + std::to_string(path.prefix.size() + count) +
                ",\"frequency_penalty\":" + std::to_string(penalty) +
                ",\"presence_penalty\":0,\"repeat_penalty\":1,\"cache_prompt\":true,"
                "\"post_sampling_probs\":false" +
                answer_fields};
  }

  /// A reply has no log-probability for a token that ends in the middle of a character. For a token
  /// of a speculative batch, it has a logarithm of 0 and no candidates; such a token is skipped.
  void read_forced(const HttpReply& reply, ForcedPath& path, ServerTally& tally) const override {
    const auto [json, made] = probabilities(reply);
    // The prompt's tokens that were not cached, and the generated tokens except the last one.
    tally.tokens_computed += made.computed + (made.tokens.empty() ? 0 : made.tokens.size() - 1);
    path.nats.assign(path.tokens.size(), std::numeric_limits<double>::quiet_NaN());
    path.generated = 0;
    auto entry = made.generated.begin();
    for (std::size_t i = 0; i < path.tokens.size() && i < made.tokens.size(); ++i) {
      if (made.tokens[i] != path.tokens[i]) break;
      ++path.generated;
      if (entry == made.generated.end() || entry->id != path.tokens[i]) continue;
      const auto& candidates =
          made.likeliest[static_cast<std::size_t>(entry - made.generated.begin())];
      if (!candidates.empty()) path.nats[i] = reported_nats(json, entry->nats, path.tokens[i]);
      ++entry;
    }
  }

  [[nodiscard]] HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                     std::optional<std::uint32_t> seed) const override {
    const std::string how =
        seed ? ",\"samplers\":[],\"temperature\":1.0,\"seed\":" + std::to_string(*seed)
             : ",\"samplers\":[\"top_k\"],\"top_k\":1";
    return {"/completion", opening(prompt, most) + ",\"n_probs\":1,\"return_tokens\":true" + how +
                               ",\"cache_prompt\":true,\"post_sampling_probs\":false" +
                               answer_fields};
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

  /// A server without pooling returns the vectors of all tokens; the last token's vector is used.
  [[nodiscard]] std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                             std::size_t count) const override {
    const ReplyJson json = parse_reply(reply.body, place_ + "/embedding");
    if (!json.value.is_array() || json.value.size() != count) {
      throw json.wrong("list", "is not a list of " + std::to_string(count) + " vectors");
    }
    std::vector<std::vector<float>> vectors(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string item = "/" + std::to_string(i);
      const std::uint64_t index = json.count_or(item + "/index", i);
      if (index >= count || !vectors[index].empty()) throw json.wrong(item, "has the wrong index");
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
  [[nodiscard]] HttpRequest tokenize_as_configured(std::string_view text) const override {
    return tokenize(text, false, true);
  }

  [[nodiscard]] Tokenization read_tokens(const HttpReply& reply,
                                         std::string_view text) const override {
    const ReplyJson json = parse_reply(reply.body, place_ + "/tokenize");
    const Json& tokens = json.at("/tokens");
    if (!tokens.is_array()) throw json.wrong("tokens", "is not a list");
    Tokenization made;
    std::string spelt;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string item = "/tokens/" + std::to_string(i);
      const std::size_t begin = spelt.size();
      spelt += piece(json, item + "/piece");
      made.tokens.push_back({json.token(json.at(item + "/id"), item + "/id", facts_.vocabulary),
                             {begin, spelt.size()}});
    }
    // SentencePiece adds a space before the text. This space does not correspond to any byte of the
    // text.
    const std::size_t extra = spelt.size() == text.size() + 1 && spelt.front() == ' ' ? 1 : 0;
    made.spells_text = std::string_view(spelt).substr(extra) == text;
    for (Token& token : made.tokens) {
      token.bytes = {(std::max)(token.bytes.begin, extra) - extra,
                     (std::max)(token.bytes.end, extra) - extra};
    }
    return made;
  }

  /// A token's text: a string, or a list of bytes if it is not UTF-8.
  [[nodiscard]] static std::string piece(const ReplyJson& json, const std::string& pointer) {
    const Json& found = json.at(pointer);
    if (found.is_string()) return found.get<std::string>();
    if (!found.is_array()) throw json.wrong(pointer, "is neither a string nor a list of bytes");
    std::string bytes;
    for (const Json& byte : found) {
      if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > 255) {
        throw json.wrong(pointer, "contains " + shortened(byte.dump()) + ", which is not a byte");
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

  static constexpr const char* answer_fields =
      ",\"response_fields\":[\"completion_probabilities\",\"tokens\",\"stop_type\",\"timings/"
      "prompt_n\"]}";

  static std::string bias_of(TokenId token, const std::string& bias) {
    return "[" + std::to_string(token) + "," + bias + "]";
  }
  /// Requests one token after a prefix. It is sampled from the `kept` most likely tokens after the
  /// biases are applied.
  static HttpRequest completion(std::span<const TokenId> prefix, std::size_t n_probs,
                                const std::string& biases, std::size_t kept, bool cached,
                                bool after_sampling) {
    const auto word = [](bool value) { return value ? "true" : "false"; };
    return {"/completion", opening(prefix, 1) + ",\"n_probs\":" + std::to_string(n_probs) +
                               ",\"logit_bias\":[" + biases +
                               "],\"samplers\":[\"top_k\"],\"top_k\":" + std::to_string(kept) +
                               ",\"cache_prompt\":" + word(cached) +
                               ",\"post_sampling_probs\":" + word(after_sampling) + answer_fields};
  }

  [[nodiscard]] static std::vector<TokenId> distinct(std::span<const TokenId> tokens) {
    std::vector<TokenId> sorted(tokens.begin(), tokens.end());
    ranges::sort_distinct(sorted);
    return sorted;
  }
  /// How many tokens a request for the ratios of these distinct tokens keeps.
  [[nodiscard]] std::size_t kept_tokens(const std::vector<TokenId>& wanted, QueryMode how) const {
    const bool adds = how == QueryMode::reference && !ranges::binary_search(wanted, reference_);
    return wanted.size() + (adds ? 1 : 0);
  }

  /// The index of the token with the highest log-probability so far.
  [[nodiscard]] static std::size_t likeliest(const AskedPrefix& one) {
    return static_cast<std::size_t>(std::max_element(one.nats.begin(), one.nats.end()) -
                                    one.nats.begin());
  }

  [[nodiscard]] std::size_t known(const ReplyJson& json, std::int64_t id) const {
    if (id < 0 || static_cast<std::size_t>(id) >= facts_.vocabulary) {
      throw json.wrong("top_logprobs",
                       "contains token " + std::to_string(id) + ", which is not in the vocabulary");
    }
    return static_cast<std::size_t>(id);
  }

  /// The logarithms of the probabilities in a reply, by token.
  [[nodiscard]] std::unordered_map<std::int64_t, double> by_token(
      const ReplyJson& json, const std::vector<LlamaProbabilities::Entry>& entries) const {
    std::unordered_map<std::int64_t, double> found;
    for (const auto& [id, nats] : entries) {
      (void)known(json, id);
      found[id] = json.checked_log_probability(nats, "probability of token " + std::to_string(id));
    }
    return found;
  }

  /// Sets the log-probabilities of the wanted tokens relative to that of the reference token.
  [[nodiscard]] std::optional<QueryMode> read_reference_ratios(
      const ReplyJson& json, const std::vector<LlamaProbabilities::Entry>& entries,
      const AskedPrefix& one) const {
    const auto found = by_token(json, entries);
    const auto reference = found.find(reference_);
    if (reference == found.end()) return QueryMode::full_distribution;
    for (std::size_t i = 0; i < one.tokens.size(); ++i) {
      if (one.tokens[i] == reference_) {
        one.nats[i] = 0;
        continue;
      }
      const auto entry = found.find(one.tokens[i]);
      // Smaller probabilities are not exact in F32.
      if (entry == found.end() || entry->second < least_nats) return QueryMode::full_distribution;
      one.nats[i] = entry->second - reference->second + reference_lift;
    }
    return QueryMode::reference_anchor;
  }

  [[nodiscard]] std::optional<QueryMode> read_reference(const ReplyJson& json,
                                                        const LlamaProbabilities::Entry& made,
                                                        const AskedPrefix& one) const {
    if (made.id != reference_) throw not_forced(json, made.id, reference_);
    const double constant = reported_nats(json, made.nats, made.id);
    // If a sum is not a log-probability, the server's two replies do not belong together.
    const double most = *std::max_element(one.nats.begin(), one.nats.end()) + constant;
    if (std::isinf(constant) || most > ReplyJson::most_nats) return QueryMode::full_distribution;
    add_constant(one, constant);
    return std::nullopt;
  }

  /// Completes log-probabilities that are correct up to a constant.
  static void add_constant(const AskedPrefix& one, double constant) {
    for (double& each : one.nats) {
      each += constant;
      if (!(each >= least_nats)) each = -std::numeric_limits<double>::infinity();
    }
  }

  [[nodiscard]] static Error not_forced(const ReplyJson& json, std::int64_t made, TokenId forced) {
    return json.wrong(
        "completion_probabilities/0/id",
        "is " + std::to_string(made) + ", but token " + std::to_string(forced) + " was forced");
  }

  /// Sets the log-probabilities of the wanted tokens relative to one another. The reply omits
  /// probabilities of 0.
  [[nodiscard]] std::optional<QueryMode> read_ratios(
      const ReplyJson& json, const std::vector<LlamaProbabilities::Entry>& entries,
      const AskedPrefix& one) const {
    auto found = by_token(json, entries);
    if (found.empty()) return QueryMode::full_distribution;
    for (std::size_t i = 0; i < one.tokens.size(); ++i) {
      const auto entry = found.find(one.tokens[i]);
      one.nats[i] = entry == found.end() ? -std::numeric_limits<double>::infinity() : entry->second;
    }
    for (const TokenId token : one.tokens) found.erase(token);
    // Any remaining token's logit exceeded a wanted token's by more than the bias.
    return found.empty() ? QueryMode::anchor : QueryMode::full_distribution;
  }

  [[nodiscard]] std::optional<QueryMode> read_forced_token(const ReplyJson& json,
                                                           const LlamaProbabilities::Entry& made,
                                                           const AskedPrefix& one) const {
    const std::size_t at = one.tokens.size() == 1 ? 0 : likeliest(one);
    if (made.id != one.tokens[at]) throw not_forced(json, made.id, one.tokens[at]);
    const double nats = reported_nats(json, made.nats, made.id);
    if (one.tokens.size() == 1) {
      one.nats[0] = nats;
      return std::nullopt;
    }
    add_constant(one, nats - one.nats[at]);
    return std::nullopt;
  }

  static std::string opening(std::span<const TokenId> prompt, std::size_t most) {
    return "{\"prompt\":" + detail::json_ids(prompt) + ",\"n_predict\":" + std::to_string(most);
  }

  static constexpr double least_nats = -87;
  /// A bias of `lift` raises the wanted tokens above all others; the reference token gets
  /// `reference_lift` more. The server then almost certainly samples the reference token, unless a
  /// wanted token is e^30 times as likely. Ratios down to e^-47 are above the limit of F32.
  static constexpr int lift = 100, reference_lift = 40;
  /// The difference between the biases of successive tokens of a path. It exceeds the range of a
  /// model's logits.
  static constexpr std::size_t path_step = 1000;

  struct Read {
    ReplyJson json;
    LlamaProbabilities made;
  };
  [[nodiscard]] Read probabilities(const HttpReply& reply) const {
    Read read{{{}, place_ + "/completion"}, {}};
    auto made = read_llama_probabilities(reply.body);
    if (!made) {
      (void)parse_reply(reply.body, read.json.place);  // throws an error with the details
      throw read.json.wrong("text", "is not JSON");
    }
    read.made = *std::move(made);
    return read;
  }

  /// Returns minus infinity for a probability too small for F32.
  static double reported_nats(const ReplyJson& json, double nats, std::int64_t id) {
    const double value =
        json.checked_log_probability(nats, "log-probability of token " + std::to_string(id));
    return value < least_nats ? -std::numeric_limits<double>::infinity() : value;
  }

  [[noreturn]] void refuse_cut(const ReplyJson& json, std::size_t entries) const {
    throw user_error({.field = json.place},
                     "returns " + std::to_string(entries) + " of " +
                         std::to_string(facts_.vocabulary) + " log-probabilities",
                     "use a llama-server that accepts n_probs as large as the vocabulary");
  }

  ServerFacts facts_;
  ChatTemplate chat_;
  std::string place_, bos_;
  TokenId reference_ = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
