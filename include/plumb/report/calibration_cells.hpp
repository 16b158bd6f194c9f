// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a number look in a calibration table?
//
// Cells with their interval in small print, coloured in the paper's steps (Kissling et al., Table
// 1): ACE 0.05, 0.1, 0.2; Brier 0.1, 0.2, 0.25.

#include <array>
#include <string>

#include "plumb/calibrate/model_calibration.hpp"
#include "plumb/report/page.hpp"

namespace plumb {

/// An estimator's name as people write it.
[[nodiscard]] inline std::string estimator_label(const std::string& name) {
  const auto parts = name.find('_');
  std::string label = name.substr(0, parts);
  if (label.empty() || parts == std::string::npos) {
    if (name == "base") return "Base";
    if (name == "weighted") return "Weighted";
    return name == "margin" ? "Margin" : "“" + name + "”";
  }
  label[0] = label[0] == 'a' ? 'A' : 'C';
  const std::string policy = name.substr(parts + 1);
  if (!policy.starts_with("vote")) return label + ", " + policy;
  return label + ", vote ≥ " + policy.substr(4);
}

/// The paper's name of a reduction: "Sum", "Mean (A)" over the answer alone.
[[nodiscard]] inline std::string scoring_label(Scoring scoring) {
  const std::string reduction = scoring.reduction == Reduction::sum ? "Sum" : "Mean";
  if (scoring.span == Span::continuation) return reduction + " (C)";
  return scoring.span == Span::answer ? reduction + " (A)" : reduction;
}

}  // namespace plumb

namespace plumb::detail {

/// The class of a cell, by the paper's steps; empty for metrics it has none for.
inline const char* step(CalibrationMetric metric, double value) {
  const bool ace = metric == CalibrationMetric::ace || metric == CalibrationMetric::ece;
  if (!ace && metric != CalibrationMetric::brier) return "";
  const std::array<double, 3> steps =
      ace ? std::array<double, 3>{0.05, 0.1, 0.2} : std::array<double, 3>{0.1, 0.2, 0.25};
  return value < steps[0] ? "h0" : value < steps[1] ? "h1" : value < steps[2] ? "h2" : "h3";
}

/// A metric with the colour of its step.
inline std::string cell(const MetricEstimates& metrics, CalibrationMetric metric,
                        bool best = false) {
  const Estimate& e = estimate_of(metrics, metric);
  return cell(e, std::string(step(metric, e.value)) + (best ? " best" : ""));
}

}  // namespace plumb::detail
