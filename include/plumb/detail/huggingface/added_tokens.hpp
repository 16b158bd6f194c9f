// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens does a tokenizer find in a text before it splits the rest into words?
//
// Added tokens supplement the vocabulary ("[MASK]", "<mask>", a user's own tokens). Some are
// searched for in the original text. The rest of the text is then normalized and searched for the
// others. If several match at the same position, the longest match is used. Special tokens are
// treated as plain text unless the caller enables their parsing. The search ignores special tokens
// that are not parsed, as in `tokenizers` (encode_special_tokens).

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/normalizer.hpp"
#include "plumb/detail/huggingface/text_pieces.hpp"
#include "plumb/detail/huggingface/token_vocabulary.hpp"
#include "plumb/detail/huggingface/unicode_class.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A token that is matched as a whole. If `lstrip` or `rstrip` is set, a match includes the white
/// space before or after the content. If `single_word` is set, the content does not match next to a
/// word character.
struct AddedToken {
  std::string content;
  TokenId id = 0;
  bool single_word = false;
  bool lstrip = false;
  bool rstrip = false;
  bool normalized = false;
  bool special = false;
};

/// A token at a known byte range of a text, regardless of the bytes there.
struct PlacedToken {
  ByteSpan bytes;
  TokenId id = 0;
};

/// Any number of threads may use the same object.
class AddedTokens {
 public:
  AddedTokens() = default;

  /// Reads a list [{id, content, …}, …]. Throws a user error for an id that another token already
  /// uses, and for content that is empty, listed twice, or in the vocabulary with a different id.
  static AddedTokens read(const JsonPart& part, const TokenVocabulary& vocabulary,
                          const Normalizer& normalizer) {
    AddedTokens result;
    const std::size_t most = 2 * (vocabulary.size() + part.items()) + 1000;
    for (std::size_t i = 0; i < part.items(); ++i) {
      const JsonPart item = part.item(i);
      AddedToken token;
      token.content = item.at("content").text();
      token.id = static_cast<TokenId>(item.at("id").count(most));
      token.single_word = item.flag_or("single_word", false);
      token.lstrip = item.flag_or("lstrip", false);
      token.rstrip = item.flag_or("rstrip", false);
      token.special = item.flag_or("special", false);
      token.normalized = item.flag_or("normalized", !token.special);
      if (token.content.empty()) throw item.at("content").wrong("is empty");
      const auto known = vocabulary.id_of(token.content);
      if (known ? *known != token.id : vocabulary.text_of(token.id).has_value()) {
        throw item.at("id").wrong(
            "differs from the vocabulary's: a token must have exactly one id, "
            "and an id exactly one token");
      }
      if (!result.vocabulary_.add(token.content, token.id)) {
        throw item.wrong("another added token has the same content or id");
      }
      result.tokens_.push_back(std::move(token));
    }
    for (std::size_t i = 0; i < result.tokens_.size(); ++i) {
      const AddedToken& token = result.tokens_[i];
      AlignedText content(token.content);
      if (token.normalized) normalizer(content);
      if (content.empty()) continue;
      Finder& finder = token.normalized ? result.in_rewritten_ : result.in_original_;
      finder.add(std::string(content.text()), i);
    }
    result.in_original_.sort();
    result.in_rewritten_.sort();
    return result;
  }

  [[nodiscard]] const std::vector<AddedToken>& tokens() const noexcept { return tokens_; }
  [[nodiscard]] const TokenVocabulary& vocabulary() const noexcept { return vocabulary_; }

  /// Returns the rewritten text in pieces: the added tokens and the text between them. `placed` is
  /// an added token at a known position. If the token has `lstrip` or `rstrip`, its piece includes
  /// the adjacent white space, as if the search had found the token there.
  [[nodiscard]] TextPieces pieces(std::string_view text, const Normalizer& normalizer,
                                  bool parse_special,
                                  std::optional<PlacedToken> placed = std::nullopt) const {
    TextPieces original;
    original.text = AlignedText(text);
    if (original.text.empty()) return original;
    if (placed) {
      ByteSpan taken = placed->bytes;
      for (const AddedToken& token : tokens_) {
        if (token.id == placed->id) taken = with_space(text, taken, token, 0);
      }
      const auto push = [&](ByteSpan bytes, std::optional<TokenId> token) {
        if (bytes.begin < bytes.end) original.pieces.push_back({bytes, token});
      };
      push({0, taken.begin}, std::nullopt);
      push(taken, placed->id);
      push({taken.end, text.size()}, std::nullopt);
    } else {
      original.pieces.push_back({{0, original.text.size()}, {}});
    }
    find(original, in_original_, parse_special);
    TextPieces result;
    if (original.pieces.size() == 1 && !original.pieces.front().token) {
      result = std::move(original);
      normalizer(result.text);
      result.pieces.clear();
      if (!result.text.empty()) result.pieces.push_back({{0, result.text.size()}, {}});
    } else {
      for (const TextPiece& piece : original.pieces) {
        AlignedText part = original.text.slice(piece.bytes);
        if (!piece.token) normalizer(part);
        result.append(part, {0, part.size()}, piece.token);
      }
    }
    find(result, in_rewritten_, parse_special);
    return result;
  }

 private:
  /// Token contents grouped by their first byte, longest first.
  struct Finder {
    struct Entry {
      std::string content;
      std::size_t token = 0;
    };
    std::array<std::vector<Entry>, 256> by_first{};
    bool is_empty = true;

    void add(std::string content, std::size_t token) {
      by_first[static_cast<unsigned char>(content[0])].push_back({std::move(content), token});
      is_empty = false;
    }
    void sort() {
      for (auto& entries : by_first) {
        std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
          return a.content.size() > b.content.size();
        });
      }
    }
    [[nodiscard]] const Entry* at(std::string_view text) const {
      for (const Entry& entry : by_first[static_cast<unsigned char>(text[0])]) {
        if (text.starts_with(entry.content)) return &entry;
      }
      return nullptr;
    }
  };

  /// The start of the character before `at`; `at` must not be 0.
  static std::size_t before(std::string_view text, std::size_t at) {
    do --at;
    while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    return at;
  }

  static bool is_single_word(std::string_view text, ByteSpan match) {
    const auto word_at = [&](std::size_t at) {
      return is_regex_word(first_code_point(text.substr(at)).value);
    };
    return (match.begin == 0 || !word_at(before(text, match.begin))) &&
           (match.end == text.size() || !word_at(match.end));
  }

  /// Returns the match extended by the white space that its token includes. The extension does not
  /// begin before `done`.
  static ByteSpan with_space(std::string_view text, ByteSpan match, const AddedToken& token,
                             std::size_t done) {
    while (token.lstrip && match.begin > done) {
      const std::size_t last = before(text, match.begin);
      if (!is_white_space(first_code_point(text.substr(last)).value)) break;
      match.begin = last;
    }
    if (token.rstrip) match.end = detail::end_of_run(text, match.end, is_white_space);
    return {token.lstrip ? (std::max)(match.begin, done) : match.begin, match.end};
  }

  /// Splits the pieces at the tokens found in them.
  void find(TextPieces& pieces, const Finder& finder, bool parse_special) const {
    if (finder.is_empty) return;
    std::vector<TextPiece> result;
    for (const TextPiece& piece : pieces.pieces) {
      if (piece.token) {
        result.push_back(piece);
      } else {
        find(pieces.text.text(piece.bytes), piece.bytes.begin, finder, parse_special, result);
      }
    }
    pieces.pieces = std::move(result);
  }

  void find(std::string_view text, std::size_t offset, const Finder& finder, bool parse_special,
            std::vector<TextPiece>& result) const {
    const auto push = [&](std::size_t begin, std::size_t end, std::optional<TokenId> token) {
      if (begin < end) result.push_back({{offset + begin, offset + end}, token});
    };
    // The result contains all bytes before this position. White space that a token with `rstrip`
    // includes may be a token itself; it is then in the result twice, as in Hugging Face's
    // tokenizers.
    std::size_t done = 0;
    for (std::size_t at = 0; at < text.size();) {
      const Finder::Entry* entry = finder.at(text.substr(at));
      if (entry == nullptr) {
        ++at;
        continue;
      }
      const AddedToken& token = tokens_[entry->token];
      ByteSpan match{at, at + entry->content.size()};
      at = match.end;
      if (token.special && !parse_special) continue;
      if (token.single_word && !is_single_word(text, match)) continue;
      match = with_space(text, match, token, done);
      if (match.begin >= match.end) continue;
      push(done, match.begin, std::nullopt);
      push(match.begin, match.end, token.id);
      done = match.end;
    }
    push(done, text.size(), std::nullopt);
  }

  std::vector<AddedToken> tokens_;
  TokenVocabulary vocabulary_;
  Finder in_original_;
  Finder in_rewritten_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
