// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are the tokens of many statements, kept small?
//
// A block holds tens of thousands of statements; they are kept as one array of tokens with offsets,
// and a flag for the tokens that are the answer's. The texts are not kept.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plumb/core/token.hpp"
#include "plumb/prompt/prompt.hpp"

namespace plumb {

class TokenizedStatements {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  /// All tokens of a statement, BOS first if it was given.
  [[nodiscard]] std::span<const TokenId> tokens(std::size_t statement) const {
    return std::span(tokens_).subspan(begin(statement), ends_[statement] - begin(statement));
  }

  /// Whether a token of the statement is the answer's.
  [[nodiscard]] bool is_answer(std::size_t statement, std::size_t token) const {
    return is_answer_[begin(statement) + token];
  }

  /// Appends a prompt as it was tokenised. When the tokens do not spell the text none is the
  /// answer's.
  void add(const Prompt& prompt, const Tokenization& tokenization, std::optional<TokenId> bos) {
    if (bos) push(*bos, false);
    for (const Token& token : tokenization.tokens) {
      bool overlaps = false;
      for (const ByteSpan& span : prompt.answer) overlaps |= token.bytes.overlaps(span);
      push(token.id, overlaps && tokenization.spells_text);
    }
    ends_.push_back(static_cast<std::uint32_t>(tokens_.size()));
  }

 private:
  [[nodiscard]] std::size_t begin(std::size_t statement) const {
    return statement == 0 ? 0 : ends_[statement - 1];
  }
  void push(TokenId id, bool is_answer) {
    tokens_.push_back(id);
    is_answer_.push_back(is_answer);
  }

  std::vector<TokenId> tokens_;
  std::vector<bool> is_answer_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace plumb
