// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does calibration look like?
//
//   calibration curve    a point for each non-empty equal-count bin (as in ACE): mean confidence
//                        against accuracy; a perfect model is on the diagonal
//   histogram            answers by confidence, equal widths
//   accuracy–rejection   for thresholds t = 0.1 … 0.9: the share of answers with confidence < t,
//                        and the accuracy of the others (Nadeem et al. 2008; Kissling et al.,
//                        Figure 3); or only answers whose vote failed are rejected (Figure 10)
// Accuracies have Wilson intervals.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "plumb/detail/calibrate/bins.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CurvePoint {
  double confidence = 0;
  Estimate accuracy;
};

/// Returns fewer points than bins if confidences tie, and no points if there are no judgements.
[[nodiscard]] inline std::vector<CurvePoint> calibration_curve(
    std::span<const Judgement> judgements, std::size_t bins) {
  if (judgements.empty()) return {};
  std::vector<double> sorted;
  for (const Judgement& judgement : judgements) sorted.push_back(judgement.confidence);
  ranges::sort(sorted);
  const std::vector<double> edges = quantile_edges(sorted, bins);
  std::vector<std::size_t> count(bins), right(bins);
  std::vector<double> confidence(bins);
  for (const Judgement& judgement : judgements) {
    const std::size_t bin = bin_of(judgement.confidence, edges);
    ++count[bin];
    right[bin] += judgement.correct ? 1 : 0;
    confidence[bin] += judgement.confidence;
  }
  std::vector<CurvePoint> curve;
  for (std::size_t b = 0; b < bins; ++b) {
    if (count[b] == 0) continue;
    curve.push_back({confidence[b] / static_cast<double>(count[b]), wilson(right[b], count[b])});
  }
  return curve;
}

/// The number of answers in each of `bins` equal-width bins.
[[nodiscard]] inline std::vector<std::size_t> confidence_histogram(
    std::span<const Judgement> judgements, std::size_t bins) {
  std::vector<std::size_t> counts(bins);
  const std::vector<double> edges = uniform_edges(bins);
  for (const Judgement& judgement : judgements) ++counts[bin_of(judgement.confidence, edges)];
  return counts;
}

struct RejectionPoint {
  /// Answers with confidence ≥ threshold are kept. With threshold 0, only failed votes are
  /// rejected.
  double threshold = 0;
  /// The fraction of all answers that are rejected; `no_number` without answers.
  double rejected = no_number;
  /// The accuracy of the kept answers; its count is 0 if there are none.
  Estimate accuracy;
};

/// One point of an accuracy–rejection curve.
[[nodiscard]] inline RejectionPoint reject_below(std::span<const Judgement> judgements,
                                                 double threshold) {
  std::size_t kept = 0;
  std::size_t right = 0;
  for (const Judgement& judgement : judgements) {
    if (!judgement.answered || judgement.confidence < threshold) continue;
    ++kept;
    right += judgement.correct ? 1 : 0;
  }
  if (judgements.empty()) return {threshold, no_number, {}};
  const double all = static_cast<double>(judgements.size());
  return {threshold, 1 - static_cast<double>(kept) / all, wilson(right, kept)};
}

/// The paper's nine thresholds.
[[nodiscard]] inline std::vector<RejectionPoint> rejection_curve(
    std::span<const Judgement> judgements) {
  std::vector<RejectionPoint> curve;
  for (int tenth = 1; tenth <= 9; ++tenth) curve.push_back(reject_below(judgements, tenth / 10.0));
  return curve;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
