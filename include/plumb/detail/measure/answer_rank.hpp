// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which rank does the right answer have among the candidates?
//
// The prediction is the first of the best candidates, as in lm-pub-quiz. measure/ties.hpp defines
// how an answer counts that shares the best score.

#include <cmath>
#include <cstddef>
#include <span>

#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct AnswerRank : Rank {
  /// The first best candidate, and the number of others that share its score.
  std::size_t prediction = 0;
  std::size_t equal_best = 0;
  /// Whether the prediction is the answer: right if the first of a tie wins.
  bool first_is_answer = false;

  [[nodiscard]] BestTie tie() const {
    if (equal_best == 0) return BestTie::none;
    if (above > 0) return BestTie::without_answer;
    return first_is_answer ? BestTie::answer_first : BestTie::with_answer;
  }
};

/// `scores` are higher-is-better and not NaN; `answer` indexes them.
[[nodiscard]] inline AnswerRank rank_answer(std::span<const double> scores, std::size_t answer) {
  AnswerRank rank;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > scores[rank.prediction]) {
      rank.prediction = i;
      rank.equal_best = 0;
    } else if (i != rank.prediction && scores[i] == scores[rank.prediction]) {
      ++rank.equal_best;
    }
    if (i == answer) continue;
    if (scores[i] > scores[answer]) ++rank.above;
    if (scores[i] == scores[answer]) ++rank.equal;
  }
  rank.first_is_answer = rank.prediction == answer;
  return rank;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
