// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can a simple map correct the confidences?
//
// This is an extension of the calibration paper: two maps are fitted on one part of the facts and
// evaluated on the other.
//   Temperature  divides all scores before the softmax; the T that minimises the mean −ln p(answer)
//                (Guo et al. 2017). Answers and their order stay the same.
//   Isotonic     the non-decreasing step function of confidence with the least squared error from
//                correctness, linear between its steps (Zadrozny & Elkan 2002; scikit-learn's
//                IsotonicRegression with out_of_bounds="clip").

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One fact's scores for all options, and its answer.
struct ScoredFact {
  std::span<const double> scores;
  std::size_t answer = 0;
};

inline constexpr double lowest_temperature = 0.01;
inline constexpr double highest_temperature = 100;

/// The temperature in [0.01, 100] with the lowest mean −ln p(answer), to a relative precision of
/// 1e-9, or as precisely as the loss allows; 1 if there are no facts. Bisects on the sign of the
/// loss's slope in 1/T; the loss is convex in 1/T.
[[nodiscard]] inline double fit_temperature(std::span<const ScoredFact> facts) {
  if (facts.empty()) return 1;
  // d/dβ Σ −ln p_answer(β·scores) = Σ (E_p[score] − score of the answer)
  const auto slope = [&](double beta) {
    double sum = 0;
    for (const ScoredFact& fact : facts) {
      const double best = *ranges::max_element(fact.scores);
      double weights = 0;
      double mean = 0;
      for (const double score : fact.scores) {
        const double weight = std::exp(beta * (score - best));
        weights += weight;
        mean += weight * (score - best);
      }
      sum += mean / weights - (fact.scores[fact.answer] - best);
    }
    return sum;
  };
  double low = std::log(1 / highest_temperature);
  double high = std::log(1 / lowest_temperature);
  for (int step = 0; step < 60 && high - low > 1e-10; ++step) {
    const double middle = (low + high) / 2;
    (slope(std::exp(middle)) < 0 ? low : high) = middle;
  }
  return std::exp(-(low + high) / 2);
}

/// Whether a fitted temperature is at an end of its range. Such a temperature is not a minimum: the
/// loss keeps falling beyond the range, for example if all facts are answered correctly.
[[nodiscard]] constexpr bool is_end_of_range(double temperature) {
  return temperature > 0.999 * highest_temperature || temperature < 1.001 * lowest_temperature;
}

/// A non-decreasing map from confidence to the probability of being correct. Any number of threads
/// may use the same object.
class IsotonicMap {
 public:
  /// Pools adjacent violators over the distinct confidences. Needs at least one judgement.
  explicit IsotonicMap(std::span<const Judgement> judgements) {
    std::vector<std::size_t> order(judgements.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    ranges::stable_sort(order, {}, [&](std::size_t i) { return judgements[i].confidence; });
    struct Block {
      double sum, weight;
      std::size_t points;  // distinct confidences pooled
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < order.size();) {
      const double c = judgements[order[i]].confidence;
      Block block{0, 0, 1};
      for (; i < order.size() && judgements[order[i]].confidence == c; ++i) {
        block.sum += judgements[order[i]].correct ? 1 : 0;
        block.weight += 1;
      }
      confidences_.push_back(c);
      while (!blocks.empty() &&
             blocks.back().sum * block.weight >= block.sum * blocks.back().weight) {
        block.sum += blocks.back().sum;
        block.weight += blocks.back().weight;
        block.points += blocks.back().points;
        blocks.pop_back();
      }
      blocks.push_back(block);
    }
    for (const Block& block : blocks) {
      values_.insert(values_.end(), block.points, block.sum / block.weight);
    }
  }

  /// Linear between the fitted confidences, constant beyond them.
  [[nodiscard]] double operator()(double confidence) const {
    const auto above = ranges::lower_bound(confidences_, confidence);
    if (above == confidences_.begin()) return values_.front();
    if (above == confidences_.end()) return values_.back();
    const auto i = static_cast<std::size_t>(above - confidences_.begin());
    const double way = (confidence - confidences_[i - 1]) / (confidences_[i] - confidences_[i - 1]);
    return values_[i - 1] + way * (values_[i] - values_[i - 1]);
  }

 private:
  std::vector<double> confidences_;
  std::vector<double> values_;
};

/// The facts on which a map is fitted: a random half of each stratum, with at least one fact if the
/// stratum has at least two.
[[nodiscard]] inline std::vector<bool> fitting_half(std::span<const std::size_t> strata,
                                                    std::uint64_t seed) {
  std::vector<bool> fitting;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    std::vector<std::size_t> order(strata[s]);
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random(seed, "split/" + std::to_string(s));
    random.shuffle(order);
    const std::size_t first = fitting.size();
    fitting.resize(first + strata[s], false);
    for (std::size_t i = 0; i < strata[s] / 2; ++i) fitting[first + order[i]] = true;
  }
  return fitting;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
