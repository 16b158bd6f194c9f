// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does the right answer stand among the candidates?
//
// The prediction is the first of the best candidates, as lm-pub-quiz takes it, so that accuracies
// agree; ties for the best are counted, so a reader sees when that choice mattered.

#include <cmath>
#include <cstddef>
#include <span>

#include "plumb/measure/rank.hpp"

namespace plumb {

struct AnswerRank : Rank {
  /// The first best candidate, and how many others share its score.
  std::size_t prediction = 0;
  std::size_t equal_best = 0;
  bool correct = false;
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
    rank.above += scores[i] > scores[answer] ? 1 : 0;
    rank.equal += scores[i] == scores[answer] ? 1 : 0;
  }
  rank.correct = rank.prediction == answer;
  return rank;
}

}  // namespace plumb
