// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are subjects and objects invented so that they look real but are unknown to every model?
//
// A label is drawn from the relation, and its words are replaced with invented words made of
// pronounceable syllables ("Arnold Palmer" → "Kevodan Thasor", "a bird" → "a sodri"). No invented
// word occurs in a subject, alias, option or choice of the relation, or in another invented label.
// Numbers are an exception: the birth year of an invented person is a real year, so an invented
// number may be one of the options. The pair is still new, because its subject is new. Non-goal:
// checking whether an invented name exists outside the relation. Source: the paper on latent
// knowledge in many shots, section 3 ("fictitious names and birth years").

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/capitalize.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A piece of a label: a run of letters (ASCII letters and all non-ASCII bytes), or the text
/// between two runs.
struct LabelPiece {
  std::string text;
  bool word = false;
};

inline std::vector<LabelPiece> label_pieces(std::string_view label) {
  std::vector<LabelPiece> pieces;
  for (const char c : label) {
    const bool letter =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80;
    if (pieces.empty() || pieces.back().word != letter) pieces.push_back({"", letter});
    pieces.back().text += c;
  }
  return pieces;
}

/// The text with ASCII letters in lower case.
inline std::string folded(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return text;
}

/// Whether a word is an article, a preposition or an initial. Such words are kept if the label
/// contains other words that can be replaced.
inline bool is_small_word(const std::string& word) {
  return word.size() == 1 || word == "The" || word == "An" ||
         (word.size() <= 3 && capitalize(word) != word);
}

/// The text before the digits if every label consists of the same text followed by one to nine
/// digits ("1929", "+44"); nullopt otherwise.
inline std::optional<std::string> number_prefix(const std::vector<std::string>& labels) {
  constexpr std::string_view digits = "0123456789";
  if (labels.empty()) return std::nullopt;
  const std::string prefix = labels.front().substr(0, labels.front().find_first_of(digits));
  for (const std::string& label : labels) {
    if (!label.starts_with(prefix)) return std::nullopt;
    const std::size_t length = label.size() - prefix.size();
    const bool number = label.find_first_not_of(digits, prefix.size()) == std::string::npos;
    if (!number || length == 0 || length > 9) return std::nullopt;
  }
  return prefix;
}

/// Invents labels. The same relation and stream produce the same labels in the same order. The
/// relation must have at least one fact and one option. Not thread-safe.
class LabelInventor {
 public:
  LabelInventor(const Relation& relation, RandomStream random) : random_(std::move(random)) {
    for (const Fact& fact : relation.facts) {
      subjects_.push_back(fact.subject);
      if (!fact.choices.empty()) objects_.push_back(fact.choices[fact.answer]);
      know(fact.subject);
      for (const std::string& alias : fact.subject_aliases) know(alias);
      for (const std::string& choice : fact.choices) know(choice);
    }
    for (const std::string& option : relation.options) know(option);
    if (objects_.empty()) objects_ = relation.options;
    number_prefix_ = detail::number_prefix(objects_);
  }

  /// A label that looks like a subject. It is always new, even if subjects are numbers.
  std::string subject() { return label_like(subjects_[random_.below(subjects_.size())]); }

  /// A label that looks like an option or, if facts have their own choices, like a true object. If
  /// all of them are numbers ("1929", "+44"), the result is as long as one of them and lies between
  /// the smallest and the largest number of that length; numbers may repeat. All other invented
  /// labels are new.
  std::string object() {
    const std::string& model = objects_[random_.below(objects_.size())];
    if (!number_prefix_) return label_like(model);
    const std::size_t digits = model.size() - number_prefix_->size();
    std::size_t least = 999'999'999, greatest = 0;
    for (const std::string& label : objects_) {
      if (label.size() != model.size()) continue;
      const std::size_t number = std::stoul(label.substr(number_prefix_->size()));
      least = (std::min)(least, number);
      greatest = (std::max)(greatest, number);
    }
    const std::string number = std::to_string(least + random_.below(greatest - least + 1));
    return *number_prefix_ + std::string(digits - number.size(), '0') + number;
  }

 private:
  void know(const std::string& label) {
    for (const detail::LabelPiece& piece : detail::label_pieces(label)) {
      if (piece.word) words_.insert(detail::folded(piece.text));
    }
  }

  std::string label_like(const std::string& model) {
    std::vector<detail::LabelPiece> pieces = detail::label_pieces(model);
    const auto replaceable = [](const detail::LabelPiece& piece) {
      return piece.word && !detail::is_small_word(piece.text);
    };
    const bool small_only = ranges::none_of(pieces, replaceable);
    std::string label;
    bool replaced = false;
    for (const detail::LabelPiece& piece : pieces) {
      const bool replace = piece.word && (small_only || replaceable(piece));
      label += replace ? word_like(piece.text) : piece.text;
      replaced = replaced || replace;
    }
    return replaced ? label : word_like("Number");  // the label has no letters
  }

  /// A new word capitalised like `model`: fully, only in the first letter, or not at all.
  std::string word_like(const std::string& model) {
    std::string word = new_word(std::clamp<std::size_t>(count_code_points(model) / 2, 2, 3));
    if (model.size() > 1 && ranges::all_of(model, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      for (char& c : word) c = static_cast<char>(c - ('a' - 'A'));
      return word;
    }
    return capitalize(model) == model ? capitalize(word) : word;
  }

  /// A new word in lower case. It gets one more syllable after every hundred failed attempts, so a
  /// new word is always found eventually.
  std::string new_word(std::size_t syllables) {
    static constexpr std::array<std::string_view, 18> onsets{"b", "d", "f",  "g",  "k",  "l",
                                                             "m", "n", "p",  "r",  "s",  "t",
                                                             "v", "z", "br", "dr", "kr", "th"};
    static constexpr std::string_view vowels = "aeiou";
    static constexpr std::array<std::string_view, 6> codas{"", "", "l", "n", "r", "s"};
    for (std::size_t tries = 0;; ++tries) {
      std::string word;
      for (std::size_t s = 0; s < syllables + tries / 100; ++s) {
        word += onsets[random_.below(onsets.size())];
        word += vowels[random_.below(vowels.size())];
      }
      word += codas[random_.below(codas.size())];
      if (words_.insert(word).second) return word;
    }
  }

  RandomStream random_;
  std::vector<std::string> subjects_;
  std::vector<std::string> objects_;
  std::optional<std::string> number_prefix_;
  /// The relation's words and the invented words, in lower case.
  std::unordered_set<std::string> words_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
