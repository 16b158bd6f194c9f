// SPDX-License-Identifier: Apache-2.0
#pragma once

// How did a model's beliefs change from one closed-set run to another?
//
// Rows of the same relation, fact and template are compared; their options must be the same. For
// each fact, the result contains the largest change in a recorded score and, for calibration, the
// two answers under the first template that both runs have. A score is the number that the runs
// recorded: a log-likelihood in nats if their reduction is a sum.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A fact in both runs.
struct FactChange {
  std::string relation, subject;
  /// The option whose score moved most under any shared template, and how far it moved, in the unit
  /// of the scores.
  std::string option;
  double moved = 0;
  /// Each run's answer under the first shared template, with its softmax over the options.
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
  /// The number of facts of each relation; a relation's facts are consecutive.
  std::vector<std::size_t> relations;
  std::size_t scores = 0;
  double moved_most = 0, moved_sum = 0;

  [[nodiscard]] double mean_moved() const {
    return scores == 0 ? no_number : moved_sum / static_cast<double>(scores);
  }
};

/// How the calibration of the Base confidence changed from the first run to the second. Both runs
/// are measured over the same resamples of facts, drawn within relations, so the intervals of the
/// differences are paired.
struct CalibrationChange {
  Calibration first, second;

  CalibrationChange(const RunChanges& changes, std::size_t bins, const Bootstrap& bootstrap) {
    std::vector<Judgement> before, after;
    for (const FactChange& fact : changes.facts) {
      before.push_back(fact.first);
      after.push_back(fact.second);
    }
    const Resamples resamples(changes.relations, bootstrap, "calibration rise");
    first = calibration_of(before, bins, resamples);
    second = calibration_of(after, bins, resamples);
  }

  /// Second minus first; no number if there are no facts.
  [[nodiscard]] Estimate rise(CalibrationMetric metric) const {
    if (first.count == 0) return {};
    return combine([](double a, double b) { return b - a; }, first.draws(metric),
                   second.draws(metric))
        .estimate();
  }
};

/// The increase in one metric.
[[nodiscard]] inline Estimate calibration_rise(const RunChanges& changes, CalibrationMetric metric,
                                               std::size_t bins, const Bootstrap& bootstrap) {
  if (changes.facts.empty()) return {};
  return CalibrationChange(changes, bins, bootstrap).rise(metric);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
