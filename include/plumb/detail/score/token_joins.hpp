// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of a prompt affects the tokens of the continuation?
//
// If two characters are not adjacent in any token's text, no token spans them. A text is always
// split between two such characters, regardless of the surrounding text. So the text after the
// split has the same tokens whether it follows a short piece of the prompt or the whole prompt, and
// there is no need to tokenise thousands of names after each of thousands of prompts. This holds
// for tokenizers that spell their text (BPE, Unigram, WordPiece); callers still check the result
// against the tokens of one whole text per prompt. Non-goal: letters, digits and characters beyond
// ASCII, which a tokenizer may normalise.

#include <array>
#include <bitset>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plumb/detail/core/token.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The pairs of characters that are adjacent in some token of a vocabulary. Any number of threads
/// may read the same object.
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

  /// Whether a token may contain the two characters next to each other.
  [[nodiscard]] bool may_span(char first, char second) const {
    return !is_plain(first) || !is_plain(second) || together_.test(pair(first, second));
  }

  /// The part at the end of `prompt` that determines the tokens after it: any text that begins with
  /// `next` has the same tokens after this part as after the whole prompt. This part starts one
  /// character before the last position that no token spans. It is the whole prompt if there is no
  /// such position.
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
