// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which tokens make up a word in the gap of a sentence?
//
// A word's tokens are those that share a byte with it when the whole sentence is tokenized. If one
// of these tokens is the unknown token or covers anything other than the word and spaces, the word
// has no tokens in the gap. For RoBERTa, "Paris" is therefore one token at the start of a sentence
// and a different one after a space. If a tokenizer joins the word with the following text, the
// word has no tokens. Tokenization is the same for all gaps that have the same characters on both
// sides, so each word is tokenized once per pair of neighbouring characters.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/backend/evaluate_masked.hpp"
#include "plumb/detail/backend/text_tokens.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/prompt/prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The tokens of a sentence's answer, which must occur exactly once in the sentence. Empty if one
/// of these tokens covers more than the answer or is the unknown token. Throws a user error if a
/// token is outside the vocabulary.
template <MaskedLm Model>
[[nodiscard]] std::vector<TokenId> answer_tokens(const Model& model, const Prompt& sentence) {
  const ByteSpan answer = sentence.answer.front();
  const Tokenization all = text_tokens(model, sentence.text);
  const std::optional<TokenId> unknown = unknown_of(model);
  std::vector<TokenId> tokens;
  if (!all.spells_text) return tokens;
  for (const Token& token : all.tokens) {
    if (!token.bytes.overlaps(answer)) continue;
    const auto is_space = [&](std::size_t begin, std::size_t end) {
      return begin >= end || sentence.text.find_first_not_of(' ', begin) >= end;
    };
    if (!is_space(token.bytes.begin, answer.begin) || token.bytes.end > answer.end ||
        token.id == unknown) {
      return {};
    }
    check_in_vocabulary(token.id, model.vocabulary_size());
    tokens.push_back(token.id);
  }
  return tokens;
}

/// The tokens of a sentence with a mask in place of its answer, in the model's frame.
template <MaskedLm Model>
[[nodiscard]] MaskedQuery gap_query(const Model& model, const Prompt& sentence) {
  const std::string_view text = sentence.text;
  const ByteSpan at = sentence.answer.front();
  return framed_masked_text(model, text.substr(0, at.begin), text.substr(at.end));
}

/// Caches the tokens of words, keyed by the characters around the gap. The model must outlive this
/// object. Not thread-safe.
template <MaskedLm Model>
class GapWords {
 public:
  explicit GapWords(const Model& model) : model_(model) {}

  /// The tokens of `word` in a sentence whose gap is `gap`. `fill(word)` returns the sentence with
  /// the word in the gap.
  template <class Fill>
  [[nodiscard]] const std::vector<TokenId>& tokens(const Prompt& gap, const std::string& word,
                                                   Fill fill) {
    const auto [entry, is_new] = words_.try_emplace({around(gap), word});
    if (is_new) entry->second = answer_tokens(model_, fill(word));
    return entry->second;
  }

  /// The tokens of all words that are a single token in this gap, in ascending order without
  /// duplicates. Each word is tokenized between the gap's neighbouring characters; unless the gap
  /// is at the start of the sentence, these are preceded by a letter or, if the gap does not follow
  /// a space, by a letter and a space.
  [[nodiscard]] const std::vector<TokenId>& single_tokens(const Prompt& gap,
                                                          const std::vector<std::string>& words) {
    const auto [entry, is_new] = singles_.try_emplace(around(gap));
    if (!is_new) return entry->second;
    const auto& [before, after] = entry->first;
    const std::string lead = before.empty()          ? ""
                             : before.front() == ' ' ? "a" + before
                                                     : "a " + before;
    for (const std::string& word : words) {
      const Prompt sentence{lead + word + after, {{lead.size(), lead.size() + word.size()}}};
      const std::vector<TokenId> tokens = answer_tokens(model_, sentence);
      if (tokens.size() == 1) entry->second.push_back(tokens.front());
      if (tokens.size() == 1) single_.insert(word);
    }
    ranges::sort_distinct(entry->second);
    return entry->second;
  }
  /// Whether a word was a single token in any gap for which single_tokens was called.
  [[nodiscard]] bool was_single(const std::string& word) const { return single_.contains(word); }

 private:
  using Place = std::pair<std::string, std::string>;

  /// The characters on both sides of a gap; if spaces precede the gap, all of them are included. A
  /// side is empty if the gap is at the start or end of the sentence.
  [[nodiscard]] static Place around(const Prompt& gap) {
    const ByteSpan at = gap.answer.front();
    std::size_t begin = at.begin;
    while (begin > 0 && (static_cast<unsigned char>(gap.text[--begin]) & 0xC0U) == 0x80U) {
    }
    while (begin > 0 && gap.text[begin] == ' ' && gap.text[begin - 1] == ' ') --begin;
    const std::string_view behind = std::string_view(gap.text).substr(at.end);
    return {gap.text.substr(begin, at.begin - begin),
            std::string(behind.substr(0, first_code_point(behind).size))};
  }

  const Model& model_;
  std::map<std::pair<Place, std::string>, std::vector<TokenId>> words_;
  std::map<Place, std::vector<TokenId>> singles_;
  std::set<std::string> single_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
