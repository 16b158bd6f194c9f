// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a server asked, in words that each kind of server has its own for?
//
// The routes, bodies and replies of one kind of server: llama-server, vLLM, SGLang. Which one is
// known when it has answered, so the functions are virtual. A dialect sends nothing; it makes
// requests and reads replies, and any number of threads may use one.

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

/// A list of ids as JSON writes it, which is much of what is sent.
inline std::string json_ids(std::span<const TokenId> ids) {
  std::string text = "[";
  for (const TokenId id : ids) {
    if (text.size() > 1) text += ',';
    text += std::to_string(id);
  }
  return text += ']';
}

/// What a server says of itself.
struct ServerFacts {
  /// "llama-server", "vLLM", "SGLang"; its version, or empty.
  std::string kind{}, version{};
  std::string model{};
  /// How the weights are held, where it says so.
  std::string weights{};
  /// Tokens; 0 where it does not say.
  std::size_t vocabulary = 0;
  /// Tokens of the longest sequence; 0 where it does not say.
  std::size_t context = 0;
};

/// What requests took, as the server's replies say.
struct ServerTally {
  std::atomic<std::uint64_t> tokens_sent{0};
  /// Those of prompts that the server computed and did not have in its prefix cache; not counted by
  /// servers that do not tell.
  std::atomic<std::uint64_t> tokens_computed{0};
};

/// How a question after a prefix is put.
enum class QueryMode {
  normal,
  /// For the whole distribution, where the dialect knows a cheaper way for few tokens.
  full_distribution,
  /// Without the server's prefix cache, where that can be asked.
  without_cache,
};

/// A prefix, the tokens whose log-probabilities after it are asked, and where these go. The spans are
/// the caller's.
struct AskedPrefix {
  std::vector<TokenId> prefix{};
  std::span<const TokenId> tokens{};
  std::span<double> nats{};
};

/// A sequence whose own tokens' log-probabilities are asked, each after those before it.
struct AskedSequence {
  std::vector<TokenId> tokens{};
  /// Parallel to `tokens`; the first has none.
  std::vector<double> nats{};
};

/// What a server makes of a prompt.
struct ServerContinuation {
  /// Without the token that ended it.
  std::vector<TokenId> tokens{};
  /// Parallel to the tokens where the reply has them all, else empty. Nats.
  std::vector<double> log_probabilities{};
  /// Whether it ended by itself.
  bool ended = false;

  /// Where its last token is the one that ended it.
  void drop_end() {
    if (!ended || tokens.empty()) return;
    tokens.pop_back();
    if (!log_probabilities.empty()) log_probabilities.pop_back();
  }
};

/// One kind of server. Any number of threads may use one. Functions that read throw an internal
/// error for a reply that is not what the dialect says.
class ServerDialect {
 public:
  ServerDialect() = default;
  ServerDialect(const ServerDialect&) = delete;
  ServerDialect& operator=(const ServerDialect&) = delete;
  virtual ~ServerDialect() = default;

  [[nodiscard]] virtual const ServerFacts& facts() const = 0;
  /// Whether /tokenize tells the bytes of each token, so that no other tokenizer is needed.
  [[nodiscard]] virtual bool spells_tokens() const = 0;
  /// The template of its model, where the server tells it.
  [[nodiscard]] virtual std::optional<ChatTemplate> chat_template() const { return std::nullopt; }

  /// How many of `count` tokens after one prefix go into one request; `prefixes_together` prefixes
  /// share a request, and then this is the limit of their tokens in total.
  [[nodiscard]] virtual std::size_t together(std::size_t count, QueryMode how) const = 0;
  [[nodiscard]] virtual std::size_t prefixes_together() const { return 1; }
  /// Asks how likely tokens are after prefixes, none of which is empty.
  [[nodiscard]] virtual HttpRequest ask(std::span<const AskedPrefix> asked,
                                        QueryMode how) const = 0;
  /// Sets the log-probabilities that were asked for; minus infinity for one that is too small for the
  /// server to report. False if the reply cannot contain them and the same must be asked wholly.
  [[nodiscard]] virtual bool read(const HttpReply& reply, std::span<const AskedPrefix> asked,
                                  ServerTally& tally) const = 0;

  /// Asks for the log-probabilities of the `count` likeliest next tokens. Called only for servers that do
  /// not give the whole vocabulary in one request.
  [[nodiscard]] virtual HttpRequest ask_likeliest(std::span<const TokenId>, std::size_t) const {
    throw internal_error({.field = facts().kind}, "cannot be asked for the likeliest tokens");
  }
  [[nodiscard]] virtual std::vector<double> read_likeliest(const HttpReply&, ServerTally&) const {
    return {};
  }

  /// How many sequences go into one request for the log-probabilities of their own tokens; 0 if this
  /// kind of server does not give those.
  [[nodiscard]] virtual std::size_t sequences_together() const { return 0; }
  /// Tokens that the server computes of a prefix of `length` tokens when its cache holds as much of
  /// it as it can.
  [[nodiscard]] virtual std::size_t tokens_behind_cache(std::size_t length) const {
    return (std::min<std::size_t>)(length, 1);
  }
  [[nodiscard]] virtual HttpRequest ask_sequences(std::span<const AskedSequence> asked) const {
    throw internal_error({.field = facts().kind},
                         "cannot be asked " + std::to_string(asked.size()) + " whole sequences");
  }
  /// Sets the log-probabilities of each sequence's tokens.
  virtual void read_sequences(const HttpReply&, std::span<AskedSequence>, ServerTally&) const {}

  /// Asks for a continuation of at most `most` tokens: the greedy one, or one drawn at temperature
  /// 1 from the whole vocabulary where there is a seed.
  [[nodiscard]] virtual HttpRequest generate(std::span<const TokenId> prompt, std::size_t most,
                                             std::optional<std::uint32_t> seed) const = 0;
  [[nodiscard]] virtual ServerContinuation read_continuation(const HttpReply& reply,
                                                             ServerTally& tally) const = 0;

  /// Asks for the vectors of several sequences' last tokens.
  [[nodiscard]] virtual HttpRequest embed(
      std::span<const std::vector<TokenId>> sequences) const = 0;
  [[nodiscard]] virtual std::vector<std::vector<float>> read_vectors(const HttpReply& reply,
                                                                     std::size_t count) const = 0;
  /// Whether vectors come as they are, and not normalised.
  [[nodiscard]] virtual bool gives_raw_vectors() const = 0;

  /// Asks how the server cuts a text into tokens, no special ones added.
  [[nodiscard]] virtual HttpRequest tokenize(std::string_view text, bool parse_special) const = 0;
  [[nodiscard]] virtual Tokenization read_tokens(const HttpReply& reply,
                                                 std::string_view text) const = 0;
};

/// A list of several sequences' ids; `ids_of(item)` is an item's.
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
