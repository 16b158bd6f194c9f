// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do requests to each kind of server look like?
//
// A dialect implements the routes, request bodies and replies of one kind of server: llama-server,
// vLLM, SGLang, or any other server that echoes prompts (EchoServer). The kind is only known at run
// time, so the functions are virtual. A dialect does not send anything itself: it only creates
// requests and reads replies. Any number of threads may use the same object.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_connection.hpp"
#include "plumb/detail/server/reply_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Writes ids as a JSON list. Such lists make up a large part of the requests.
inline std::string json_ids(std::span<const TokenId> ids) {
  std::string text = "[";
  for (const TokenId id : ids) {
    if (text.size() > 1) text += ',';
    text += std::to_string(id);
  }
  return text += ']';
}

/// A server's description of itself.
struct ServerFacts {
  /// The kind ("llama-server", "vLLM", "SGLang", "echo" or "echo (<maker>)") and the version, which
  /// may be empty.
  std::string kind{}, version{};
  std::string model{};
  /// How the weights are stored, if the server reports this.
  std::string weights{};
  /// The vocabulary size in tokens; 0 if the server does not report it.
  std::size_t vocabulary = 0;
  /// The maximum number of tokens in a sequence; 0 if the server does not report it.
  std::size_t context = 0;
  /// The number of sequences that the server computes at the same time; 0 if it does not report it.
  std::size_t slot_count = 0;
  /// The names of other models or adapters behind the same URL. plumb asks for `model`.
  std::vector<std::string> other_models{};
};

/// The models that /v1/models lists after the first one. Further names of the first model, which
/// have the same `root`, are omitted.
inline std::vector<std::string> other_models(const ReplyJson& models) {
  std::vector<std::string> others;
  const Json& data = models.at("/data");
  const std::string first = models.text_or("/data/0/id", ""),
                    root = models.text_or("/data/0/root", "");
  for (std::size_t i = 1; data.is_array() && i < data.size(); ++i) {
    const std::string item = "/data/" + std::to_string(i);
    std::string name = models.text_or(item + "/id", "");
    const bool is_alias = !root.empty() && models.text_or(item + "/root", "") == root;
    if (name != first && !is_alias) others.push_back(std::move(name));
  }
  return others;
}

/// The cost of requests, in tokens.
struct ServerTally {
  std::atomic<std::uint64_t> tokens_sent{0};
  /// The number of prompt tokens that the server computed because its prefix cache did not contain
  /// them, and of forced tokens that it computed; 0 for servers that do not report this number.
  std::atomic<std::uint64_t> tokens_computed{0};
  /// Whether `tokens_computed` is incomplete, because some replies lacked the number of cached
  /// tokens.
  std::atomic<bool> computed_is_unknown{false};
  /// The number of tokens on forced paths, and how many of them the server generated but did not
  /// report, each of which takes two further requests.
  std::atomic<std::uint64_t> tokens_forced{0}, tokens_unreported{0};

  /// `tokens_computed`, or 0 if it is incomplete.
  [[nodiscard]] std::uint64_t known_tokens_computed() const {
    return computed_is_unknown ? 0 : tokens_computed.load();
  }

  /// The number of generation steps that a server needs on average for a token of a forced path.
  [[nodiscard]] double steps_per_forced_token() const {
    const auto forced = static_cast<double>(tokens_forced);
    return forced == 0 ? 1 : 1 + 2 * static_cast<double>(tokens_unreported) / forced;
  }
};

/// How to request log-probabilities after a prefix.
enum class QueryMode {
  normal,
  /// Request the whole distribution, even if the dialect has a cheaper method for a few tokens.
  full_distribution,
  /// Bypass the server's prefix cache, if the server supports this.
  without_cache,
  /// Request only the token with the highest log-probability so far; the log-probabilities so far
  /// are correct up to an additive constant. The true log-probability of this token determines the
  /// constant.
  anchor,
  /// Request log-probabilities relative to that of a token that the server can always report.
  reference,
  /// Request the log-probability of this reference token, to which the log-probabilities so far are
  /// relative.
  reference_anchor,
};

/// A prefix, the tokens to look up after it, and the location in which to store their
/// log-probabilities. The caller owns the memory behind the spans.
struct AskedPrefix {
  std::vector<TokenId> prefix{};
  std::span<const TokenId> tokens{};
  std::span<double> nats{};
};

/// A sequence of tokens for which log-probabilities are requested. Each is the log-probability of a
/// token given the preceding tokens.
struct AskedSequence {
  std::vector<TokenId> tokens{};
  /// Parallel to `tokens`; the first token has no log-probability.
  std::vector<double> nats{};
  /// Distinct tokens to look up after the sequence, if the dialect supports this, and their
  /// log-probabilities.
  std::vector<TokenId> next{};
  std::vector<double> next_nats{};
};

/// Tokens that a server must generate one after another after a prefix. The prefix and the tokens
/// must not be empty, and the tokens must be distinct.
struct ForcedPath {
  std::vector<TokenId> prefix{};
  std::vector<TokenId> tokens{};
  /// Parallel to `tokens`: the log-probability of each token given the prefix and the tokens before
  /// it. NaN if the server did not report it.
  std::vector<double> nats{};
  /// How many of the tokens the server generated, from the first on.
  std::size_t generated = 0;
};

/// A server's continuation of a prompt.
struct ServerContinuation {
  /// The tokens, excluding the one that ended the continuation.
  std::vector<TokenId> tokens{};
  /// In nats, parallel to the tokens; empty if any of them is missing from the reply.
  std::vector<double> log_probabilities{};
  /// Whether the continuation ended before the length limit.
  bool ended = false;
  /// The text, for servers that do not report ids.
  std::string text{};

  /// Removes the last token if that token ended the continuation.
  void drop_end() {
    if (!ended || tokens.empty()) return;
    tokens.pop_back();
    if (!log_probabilities.empty()) log_probabilities.pop_back();
  }
};

/// The requests and replies of one kind of server. Any number of threads may use the same object.
/// The functions that read replies throw an internal error if a reply does not have the expected
/// format.
class ServerDialect {
 public:
  ServerDialect() = default;
  ServerDialect(const ServerDialect&) = delete;
  ServerDialect& operator=(const ServerDialect&) = delete;
  virtual ~ServerDialect() = default;

  [[nodiscard]] virtual const ServerFacts& facts() const = 0;
  /// Whether /tokenize returns the bytes of each token, so that no other tokenizer is needed.
  [[nodiscard]] virtual bool spells_tokens() const = 0;
  /// The chat template of the server's model, if the server reports it.
  [[nodiscard]] virtual std::optional<ChatTemplate> chat_template() const { return std::nullopt; }
  /// The text of the BOS token, which is empty if the model has none; nullopt if the server does
  /// not report it.
  [[nodiscard]] virtual std::optional<std::string> bos_text() const { return std::nullopt; }

  /// How many of `count` tokens after one prefix fit in one request. If up to `prefixes_together`
  /// prefixes share a request, this limits the total number of their tokens.
  [[nodiscard]] virtual std::size_t together(std::size_t count, QueryMode how) const = 0;
  [[nodiscard]] virtual std::size_t prefixes_together() const { return 1; }
  /// Whether `without_cache` differs from `normal`.
  [[nodiscard]] virtual bool can_bypass_cache() const { return false; }
  /// Whether `reference` and `reference_anchor` differ from `normal`.
  [[nodiscard]] virtual bool has_reference() const { return false; }
  /// Sets the reference token, if this kind of server needs one. The token must not end in the
  /// middle of a UTF-8 character. Must be called before any other thread uses the object.
  virtual void set_reference(TokenId) {}
  /// Requests the log-probabilities of tokens after prefixes; no prefix may be empty.
  [[nodiscard]] virtual HttpRequest ask(std::span<const AskedPrefix> asked,
                                        QueryMode how) const = 0;
  /// Reads the reply to a request that was made in the mode `how`. Sets the log-probabilities, using
  /// minus infinity for those too small for the server to report. If this reply alone is not enough,
  /// returns the mode in which to repeat the request.
  [[nodiscard]] virtual std::optional<QueryMode> read(const HttpReply& reply,
                                                      std::span<const AskedPrefix> asked,
                                                      QueryMode how, ServerTally& tally) const = 0;

  /// Requests the log-probabilities of the `count` most likely next tokens. Called only for servers
  /// that cannot return the whole vocabulary in one request.
  [[nodiscard]] virtual HttpRequest ask_likeliest(std::span<const TokenId>, std::size_t) const {
    throw internal_error({.field = facts().kind}, "cannot return the most likely tokens");
  }
  [[nodiscard]] virtual std::vector<double> read_likeliest(const HttpReply&, ServerTally&) const {
    return {};
  }

  /// How many sequences fit in one request for the log-probabilities of their own tokens; 0 if this
  /// kind of server does not support such requests.
  [[nodiscard]] virtual std::size_t sequences_together() const { return 0; }
  /// How many different tokens can be looked up after the sequences of one request; 0 if a server
  /// reports only the log-probabilities of the sequences' own tokens.
  [[nodiscard]] virtual std::size_t next_tokens_together() const { return 0; }
  /// Whether every lookup requires its own sequence, in which case sending whole sequences is
  /// always cheaper.
  [[nodiscard]] virtual bool scores_only_sequences() const { return false; }
  /// Whether the server reports continuations as token ids. If not, only the texts of continuations
  /// can be compared.
  [[nodiscard]] virtual bool reports_generated_ids() const { return true; }
  /// How many tokens the server computes for a prefix of `length` tokens if its cache contains as
  /// much of that prefix as possible.
  [[nodiscard]] virtual std::size_t tokens_behind_cache(std::size_t length) const {
    return (std::min<std::size_t>)(length, 1);
  }
  [[nodiscard]] virtual HttpRequest ask_sequences(std::span<const AskedSequence> asked) const {
    throw internal_error({.field = facts().kind},
                         "cannot score " + std::to_string(asked.size()) + " whole sequences");
  }
  /// Sets the log-probabilities of each sequence's tokens and of the tokens after it.
  virtual void read_sequences(const HttpReply&, std::span<AskedSequence>, ServerTally&) const {}

  /// How many tokens after a prefix the server can be forced to generate in one request; 0 if this
  /// kind of server does not support such requests.
  [[nodiscard]] virtual std::size_t forced_together() const { return 0; }
  [[nodiscard]] virtual HttpRequest force(const ForcedPath& path) const {
    throw internal_error(
        {.field = facts().kind},
        "cannot be forced to generate " + std::to_string(path.tokens.size()) + " given tokens");
  }
  /// Sets the log-probabilities of the path's tokens.
  virtual void read_forced(const HttpReply&, ForcedPath&, ServerTally&) const {}

  /// Requests a continuation of at most `most` tokens: the greedy one, or, with a seed, one drawn
  /// at temperature 1 from the whole vocabulary.
  [[nodiscard]] virtual HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                             std::optional<std::uint32_t> seed) const = 0;
  [[nodiscard]] virtual ServerContinuation read_continuation(const HttpReply& reply,
                                                             ServerTally& tally) const = 0;

  /// Requests the vectors of the last tokens of several sequences.
  [[nodiscard]] virtual HttpRequest embed(
      std::span<const std::vector<TokenId>> sequences) const = 0;
  [[nodiscard]] virtual std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                                     std::size_t count) const = 0;
  /// Whether vectors are raw rather than normalised.
  [[nodiscard]] virtual bool gives_raw_vectors() const = 0;

  /// Requests the server's tokenization of a text, without added special tokens.
  [[nodiscard]] virtual HttpRequest tokenize(std::string_view text, bool parse_special) const = 0;
  /// The same, with the special tokens that the model's tokenizer is configured to add. Called only
  /// for servers that report the text of BOS.
  [[nodiscard]] virtual HttpRequest tokenize_as_configured(std::string_view text) const {
    return tokenize(text, false);
  }
  [[nodiscard]] virtual Tokenization read_tokens(const HttpReply& reply,
                                                 std::string_view text) const = 0;

  /// Whether the server reports the texts of a prompt's tokens, but not their ids.
  [[nodiscard]] virtual bool reports_only_token_texts() const { return false; }
  /// Requests the text of each token of a prompt. The prompt is a text that the server tokenises,
  /// or a list of token ids. Called only if `reports_only_token_texts()`.
  [[nodiscard]] virtual HttpRequest ask_token_texts(std::string_view) const {
    throw internal_error({.field = facts().kind}, "cannot report the texts of tokens");
  }
  [[nodiscard]] virtual HttpRequest ask_token_texts(std::span<const TokenId>) const {
    throw internal_error({.field = facts().kind}, "cannot report the texts of tokens");
  }
  /// Reads these texts. If the server includes the text of the generated token, that text comes
  /// last.
  [[nodiscard]] virtual std::vector<std::string> read_token_texts(const HttpReply&) const {
    return {};
  }
};

/// A JSON list of the ids of several sequences; `ids_of(item)` returns an item's ids.
template <class Item, class IdsOf>
std::string json_id_lists(std::span<const Item> items, IdsOf ids_of) {
  std::string text = "[";
  for (const Item& item : items) {
    if (text.size() > 1) text += ',';
    text += json_ids(ids_of(item));
  }
  return text += ']';
}
inline std::string json_id_lists(std::span<const std::vector<TokenId>> sequences) {
  return json_id_lists(
      sequences, [](const auto& ids) -> const auto& { return ids; });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
