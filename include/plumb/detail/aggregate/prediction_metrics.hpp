// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does a model know, by the answers that a probe in memory got?
//
// The numbers of measure/probe_metrics.hpp with their intervals, over every template that was
// asked, markers too; those of one template are `probe_metrics` of `AnswersView::of_setting`. A run
// folder of the same scores has the same numbers to the last bit. Non-goal: whether confidence is
// earned (calibrate/calibrator.hpp).

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Accuracy, hits at k, mean rank and MRR by relation, domain and over all: a fact counts once,
/// with the mean over its templates. The predictions are those of `predict`, as a probe in memory
/// makes them.
[[nodiscard]] inline ProbeMetrics metrics_of(const ModelPredictions& asked,
                                             const Bootstrap& bootstrap = {}) {
  return probe_metrics(under_all_templates(asked.relations), bootstrap, "all");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
