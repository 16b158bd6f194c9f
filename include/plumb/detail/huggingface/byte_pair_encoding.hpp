// SPDX-License-Identifier: Apache-2.0
#pragma once

// Into which tokens does byte-pair encoding split a word?
//
// A word is first split into its characters. Then, of all adjacent pairs that have a merge, the
// pair whose merge is listed first is joined (the leftmost one if there are several). This is
// repeated until no pair has a merge (Sennrich et al. 2016, §3.2). If the file does not define an
// unknown token, a character without a token is dropped, as in `tokenizers`.
// Non-goal: dropout, which is only used in training.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/token.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/huggingface/json_part.hpp"
#include "plumb/detail/huggingface/token_vocabulary.hpp"
#include "plumb/detail/huggingface/word_cache.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The name of the token for a byte that has no other token, such as "<0x0A>".
[[nodiscard]] inline std::string byte_name(char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
}

/// The tokens for a text's bytes; nullopt unless the vocabulary contains all of them.
[[nodiscard]] inline std::optional<std::vector<TokenId>> byte_tokens(
    const TokenVocabulary& vocabulary, std::string_view text) {
  std::vector<TokenId> ids;
  for (const char c : text) {
    const auto id = vocabulary.id_of(byte_name(c));
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

/// Any number of threads may use the same object.
class BytePairEncoding {
 public:
  /// Throws a user error for a merge whose parts or result are not tokens, and for dropout.
  static BytePairEncoding read(const JsonPart& part) {
    BytePairEncoding model;
    model.vocabulary_ = TokenVocabulary::read(part.at("vocab"));
    model.prefix_ = part.text_or("continuing_subword_prefix", "");
    model.suffix_ = part.text_or("end_of_word_suffix", "");
    model.fuses_unknown_ = part.flag_or("fuse_unk", false);
    model.byte_fallback_ = part.flag_or("byte_fallback", false);
    model.ignores_merges_ = part.flag_or("ignore_merges", false);
    if (part.has("dropout") && part.value()["dropout"] != 0) {
      throw part.at("dropout").wrong("is for training: tokens would be random", "set it to null");
    }
    if (part.has("unk_token")) {
      const JsonPart unknown = part.at("unk_token");
      model.unknown_ = model.vocabulary_.id_of(unknown.text());
      if (!model.unknown_) throw unknown.wrong("is not in the vocabulary", "add it to \"vocab\"");
    }
    const JsonPart merges = part.at("merges");
    model.merges_.reserve(merges.items());
    for (std::size_t i = 0; i < merges.items(); ++i) model.add_merge(merges, i);
    return model;
  }

  [[nodiscard]] const TokenVocabulary& vocabulary() const noexcept { return vocabulary_; }
  [[nodiscard]] std::optional<TokenId> unknown() const noexcept { return unknown_; }

  /// Appends the tokens of a word, with byte offsets relative to the start of the word.
  void tokenize(std::string_view word, std::vector<Token>& tokens) const {
    if (ignores_merges_) {
      if (const auto id = vocabulary_.id_of(word)) {
        tokens.push_back({*id, {0, word.size()}});
        return;
      }
    }
    if (cache_->append(word, tokens)) return;
    const std::size_t before = tokens.size();
    std::vector<Part> parts = characters(word);
    merge(parts);
    for (const Part& part : parts) {
      if (part.bytes.begin < part.bytes.end) tokens.push_back({part.id, part.bytes});
    }
    cache_->keep(word, std::span(tokens).subspan(before));
  }

 private:
  /// A token during merging. Empty if it was joined to another token.
  struct Part {
    TokenId id = 0;
    ByteSpan bytes;
    std::size_t previous = 0;
    std::size_t next = 0;
  };
  struct Merge {
    std::uint32_t rank = 0;
    TokenId joined = 0;
  };
  /// A pair that may still be joined.
  struct Candidate {
    std::size_t place = 0;
    Merge merge;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.merge.rank != b.merge.rank ? a.merge.rank > b.merge.rank : a.place > b.place;
    }
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  static std::uint64_t key(TokenId first, TokenId second) {
    return (static_cast<std::uint64_t>(first) << 32U) | static_cast<std::uint64_t>(second);
  }

  void add_merge(const JsonPart& merges, std::size_t i) {
    const TokenizerJson& item = merges.value()[i];
    std::array<std::string, 2> parts;
    if (item.is_string()) {
      const auto& text = item.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
        throw merges.item(i).wrong("is not two tokens separated by one space");
      }
      parts = {text.substr(0, space), text.substr(space + 1)};
    } else if (item.is_array() && item.size() == 2 && item[0].is_string() && item[1].is_string()) {
      parts = {item[0].get<std::string>(), item[1].get<std::string>()};
    } else {
      throw merges.item(i).wrong("is neither \"a b\" nor [\"a\", \"b\"]");
    }
    const bool has_prefix = !prefix_.empty() && parts[1].starts_with(prefix_);
    const auto id_of = [&](const std::string& text) {
      const auto id = vocabulary_.id_of(text);
      if (!id) {
        throw merges.item(i).wrong("its token \"" + shortened(text) +
                                   "\" is not in the vocabulary");
      }
      return *id;
    };
    const TokenId first = id_of(parts[0]);
    const TokenId second = id_of(parts[1]);
    const TokenId joined =
        id_of(parts[0] + (has_prefix ? parts[1].substr(prefix_.size()) : parts[1]));
    // If a merge is listed twice, the later one is used, as in `tokenizers`.
    merges_.insert_or_assign(key(first, second), Merge{static_cast<std::uint32_t>(i), joined});
  }

  [[nodiscard]] std::vector<Part> characters(std::string_view word) const {
    std::vector<Part> parts;
    parts.reserve(word.size());
    std::optional<Part> unknown;  // kept pending, because more characters may join it
    const auto flush = [&] {
      if (unknown) parts.push_back(*unknown);
      unknown.reset();
    };
    std::string written;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t size = std::max<std::size_t>(1, first_code_point(word.substr(at)).size);
      const ByteSpan bytes{at, at + size};
      std::string_view character = word.substr(at, size);
      const bool is_last = bytes.end == word.size();
      if ((at > 0 && !prefix_.empty()) || (is_last && !suffix_.empty())) {
        written = (at > 0 ? prefix_ : "") + std::string(character) + (is_last ? suffix_ : "");
        character = written;
      }
      at += size;
      if (const auto id = vocabulary_.id_of(character)) {
        flush();
        parts.push_back({*id, bytes, 0, 0});
        continue;
      }
      if (byte_fallback_) {
        if (const auto ids = detail::byte_tokens(vocabulary_, character)) {
          for (std::size_t i = 0; i < ids->size(); ++i) {
            const std::size_t byte = (std::min)(bytes.begin + i, bytes.end - 1);
            parts.push_back({(*ids)[i], {byte, byte + 1}, 0, 0});
          }
          continue;
        }
      }
      if (!unknown_) continue;
      if (unknown && fuses_unknown_) {
        unknown->bytes.end = bytes.end;
      } else {
        flush();
        unknown = Part{*unknown_, bytes, 0, 0};
      }
    }
    flush();
    return parts;
  }

  void merge(std::vector<Part>& parts) const {
    std::vector<Candidate> queue;
    const auto offer = [&](std::size_t first, std::size_t second) {
      const auto found = merges_.find(key(parts[first].id, parts[second].id));
      if (found == merges_.end()) return;
      queue.push_back({first, found->second});
      std::push_heap(queue.begin(), queue.end());
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].previous = i == 0 ? none : i - 1;
      parts[i].next = i + 1 == parts.size() ? none : i + 1;
    }
    for (std::size_t i = 1; i < parts.size(); ++i) offer(i - 1, i);
    while (!queue.empty()) {
      std::pop_heap(queue.begin(), queue.end());
      const Candidate best = queue.back();
      queue.pop_back();
      Part& first = parts[best.place];
      if (first.bytes.begin == first.bytes.end || first.next == none) continue;
      Part& second = parts[first.next];
      const auto found = merges_.find(key(first.id, second.id));
      if (found == merges_.end() || found->second.joined != best.merge.joined) continue;  // stale
      first.id = best.merge.joined;
      first.bytes.end = second.bytes.end;
      second.bytes = {};
      first.next = second.next;
      if (first.next != none) parts[first.next].previous = best.place;
      if (first.previous != none) offer(first.previous, best.place);
      if (first.next != none) offer(best.place, first.next);
    }
  }

  TokenVocabulary vocabulary_;
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::string prefix_;
  std::string suffix_;
  std::optional<TokenId> unknown_;
  bool fuses_unknown_ = false;
  bool byte_fallback_ = false;
  bool ignores_merges_ = false;
  // shared by copies, which produce the same tokens
  std::shared_ptr<WordCache> cache_ = std::make_shared<WordCache>();
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
