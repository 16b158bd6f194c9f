// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of a prompt decides which tokens a continuation has behind it?
//
// No token spans two neighbouring characters that stand together in no token's text. A text with
// such a place in it is cut there whatever surrounds it, and what stands behind the place has the
// same tokens behind a short piece of the prompt as behind all of it. So thousands of names need not
// be tokenised behind thousands of prompts. Holds for tokenizers that spell their text (BPE, Unigram,
// WordPiece); a caller compares with one whole text a prompt all the same.
// Non-goal: letters, digits and characters beyond ASCII, which a tokenizer may write otherwise.

#include <array>
#include <bitset>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// What a vocabulary's tokens hold. Any number of threads may read one.
class TokenJoins {
 public:
  /// Reads the text of every token.
  template <class Model>
  explicit TokenJoins(const Model& model) {
    for (std::size_t id = 0; id < model.vocabulary_size(); ++id) {
      const std::array<TokenId, 1> one{static_cast<TokenId>(id)};
      const std::string text = model.detokenize(std::span<const TokenId>(one));
      for (std::size_t i = 1; i < text.size(); ++i) {
        if (is_plain(text[i - 1]) && is_plain(text[i])) together_.set(pair(text[i - 1], text[i]));
      }
    }
  }

  /// Whether a token may hold the two characters side by side.
  [[nodiscard]] bool may_span(char first, char second) const {
    return !is_plain(first) || !is_plain(second) || together_.test(pair(first, second));
  }

  /// The end of `prompt` behind which any text that begins with `next` has the tokens that it has
  /// behind all of the prompt: from the character before the last place that no token spans. All of
  /// the prompt where there is no such place.
  [[nodiscard]] std::string_view lead(std::string_view prompt, char next) const {
    for (std::size_t at = prompt.size(); at > 0; --at) {
      if (!may_span(prompt[at - 1], at == prompt.size() ? next : prompt[at])) {
        return prompt.substr(at - 1);
      }
    }
    return prompt;
  }

 private:
  static bool is_plain(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return static_cast<unsigned char>(c) < 128 && !letter && !(c >= '0' && c <= '9');
  }
  static std::size_t pair(char first, char second) {
    return static_cast<std::size_t>(static_cast<unsigned char>(first)) * 128 +
           static_cast<unsigned char>(second);
  }

  std::bitset<std::size_t{128} * 128> together_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
