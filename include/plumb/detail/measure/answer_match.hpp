// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a text contain an answer?
//
// A text is converted to a list of lemmas. It contains an answer if the answer's list is a
// contiguous part of the text's list: "He plays a guitar." contains "Guitars". Accuracy tests
// whether the output contains any name of the object. Consistency and sampled confidence test
// whether either of two outputs contains the other. An empty list contains, and is contained in,
// only another empty list. Source: "What Matters in Learning Facts in Language Models?"
// (BELIEF-ICL), section 3.2; words are defined in answer_words.hpp.

#include <compare>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/answer_words.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Returns the lemma of one lower-case word. For the same word, it must return the same lemma every
/// time and from any thread; lemmas must not contain white space. An empty lemma drops the word.
/// `Morphy` is a model of this concept.
template <class T>
concept Lemmatiser = requires(const T& lemmas, std::string_view word) {
  { lemmas(word) } -> std::convertible_to<std::string_view>;
};

/// Returns every word unchanged, so it needs no files and no knowledge of a language.
struct SameWord {
  [[nodiscard]] std::string_view operator()(std::string_view word) const noexcept { return word; }
};

/// The lemmas of a text. Two texts are equal if their lists of lemmas are equal. Any number of
/// threads may read the same object.
class NormalisedText {
 public:
  NormalisedText() = default;

  template <Lemmatiser Lemmas = SameWord>
  explicit NormalisedText(std::string_view text, const Lemmas& lemmas = {}) {
    for_each_answer_word(text, [&](const std::string& word) {
      const auto& lemma = lemmas(word);
      const std::string_view added = lemma;
      if (added.empty()) return;
      if (spaced_.empty()) spaced_.push_back(' ');
      spaced_.append(added).push_back(' ');
    });
  }

  [[nodiscard]] bool empty() const noexcept { return spaced_.empty(); }

  [[nodiscard]] std::vector<std::string> lemmas() const {
    std::vector<std::string> list;
    for (std::size_t at = 1; at < spaced_.size();) {
      const std::size_t end = spaced_.find(' ', at);
      list.push_back(spaced_.substr(at, end - at));
      at = end + 1;
    }
    return list;
  }

  /// " a guitar ": each lemma between spaces, so that a part of the list is a substring; "" for the
  /// empty list. Serves as a key for tables of distinct answers.
  [[nodiscard]] const std::string& spaced() const noexcept { return spaced_; }

  friend auto operator<=>(const NormalisedText&, const NormalisedText&) = default;

 private:
  std::string spaced_;
};

/// Whether the answer's list of lemmas is a contiguous part of the text's list.
[[nodiscard]] inline bool contains(const NormalisedText& text, const NormalisedText& answer) {
  if (answer.empty()) return text.empty();
  return text.spaced().find(answer.spaced()) != std::string::npos;
}

/// Whether either text contains the other.
[[nodiscard]] inline bool matches_either_way(const NormalisedText& a, const NormalisedText& b) {
  return contains(a, b) || contains(b, a);
}

/// The names of an object that an output can be compared with.
struct UsableAnswers {
  /// The distinct normalised names, in the order of the names.
  std::vector<NormalisedText> answers;
  /// Parallel to `answers`: the index of the first name that normalises to this answer.
  std::vector<std::size_t> names;
  /// Indices of the names that normalise to an empty list, such as "?" and "". An object with only
  /// such names has no usable answer, and no text contains it.
  std::vector<std::size_t> dropped;
};

template <Lemmatiser Lemmas = SameWord>
[[nodiscard]] UsableAnswers usable_answers(std::span<const std::string> names,
                                           const Lemmas& lemmas = {}) {
  UsableAnswers usable;
  for (std::size_t i = 0; i < names.size(); ++i) {
    NormalisedText answer(names[i], lemmas);
    if (answer.empty()) {
      usable.dropped.push_back(i);
    } else if (ranges::find(usable.answers, answer) == usable.answers.end()) {
      usable.answers.push_back(std::move(answer));
      usable.names.push_back(i);
    }
  }
  return usable;
}

/// Whether the text contains any of an object's names, aliases included.
[[nodiscard]] inline bool contains_any(const NormalisedText& text, const UsableAnswers& object) {
  return ranges::any_of(object.answers,
                        [&](const NormalisedText& answer) { return contains(text, answer); });
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
