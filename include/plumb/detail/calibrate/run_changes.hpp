// SPDX-License-Identifier: Apache-2.0
#pragma once

// How did what a model believes change, from one closed-set run to another?
//
// Rows of the same relation, fact and template, whose options must be the same: how far each recorded score
// moved, and the two answers under the first template both were asked under, for calibration. A score is the
// number the runs recorded, a log-likelihood in nats where they reduce by the sum.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A fact that both runs asked.
struct FactChange {
  std::string relation, subject;
  /// The option whose score moved most under any shared template, and how far, in the scores' unit.
  std::string option;
  double moved = 0;
  /// What each run answered under the first shared template, with its softmax over the options.
  std::string first_answer, second_answer;
  Judgement first, second;

  [[nodiscard]] double brier_rise() const { return squared_error(second) - squared_error(first); }

 private:
  static double squared_error(const Judgement& of) {
    const double apart = of.confidence - (of.correct ? 1 : 0);
    return apart * apart;
  }
};

struct RunChanges {
  std::vector<FactChange> facts;
  /// Facts of each relation, which stand one after another.
  std::vector<std::size_t> relations;
  std::size_t scores = 0;
  double moved_most = 0, moved_sum = 0;

  [[nodiscard]] double mean_moved() const {
    return scores == 0 ? no_number : moved_sum / static_cast<double>(scores);
  }
};

/// The rise of a calibration metric of the Base confidence from the first run to the second, over `bins`
/// bins. Both are computed over the same resamples of facts, drawn within relations, so that the interval is
/// of the paired difference.
[[nodiscard]] inline Estimate calibration_rise(const RunChanges& changes, CalibrationMetric metric,
                                               std::size_t bins, const Bootstrap& bootstrap) {
  if (changes.facts.empty()) return {};
  std::vector<Judgement> first, second;
  for (const FactChange& fact : changes.facts) {
    first.push_back(fact.first);
    second.push_back(fact.second);
  }
  const Resamples resamples(changes.relations, bootstrap, "calibration rise");
  const Draws before = calibration_of(first, bins, resamples).draws(metric);
  const Draws after = calibration_of(second, bins, resamples).draws(metric);
  return combine([](double a, double b) { return b - a; }, before, after).estimate();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
