// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens does a prompt have, and which of them are its continuation's?
//
// A text is tokenised whole, so a token that spans the join of prompt and continuation is what the
// model would see. What is given has tokens of its own; the continuation is every token of the whole
// text behind the longest token prefix that both share. In most vocabularies that is all of what is
// given: none of their tokens spans the join.

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

/// What a whole text has behind its first `shared` tokens; their bytes count from `given`.
inline Tokenization behind(Tokenization whole, std::size_t shared, std::size_t given) {
  whole.tokens.erase(whole.tokens.begin(),
                     whole.tokens.begin() + static_cast<std::ptrdiff_t>(shared));
  const auto from_there = [&](std::size_t byte) { return byte < given ? 0 : byte - given; };
  for (Token& token : whole.tokens) {
    token.bytes = {from_there(token.bytes.begin), from_there(token.bytes.end)};
  }
  return whole;
}

/// The tokens of a whole text behind the longest token prefix that it shares with the tokens of its
/// first `given` bytes; their bytes count from there.
template <class Tokenizer>
[[nodiscard]] Tokenization tokens_behind(const Tokenizer& tokenizer, std::string_view text,
                                         std::size_t given) {
  Tokenization whole = text_tokens(tokenizer, text);
  const std::size_t shared =
      common_prefix(ids_of(whole), ids_of(text_tokens(tokenizer, text.substr(0, given))));
  return detail::behind(std::move(whole), shared, given);
}

/// Whether a tokenizer puts a space before every text it is given (SentencePiece's dummy prefix).
template <class Tokenizer>
[[nodiscard]] bool puts_space_before(const Tokenizer& tokenizer) {
  return tokenizer.detokenize(ids_of(text_tokens(tokenizer, "a"))) == " a";
}

/// The tokens that a text has inside a longer one. They are those of the text by itself, but for a
/// tokenizer that puts a space before every text: there the text is tokenised behind something that
/// keeps its tokens, so that no space is put before it.
template <class Tokenizer>
[[nodiscard]] Tokenization inner_tokens(const Tokenizer& tokenizer, std::string_view text) {
  if (!puts_space_before(tokenizer)) return text_tokens(tokenizer, text);
  constexpr std::array<std::string_view, 4> leads{"\n", "a", "0", ")"};
  for (const std::string_view lead : leads) {
    Tokenization whole = text_tokens(tokenizer, std::string(lead).append(text));
    const std::vector<TokenId> before = ids_of(text_tokens(tokenizer, lead));
    if (common_prefix(ids_of(whole), before) < before.size()) continue;
    return detail::behind(std::move(whole), before.size(), lead.size());
  }
  return text_tokens(tokenizer, text);
}

/// Throws a user error where tokens that are said to spell a text cover bytes that it has not, or leave
/// out a letter or digit of ASCII; a normalising tokenizer may leave out spaces, accents and controls.
inline void check_cover(const Tokenization& made, std::string_view text) {
  const auto fail = [&](const std::string& problem, const std::string& remedy) {
    return user_error({.field = "tokenize"}, problem,
                      remedy +
                          ", or say that spells_text is false, if what each token covers is "
                          "not known; then answers cannot be told apart");
  };
  std::size_t covered = 0;
  const auto check_until = [&](std::size_t end) {
    for (; covered < end; ++covered) {
      const char byte = text[covered];
      const bool is_word = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z');
      if (!is_word) continue;
      throw fail("gave no token of byte " + std::to_string(covered) + ", '" + byte + "', of '" +
                     shortened(std::string(text)) + "'",
                 "give the whole text tokens");
    }
  };
  for (const Token& token : made.tokens) {
    if (token.bytes.begin > token.bytes.end || token.bytes.end > text.size()) {
      throw fail("gave token " + std::to_string(token.id) + " the bytes " +
                     std::to_string(token.bytes.begin) + " to " + std::to_string(token.bytes.end) +
                     " of '" + shortened(std::string(text)) + "', which has " +
                     counted(text.size(), "byte"),
                 "count bytes of the UTF-8 text from 0, the end behind the last");
    }
    check_until(token.bytes.begin);
    covered = (std::max)(covered, token.bytes.end);
  }
  check_until(text.size());
}

/// The tokens of a text, which they cover if they say so.
inline Tokenization of_text(Tokenization made, std::string_view text) {
  if (made.spells_text) check_cover(made, text);
  return made;
}

/// Throws a user error for a prompt of a builder of the user's that speaks of bytes its text has not.
inline void check_spans(const Prompt& prompt) {
  std::size_t end = prompt.given;
  for (const ByteSpan& span : prompt.answer) end = (std::max)({end, span.begin, span.end});
  for (const Cut& cut : prompt.cuts) end = (std::max)(end, cut.at);
  if (end <= prompt.text.size()) return;
  throw user_error({.field = "build"},
                   "gave the prompt '" + shortened(prompt.text) + "' of " +
                       counted(prompt.text.size(), "byte") + ", and speaks of its byte " +
                       std::to_string(end),
                   "fix the prompt builder: answer, cuts and given count bytes of the text");
}

/// A prompt's tokens behind the BOS, if it is given: of the whole text, or of its pieces one after
/// another where it is cut. Throws a user error for a tokenizer of the user's that gives tokens of other
/// bytes than the text has, and for a builder's prompt that speaks of such.
template <class Tokenizer>
[[nodiscard]] Tokenization tokenize_prompt(const Tokenizer& tokenizer, const Prompt& prompt,
                                           std::optional<TokenId> bos = std::nullopt) {
  detail::check_spans(prompt);
  if (prompt.cuts.empty()) {
    return behind_bos(detail::of_text(text_tokens(tokenizer, prompt.text), prompt.text), bos);
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
  return behind_bos(std::move(all), bos);
}

/// The same as identifiers alone.
template <class Tokenizer>
[[nodiscard]] std::vector<TokenId> prompt_ids(const Tokenizer& tokenizer, const Prompt& prompt,
                                              std::optional<TokenId> bos) {
  return ids_of(tokenize_prompt(tokenizer, prompt, bos));
}

/// What of a prompt is given, as a prompt.
[[nodiscard]] inline Prompt given_part(const Prompt& prompt) {
  Prompt given{prompt.text.substr(0, prompt.given), {}, {}, prompt.given};
  for (const Cut& cut : prompt.cuts) {
    if (cut.at < prompt.given) given.cuts.push_back(cut);
  }
  return given;
}

/// Tells the continuation's first token of prompts that mostly begin alike, one after another. Not
/// thread-safe.
class ContinuationFinder {
 public:
  /// The place among the prompt's tokens, which are `tokens`, behind the BOS if it is given: the same for
  /// all prompts that one is asked about.
  template <class Tokenizer>
  [[nodiscard]] std::size_t first(const Tokenizer& tokenizer, const Prompt& prompt,
                                  const Tokenization& tokens,
                                  std::optional<TokenId> bos = std::nullopt) {
    return prompt.given == 0 ? 0 : behind(tokenizer, given_part(prompt), tokens, bos);
  }
  /// The same of the first token behind `given`, which such prompts begin with.
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

/// Throws a user error for a statement longer than the model's context, both in tokens.
inline void check_length(const Prompt& prompt, std::size_t length, std::size_t context) {
  if (length <= context) return;
  throw user_error({.field = "statement"},
                   "'" + shortened(prompt.text) + "' has " + counted(length, "token") +
                       ", the model's context " + std::to_string(context),
                   prompt.context > 0 ? "ask with fewer `shots` or a shorter `prefix`"
                                      : "shorten the template or leave the fact out");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
