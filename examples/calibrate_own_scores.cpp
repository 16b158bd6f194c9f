// SPDX-License-Identifier: Apache-2.0

// I have scores from another program. Is the confidence that they express justified?
//
// Prints:
//   6 facts, accuracy 0.667
//   mean confidence 0.844: overconfident by 0.177
//   Brier 0.201

#include <cstdio>
#include <utility>
#include <vector>

#include "plumb/aggregator.hpp"
#include "plumb/calibrator.hpp"

int main() {
  // For each fact, the log-likelihoods of its options, and the index of the true option.
  const std::vector<std::pair<std::vector<double>, std::size_t>> scored{
      {{-1.0, -4.0, -5.0}, 0}, {{-2.0, -4.5, -3.5}, 0}, {{-6.0, -2.0, -5.0}, 1},
      {{-3.0, -2.5, -9.0}, 0}, {{-8.0, -7.0, -4.0}, 2}, {{-1.0, -3.0, -5.0}, 2}};
  std::vector<plumb::Judgement> judgements;
  for (const auto& [scores, answer] : scored) {
    const plumb::Prediction made = plumb::predict(scores, answer);
    judgements.push_back({made.confidence, made.correct});
  }
  const plumb::Calibration made = plumb::calibrate(judgements, {.bins = 3, .seed = 1});
  using enum plumb::CalibrationMetric;
  std::printf("%zu facts, accuracy %.3f\nmean confidence %.3f: overconfident by %.3f\nBrier %.3f\n",
              made.count, made[accuracy].value, made[mean_confidence].value,
              made[mean_confidence].value - made[accuracy].value, made[brier].value);
}
