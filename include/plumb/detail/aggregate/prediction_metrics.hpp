// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does a model know, judging by the answers to a probe in memory?
//
// Computes the numbers of measure/probe_metrics.hpp with their intervals, over every template that
// was used, including templates with markers. For one template, call `probe_metrics` with
// `AnswersView::of_setting`. The numbers are bitwise identical to those from a run folder with the
// same scores. Non-goal: whether confidence is justified (calibrate/calibrator.hpp).

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Accuracy, Hit@k, mean rank and MRR for each relation, for each domain and overall. Each fact
/// counts once, as the mean over its templates. The predictions must come from `predict`, as in a
/// probe in memory.
[[nodiscard]] inline ProbeMetrics metrics_of(const ModelPredictions& asked,
                                             const Bootstrap& bootstrap = {}) {
  return probe_metrics(under_all_templates(asked.relations), bootstrap, "all");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
