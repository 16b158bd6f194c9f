// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a token, and which bytes of the text does it cover?
//
// A tokenizer splits text into tokens; a probe must know which tokens belong to the answer.
// Positions are byte offsets in the UTF-8 text, because byte-level tokens may end inside a
// character. Non-goal: special tokens. A text is tokenised without them, and the probe adds BOS
// itself.

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

/// A text split into tokens, in order.
struct Tokenization {
  std::vector<Token> tokens;
  /// False if it is unknown which bytes each token covers, because the concatenated texts of the
  /// tokens differ from the text and the tokenizer does not report offsets. In that case, the byte
  /// ranges are meaningless, and no answer span can be found.
  bool spells_text = true;
};

/// Throws a user error if a token is outside the vocabulary. `field` is the model's member function
/// that returned the token. `text` is the text that was tokenised, if there is one.
inline void check_in_vocabulary(TokenId token, std::size_t vocabulary,
                                const char* field = "tokenize", std::string_view text = {}) {
  if (token >= 0 && static_cast<std::size_t>(token) < vocabulary) return;
  throw user_error({.field = field},
                   "returned token " + std::to_string(token) + ", outside the vocabulary of " +
                       std::to_string(vocabulary) +
                       (text.empty() ? "" : " for '" + std::string(text) + "'"),
                   "fix the model's " + std::string(field) + " or vocabulary_size");
}

/// The length of the longest common prefix, in tokens.
[[nodiscard]] inline std::size_t common_prefix(std::span<const TokenId> a,
                                               std::span<const TokenId> b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(end - a.begin());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
