// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are the tokens of many statements, kept small?
//
// A block holds tens of thousands of statements; they are kept as one array of tokens with offsets,
// and the places of the answer's and the continuation's tokens. Statements that begin with the same
// long context (the shots of a many-shot prompt) keep how much of it they begin with and their own
// rest. The texts are not kept.

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

  /// The place of the continuation's first token; the continuation goes on to the statement's end.
  [[nodiscard]] std::size_t continuation(std::size_t statement) const {
    return continuations_[statement];
  }

  /// The place of the first token behind what stands before the statement; 0 where nothing does.
  [[nodiscard]] std::size_t begin(std::size_t statement) const { return begins_[statement]; }

  /// Appends a prompt as it was tokenised, BOS included; of its tokens those from `continuation` on are
  /// the continuation's, and those before `begin` are no part of the statement. When the tokens do not
  /// spell the text none is the answer's.
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

  /// Lists the members for a ByteWriter or ByteReader.
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
  std::vector<TokenId> tokens_;  // the rests, one after another
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> shared_;
  std::vector<std::uint32_t> continuations_;
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> answers_;
  std::vector<std::size_t> answer_ends_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
