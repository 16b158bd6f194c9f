// SPDX-License-Identifier: Apache-2.0
#pragma once

// What are a subject and an object that no model can know, and that look like the real ones?
//
// A label of the relation is drawn and its words are replaced by invented ones of pronounceable
// syllables ("Arnold Palmer" → "Kevodan Thasor", "a bird" → "a sodri"); no invented word stands in a
// subject, alias, option or choice of the relation or in another invented label. Numbers are the
// exception: an invented person is born in a real year, so an invented number may be one of the
// options, and the pair is new because its subject is.
// Non-goal: whether the world beyond the relation knows a name.
// Source: latent knowledge in many shots, section 3 ("fictitious names and birth years").

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

/// A piece of a label: a run of letters (ASCII's and all beyond ASCII), or what stands between.
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

/// ASCII letters lower-cased.
inline std::string folded(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return text;
}

/// Articles, prepositions and initials: they stay in a label whose other words are replaced.
inline bool is_small_word(const std::string& word) {
  return word.size() == 1 || word == "The" || word == "An" ||
         (word.size() <= 3 && capitalize(word) != word);
}

/// What stands before the digits where every label is the same text and then one to nine digits
/// ("1929", "+44"); otherwise nothing.
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

/// The same relation and stream give the same labels in the same order. The relation must have a
/// fact and an option. Not thread-safe.
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

  /// Looks like a subject. Always new, also where subjects are numbers.
  std::string subject() { return label_like(subjects_[random_.below(subjects_.size())]); }

  /// Looks like an option, or like a true object where facts have choices of their own. Where all of
  /// them are numbers ("1929", "+44"), one with as many digits as some of them, between the least
  /// and the greatest of that length; numbers may come again. Otherwise always new.
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
    return replaced ? label : word_like("Number");  // a label without letters
  }

  /// Upper-cased as the model is: all, the first letter or none.
  std::string word_like(const std::string& model) {
    std::string word = new_word(std::clamp<std::size_t>(count_code_points(model) / 2, 2, 3));
    if (model.size() > 1 && ranges::all_of(model, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      for (char& c : word) c = static_cast<char>(c - ('a' - 'A'));
      return word;
    }
    return capitalize(model) == model ? capitalize(word) : word;
  }

  /// Lower-case. A syllable longer after every hundred failed tries, so that there is always one.
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
  /// Those of the relation and those invented, folded.
  std::unordered_set<std::string> words_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
