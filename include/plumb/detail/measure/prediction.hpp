// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does the model answer, and how confident does it look?
//
// The scores of a closed set of options become probabilities by softmax,
//   p_i = exp(ℓ_i) / Σ_k exp(ℓ_k).
// The answer is the likeliest option. Its probability is the Base confidence, and the difference
// between its probability and that of the second likeliest option is the Margin confidence. Source:
// Kissling et al., "Self-Aware Knowledge Probing", equations 1 and 2, which do not cover ties;
// measure/ties.hpp defines how ties are counted.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/answer_rank.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One answer to one prompt.
struct Prediction {
  /// The most probable option; in a tie, the first of the tied options.
  std::size_t option = 0;
  /// Whether the fact is known, that is, whether the correct option is likelier than every other
  /// option.
  bool correct = false;
  /// Base confidence, in [1/K, 1] for K options, and Margin confidence, in [0, 1].
  double confidence = 0;
  double margin = 0;
  /// Σ_k (p_k − [k is the answer])², the Brier score of the whole distribution, in [0, 2].
  double one_hot_brier = 0;
  /// Whether several options tie for the best score, and the number of tied options.
  BestTie tie = BestTie::none;
  std::uint32_t tied_options = 0;
  /// The rank of the right option among all options; set by `predict`.
  Rank rank{};

  [[nodiscard]] bool is_tie() const { return tie != BestTie::none; }
  /// What the answer contributes to a mean accuracy: 1/n in a tie of n options that includes the
  /// right one.
  [[nodiscard]] double accuracy() const { return expected_accuracy(correct, tie, tied_options); }
  [[nodiscard]] double accuracy_first_wins() const {
    return right_if_first_wins(correct, tie) ? 1 : 0;
  }
};

/// exp(score / temperature) over the options, scaled to sum to 1. `scores` must be finite and not
/// empty; `temperature` must be positive.
[[nodiscard]] inline std::vector<double> softmax(std::span<const double> scores,
                                                 double temperature = 1) {
  const double best = *ranges::max_element(scores);
  std::vector<double> p(scores.size());
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    sum += p[i] = std::exp((scores[i] - best) / temperature);
  for (double& value : p) value /= sum;
  return p;
}

/// `scores` are finite log-likelihoods and must not be empty; `answer` is the index of the right
/// option.
/// If there is only one option, both confidences are 1. In a tie, the margin is 0.
[[nodiscard]] inline Prediction predict(std::span<const double> scores, std::size_t answer,
                                        double temperature = 1) {
  const std::vector<double> p = softmax(scores, temperature);
  const AnswerRank rank = rank_answer(scores, answer);
  Prediction made;
  made.option = rank.prediction;
  made.correct = rank.known();
  made.tie = rank.tie();
  made.rank = rank;
  if (made.is_tie()) made.tied_options = static_cast<std::uint32_t>(rank.equal_best + 1);
  double squares = 0;
  double second = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    squares += p[i] * p[i];
    if (i != made.option) second = (std::max)(second, p[i]);
  }
  made.confidence = p[made.option];
  made.margin = made.confidence - second;
  made.one_hot_brier = squares - 2 * p[answer] + 1;
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
