// SPDX-License-Identifier: Apache-2.0
#pragma once

// A masked model over whole words. Each row is a hash of the input, and the vocabulary consists of
// the words of a dataset or of a list.

#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/backend/concepts.hpp"
#include "support/small_multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Tokens are runs of letters and single other characters, except spaces, which produce no token.
/// Texts are enclosed in <s> and </s>; an unknown word is <unk>. Equal rows mean equal inputs.
class WordMaskModel {
 public:
  explicit WordMaskModel(const std::vector<std::string>& words) {
    for (const char* special : {"<s>", "</s>", "<unk>", "<mask>"}) add(special);
    for (const std::string& word : words) add(word);
  }
  /// A model that knows every word in a dataset's templates and all its one-word names, but has no
  /// tokens for longer names.
  explicit WordMaskModel(const MultiPromptDataset& dataset) : WordMaskModel(words_in(dataset)) {}

  [[nodiscard]] Tokenization tokenize(std::string_view text) const {
    Tokenization made;
    for_each_word(text, [&](ByteSpan at) {
      const auto known = ids_.find(std::string(text.substr(at.begin, at.end - at.begin)));
      made.tokens.push_back({known == ids_.end() ? 2 : known->second, at});
    });
    return made;
  }
  [[nodiscard]] std::string detokenize(std::span<const TokenId> ids) const {
    std::string text;
    for (const TokenId id : ids) {
      text += (text.empty() ? "" : " ") + words_[static_cast<std::size_t>(id)];
    }
    return text;
  }
  [[nodiscard]] std::optional<TokenId> bos() const { return std::nullopt; }
  [[nodiscard]] std::size_t vocabulary_size() const { return words_.size(); }
  [[nodiscard]] std::size_t context_length() const { return context; }
  [[nodiscard]] TokenId mask() const { return 3; }
  [[nodiscard]] TextFrame frame() const { return {{0}, {1}}; }
  [[nodiscard]] std::optional<TokenId> unknown() const { return 2; }
  [[nodiscard]] TokenId id(const std::string& word) const { return ids_.at(word); }

  void evaluate(std::span<const MaskedQuery> queries, const LogitsVisitor& visit) {
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
      ++rows_given;
      visit(q, row(queries[q]));
    }
  }
  /// Logits from 0 to 8.
  [[nodiscard]] std::vector<float> row(const MaskedQuery& query) const {
    std::uint32_t state = query.position + 7;
    for (const TokenId id : query.sequence) state = state * 31 + static_cast<std::uint32_t>(id);
    std::vector<float> logits;
    for (std::size_t v = 0; v < words_.size(); ++v) {
      state = state * 1664525 + 1013904223;
      logits.push_back(static_cast<float>(state >> 20) / 512.0F);
    }
    return logits;
  }

  std::size_t context = 64;
  std::size_t rows_given = 0;

 private:
  void add(const std::string& word) {
    if (ids_.emplace(word, static_cast<TokenId>(words_.size())).second) words_.push_back(word);
  }

  template <class Visit>
  static void for_each_word(std::string_view text, Visit visit) {
    const auto is_letter = [&](std::size_t at) {
      return std::isalpha(static_cast<unsigned char>(text[at])) != 0;
    };
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (is_letter(at) && end < text.size() && is_letter(end)) ++end;
      if (text[at] != ' ') visit(ByteSpan{at, end});
      at = end;
    }
  }

  static std::vector<std::string> words_in(const MultiPromptDataset& dataset) {
    std::vector<std::string> words;
    const auto add_all = [&](const std::string& text) {
      for_each_word(
          text, [&](ByteSpan at) { words.push_back(text.substr(at.begin, at.end - at.begin)); });
    };
    for (const MultiPromptRelation& relation : dataset.relations) {
      for (const PromptTemplate& one : relation.templates) add_all(one.text);
      for (const ManyNamedFact& fact : relation.facts) {
        for (const std::string& name : fact.subject.names) add_all(name);
        for (const NamedEntity& object : fact.objects) {
          for (const std::string& name : object.names) add_all(name);
        }
      }
    }
    return words;
  }

  std::vector<std::string> words_;
  std::map<std::string, TokenId> ids_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
