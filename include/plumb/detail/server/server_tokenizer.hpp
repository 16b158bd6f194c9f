// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tokenises texts for a server's model?
//
// Texts are tokenised either by the model's own tokenizer on this machine (from a Hugging Face
// folder or a GGUF file) or, if the server reports the bytes of each token, by the server itself,
// one text at a time. A local tokenizer is compared with the server's on a few texts to ensure that
// token ids have the same meaning on both sides.

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/backend/own_chat_template.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/chat.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/reply_json.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Wraps a tokenizer of any type. It is as thread-safe as the wrapped tokenizer.
struct ServerTokenizer {
  std::function<Tokenization(std::string_view)> tokenize{};
  std::function<std::string(std::span<const TokenId>)> detokenize{};
  /// nullopt if there is no BOS, or if its id is outside the vocabulary.
  std::optional<TokenId> bos{};
  /// nullopt if the special tokens are unknown.
  std::optional<std::vector<SpecialToken>> special_tokens{};
  /// The number of ids, including ids without a text.
  std::size_t vocabulary_size = 0;
  /// The name recorded in run.json: "the server", or a file name.
  std::string name{};
  /// Whether the tokenizer is configured to begin a text with BOS; nullopt if unknown.
  std::optional<bool> adds_bos{};
  /// All tokens that the tokenizer is configured to add around a text; nullopt if unknown.
  std::optional<TextFrame> own_frame{};
  /// The chat template that comes with the tokenizer, if any.
  std::optional<ChatTemplate> chat_template{};
  /// As in ModelDescription.
  std::vector<std::string> warnings{};
  bool skips_composing = false;
};

/// Wraps a tokenizer that has tokenize, detokenize, special_tokens, bos and, optionally, adds_bos,
/// warnings and skips_composing. `tokens` is the total number of ids.
template <class Tokenizer>
[[nodiscard]] ServerTokenizer server_tokenizer(std::shared_ptr<const Tokenizer> of,
                                               std::size_t tokens, std::string name) {
  ServerTokenizer made{[of](std::string_view text) { return of->tokenize(text); },
                       [of](std::span<const TokenId> ids) { return of->detokenize(ids); },
                       of->bos(),
                       of->special_tokens(),
                       tokens,
                       std::move(name),
                       adds_bos_of(*of),
                       own_frame_of(*of),
                       own_chat_template(*of)};
  if constexpr (requires { of->warnings(); }) made.warnings = of->warnings();
  if constexpr (requires { of->skips_composing(); }) made.skips_composing = of->skips_composing();
  return made;
}

/// The server's own tokenizer, used over the network. Results are cached. Not thread-safe.
class RemoteTokenizer {
 public:
  /// The client and dialect must outlive it.
  RemoteTokenizer(HttpClient& client, const ServerDialect& dialect, bool parse_special)
      : client_(client), dialect_(dialect), parses_(parse_special) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) {
    if (text.empty()) return {};
    const auto known = known_.find(std::string(text));
    if (known != known_.end()) return known->second;
    Tokenization made = asked(text, parses_);
    if (known_.size() >= most_known) known_.clear();
    known_.emplace(text, made);
    return made;
  }

  /// Requests the server's result, bypassing the cache.
  [[nodiscard]] Tokenization asked(std::string_view text, bool parse_special) {
    const HttpReply reply = client_.ask(dialect_.tokenize(text, parse_special));
    return dialect_.read_tokens(reply, text);
  }

  /// Uses llama-server's /detokenize.
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) {
    if (ids.empty()) return "";
    const HttpReply reply =
        client_.ask({"/detokenize", "{\"tokens\":" + detail::json_ids(ids) + "}"});
    const ReplyJson json = parse_reply(reply.body, client_.url().text() + "/detokenize");
    const Json& text = json.at("/content");
    if (!text.is_string()) throw json.wrong("content", "is not a string");
    return text.get<std::string>();
  }

 private:
  static constexpr std::size_t most_known = 100'000;

  HttpClient& client_;
  const ServerDialect& dialect_;
  bool parses_;
  std::unordered_map<std::string, Tokenization> known_;
};

/// Texts that the local tokenizer and the server's must split in the same way.
inline constexpr std::string_view compared_texts[] = {
    "The capital of France is Paris.", " Zürich, 1984: naïve café №7", "日本語の文", "a\n\n  b\tc"};

[[nodiscard]] inline Error wrong_tokenizer(const ServerTokenizer& given, std::string_view text,
                                           std::size_t tokens, const std::string& ours,
                                           std::size_t server_tokens, const std::string& theirs) {
  return user_error({.setting = "tokenizer"},
                    given.name + " splits '" + std::string(text) + "' into " +
                        counted(tokens, "token") + " " + ours + ", the server into " +
                        std::to_string(server_tokens) + " " + theirs,
                    "use the tokenizer of the model that the server runs");
}

/// Compares the texts of tokens, for a server that does not report their ids. The server must
/// report the same texts for a text itself and for the ids that the local tokenizer produces. The
/// server may prepend BOS to a text. Throws a user error if the texts differ.
inline void compare_token_texts(HttpClient& client, const ServerDialect& dialect,
                                const ServerTokenizer& given, std::string_view text) {
  std::vector<TokenId> ids;
  for (const Token& token : given.tokenize(text).tokens) ids.push_back(token.id);
  const auto texts_of = [&](const auto& prompt) {
    return dialect.read_token_texts(client.ask(dialect.ask_token_texts(prompt)));
  };
  std::vector<std::string> ours = texts_of(std::span<const TokenId>(ids));
  std::vector<std::string> theirs = texts_of(text);
  // The last entry belongs to a generated token, which depends on BOS.
  if (ours.size() > ids.size()) {
    ours.pop_back();
    if (!theirs.empty()) theirs.pop_back();
  }
  if (theirs.size() == ours.size() + 1) theirs.erase(theirs.begin());
  if (theirs != ours) {
    throw wrong_tokenizer(given, text, ours.size(), Json(ours).dump(), theirs.size(),
                          Json(theirs).dump());
  }
}

/// Throws a user error if the local tokenizer and the server's split a text differently, or if the
/// server refuses the request. Returns the number of texts compared, which is 0 if the server
/// reports neither ids nor texts of tokens.
[[nodiscard]] inline std::size_t compare_tokenizers(HttpClient& client,
                                                    const ServerDialect& dialect,
                                                    const ServerTokenizer& given) {
  std::size_t compared = 0;
  for (const std::string_view text : compared_texts) {
    if (dialect.reports_only_token_texts()) {
      compare_token_texts(client, dialect, given, text);
      ++compared;
      continue;
    }
    const HttpRequest request = dialect.tokenize(text, false);
    const HttpReply reply = client.reply(request);
    constexpr unsigned absent[] = {400, 404, 405, 422, 501};
    if (ranges::find(absent, reply.status) != std::end(absent)) return compared;
    client.refuse_failure(request, reply);
    const auto ids = [](const Tokenization& made) {
      std::vector<TokenId> all;
      for (const Token& token : made.tokens) all.push_back(token.id);
      return all;
    };
    const std::vector<TokenId> theirs = ids(dialect.read_tokens(reply, text));
    const std::vector<TokenId> ours = ids(given.tokenize(text));
    if (theirs != ours) {
      throw wrong_tokenizer(given, text, ours.size(), detail::json_ids(ours), theirs.size(),
                            detail::json_ids(theirs));
    }
    ++compared;
  }
  return compared;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
