// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which word did the user mean?
//
// The distance of two words is the smallest number of letters to be inserted, left out, replaced or
// swapped with a neighbour that makes one of the other, no letter twice (Damerau 1964, as optimal
// string alignment). A known word is offered where it is near what was typed, and none otherwise.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/core/version.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Of bytes: names of commands and options have one for each letter. Time is the product of the
/// lengths.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  // row[j] is the distance of the first i letters of a and the first j of b.
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

/// The known word at the smallest distance, the first of several, if that is 1 or at most a third
/// of the given letters; else the first that begins with three or more given letters; else nothing.
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

/// "did you mean --depth? ", or nothing where no known word is near. `lead` stands before each of
/// them.
[[nodiscard]] inline std::string did_you_mean(std::string_view given,
                                              const std::vector<std::string>& known,
                                              const std::string& lead = "") {
  const auto word = nearest_word(given, known);
  return word ? "did you mean " + lead + *word + "? " : "";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
