// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who cuts texts into a server's tokens?
//
// A tokenizer on this machine (a Hugging Face folder's, a GGUF file's) that is the model's own, or
// the server itself, text by text, where it tells the bytes of each token. A given one is compared
// with the server's on a few texts, so that token ids mean the same on both sides.

#include <cstddef>
#include <functional>
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
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/server/http_client.hpp"
#include "plumb/detail/server/server_dialect.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A tokenizer of any type. As thread-safe as what it was made of.
struct ServerTokenizer {
  std::function<Tokenization(std::string_view)> tokenize{};
  std::function<std::string(std::span<const TokenId>)> detokenize{};
  /// Nothing for one past the vocabulary, too.
  std::optional<TokenId> bos{};
  /// Nothing where they are not known.
  std::optional<std::vector<SpecialToken>> special_tokens{};
  /// Ids, those without a text included.
  std::size_t vocabulary_size = 0;
  /// As run.json has it: "the server", or a file's name.
  std::string name{};
  /// Whether it begins a text with BOS by its own configuration; nothing where that is not known.
  std::optional<bool> adds_bos{};
  /// All that it puts around a text by its own configuration; likewise.
  std::optional<TextFrame> own_frame{};
  /// The one beside it, if any.
  std::optional<ChatTemplate> chat_template{};
};

/// Of a tokenizer that has tokenize, detokenize, special_tokens and bos, and may have adds_bos; `tokens` are all ids.
template <class Tokenizer>
[[nodiscard]] ServerTokenizer server_tokenizer(std::shared_ptr<const Tokenizer> of,
                                               std::size_t tokens, std::string name) {
  return {[of](std::string_view text) { return of->tokenize(text); },
          [of](std::span<const TokenId> ids) { return of->detokenize(ids); },
          of->bos(),
          of->special_tokens(),
          tokens,
          std::move(name),
          adds_bos_of(*of),
          own_frame_of(*of),
          own_chat_template(*of)};
}

/// The server's own, asked over the network and remembered. One thread at a time.
class RemoteTokenizer {
 public:
  /// Client and dialect must outlive it.
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

  /// As the server says it; not remembered.
  [[nodiscard]] Tokenization asked(std::string_view text, bool parse_special) {
    const HttpReply reply = client_.ask(dialect_.tokenize(text, parse_special));
    return dialect_.read_tokens(reply, text);
  }

  /// By llama-server's /detokenize.
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) {
    if (ids.empty()) return "";
    const HttpReply reply =
        client_.ask({"/detokenize", "{\"tokens\":" + detail::json_ids(ids) + "}"});
    const ReplyJson json = parse_reply(reply.body, client_.url().text() + "/detokenize");
    const Json& text = json.at("/content");
    if (!text.is_string()) throw json.wrong("content", "is no text");
    return text.get<std::string>();
  }

 private:
  static constexpr std::size_t most_known = 100'000;

  HttpClient& client_;
  const ServerDialect& dialect_;
  bool parses_;
  std::unordered_map<std::string, Tokenization> known_;
};

/// Throws a user error where a given tokenizer cuts a text otherwise than the server. Returns how
/// many texts were compared: none where the server has no /tokenize.
[[nodiscard]] inline std::size_t compare_tokenizers(HttpClient& client,
                                                    const ServerDialect& dialect,
                                                    const ServerTokenizer& given) {
  std::size_t compared = 0;
  for (const std::string_view text :
       {"The capital of France is Paris.", " Zürich, 1984: naïve café №7", "日本語の文",
        "a\n\n  b\tc"}) {
    const HttpReply reply = client.reply(dialect.tokenize(text, false));
    if (reply.status < 200 || reply.status >= 300) return compared;
    const auto ids = [](const Tokenization& made) {
      std::vector<TokenId> all;
      for (const Token& token : made.tokens) all.push_back(token.id);
      return all;
    };
    const std::vector<TokenId> theirs = ids(dialect.read_tokens(reply, text));
    const std::vector<TokenId> ours = ids(given.tokenize(text));
    if (theirs != ours) {
      throw user_error({.setting = "tokenizer"},
                       given.name + " cuts '" + std::string(text) + "' into " +
                           counted(ours.size(), "token") + " " + detail::json_ids(ours) +
                           ", the server into " + std::to_string(theirs.size()) + " " +
                           detail::json_ids(theirs),
                       "give the tokenizer of the model that the server runs");
    }
    ++compared;
  }
  return compared;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
