// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a unigram model split a word into tokens?
//
// It chooses the tokens with the largest sum of log-probabilities, using the Viterbi algorithm
// (Kudo 2018, §3.2). A character without a token costs ten nats more than the least likely token.
// Adjacent unknown characters are merged into one unknown token, or are split into byte tokens if
// the file specifies this. If several ways to split a word have the same sum, the one whose last
// token starts earliest is chosen, as in SentencePiece and `tokenizers`.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/byte_pair_encoding.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/token_vocabulary.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Any number of threads may use the same object.
class Unigram {
 public:
  /// Throws a user error if there is no unknown token, if the vocabulary is empty, or if a token is
  /// listed twice or is not of the form [text, number].
  static Unigram read(const JsonPart& part) {
    Unigram model;
    const JsonPart vocabulary = part.at("vocab");
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < vocabulary.items(); ++i) {
      const TokenizerJson& item = vocabulary.value()[i];
      if (!item.is_array() || item.size() != 2 || !item[0].is_string() || !item[1].is_number()) {
        throw vocabulary.item(i).wrong("is not [text, log-probability]");
      }
      const std::string text = item[0].get<std::string>();
      if (!model.vocabulary_.add(text, static_cast<TokenId>(i))) {
        throw vocabulary.item(i).wrong("lists \"" + shortened(text) + "\" a second time");
      }
      model.scores_.push_back(item[1].get<double>());
      least = (std::min)(least, model.scores_.back());
    }
    model.unknown_score_ = least - 10;
    if (!part.has("unk_id")) {
      throw part.wrong("has no unknown token", "set \"unk_id\" to its index in \"vocab\"");
    }
    if (model.scores_.empty()) throw vocabulary.wrong("is empty");
    model.unknown_ = static_cast<TokenId>(part.at("unk_id").count(model.scores_.size() - 1));
    model.byte_fallback_ = part.flag_or("byte_fallback", false);
    model.index();
    return model;
  }

  [[nodiscard]] const TokenVocabulary& vocabulary() const noexcept { return vocabulary_; }
  [[nodiscard]] std::optional<TokenId> unknown() const noexcept { return unknown_; }

  /// Appends the tokens of a word, with byte offsets relative to the start of the word.
  void tokenize(std::string_view word, std::vector<Token>& tokens) const {
    std::vector<Best> best(word.size() + 1);
    for (std::size_t at = 0; at < word.size();) {
      const double so_far = best[at].score;
      const std::size_t size = std::max<std::size_t>(1, first_code_point(word.substr(at)).size);
      bool has_single = false;
      for_each_prefix(word.substr(at), [&](std::size_t length, TokenId id) {
        best[at + length].offer(so_far + scores_[static_cast<std::size_t>(id)], at, id);
        has_single = has_single || length == size;
      });
      if (!has_single) best[at + size].offer(so_far + unknown_score_, at, unknown_);
      at += size;
    }
    std::vector<Token> cut;  // from the last to the first
    for (std::size_t end = word.size(); end > 0;) {
      const Best& last = best[end];
      if (!cut.empty() && last.id == unknown_ && cut.back().id == unknown_) {
        cut.back().bytes.begin = last.begin;
      } else {
        cut.push_back({last.id, {last.begin, end}});
      }
      end = last.begin;
    }
    for (auto token = cut.rbegin(); token != cut.rend(); ++token) append(*token, word, tokens);
  }

 private:
  /// The best split of the word's prefix that ends at a given position: its sum and its last token.
  struct Best {
    double score = 0;
    std::size_t begin = 0;
    TokenId id = -1;

    void offer(double sum, std::size_t from, TokenId token) {
      if (id >= 0 && !(sum > score)) return;
      *this = {sum, from, token};
    }
  };

  void append(Token token, std::string_view word, std::vector<Token>& tokens) const {
    if (token.id == unknown_) {
      const std::string_view text =
          word.substr(token.bytes.begin, token.bytes.end - token.bytes.begin);
      if (const auto id = vocabulary_.id_of(text)) {
        token.id = *id;
      } else if (byte_fallback_) {
        if (const auto ids = detail::byte_tokens(vocabulary_, text)) {
          for (const TokenId id_of_byte : *ids) tokens.push_back({id_of_byte, token.bytes});
          return;
        }
      }
    }
    tokens.push_back(token);
  }

  /// Sorts tokens by their strings, so that tokens with a common prefix are adjacent, shortest
  /// first.
  void index() {
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const auto id = static_cast<TokenId>(i);
      if (!vocabulary_.text_of(id)->empty()) sorted_.push_back(id);
    }
    std::sort(sorted_.begin(), sorted_.end(), [this](TokenId a, TokenId b) {
      return *vocabulary_.text_of(a) < *vocabulary_.text_of(b);
    });
    std::size_t at = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      begins_[byte] = at;
      while (at < sorted_.size() && byte_at(at, 0) == byte) ++at;
    }
    begins_[256] = at;
  }

  [[nodiscard]] std::size_t byte_at(std::size_t place, std::size_t depth) const {
    return static_cast<unsigned char>((*vocabulary_.text_of(sorted_[place]))[depth]);
  }
  [[nodiscard]] std::size_t length_at(std::size_t place) const {
    return vocabulary_.text_of(sorted_[place])->size();
  }

  /// Calls `visit(length, id)` for each token that is a prefix of the text, the shortest first.
  template <class Visit>
  void for_each_prefix(std::string_view text, Visit visit) const {
    std::size_t begin = begins_[static_cast<unsigned char>(text[0])];
    std::size_t end = begins_[static_cast<unsigned char>(text[0]) + std::size_t{1}];
    for (std::size_t depth = 1; begin < end; ++depth) {
      if (length_at(begin) == depth) visit(depth, sorted_[begin++]);
      if (depth == text.size()) return;
      const std::size_t byte = static_cast<unsigned char>(text[depth]);
      // The first token, from `from` on, whose byte at `depth` is at least `least`.
      const auto bound = [&](std::size_t from, std::size_t least) {
        for (std::size_t to = end; from < to;) {
          const std::size_t middle = from + (to - from) / 2;
          if (byte_at(middle, depth) < least) {
            from = middle + 1;
          } else {
            to = middle;
          }
        }
        return from;
      };
      begin = bound(begin, byte);
      end = bound(begin, byte + 1);
    }
  }

  TokenVocabulary vocabulary_;
  std::vector<double> scores_;
  std::vector<TokenId> sorted_;
  std::array<std::size_t, 257> begins_{};
  double unknown_score_ = 0;
  TokenId unknown_ = 0;
  bool byte_fallback_ = false;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
