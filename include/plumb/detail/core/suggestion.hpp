// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which word did the user mean?
//
// The distance between two words is the smallest number of edits that turns one into the other; an
// edit inserts, deletes or replaces a letter, or swaps two adjacent letters. No letter is edited
// twice (Damerau 1964, in the variant called optimal string alignment). A known word is suggested
// only if it is close to what was typed.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Operates on bytes, because names of commands and options are ASCII. The running time is
/// proportional to the product of the lengths.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j] is the distance between the first i letters of a and the first j letters of b.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = (std::min)({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = (std::min)(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// The closest known word (the first, if several are equally close), if its distance is 1 or at
/// most a third of the length of the given text. Otherwise, if the given text has at least three
/// letters, the first known word that begins with it. Otherwise nothing.
[[nodiscard]] inline std::optional<std::string> nearest_word(
    std::string_view given, const std::vector<std::string>& known) {
  std::optional<std::string> nearest;
  std::size_t least = std::max<std::size_t>(1, given.size() / 3) + 1;
  for (const std::string& word : known) {
    const std::size_t distance = edit_distance(given, word);
    if (distance >= least) continue;
    least = distance;
    nearest = word;
  }
  if (nearest || given.size() < 3) return nearest;
  for (const std::string& word : known) {
    if (word.starts_with(given)) return word;
  }
  return nearest;
}

/// "did you mean --depth? ", or an empty string if no known word is close. `lead` is inserted
/// before the word.
[[nodiscard]] inline std::string did_you_mean(std::string_view given,
                                              const std::vector<std::string>& known,
                                              const std::string& lead = "") {
  const auto word = nearest_word(given, known);
  return word ? "did you mean " + lead + *word + "? " : "";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
