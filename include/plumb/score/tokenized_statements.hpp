// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are the tokens of many statements, kept small?
//
// A block holds tens of thousands of statements; they are kept as one array of tokens with offsets,
// and the places of the answer's tokens. Statements that begin with the same long context (the shots
// of a many-shot prompt) keep how much of it they begin with and their own rest. The texts are not
// kept.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/core/token.hpp"
#include "plumb/prompt/prompt.hpp"

namespace plumb {

/// A prompt's tokens: of the whole text, or of its pieces one after another where it is cut.
template <class Tokenizer>
[[nodiscard]] Tokenization tokenize_prompt(const Tokenizer& tokenizer, const Prompt& prompt) {
  if (prompt.cuts.empty()) return tokenizer.tokenize(prompt.text);
  Tokenization all;
  const std::string_view text = prompt.text;
  for (std::size_t piece = 0, begin = 0; piece <= prompt.cuts.size(); ++piece) {
    const std::size_t end = piece < prompt.cuts.size() ? prompt.cuts[piece] : text.size();
    if (end == begin) continue;
    const Tokenization part = tokenizer.tokenize(text.substr(begin, end - begin));
    for (const Token& token : part.tokens) {
      all.tokens.push_back({token.id, {token.bytes.begin + begin, token.bytes.end + begin}});
    }
    all.spells_text = all.spells_text && part.spells_text;
    begin = end;
  }
  return all;
}

/// The same as identifiers alone, behind the BOS if it is given.
template <class Tokenizer>
[[nodiscard]] std::vector<TokenId> prompt_ids(const Tokenizer& tokenizer, const Prompt& prompt,
                                              std::optional<TokenId> bos) {
  std::vector<TokenId> ids;
  if (bos) ids.push_back(*bos);
  for (const Token& token : tokenize_prompt(tokenizer, prompt).tokens) ids.push_back(token.id);
  return ids;
}

/// Tokens of a statement are counted from its first, the BOS if it was given. Not thread-safe while
/// it grows; any number of threads may read it.
class TokenizedStatements {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  /// Tokens that statements added from now on are expected to begin with.
  void set_context(std::vector<TokenId> context) { context_ = std::move(context); }
  [[nodiscard]] std::span<const TokenId> context() const noexcept { return context_; }

  /// How many tokens of the context a statement begins with.
  [[nodiscard]] std::size_t shared(std::size_t statement) const { return shared_[statement]; }

  /// The tokens after these.
  [[nodiscard]] std::span<const TokenId> rest(std::size_t statement) const {
    return part(tokens_, ends_, statement);
  }

  /// Tokens in all.
  [[nodiscard]] std::size_t length(std::size_t statement) const {
    return shared(statement) + rest(statement).size();
  }

  [[nodiscard]] TokenId token(std::size_t statement, std::size_t t) const {
    return t < shared(statement) ? context_[t] : rest(statement)[t - shared(statement)];
  }

  /// The places of the answer's tokens, ascending.
  [[nodiscard]] std::span<const std::uint32_t> answer(std::size_t statement) const {
    return part(answers_, answer_ends_, statement);
  }

  /// Appends a prompt as it was tokenised. When the tokens do not spell the text none is the
  /// answer's.
  void add(const Prompt& prompt, const Tokenization& tokenization, std::optional<TokenId> bos) {
    std::size_t place = 0;
    std::size_t shared = 0;
    const auto push = [&](TokenId id) {
      if (shared == place && place < context_.size() && context_[place] == id) {
        ++shared;
      } else {
        tokens_.push_back(id);
      }
      ++place;
    };
    if (bos) push(*bos);
    for (const Token& token : tokenization.tokens) {
      const bool overlaps = over::any_of(
          prompt.answer, [&](const ByteSpan& span) { return token.bytes.overlaps(span); });
      if (overlaps && tokenization.spells_text) {
        answers_.push_back(static_cast<std::uint32_t>(place));
      }
      push(token.id);
    }
    shared_.push_back(static_cast<std::uint32_t>(shared));
    ends_.push_back(tokens_.size());
    answer_ends_.push_back(answers_.size());
  }

 private:
  template <class T>
  static std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& ends,
                                 std::size_t statement) {
    const std::size_t begin = statement == 0 ? 0 : ends[statement - 1];
    return std::span(all).subspan(begin, ends[statement] - begin);
  }

  std::vector<TokenId> context_;
  std::vector<TokenId> tokens_;  // the rests, one after another
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint32_t> answers_;
  std::vector<std::size_t> answer_ends_;
};

}  // namespace plumb
