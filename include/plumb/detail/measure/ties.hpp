// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does an answer count when several options share the best score?
//
// A tie is exact equality of scores. If n options share the best score and the right option is
// among them, a mean (accuracy, Hit@k) counts the answer as 1/n, the expected value of a random
// choice. Metrics that test whether a fact is known treat a tied fact as not known. Both rules are
// defined in measure/rank.hpp. "First wins" takes the first of the tied options as the answer, as
// lm-pub-quiz does; it is also reported, for comparison with lm-pub-quiz. Ties are counted
// everywhere, and a warning reports them if they exceed 1% of the answers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/measure/rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether several options share the best score and, if so, whether the right option is one of them
/// and whether it comes first.
enum class BestTie : std::uint8_t { none, without_answer, with_answer, answer_first };

/// What an answer contributes to a mean: 1 if the fact is known, 1/n if the right option is among
/// the n = `tied_options` that share the best score, and 0 otherwise. Without a tie, `tied_options`
/// is ignored.
[[nodiscard]] inline double expected_accuracy(bool known, BestTie tie, std::size_t tied_options) {
  if (tie != BestTie::with_answer && tie != BestTie::answer_first) return known ? 1 : 0;
  return Rank{.above = 0, .equal = tied_options - 1}.expected_accuracy();
}

/// Whether the first of the best options is the right one.
[[nodiscard]] inline bool right_if_first_wins(bool known, BestTie tie) {
  return known || tie == BestTie::answer_first;
}

/// The number of answers, and how many of them are ties for the best score.
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

/// There is no warning if ties make up at most this fraction of the answers.
inline constexpr double unremarkable_ties = 0.01;

/// "12 of 480 answers (2.5%)"; nullopt if the fraction is too small for a warning.
inline std::optional<std::string> remarkable_share(std::size_t some, std::size_t all,
                                                   const char* what) {
  if (static_cast<double>(some) <= unremarkable_ties * static_cast<double>(all)) {
    return std::nullopt;
  }
  const double percent = 100 * static_cast<double>(some) / static_cast<double>(all);
  return std::to_string(some) + " of " + std::to_string(all) + " " + what + " (" +
         with_decimals(percent, 1) + "%)";
}

/// The warning about closed-set answers with many ties; nullopt if there are few.
[[nodiscard]] inline std::optional<std::string> tie_warning(const TieCount& ties) {
  const auto share = detail::remarkable_share(ties.tied, ties.answers, "answers");
  if (!share) return std::nullopt;
  return "Warning: " + *share +
         " are ties: options share the best score. For accuracy, a tie of n options that includes "
         "the right one counts as 1/n. No tied fact counts as known.";
}

/// The warning about rankings in which other candidates tie with the true entity.
[[nodiscard]] inline std::optional<std::string> rank_tie_warning(std::size_t tied,
                                                                 std::size_t queries) {
  const auto share = detail::remarkable_share(tied, queries, "queries");
  if (!share) return std::nullopt;
  return "Warning: the true entities of " + *share +
         " tie with other candidates: ranks are the mean of the best and the worst rank that the "
         "tie allows; metrics.json contains both.";
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
