// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where does the right answer stand among the candidates?
//
// Ranks start at 1. With ties there are three: optimistic (before its equals), pessimistic (behind
// them) and realistic, their mean, which is the one reported. The prediction is the first of the
// best candidates, as lm-pub-quiz takes it, so that accuracies agree; ties for the best are
// counted, so a reader sees when that choice mattered.

#include <cmath>
#include <cstddef>
#include <span>

namespace plumb {

struct AnswerRank {
  /// Candidates that score above the answer, and others that score the same.
  std::size_t above = 0;
  std::size_t equal = 0;
  /// The first best candidate, and how many others share its score.
  std::size_t prediction = 0;
  std::size_t equal_best = 0;
  bool correct = false;

  [[nodiscard]] double optimistic() const { return 1 + static_cast<double>(above); }
  [[nodiscard]] double pessimistic() const { return 1 + static_cast<double>(above + equal); }
  [[nodiscard]] double realistic() const { return (optimistic() + pessimistic()) / 2; }
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
