// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the rank of the right answer among the candidates?
//
// The prediction is the first of the best candidates, as in lm-pub-quiz. measure/ties.hpp defines
// how an answer that ties for the best score is counted.

#include <cmath>
#include <cstddef>
#include <span>

#include "plumb/detail/measure/rank.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct AnswerRank : Rank {
  /// The first of the best candidates, and the number of other candidates with the same score.
  std::size_t prediction = 0;
  std::size_t equal_best = 0;
  /// Whether the prediction is the answer; if several candidates tie for the best score, the first
  /// of them is the prediction.
  bool first_is_answer = false;

  [[nodiscard]] BestTie tie() const {
    if (equal_best == 0) return BestTie::none;
    if (above > 0) return BestTie::without_answer;
    return first_is_answer ? BestTie::answer_first : BestTie::with_answer;
  }
};

/// Higher `scores` are better, and no score may be NaN; `answer` is an index into them.
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
