// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is the model's confidence justified?
//
// A calibrator judges every fact with its confidence estimator. It then measures how well the
// confidences match correctness, reporting each number with a bootstrap interval over facts
// (Wilson's interval for accuracy). The draws are kept, so that the difference between two
// estimators on the same facts has a paired interval.
//
// Calibration errors are means of absolute values, so noise makes them larger. With few facts, even
// a perfectly calibrated model has some error, and a resample, being noisier, has a larger error
// than the sample. An interval is therefore the middle 95% of the draws, shifted so that their
// median is the estimate and clipped to the number's range. It shows how far the estimate would
// vary with other facts, not how much of it is noise.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_metrics.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A number with its bootstrap draws, one for each resample; a draw is NaN if the number does not
/// exist for the resample.
struct Draws {
  double value = no_number;
  std::vector<double> draws;
  std::size_t count = 0;
  /// The range of the number.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  /// The same draws with a known range.
  [[nodiscard]] Draws within(double low, double high) && {
    least = low;
    most = high;
    return std::move(*this);
  }

  /// The centred interval; resamples without a number are omitted. There is no interval if all
  /// draws are equal, and no number (count 0) if the value is NaN.
  [[nodiscard]] Estimate estimate() const {
    if (!std::isfinite(value)) return {};
    std::vector<double> finite;
    std::copy_if(draws.begin(), draws.end(), std::back_inserter(finite),
                 [](double draw) { return std::isfinite(draw); });
    if (finite.empty()) return without_interval(value, count);
    ranges::sort(finite);
    const double low = quantile(finite, 0.025), high = quantile(finite, 0.975);
    if (no_spread(low, high)) return without_interval(value, count);
    const double shift = value - quantile(finite, 0.5);
    return {value, std::clamp(low + shift, (std::min)(least, value), value),
            std::clamp(high + shift, value, (std::max)(most, value)), count, "centred bootstrap"};
  }
};

/// Applies `of(values…)` to several numbers over the same resamples, draw by draw. The result's
/// range is unknown.
template <class Of, class... More>
[[nodiscard]] Draws combine(Of of, const Draws& first, const More&... more) {
  Draws result{of(first.value, more.value...), {}, first.count};
  for (std::size_t r = 0; r < first.draws.size(); ++r) {
    result.draws.push_back(of(first.draws[r], more.draws[r]...));
  }
  return result;
}

/// The metrics of one set of answers and of each of its resamples.
struct Calibration {
  MetricValues point;
  std::vector<MetricValues> resampled;
  std::size_t count = 0;

  [[nodiscard]] Draws draws(CalibrationMetric metric) const {
    using enum CalibrationMetric;
    Draws result{point[metric], {}, count};
    if (metric != brier_within_bin && metric != brier_skill) result.least = 0;
    if (metric != brier_within_bin && metric != log_loss) {
      result.most = metric == brier_uncertainty ? 0.25 : 1;
    }
    for (const MetricValues& values : resampled) result.draws.push_back(values[metric]);
    return result;
  }
  /// Accuracy is a proportion of facts and has Wilson's interval, as in a probe; all other metrics
  /// have the centred interval. If all answers are right, or all wrong, the same is true in every
  /// resample. In that case, resamples cannot show how far an error would vary, and only the mean
  /// confidence has an interval.
  [[nodiscard]] Estimate operator[](CalibrationMetric metric) const {
    using enum CalibrationMetric;
    if (metric == accuracy) return wilson_share(point[metric], count);
    const bool is_one_sided = point[accuracy] == 0 || point[accuracy] == 1;
    if (is_one_sided && metric != mean_confidence && std::isfinite(point[metric])) {
      return without_interval(point[metric], count);
    }
    return draws(metric).estimate();
  }
};

/// The number of facts in each relation: the strata for resamples of all facts.
[[nodiscard]] inline std::vector<std::size_t> strata_of(
    const std::vector<RelationPredictions>& relations) {
  std::vector<std::size_t> strata;
  for (const RelationPredictions& relation : relations) strata.push_back(relation.facts());
  return strata;
}

/// Measures judgements. Throws a user error if `bins` is 0 or if the resamples have a different
/// number of items.
[[nodiscard]] inline Calibration calibration_of(std::span<const Judgement> judgements,
                                                std::size_t bins, const Resamples& resamples) {
  if (bins == 0) throw user_error({.field = "bins"}, "is 0", "set it to at least 1");
  if (resamples.size() > 0 && resamples.items() != judgements.size()) {
    throw user_error({.field = "resamples"},
                     "have " + std::to_string(resamples.items()) +
                         " items, but the number of judgements is " +
                         std::to_string(judgements.size()),
                     "draw them with strata whose sizes sum to the number of judgements");
  }
  const SortedJudgements sorted(judgements, bins);
  Calibration result{sorted.metrics(), std::vector<MetricValues>(resamples.size()),
                     judgements.size()};
  parallel_for(resamples.size(),
               [&](std::size_t r) { result.resampled[r] = sorted.metrics(resamples.counts(r)); });
  return result;
}

/// Judges answers with one estimator and measures how far confidence and accuracy differ. Any
/// number of threads may use the same calibrator if the estimator allows it. The estimator must be
/// a ConfidenceEstimator; for any other type, the compiler reports what is missing.
template <class Estimator = Base>
class Calibrator {
  static_assert(check_confidence_estimator<Estimator>());

 public:
  /// `bins` is the number of equal-count bins (ACE, curves) and of equal-width bins (ECE, MCE); the
  /// paper uses 20.
  explicit Calibrator(Estimator estimator = {}, std::size_t bins = 20)
      : estimator_(std::move(estimator)), bins_(bins) {}

  /// The judgement of every fact, relation by relation. Throws a user error for a relation that the
  /// estimator cannot judge, and for a confidence that is not in [0, 1].
  [[nodiscard]] std::vector<Judgement> judge(std::span<const RelationPredictions> relations) const {
    std::vector<Judgement> judgements;
    for (const RelationPredictions& relation : relations) {
      (estimator_.check)(relation);
      for (std::size_t fact = 0; fact < relation.facts(); ++fact) {
        const FactPredictions predictions{relation, fact};
        judgements.push_back(estimator_(predictions));
        if (is_confidence(judgements.back().confidence)) continue;
        throw user_error(predictions.site(),
                         std::string(estimator_.name()) + " gave the confidence " +
                             std::to_string(judgements.back().confidence) +
                             ", which is not in [0, 1]",
                         "fix the confidence estimator");
      }
    }
    return judgements;
  }

  /// `resamples` are over the relations' facts (`strata_of`).
  [[nodiscard]] Calibration calibrate(std::span<const RelationPredictions> relations,
                                      const Resamples& resamples) const {
    return calibration_of(judge(relations), bins_, resamples);
  }

  [[nodiscard]] const Estimator& estimator() const noexcept { return estimator_; }

 private:
  Estimator estimator_;
  std::size_t bins_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
