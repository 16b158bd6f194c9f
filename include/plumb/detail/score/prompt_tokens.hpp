// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are a prompt's tokens, and which of them belong to its continuation?
//
// A text is tokenised as a whole, so a token may span the boundary between the given part and the
// continuation, as it would in running text. The given part is also tokenised separately. The
// continuation consists of all tokens of the whole text after the longest token prefix that both
// tokenisations share. With most vocabularies that prefix is the whole given part, because no token
// spans the boundary.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline std::vector<TokenId> ids_of(const Tokenization& tokenization) {
  std::vector<TokenId> ids;
  ids.reserve(tokenization.tokens.size());
  for (const Token& token : tokenization.tokens) ids.push_back(token.id);
  return ids;
}

/// The tokens of a whole text after the first `shared` tokens; their byte positions are relative to
/// byte `given` of the text.
inline Tokenization behind(Tokenization whole, std::size_t shared, std::size_t given) {
  whole.tokens.erase(whole.tokens.begin(),
                     whole.tokens.begin() + static_cast<std::ptrdiff_t>(shared));
  const auto from_there = [&](std::size_t byte) { return byte < given ? 0 : byte - given; };
  for (Token& token : whole.tokens) {
    token.bytes = {from_there(token.bytes.begin), from_there(token.bytes.end)};
  }
  return whole;
}

/// The tokens of a whole text after the longest token prefix that it shares with the tokens of its
/// first `given` bytes. Their byte positions are relative to the end of these bytes.
template <class Tokenizer>
[[nodiscard]] Tokenization tokens_after(const Tokenizer& tokenizer, std::string_view text,
                                        std::size_t given) {
  Tokenization whole = text_tokens(tokenizer, text);
  const std::size_t shared =
      common_prefix(ids_of(whole), ids_of(text_tokens(tokenizer, text.substr(0, given))));
  return detail::behind(std::move(whole), shared, given);
}

/// Short texts whose tokens are mostly independent of what follows.
inline constexpr std::array<std::string_view, 4> short_leads{"\n", "a", "0", ")"};

/// The tokens of a text after a lead; nullopt if the lead has no tokens of its own, if the text
/// changes them, or if the text disappears in them (as in one unknown token).
template <class Tokenizer>
[[nodiscard]] std::optional<Tokenization> tokens_after_lead(const Tokenizer& tokenizer,
                                                            std::string_view lead,
                                                            std::string_view text) {
  Tokenization whole = text_tokens(tokenizer, std::string(lead).append(text));
  const std::vector<TokenId> before = ids_of(text_tokens(tokenizer, lead));
  if (before.empty() || common_prefix(ids_of(whole), before) < before.size()) return std::nullopt;
  if (whole.tokens.size() == before.size() && !text.empty()) return std::nullopt;
  return detail::behind(std::move(whole), before.size(), lead.size());
}

/// Whether a tokenizer inserts a space before every text (SentencePiece's dummy prefix), so that a
/// word has different tokens at the start of a text than directly after a sign. Decoding does not
/// show this, because some decoders remove the space.
template <class Tokenizer>
[[nodiscard]] bool puts_space_before(const Tokenizer& tokenizer) {
  for (const std::string_view lead : {"\n", ")"}) {
    if (const auto inner = detail::tokens_after_lead(tokenizer, lead, "a")) {
      return ids_of(*inner) != ids_of(text_tokens(tokenizer, "a"));
    }
  }
  return false;
}

/// The tokens of a text as they would be inside a longer text. They are the text's own tokens,
/// unless the tokenizer inserts a space before every text (`puts_space`, see puts_space_before). In
/// that case the text is tokenised after a lead that does not change its tokens, so that no space
/// is inserted.
template <class Tokenizer>
[[nodiscard]] Tokenization inner_tokens(const Tokenizer& tokenizer, std::string_view text,
                                        bool puts_space) {
  if (!puts_space) return text_tokens(tokenizer, text);
  for (const std::string_view lead : detail::short_leads) {
    if (auto inner = detail::tokens_after_lead(tokenizer, lead, text)) return *std::move(inner);
  }
  return text_tokens(tokenizer, text);
}

template <class Tokenizer>
[[nodiscard]] Tokenization inner_tokens(const Tokenizer& tokenizer, std::string_view text) {
  return detail::inner_tokens(tokenizer, text, puts_space_before(tokenizer));
}

/// The ids of inner_tokens, for each of the texts.
template <class Tokenizer>
[[nodiscard]] std::vector<std::vector<TokenId>> inner_ids(const Tokenizer& tokenizer,
                                                          std::span<const std::string> texts) {
  const bool puts_space = puts_space_before(tokenizer);
  std::vector<std::vector<TokenId>> ids;
  ids.reserve(texts.size());
  for (const std::string& text : texts) {
    ids.push_back(ids_of(detail::inner_tokens(tokenizer, text, puts_space)));
  }
  return ids;
}

/// Throws a user error if tokens that supposedly spell the text (spells_text) cover bytes outside
/// it, or omit an ASCII letter or digit. A normalising tokenizer may omit spaces, accents and
/// control characters.
inline void check_cover(const Tokenization& made, std::string_view text) {
  const auto fail = [&](const std::string& problem, const std::string& remedy) {
    return user_error({.field = "tokenize"}, problem,
                      remedy +
                          ", or set spells_text to false if the tokens' bytes are unknown; then an "
                          "answer's tokens cannot be found");
  };
  std::size_t covered = 0;
  const auto check_until = [&](std::size_t end) {
    for (; covered < end; ++covered) {
      const char byte = text[covered];
      const bool is_word = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z');
      if (!is_word) continue;
      throw fail("returned no token for byte " + std::to_string(covered) + ", '" + byte +
                     "', of '" + shortened(std::string(text)) + "'",
                 "cover the whole text with tokens");
    }
  };
  for (const Token& token : made.tokens) {
    if (token.bytes.begin > token.bytes.end || token.bytes.end > text.size()) {
      throw fail("assigned token " + std::to_string(token.id) + " the bytes " +
                     std::to_string(token.bytes.begin) + " to " + std::to_string(token.bytes.end) +
                     " of '" + shortened(std::string(text)) + "', which has " +
                     counted(text.size(), "byte"),
                 "count bytes of the UTF-8 text from 0; the end is one past the last byte");
    }
    check_until(token.bytes.begin);
    covered = (std::max)(covered, token.bytes.end);
  }
  check_until(text.size());
}

/// Returns the tokens of a text; checks them first if they supposedly spell it.
inline Tokenization of_text(Tokenization made, std::string_view text) {
  if (made.spells_text) check_cover(made, text);
  return made;
}

/// Throws a user error if a user's builder returns a prompt that refers to bytes outside its text.
inline void check_spans(const Prompt& prompt) {
  std::size_t end = prompt.given;
  for (const ByteSpan& span : prompt.answer) end = (std::max)({end, span.begin, span.end});
  for (const Cut& cut : prompt.cuts) end = (std::max)(end, cut.at);
  if (end <= prompt.text.size()) return;
  throw user_error({.field = "build"},
                   "returned the prompt '" + shortened(prompt.text) + "' of " +
                       counted(prompt.text.size(), "byte") + ", but refers to byte " +
                       std::to_string(end),
                   "fix the prompt builder: answer, cuts and given are byte positions in the text");
}

/// A prompt's tokens, preceded by BOS if it is passed. The text is tokenised as a whole or, if the
/// prompt has cuts, piece by piece. Throws a user error if a user's tokenizer returns tokens with
/// bytes outside the text, or if the prompt refers to bytes outside its text.
template <class Tokenizer>
[[nodiscard]] Tokenization tokenize_prompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                           std::optional<TokenId> bos = std::nullopt) {
  detail::check_spans(prompt);
  if (prompt.cuts.empty()) {
    return after_bos(detail::of_text(text_tokens(tokenizer, prompt.text), prompt.text), bos);
  }
  Tokenization all;
  const std::string_view text = prompt.text;
  bool is_separator = false;
  for (std::size_t piece = 0, begin = 0; piece <= prompt.cuts.size(); ++piece) {
    const bool is_last = piece == prompt.cuts.size();
    const std::size_t end = is_last ? text.size() : prompt.cuts[piece].at;
    const std::string_view part = text.substr(begin, end - begin);
    if (!part.empty()) {
      const Tokenization made = detail::of_text(
          is_separator ? inner_tokens(tokenizer, part) : text_tokens(tokenizer, part), part);
      for (const Token& token : made.tokens) {
        all.tokens.push_back({token.id, {token.bytes.begin + begin, token.bytes.end + begin}});
      }
      all.spells_text = all.spells_text && made.spells_text;
    }
    begin = end;
    if (!is_last) is_separator = prompt.cuts[piece].separator;
  }
  return after_bos(std::move(all), bos);
}

/// The token ids of a prompt, without byte positions.
template <class Tokenizer>
[[nodiscard]] std::vector<TokenId> prompt_ids(const Tokenizer& tokenizer, const Prompt& prompt,
                                              std::optional<TokenId> bos) {
  return ids_of(tokenize_prompt(tokenizer, prompt, bos));
}

/// The given part of a prompt, as a prompt.
[[nodiscard]] inline Prompt given_part(const Prompt& prompt) {
  Prompt given{prompt.text.substr(0, prompt.given), {}, {}, prompt.given};
  for (const Cut& cut : prompt.cuts) {
    if (cut.at < prompt.given) given.cuts.push_back(cut);
  }
  return given;
}

/// Finds the first token of the continuation for each of a series of prompts, most of which begin
/// with the same text. Not thread-safe.
class ContinuationFinder {
 public:
  /// The index of the continuation's first token in `tokens`, which are the prompt's tokens,
  /// preceded by BOS if it is passed. All calls on one finder must pass the same BOS.
  template <class Tokenizer>
  [[nodiscard]] std::size_t first(const Tokenizer& tokenizer, const Prompt& prompt,
                                  const Tokenization& tokens,
                                  std::optional<TokenId> bos = std::nullopt) {
    return prompt.given == 0 ? 0 : behind(tokenizer, given_part(prompt), tokens, bos);
  }
  /// Same as above, for the first token after `given`, the part with which the prompts begin.
  template <class Tokenizer>
  [[nodiscard]] std::size_t behind(const Tokenizer& tokenizer, Prompt given,
                                   const Tokenization& tokens, std::optional<TokenId> bos) {
    if (given.text != last_.text || given.cuts != last_.cuts) {
      given_ = prompt_ids(tokenizer, given, bos);
      last_ = std::move(given);
    }
    return common_prefix(given_, ids_of(tokens));
  }

 private:
  Prompt last_;
  std::vector<TokenId> given_;
};

/// Throws a user error if a statement is longer than the model's context; both lengths are in
/// tokens.
inline void check_length(const Prompt& prompt, std::size_t length, std::size_t context) {
  if (length <= context) return;
  throw user_error({.field = "statement"},
                   "'" + shortened(prompt.text) + "' has " + counted(length, "token") +
                       "; the model's limit is " + std::to_string(context),
                   prompt.context > 0 ? "use fewer `shots` or a shorter `prefix`"
                                      : "shorten the template or remove the fact");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
