// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does each kind of server expect its requests?
//
// The routes, bodies and replies of one kind of server: llama-server, vLLM, SGLang. The kind is
// only known at run time, so the functions are virtual. A dialect sends nothing: it makes requests
// and reads replies. Any number of threads may use one.

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

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A JSON list of ids, which is a large part of what is sent.
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
  /// "llama-server", "vLLM", "SGLang"; its version, or empty.
  std::string kind{}, version{};
  std::string model{};
  /// How the weights are stored, if it reports that.
  std::string weights{};
  /// Vocabulary size in tokens; 0 if it does not report it.
  std::size_t vocabulary = 0;
  /// The most tokens in a sequence; 0 if it does not report it.
  std::size_t context = 0;
};

/// The cost of requests, as the server's replies report it.
struct ServerTally {
  std::atomic<std::uint64_t> tokens_sent{0};
  /// Prompt tokens that the server computed because its prefix cache lacked them; 0 for servers
  /// that do not report it.
  std::atomic<std::uint64_t> tokens_computed{0};
};

/// How to request log-probabilities after a prefix.
enum class QueryMode {
  normal,
  /// Through the whole distribution, even if the dialect has a cheaper way for few tokens.
  full_distribution,
  /// Without the server's prefix cache, if the server allows that.
  without_cache,
  /// For the likeliest token by the log-probabilities so far, which are right up to a constant: its own
  /// log-probability gives the constant.
  anchor,
};

/// A prefix, the tokens whose log-probabilities after it are wanted, and where these are stored.
/// The caller owns the spans.
struct AskedPrefix {
  std::vector<TokenId> prefix{};
  std::span<const TokenId> tokens{};
  std::span<double> nats{};
};

/// A sequence for which the log-probability of each own token after the previous ones is wanted.
struct AskedSequence {
  std::vector<TokenId> tokens{};
  /// Parallel to `tokens`; the first token has no log-probability.
  std::vector<double> nats{};
};

/// A server's continuation of a prompt.
struct ServerContinuation {
  /// The tokens, without the one that ended it.
  std::vector<TokenId> tokens{};
  /// In nats, parallel to the tokens; empty if the reply lacks some.
  std::vector<double> log_probabilities{};
  /// Whether it ended by itself.
  bool ended = false;
  /// Its text, from servers that do not report ids.
  std::string text{};

  /// Removes the last token if it is the one that ended the continuation.
  void drop_end() {
    if (!ended || tokens.empty()) return;
    tokens.pop_back();
    if (!log_probabilities.empty()) log_probabilities.pop_back();
  }
};

/// One kind of server. Any number of threads may use one. Functions that read throw an internal
/// error for a reply that does not follow the dialect.
class ServerDialect {
 public:
  ServerDialect() = default;
  ServerDialect(const ServerDialect&) = delete;
  ServerDialect& operator=(const ServerDialect&) = delete;
  virtual ~ServerDialect() = default;

  [[nodiscard]] virtual const ServerFacts& facts() const = 0;
  /// Whether /tokenize gives the bytes of each token, so that no other tokenizer is needed.
  [[nodiscard]] virtual bool spells_tokens() const = 0;
  /// Its model's chat template, if the server reports it.
  [[nodiscard]] virtual std::optional<ChatTemplate> chat_template() const { return std::nullopt; }

  /// How many of `count` tokens after one prefix fit in one request. If `prefixes_together`
  /// prefixes share a request, this is the limit of their tokens in total.
  [[nodiscard]] virtual std::size_t together(std::size_t count, QueryMode how) const = 0;
  [[nodiscard]] virtual std::size_t prefixes_together() const { return 1; }
  /// Requests the log-probabilities of tokens after prefixes; no prefix is empty.
  [[nodiscard]] virtual HttpRequest ask(std::span<const AskedPrefix> asked,
                                        QueryMode how) const = 0;
  /// Sets the log-probabilities; minus infinity for one that is too small for the server to report.
  /// Returns the mode in which to ask the same again if this reply alone is not enough.
  [[nodiscard]] virtual std::optional<QueryMode> read(const HttpReply& reply,
                                                      std::span<const AskedPrefix> asked,
                                                      ServerTally& tally) const = 0;

  /// Requests the log-probabilities of the `count` most likely next tokens. Called only for servers
  /// that do not give the whole vocabulary in one request.
  [[nodiscard]] virtual HttpRequest ask_likeliest(std::span<const TokenId>, std::size_t) const {
    throw internal_error({.field = facts().kind}, "cannot return the most likely tokens");
  }
  [[nodiscard]] virtual std::vector<double> read_likeliest(const HttpReply&, ServerTally&) const {
    return {};
  }

  /// How many sequences fit in one request for the log-probabilities of their own tokens; 0 if this
  /// kind of server does not support that.
  [[nodiscard]] virtual std::size_t sequences_together() const { return 0; }
  /// Whether every lookup is a sequence of its own, so that whole sequences always cost less.
  [[nodiscard]] virtual bool scores_only_sequences() const { return false; }
  /// Whether continuations come as token ids. Without them only their texts can be compared.
  [[nodiscard]] virtual bool reports_generated_ids() const { return true; }
  /// The tokens of a prefix of `length` tokens that the server computes if its cache holds as much
  /// of the prefix as possible.
  [[nodiscard]] virtual std::size_t tokens_behind_cache(std::size_t length) const {
    return (std::min<std::size_t>)(length, 1);
  }
  [[nodiscard]] virtual HttpRequest ask_sequences(std::span<const AskedSequence> asked) const {
    throw internal_error({.field = facts().kind},
                         "cannot score " + std::to_string(asked.size()) + " whole sequences");
  }
  /// Sets the log-probabilities of each sequence's tokens.
  virtual void read_sequences(const HttpReply&, std::span<AskedSequence>, ServerTally&) const {}

  /// Requests a continuation of at most `most` tokens: the greedy one, or, with a seed, one drawn
  /// at temperature 1 from the whole vocabulary.
  [[nodiscard]] virtual HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                             std::optional<std::uint32_t> seed) const = 0;
  [[nodiscard]] virtual ServerContinuation read_continuation(const HttpReply& reply,
                                                             ServerTally& tally) const = 0;

  /// Requests the vectors of several sequences' last tokens.
  [[nodiscard]] virtual HttpRequest embed(
      std::span<const std::vector<TokenId>> sequences) const = 0;
  [[nodiscard]] virtual std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                                     std::size_t count) const = 0;
  /// Whether vectors are raw rather than normalised.
  [[nodiscard]] virtual bool gives_raw_vectors() const = 0;

  /// Requests the server's tokens of a text, without added special tokens.
  [[nodiscard]] virtual HttpRequest tokenize(std::string_view text, bool parse_special) const = 0;
  [[nodiscard]] virtual Tokenization read_tokens(const HttpReply& reply,
                                                 std::string_view text) const = 0;
};

/// A JSON list of several sequences' ids; `ids_of(item)` returns an item's ids.
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
