// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a model's confidence justified?
//
//   const plumb::Calibration made = plumb::calibrate(answers);
//   made[plumb::CalibrationMetric::ace].value
//   plumb::calibrate(answers, plumb::Average<>{})    // over paraphrases
//
// Run: examples/own_confidence.cpp, which defines its own estimator. Source: Kissling et al.,
// "Self-Aware Knowledge Probing".

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/detail/aggregate/answer_predictions.hpp"
#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/calibrate/fitted_confidence.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CalibrateOptions {
  /// Number of bins. The bins have equal counts for ACE and equal widths for ECE and MCE. With
  /// fewer facts than bins, ACE is not defined.
  std::size_t bins = 20;
  /// Index of the template that Base and Margin use.
  std::size_t base_template = 0;
  /// Seed of the bootstrap over facts.
  std::uint64_t seed = 0;
  std::size_t resamples = 1000;
};

/// Returns the estimator's judgement of each fact, relation by relation. Throws a user error if the
/// estimator cannot judge a relation or if a confidence is outside [0, 1].
template <class Estimator>
[[nodiscard]] std::vector<Judgement> judge(const Answers& answers, const Estimator& estimator,
                                           const CalibrateOptions& options = {}) {
  const ModelPredictions made =
      predictions_of(answers, {.kinds = {.base = options.base_template}, .keep_scores = true});
  return Calibrator(estimator, options.bins).judge(made.relations);
}

/// Measures how well the estimator's confidences match the proportion of correct answers. Each
/// number comes with an interval. `plumb calibrate` reports the same numbers for the same
/// estimator. Throws as `judge` does.
template <class Estimator>
[[nodiscard]] Calibration calibrate(const std::vector<RelationPredictions>& relations,
                                    const Estimator& estimator,
                                    const CalibrateOptions& options = {}) {
  return Calibrator(estimator, options.bins)
      .calibrate(relations,
                 {strata_of(relations), {options.seed, options.resamples}, "bootstrap/calibrate"});
}
template <class Estimator>
[[nodiscard]] Calibration calibrate(const Answers& answers, const Estimator& estimator,
                                    const CalibrateOptions& options = {}) {
  return calibrate(
      predictions_of(answers, {.kinds = {.base = options.base_template}, .keep_scores = true})
          .relations,
      estimator, options);
}

/// Measures the confidence of the base template in the same way.
[[nodiscard]] inline Calibration calibrate(const Answers& answers,
                                           const CalibrateOptions& options = {}) {
  return calibrate(answers, Base{}, options);
}

/// Measures confidences from another source in the same way; they are treated as one relation.
[[nodiscard]] inline Calibration calibrate(const std::vector<Judgement>& judgements,
                                           const CalibrateOptions& options = {}) {
  const std::vector<std::size_t> one_stratum{judgements.size()};
  return calibration_of(judgements, options.bins,
                        {one_stratum, {options.seed, options.resamples}, "bootstrap/calibrate"});
}

/// Splits each relation's facts into two random halves, drawn with the seed: one half for fitting
/// an estimator (Tempered, Isotonic) and one for measuring it.
[[nodiscard]] inline SplitFacts split_facts(const Answers& answers, std::uint64_t seed = 0) {
  return split_facts(predictions_of(answers, {.keep_scores = true}).relations, seed);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::Average;
using detail::Base;
using detail::calibrate;
using detail::CalibrateOptions;
using detail::Calibration;
using detail::CalibrationMetric;
using detail::check_confidence_estimator;
using detail::ConfidenceEstimator;
using detail::Consistency;
using detail::Estimate;
using detail::FactPredictions;
using detail::Isotonic;
using detail::judge;
using detail::Judgement;
using detail::Margin;
using detail::predict;
using detail::RelationPredictions;
using detail::split_facts;
using detail::Tempered;

}  // namespace plumb
