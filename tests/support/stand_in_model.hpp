// SPDX-License-Identifier: Apache-2.0
#pragma once

// An n-gram model served through the routes of llama-server, vLLM or SGLang, for tests. It replies
// like a real server, but a test can compute its model's probabilities.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "support/stand_in_server.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// The request handler of a StandInServer, which stores a copy of it.
class StandInModel {
 public:
  using Json = nlohmann::json;
  /// Receives a request and its reply, and may change the reply.
  using Spoil = std::function<void(const StandInRequest&, StandInReply&)>;

  struct Options {
    /// "llamacpp", "vllm", "sglang", "echo", or another maker.
    std::string maker = "llamacpp";
    std::string name = "tiny";
    /// Whether it embeds texts as vectors of `dimension` numbers.
    bool embeds = false;
    /// The maximum number of top tokens whose log-probabilities a reply contains.
    std::size_t most_likely = 1'000'000;
    /// A shift added to every log-probability, and the number of decimals in replies.
    double shift = 0;
    int decimals = 15;
    /// Simulates a version of vLLM that does not support logprob_token_ids.
    bool ignores_token_ids = false;
    /// Simulates a llama-server without `post_sampling_probs`.
    bool ignores_post_sampling = false;
    /// Simulates a llama-server without a frequency penalty.
    bool ignores_penalties = false;
    /// Whether a llama-server's frequency penalty counts the prompt's tokens.
    bool counts_prompt = true;
    /// The number of slots that a llama-server reports; 0 if it reports none.
    std::size_t slots = 0;
    /// Whether an echo ends with the generated token.
    bool echoes_next = true;
    std::string key{};
    Spoil spoil{};
  };

  static constexpr const char* text = "the cat sat on the mat. the dog sat on the log. ";

  explicit StandInModel(Options options, const std::string& training = text)
      : options_(std::move(options)), model_(training, 2, {"the ", "cat", " sat"}) {}

  [[nodiscard]] StandInReply operator()(const StandInRequest& request) const {
    StandInReply reply;
    if (!options_.key.empty() && request.authorization != "Bearer " + options_.key) {
      reply = error(401, "wrong key " + request.authorization);
    } else {
      const Json body = request.body.empty() ? Json() : Json::parse(request.body);
      const Json made = answer(request.route, body);
      reply = made.is_null() ? error(404, "no such route") : StandInReply{made.dump()};
      if (made.is_object() && made.contains("refused")) reply = error(400, made["refused"]);
    }
    if (options_.spoil) options_.spoil(request, reply);
    return reply;
  }

  [[nodiscard]] const NgramModel& model() const { return model_; }

  static StandInReply error(unsigned status, const std::string& message) {
    StandInReply reply{Json{{"error", {{"message", message}, {"code", status}}}}.dump()};
    reply.status = status;
    return reply;
  }

 private:
  using Ids = std::vector<TokenId>;

  static Json list_of(const Json& one) {
    Json list = Json::array();
    list.push_back(one);
    return list;
  }

  [[nodiscard]] Json answer(const std::string& route, const Json& body) const {
    if (route == "/v1/models") {
      const Json one = {{"id", "models/" + options_.name},
                        {"owned_by", options_.maker},
                        {"max_model_len", 512},
                        {"meta", {{"n_vocab", model_.vocabulary_size()}}}};
      return {{"data", list_of(one)}};
    }
    if (options_.maker == "echo") {
      return route == "/v1/completions" ? echoed(body) : Json();
    }
    if (route == "/tokenize") return tokenized(body);
    if (options_.maker == "llamacpp") return llama(route, body);
    if (route == "/v1/embeddings" && options_.embeds) {
      Json data = Json::array();
      for (std::size_t i = 0; i < body.at("input").size(); ++i) {
        data.push_back({{"index", i}, {"embedding", vector(body.at("input")[i])}});
      }
      return {{"data", data}};
    }
    if (options_.maker == "vllm") {
      if (route == "/version") return {{"version", "9.9"}};
      if (route == "/v1/completions") return vllm(body);
    }
    if (options_.maker == "sglang") {
      if (route == "/get_server_info") return {{"version", "8.8"}};
      if (route == "/generate") return sglang(body);
    }
    return {};
  }

  [[nodiscard]] Json tokenized(const Json& body) const {
    const bool is_llama = options_.maker == "llamacpp";
    const std::string given = body.at(is_llama ? "content" : "prompt").get<std::string>();
    Json tokens = Json::array();
    if (is_llama && given == "<bos>" && body.at("parse_special")) {
      return {{"tokens", list_of({{"id", *model_.bos()}, {"piece", "<bos>"}})}};
    }
    for (const Token& token : model_.tokenize(given).tokens) {
      is_llama ? tokens.push_back({{"id", token.id}, {"piece", piece(token.id)}})
               : tokens.push_back(token.id);
    }
    return {{"tokens", tokens}};
  }

  [[nodiscard]] Json piece(TokenId id) const {
    const std::string bytes = model_.detokenize(std::span(&id, 1));
    if (is_whole(bytes)) return bytes;
    Json list = Json::array();
    for (const char c : bytes) list.push_back(static_cast<unsigned char>(c));
    return list;
  }
  /// Like llama-server, this looks only at the last four bytes.
  static bool ends_within_character(const std::string& bytes) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(4, bytes.size()); ++back) {
      const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
      if (byte < 0x80) return false;
      if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4U : byte >= 0xe0 ? 3U : 2U);
    }
    return false;
  }
  static bool is_whole(const std::string& bytes) {
    return first_invalid_utf8(bytes) == std::string::npos;
  }

  [[nodiscard]] std::vector<double> distribution(const Ids& prefix) const {
    std::vector<double> nats;
    const double scale = std::pow(10.0, options_.decimals);
    for (TokenId t = 0; t < static_cast<TokenId>(model_.vocabulary_size()); ++t) {
      const double exact = model_.log_probability(prefix, t) + options_.shift;
      nats.push_back(options_.decimals < 15 ? std::round(exact * scale) / scale : exact);
    }
    return nats;
  }

  /// A vector computed from the last token and the length.
  [[nodiscard]] static std::vector<double> vector(const Ids& ids) {
    const double last = ids.back();
    return {last + 1, -last, static_cast<double>(ids.size())};
  }

  /// The tokens that follow, chosen greedily or drawn with `seed`, and whether the last one is the
  /// end token.
  [[nodiscard]] std::pair<Ids, bool> continuation(const Ids& prompt, std::size_t most,
                                                  std::optional<std::uint64_t> seed) const {
    GenerationOptions how{seed ? 1U : 0U, most, {}, seed.value_or(0)};
    const Continuation made = model_.generate(prompt, how).front();
    const bool ended = made.tokens.size() < most;
    Ids tokens = made.tokens;
    if (ended) tokens.push_back(*model_.bos());
    return {std::move(tokens), ended};
  }

  [[nodiscard]] Json llama(const std::string& route, const Json& body) const {
    if (route == "/props") {
      Json props = {{"build_info", "b1"},
                    {"model_ftype", "all F32"},
                    {"bos_token", "<bos>"},
                    {"default_generation_settings", {{"n_ctx", 512}}}};
      if (options_.slots > 0) props["total_slots"] = options_.slots;
      return props;
    }
    if (route == "/detokenize") {
      return {{"content", model_.detokenize(body.at("tokens").get<Ids>())}};
    }
    if (route == "/embedding") {
      if (!options_.embeds) return {{"refused", "start it with --embeddings"}};
      Json list = Json::array();
      for (std::size_t i = 0; i < body.at("content").size(); ++i) {
        list.push_back({{"index", i}, {"embedding", list_of(vector(body.at("content")[i]))}});
      }
      return list;
    }
    if (route != "/completion") return {};
    const Ids prompt = body.at("prompt");
    const std::size_t most = body.at("n_predict");
    const std::size_t likely = std::min<std::size_t>(
        {body.at("n_probs").get<std::size_t>(), options_.most_likely, model_.vocabulary_size()});
    Ids made;
    bool ended = false;
    if (body.value("post_sampling_probs", false) && !options_.ignores_post_sampling) {
      return llama_after_sampling(body, prompt);
    }
    if (body.contains("logit_bias")) {
      std::tie(made, ended) = biased(body, prompt, most);
    } else {
      const auto seed = body.contains("seed") ? std::optional(body.at("seed").get<std::uint64_t>())
                                              : std::nullopt;
      std::tie(made, ended) = continuation(prompt, most, seed);
    }
    Json probabilities = Json::array();
    Ids before = prompt;
    std::string said;
    for (const TokenId id : made) {
      const std::vector<double> nats = distribution(before);
      before.push_back(id);
      said += model_.detokenize(std::span(&id, 1));
      if (ends_within_character(said)) continue;
      Json top = Json::array();
      for (const TokenId each : likeliest_of(nats, likely)) {
        top.push_back(
            {{"id", each}, {"bytes", {1, 2}}, {"logprob", nats[static_cast<std::size_t>(each)]}});
      }
      probabilities.push_back(
          {{"id", id}, {"logprob", nats[static_cast<std::size_t>(id)]}, {"top_logprobs", top}});
    }
    Json reply = {{"tokens", body.value("return_tokens", false) ? Json(made) : Json::array()},
                  {"stop_type", ended ? "eos" : "limit"},
                  {"timings/prompt_n", 1}};
    if (!probabilities.empty()) reply["completion_probabilities"] = probabilities;
    return reply;
  }

  /// The tokens generated with biases, and with a frequency penalty if the request has one, and
  /// whether the last one is the end token.
  [[nodiscard]] std::pair<Ids, bool> biased(const Json& body, const Ids& prompt,
                                            std::size_t most) const {
    Ids all = prompt;
    while (all.size() < prompt.size() + most) {
      std::vector<double> nats = distribution(all);
      for (const Json& bias : body.at("logit_bias")) {
        nats.at(bias.at(0).get<std::size_t>()) += bias.at(1).get<double>();
      }
      const Ids kept = likeliest_of(nats, body.at("top_k"));
      const double penalty = options_.ignores_penalties ? 0 : body.value("frequency_penalty", 0.0);
      const std::size_t last = std::min(body.value("repeat_last_n", std::size_t{0}),
                                        all.size() - (options_.counts_prompt ? 0 : prompt.size()));
      for (auto id = all.end() - static_cast<std::ptrdiff_t>(last); id != all.end(); ++id) {
        nats.at(static_cast<std::size_t>(*id)) -= penalty;
      }
      all.push_back(*std::max_element(kept.begin(), kept.end(), [&](TokenId a, TokenId b) {
        return nats[static_cast<std::size_t>(a)] < nats[static_cast<std::size_t>(b)];
      }));
      if (all.back() == *model_.bos()) break;
    }
    Ids made(all.begin() + static_cast<std::ptrdiff_t>(prompt.size()), all.end());
    const bool ended = made.back() == *model_.bos();
    return {std::move(made), ended};
  }

  /// At most `count` tokens, from the most to the least likely.
  [[nodiscard]] static Ids likeliest_of(const std::vector<double>& nats, std::size_t count) {
    Ids order(nats.size());
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = static_cast<TokenId>(t);
    std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) {
      return nats[static_cast<std::size_t>(a)] > nats[static_cast<std::size_t>(b)];
    });
    order.resize(std::min(count, order.size()));
    return order;
  }

  /// The softmax of the `top_k` most likely tokens after biases are added. The most likely one is
  /// sampled; if it ends in the middle of a character, the reply has no probabilities.
  [[nodiscard]] Json llama_after_sampling(const Json& body, const Ids& prompt) const {
    std::vector<double> nats = distribution(prompt);
    for (const Json& bias : body.at("logit_bias")) {
      nats.at(bias.at(0).get<std::size_t>()) += bias.at(1).get<double>();
    }
    const Ids order = likeliest_of(nats, body.at("top_k"));
    if (ends_within_character(model_.detokenize(std::span(&order.front(), 1)))) {
      return {{"timings/prompt_n", 1}};
    }
    double sum = 0;
    const double most = nats[static_cast<std::size_t>(order.front())];
    for (const TokenId id : order) sum += std::exp(nats[static_cast<std::size_t>(id)] - most);
    Json top = Json::array();
    for (const TokenId id : order) {
      const double p = std::exp(nats[static_cast<std::size_t>(id)] - most) / sum;
      if (p > 0) top.push_back({{"id", id}, {"bytes", {1}}, {"prob", p}});
    }
    Json generated = Json::array();
    generated.push_back({{"id", order.front()}, {"prob", top[0]["prob"]}, {"top_probs", top}});
    return {{"completion_probabilities", generated}, {"timings/prompt_n", 1}};
  }

  [[nodiscard]] Json vllm(const Json& body) const {
    const Json& prompt = body.at("prompt");
    const bool is_one = prompt.at(0).is_number();
    Json choices = Json::array();
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < (is_one ? 1 : prompt.size()); ++i) {
      const Ids ids = is_one ? prompt.get<Ids>() : prompt[i].get<Ids>();
      tokens += ids.size();
      Json choice = vllm_choice(body, ids);
      if (choice.contains("refused")) return choice;
      choice["index"] = i;
      // The choices may be in any order, because each has an index.
      choices.insert(i % 2 == 0 ? choices.end() : choices.begin(), std::move(choice));
    }
    return {{"choices", choices},
            {"usage",
             {{"prompt_tokens", tokens},
              {"prompt_tokens_details", {{"cached_tokens", tokens - choices.size()}}}}}};
  }

  [[nodiscard]] Json vllm_choice(const Json& body, const Ids& prompt) const {
    const std::size_t most = body.at("max_tokens");
    const auto seed =
        body.contains("seed") ? std::optional(body.at("seed").get<std::uint64_t>()) : std::nullopt;
    const auto [made, ended] = continuation(prompt, most, seed);
    Json names = Json::array(), of_each = Json::array();
    Ids before = prompt;
    for (const TokenId id : made) {
      names.push_back("token_id:" + std::to_string(id));
      of_each.push_back(distribution(before)[static_cast<std::size_t>(id)]);
      before.push_back(id);
    }
    Json top = Json::object();
    const std::vector<double> nats = distribution(prompt);
    Ids wanted{0, 1};
    if (body.contains("logprob_token_ids") && !options_.ignores_token_ids) {
      wanted = body.at("logprob_token_ids").get<Ids>();
      if (wanted.size() > 128) return {{"refused", "too many logprob_token_ids"}};
    } else if (const std::size_t likeliest = body.value("logprobs", 0U); likeliest > 1) {
      wanted = likeliest_of(nats, std::min(likeliest, options_.most_likely));
    }
    for (const TokenId id : wanted) {
      top["token_id:" + std::to_string(id)] = nats.at(static_cast<std::size_t>(id));
    }
    Json choice = {
        {"finish_reason", ended ? "stop" : "length"},
        {"logprobs",
         {{"tokens", names}, {"token_logprobs", of_each}, {"top_logprobs", list_of(top)}}}};
    if (body.contains("prompt_logprobs")) {
      Json places = list_of(nullptr);
      for (std::size_t i = 1; i < prompt.size(); ++i) {
        const Ids prefix(prompt.begin(), prompt.begin() + static_cast<int>(i));
        const double own = distribution(prefix)[static_cast<std::size_t>(prompt[i])];
        places.push_back({{std::to_string(prompt[i]), {{"logprob", own}, {"rank", 1}}}});
      }
      choice["prompt_logprobs"] = places;
    }
    return choice;
  }

  /// Simulates a server that supports only OpenAI's original completions API. It adds BOS before a
  /// text.
  [[nodiscard]] Json echoed(const Json& body) const {
    const Json& prompt = body.at("prompt");
    std::vector<Ids> prompts;
    if (prompt.is_string()) {
      prompts.push_back({*model_.bos()});
      for (const Token& token : model_.tokenize(prompt.get<std::string>()).tokens) {
        prompts.back().push_back(token.id);
      }
    } else if (prompt.at(0).is_number()) {
      prompts.push_back(prompt.get<Ids>());
    } else {
      prompts = prompt.get<std::vector<Ids>>();
    }
    const std::size_t likeliest = body.value("logprobs", 0U);
    if (likeliest > 5) return {{"refused", "at most 5 logprobs"}};
    Json choices = Json::array();
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const Ids& ids = prompts[i];
      const auto [made, ended] = continuation(ids, body.at("max_tokens"), std::nullopt);
      Json choice = {{"index", i}, {"text", model_.detokenize(made)}};
      if (body.value("echo", false)) {
        Json nats = list_of(nullptr), texts = list_of(spelled(ids.front()));
        for (std::size_t t = 1; t < ids.size(); ++t) {
          const Ids before(ids.begin(), ids.begin() + static_cast<int>(t));
          nats.push_back(distribution(before)[static_cast<std::size_t>(ids[t])]);
          texts.push_back(spelled(ids[t]));
        }
        if (options_.echoes_next) nats.push_back(-1), texts.push_back("x");
        choice["logprobs"] = {{"tokens", texts}, {"token_logprobs", nats}};
      } else if (likeliest > 0) {
        std::vector<double> nats = distribution(ids);
        std::sort(nats.rbegin(), nats.rend());
        Json top = Json::object();
        for (std::size_t k = 0; k < likeliest; ++k) top["t" + std::to_string(k)] = nats[k];
        choice["logprobs"] = {{"top_logprobs", list_of(top)}};
      }
      choices.insert(i % 2 == 0 ? choices.end() : choices.begin(), std::move(choice));
    }
    return {{"choices", choices}};
  }
  [[nodiscard]] std::string spelled(TokenId id) const {
    const std::string bytes = model_.detokenize(std::span(&id, 1));
    return is_whole(bytes) ? bytes : "bytes:" + std::to_string(id);
  }

  [[nodiscard]] Json sglang(const Json& body) const {
    const Ids prompt = body.at("input_ids");
    const Json& how = body.at("sampling_params");
    const auto seed = how.contains("sampling_seed")
                          ? std::optional(how.at("sampling_seed").get<std::uint64_t>())
                          : std::nullopt;
    const auto [made, ended] = continuation(prompt, how.at("max_new_tokens"), seed);
    Json rows = Json::array();
    Ids before = prompt;
    for (const TokenId id : made) {
      rows.push_back({distribution(before)[static_cast<std::size_t>(id)], id, nullptr});
      before.push_back(id);
    }
    Json meta = {{"output_token_logprobs", rows},
                 {"prompt_tokens", prompt.size()},
                 {"cached_tokens", prompt.size() - 1},
                 {"finish_reason", {{"type", ended ? "stop" : "length"}}}};
    if (body.contains("token_ids_logprob") && !options_.ignores_token_ids) {
      const std::vector<double> nats = distribution(prompt);
      Json of_first = Json::array();
      for (const TokenId id : body.at("token_ids_logprob").get<Ids>()) {
        of_first.push_back({nats.at(static_cast<std::size_t>(id)), id, nullptr});
      }
      meta["output_token_ids_logprobs"] = list_of(of_first);
    }
    return {{"text", ""}, {"meta_info", meta}};
  }

  Options options_;
  NgramModel model_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
