// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does WordPiece split a word into tokens?
//
// Going from left to right, WordPiece repeatedly takes the longest matching token in the
// vocabulary; every token after the first is prefixed with "##". A word that cannot be split this
// way, or is very long, becomes one unknown token. Source: Devlin et al. 2019, tokenization.py.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/token_vocabulary.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class WordPiece {
 public:
  /// Throws a user error if the vocabulary has no unknown token.
  static WordPiece read(const JsonPart& part) {
    WordPiece model;
    model.vocabulary_ = TokenVocabulary::read(part.at("vocab"));
    model.prefix_ = part.text_or("continuing_subword_prefix", "##");
    constexpr std::size_t most = 1'000'000;
    if (part.has("max_input_chars_per_word")) {
      model.longest_word_ = part.at("max_input_chars_per_word").count(most);
    }
    const std::string unknown = part.text_or("unk_token", "[UNK]");
    const auto id = model.vocabulary_.id_of(unknown);
    if (!id) {
      throw part.wrong("the unknown token \"" + shortened(unknown) + "\" is not in the vocabulary",
                       "add it to \"vocab\" or name another as \"unk_token\"");
    }
    model.unknown_ = *id;
    for (std::size_t i = 0; i < model.vocabulary_.end(); ++i) {
      const auto text = model.vocabulary_.text_of(static_cast<TokenId>(i));
      if (text && text->size() > model.longest_token_) model.longest_token_ = text->size();
    }
    return model;
  }

  [[nodiscard]] const TokenVocabulary& vocabulary() const noexcept { return vocabulary_; }
  [[nodiscard]] std::optional<TokenId> unknown() const noexcept { return unknown_; }

  /// Appends the tokens of a word, with byte offsets relative to the start of the word.
  void tokenize(std::string_view word, std::vector<Token>& tokens) const {
    const std::size_t first = tokens.size();
    bool known = count_code_points(word) <= longest_word_;
    std::string text;
    for (std::size_t begin = 0; known && begin < word.size();) {
      text.assign(begin > 0 ? prefix_ : std::string());
      const std::size_t lead = text.size();
      std::size_t end = (std::min)(word.size(), begin + longest_token_);
      while (end < word.size() && is_inside(word, end)) --end;
      text += word.substr(begin, end - begin);
      std::optional<TokenId> id;
      while (end > begin && !(id = vocabulary_.id_of(text))) {
        do --end;
        while (end > begin && is_inside(word, end));
        text.resize(lead + end - begin);
      }
      known = id.has_value();
      if (known) tokens.push_back({*id, {begin, end}});
      begin = end;
    }
    if (known) return;
    tokens.resize(first);
    tokens.push_back({unknown_, {0, word.size()}});
  }

 private:
  static bool is_inside(std::string_view word, std::size_t at) {
    return (static_cast<unsigned char>(word[at]) & 0xC0U) == 0x80U;
  }

  TokenVocabulary vocabulary_;
  std::string prefix_ = "##";
  TokenId unknown_ = 0;
  std::size_t longest_word_ = 100;  // in characters
  std::size_t longest_token_ = 0;   // in bytes
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
