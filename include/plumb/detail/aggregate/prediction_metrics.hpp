// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does a model know, judged by the answers to a probe in memory?
//
// Computes the numbers of measure/probe_metrics.hpp with their intervals, over every template that
// was asked, templates with markers included. For one template, call `probe_metrics` with
// `AnswersView::of_setting`. A run folder of the same scores gives bitwise the same numbers.
// Non-goal: whether confidence is justified (calibrate/calibrator.hpp).

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Accuracy, Hit@k, mean rank and MRR by relation, domain and overall. A fact counts once, with the
/// mean over its templates. The predictions must be those of `predict`, as a probe in memory makes
/// them.
[[nodiscard]] inline ProbeMetrics metrics_of(const ModelPredictions& asked,
                                             const Bootstrap& bootstrap = {}) {
  return probe_metrics(under_all_templates(asked.relations), bootstrap, "all");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
