// SPDX-License-Identifier: Apache-2.0
#pragma once

// A second, word-by-word implementation of answer matching, and random answers about the elements
// for testing it.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/random.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// Runs of ASCII letters, converted to lower case; `stems` removes a plural "s".
[[nodiscard]] inline std::vector<std::string> slow_words(const std::string& text, bool stems) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z')) {
      words.back().push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  for (std::string& word : words) {
    if (stems && word.size() > 3 && word.ends_with('s')) word.pop_back();
  }
  return words;
}

/// Whether the text contains the answer's words consecutively; an answer without words matches only
/// a text without words.
[[nodiscard]] inline bool slow_holds(const std::vector<std::string>& text,
                                     const std::vector<std::string>& answer) {
  if (answer.empty()) return text.empty();
  return std::search(text.begin(), text.end(), answer.begin(), answer.end()) != text.end();
}

[[nodiscard]] inline bool slow_match(const std::vector<std::string>& a,
                                     const std::vector<std::string>& b) {
  return slow_holds(a, b) || slow_holds(b, a);
}

/// A lemmatiser with the same lemmas as slow_words: "gases" becomes "gase".
struct PluralStems {
  [[nodiscard]] std::string operator()(std::string_view word) const {
    std::string stem(word);
    if (stem.size() > 3 && stem.ends_with('s')) stem.pop_back();
    return stem;
  }
};

/// Zero to four words, some of them element names, with punctuation and capitals.
[[nodiscard]] inline std::string random_answer(RandomStream& random) {
  const std::vector<std::string> words{"hydrogen", "oxygen", "Oxygen", "iron", "metal", "metals",
                                       "noble",    "gas",    "rare",   "Fe",   "a",     "the",
                                       "carbon",   "He",     "H",      "O",    "salts", "chlorine"};
  const std::vector<std::string> between{" ", " ", ", ", " - ", "... "};
  std::string text;
  for (std::size_t count = random.below(5); count > 0; --count) {
    text += between[random.below(between.size())] + words[random.below(words.size())];
  }
  if (random.below(3) == 0) text += ".";
  return text;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
