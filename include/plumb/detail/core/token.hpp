// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a token, and which bytes of the text does it cover?
//
// A tokenizer cuts a text into tokens; a probe must know which of them belong to the answer. Both
// sides count bytes of the UTF-8 text, because byte-level tokens may end inside a character.
// Non-goal: special tokens. A text is tokenised without them; the probe adds BOS itself.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Index into a model's vocabulary. Never negative.
using TokenId = std::int32_t;

/// Half-open range [begin, end) of bytes in a UTF-8 text.
struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  /// Whether the two ranges share a byte; an empty range shares none.
  [[nodiscard]] constexpr bool overlaps(ByteSpan other) const noexcept {
    return begin < other.end && other.begin < end && begin < end && other.begin < other.end;
  }
  friend bool operator==(ByteSpan, ByteSpan) = default;
};

struct Token {
  TokenId id = 0;
  ByteSpan bytes;
};

/// A text as its tokens, in order.
struct Tokenization {
  std::vector<Token> tokens;
  /// False when it is not known which bytes each token covers (the tokens' own texts, joined, are not
  /// the text, and the tokenizer gives no offsets): then the byte ranges mean nothing and no answer
  /// span can be found.
  bool spells_text = true;
};

/// Throws a user error for a token past a vocabulary, which the model's member `field` gave; of the text
/// `text`, where there is one.
inline void check_in_vocabulary(TokenId token, std::size_t vocabulary,
                                const char* field = "tokenize", std::string_view text = {}) {
  if (token >= 0 && static_cast<std::size_t>(token) < vocabulary) return;
  throw user_error({.field = field},
                   "gave token " + std::to_string(token) + " of a vocabulary of " +
                       std::to_string(vocabulary) +
                       (text.empty() ? "" : " for '" + std::string(text) + "'"),
                   "fix the model's " + std::string(field) + " or vocabulary_size");
}

/// How many tokens both begin with.
[[nodiscard]] inline std::size_t common_prefix(std::span<const TokenId> a,
                                               std::span<const TokenId> b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
