// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens belong to a text itself, and which token is put before them?
//
// Some tokenizers put their BOS before every text: a first token that covers bytes {0, 0} and
// equals bos(). It does not belong to the text and is removed here, so that a text has the same
// tokens on its own, as a piece and at the start of a sequence. Only `after_bos` puts BOS before a
// text, and never twice: a text whose own first token is BOS (a template that begins with "<s>"
// when special tokens are parsed) is left as it is. Every sequence therefore has one BOS or none.
// All code gets a text's tokens through `text_tokens`.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether the tokenizer added the last token after the text. A token that belongs to the text may
/// also have no bytes of its own (the last of several that form one character), but then the other
/// tokens do not spell the text.
template <class Tokenizer>
[[nodiscard]] bool has_token_after(const Tokenizer& tokenizer, const Tokenization& made,
                                   std::string_view text) {
  if (made.tokens.empty() || text.empty() || !made.spells_text) return false;
  const Token& last = made.tokens.back();
  if (last.bytes.begin != text.size() || last.bytes.end != text.size()) return false;
  if constexpr (requires { tokenizer.bos(); }) {
    if (tokenizer.bos() == last.id) return true;
  }
  if constexpr (requires(std::span<const TokenId> ids) { tokenizer.detokenize(ids); }) {
    std::vector<TokenId> ids;
    for (const Token& token : made.tokens) ids.push_back(token.id);
    const std::string all = tokenizer.detokenize(std::span<const TokenId>(ids));
    ids.pop_back();
    const std::string others = tokenizer.detokenize(std::span<const TokenId>(ids));
    return !others.empty() &&
           (others == all || others == text || others == " " + std::string(text));
  }
  return false;
}

/// Whether the first token is a BOS that the tokenizer put before the text. If the tokens' bytes
/// are unknown, checks whether the tokenizer puts BOS before every text.
template <class Tokenizer>
[[nodiscard]] bool has_bos_before(const Tokenizer& tokenizer, const Tokenization& made) {
  if constexpr (requires { tokenizer.bos(); }) {
    const auto begins = [&](const Tokenization& one) {
      return !one.tokens.empty() && tokenizer.bos() == one.tokens.front().id;
    };
    if (!begins(made)) return false;
    return made.spells_text ? made.tokens.front().bytes == ByteSpan{}
                            : begins(tokenizer.tokenize("a"));
  }
  return false;
}

/// The tokens of a text, without a BOS that the tokenizer puts before it. Throws a user error if
/// the tokenizer adds a token after the text.
template <class Tokenizer>
[[nodiscard]] Tokenization text_tokens(const Tokenizer& tokenizer, std::string_view text) {
  Tokenization made = tokenizer.tokenize(text);
  if (detail::has_bos_before(tokenizer, made)) made.tokens.erase(made.tokens.begin());
  if (detail::has_token_after(tokenizer, made, text)) {
    throw user_error(
        {.field = "tokenize"},
        "added token " + std::to_string(made.tokens.back().id) + " after '" +
            shortened(std::string(text)) + "', although it is not part of the text",
        "fix the model's tokenize: it must not add an end of sequence or any other special token");
  }
  return made;
}

/// Whether a text's own first token is BOS.
[[nodiscard]] inline bool begins_with(const Tokenization& made, std::optional<TokenId> bos) {
  return bos && !made.tokens.empty() && made.tokens.front().id == *bos;
}

/// Returns BOS, which covers no bytes, followed by the text's tokens; only the text's tokens if
/// `bos` is nullopt. If the text's own first token is BOS, no second one is added.
[[nodiscard]] inline Tokenization after_bos(Tokenization made, std::optional<TokenId> bos) {
  if (bos && !begins_with(made, bos)) made.tokens.insert(made.tokens.begin(), {*bos, {}});
  return made;
}

/// Whether a tokenizer is configured to begin a text with BOS when it adds special tokens. Returns
/// nullopt if the model does not specify this. A model may have a member `adds_bos()`, optional for
/// every backend, which returns a bool or an optional bool.
template <class Model>
[[nodiscard]] std::optional<bool> adds_bos_of(const Model& model) {
  if constexpr (requires { model.adds_bos(); }) return model.adds_bos();
  return std::nullopt;
}

/// The tokens that a tokenizer is configured to put around a text when it adds special tokens;
/// nullopt if the model does not specify them. A model may have a member `own_frame()`, optional
/// for every backend, which returns a TextFrame or an optional TextFrame. For a model with only
/// `adds_bos()`, the frame contains BOS or is empty.
template <class Model>
[[nodiscard]] std::optional<TextFrame> own_frame_of(Model& model) {
  if constexpr (requires { model.own_frame(); }) {
    return model.own_frame();
  } else {
    const std::optional<bool> adds = adds_bos_of(std::as_const(model));
    if (!adds) return std::nullopt;
    TextFrame made;
    if (const std::optional<TokenId> bos = model.bos(); bos && *adds) made.before.push_back(*bos);
    return made;
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
