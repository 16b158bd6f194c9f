// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are the tokens of many statements stored compactly?
//
// A block contains tens of thousands of statements. They are stored as one array of tokens with
// offsets, together with the positions of the answer's and the continuation's tokens. For
// statements that begin with the same long context (the shots of a many-shot prompt), only the
// length of the shared part and the remaining tokens are stored. The texts are not stored.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Positions in a statement are relative to its first token, which is BOS if there is one. Not
/// thread-safe while statements are added; afterwards, any number of threads may read the same
/// object.
class TokenizedStatements {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  /// Sets the tokens with which subsequently added statements are expected to begin.
  void set_context(std::vector<TokenId> context) { context_ = std::move(context); }
  [[nodiscard]] std::span<const TokenId> context() const noexcept { return context_; }

  /// The number of context tokens at the start of a statement.
  [[nodiscard]] std::size_t shared(std::size_t statement) const { return shared_[statement]; }

  /// The tokens after the shared ones.
  [[nodiscard]] std::span<const TokenId> rest(std::size_t statement) const {
    return part(tokens_, ends_, statement);
  }

  /// The total number of tokens.
  [[nodiscard]] std::size_t length(std::size_t statement) const {
    return shared(statement) + rest(statement).size();
  }

  [[nodiscard]] TokenId token(std::size_t statement, std::size_t t) const {
    return t < shared(statement) ? context_[t] : rest(statement)[t - shared(statement)];
  }

  /// The positions of the answer's tokens, in ascending order.
  [[nodiscard]] std::span<const std::uint32_t> answer(std::size_t statement) const {
    return part(answers_, answer_ends_, statement);
  }

  /// The position of the continuation's first token. The continuation extends to the end of the
  /// statement.
  [[nodiscard]] std::size_t continuation(std::size_t statement) const {
    return continuations_[statement];
  }

  /// The position of the statement's own first token, after any text that precedes the statement; 0
  /// if nothing precedes it.
  [[nodiscard]] std::size_t begin(std::size_t statement) const { return begins_[statement]; }

  /// Appends a tokenised prompt, BOS included. Its tokens from index `continuation` on belong to
  /// the continuation, and those before index `begin` do not belong to the statement. If the tokens
  /// do not spell the text, no token belongs to the answer.
  void add(const Prompt& prompt, const Tokenization& tokenization, std::size_t continuation = 0,
           std::size_t begin = 0) {
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
    for (const Token& token : tokenization.tokens) {
      const bool overlaps = ranges::any_of(
          prompt.answer, [&](const ByteSpan& span) { return token.bytes.overlaps(span); });
      if (overlaps && tokenization.spells_text) {
        answers_.push_back(static_cast<std::uint32_t>(place));
      }
      push(token.id);
    }
    shared_.push_back(static_cast<std::uint32_t>(shared));
    continuations_.push_back(static_cast<std::uint32_t>(continuation));
    begins_.push_back(static_cast<std::uint32_t>(begin));
    ends_.push_back(tokens_.size());
    answer_ends_.push_back(answers_.size());
  }

  /// Passes the members to a ByteWriter or ByteReader.
  template <class Archive>
  void archive(Archive& of) {
    of(context_, tokens_, ends_, shared_, continuations_, begins_, answers_, answer_ends_);
  }

 private:
  template <class T>
  static std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& ends,
                                 std::size_t statement) {
    const std::size_t begin = statement == 0 ? 0 : ends[statement - 1];
    return std::span(all).subspan(begin, ends[statement] - begin);
  }

  std::vector<TokenId> context_;
  std::vector<TokenId> tokens_;  // the remaining tokens, statement by statement
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint32_t> continuations_;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> answers_;
  std::vector<std::size_t> answer_ends_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
