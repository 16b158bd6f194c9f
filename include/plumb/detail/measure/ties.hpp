// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does an answer count when options share the best score?
//
// A tie is the exact equality of scores. Where n options share the best one, a mean (accuracy,
// Hit@k) counts 1/n if the right option is among them, what a random choice comes to, and whatever
// asks if a fact is known counts it as not known; both are defined in measure/rank.hpp. First wins
// takes the first of them for the answer, as lm-pub-quiz does, and is kept beside for comparison
// with it. Ties are counted everywhere, and said aloud where they are more than 1% of the answers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/measure/rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether the best score is shared, and where the right option then stands.
enum class BestTie : std::uint8_t { none, without_answer, with_answer, answer_first };

/// What an answer adds to a mean: 1 where it is known, 1/n where the right option is among the
/// `tied_options` n that share the best score, else 0. `tied_options` means nothing without a tie.
[[nodiscard]] inline double expected_accuracy(bool known, BestTie tie, std::size_t tied_options) {
  if (tie != BestTie::with_answer && tie != BestTie::answer_first) return known ? 1 : 0;
  return Rank{.above = 0, .equal = tied_options - 1}.expected_accuracy();
}

/// Whether the first of the best options is the right one.
[[nodiscard]] inline bool right_if_first_wins(bool known, BestTie tie) {
  return known || tie == BestTie::answer_first;
}

/// How many of some answers are ties for the best.
struct TieCount {
  std::size_t tied = 0;
  std::size_t answers = 0;

  void add(bool is_tie) {
    tied += is_tie ? 1U : 0U;
    ++answers;
  }
  TieCount& operator+=(const TieCount& other) {
    tied += other.tied;
    answers += other.answers;
    return *this;
  }
  friend bool operator==(const TieCount&, const TieCount&) = default;
};

/// Up to this share of the answers nothing is said.
inline constexpr double unremarkable_ties = 0.01;

/// "12 of 480 answers (2.5%)"; nothing where that is unremarkable.
inline std::optional<std::string> remarkable_share(std::size_t some, std::size_t all,
                                                   const char* what) {
  if (static_cast<double>(some) <= unremarkable_ties * static_cast<double>(all)) {
    return std::nullopt;
  }
  const double percent = 100 * static_cast<double>(some) / static_cast<double>(all);
  return std::to_string(some) + " of " + std::to_string(all) + " " + what + " (" +
         with_decimals(percent, 1) + "%)";
}

/// What must be said of closed-set answers with many ties; nothing where there are few.
[[nodiscard]] inline std::optional<std::string> tie_warning(const TieCount& ties) {
  const auto share = detail::remarkable_share(ties.tied, ties.answers, "answers");
  if (!share) return std::nullopt;
  return "Warning: " + *share +
         " are ties: options share the best score. A tie of n with the right option counts 1/n in "
         "accuracy, and no tied fact counts as known.";
}

/// The same of rankings whose true entity has equals.
[[nodiscard]] inline std::optional<std::string> rank_tie_warning(std::size_t tied,
                                                                 std::size_t queries) {
  const auto share = detail::remarkable_share(tied, queries, "queries");
  if (!share) return std::nullopt;
  return "Warning: the true entities of " + *share +
         " tie with others: ranks are the mean of the best and the worst a tie allows; "
         "metrics.json has both.";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
