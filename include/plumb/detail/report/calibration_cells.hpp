// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cells of calibration tables.
//
// Each cell shows its interval in small print and is coloured according to the thresholds in the
// paper (Kissling et al., Table 1): ACE 0.05, 0.1, 0.2; Brier 0.1, 0.2, 0.25.

#include <array>
#include <string>

#include "plumb/detail/calibrate/model_calibration.hpp"
#include "plumb/detail/report/page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// An estimator's display name.
[[nodiscard]] inline std::string estimator_label(const std::string& name) {
  const auto parts = name.find('_');
  std::string label = name.substr(0, parts);
  if (label.empty() || parts == std::string::npos) {
    if (name == "base") return "Base";
    if (name == "weighted") return "Weighted";
    if (name == "sampled") return "Sampled";
    return name == "margin" ? "Margin" : "“" + name + "”";
  }
  label[0] = label[0] == 'a' ? 'A' : 'C';
  const std::string policy = name.substr(parts + 1);
  if (!policy.starts_with("vote")) return label + ", " + policy;
  return label + ", vote ≥ " + policy.substr(4);
}

/// Whether any vote failed; false for rows without votes. A fact whose vote failed has confidence 0
/// and counts as wrong. Calibration errors then reflect how many votes failed rather than
/// calibration, so they are marked and not coloured.
template <class Row>
[[nodiscard]] constexpr bool has_failed_votes(const Row& row) {
  if constexpr (requires { row.failures; }) return row.failures > 0;
  return false;
}

/// The marks that follow an estimator's name if its errors are not meaningful.
[[nodiscard]] inline std::string estimator_marks(const EstimatorResult& made) {
  return std::string(made.discrete ? " *" : "") + (has_failed_votes(made) ? " †" : "");
}
inline constexpr const char* failed_votes_meaning =
    "† votes failed for some of the facts: these have confidence 0 and fall into one bin, so ACE "
    "and Brier score are not meaningful";

/// The paper's name for a reduction: "Sum", or "Mean (A)" if only the answer is scored.
[[nodiscard]] inline std::string scoring_label(Scoring scoring) {
  const std::string reduction =
      std::array{"Sum", "Mean", "Bytes", "PMI"}[static_cast<std::size_t>(scoring.reduction)];
  if (scoring.span == Span::continuation) return reduction + " (C)";
  return scoring.span == Span::answer ? reduction + " (A)" : reduction;
}

/// The CSS class of a cell, according to the paper's thresholds; empty for metrics without
/// thresholds.
inline const char* step(CalibrationMetric metric, double value) {
  const std::array<double, 3>& steps = declared_metric(metric).steps;
  if (steps[2] == 0) return "";
  return value < steps[0] ? "h0" : value < steps[1] ? "h1" : value < steps[2] ? "h2" : "h3";
}

/// The cell for a metric, coloured by threshold.
inline std::string cell(const MetricEstimates& metrics, CalibrationMetric metric,
                        bool best = false) {
  const Estimate& e = estimate_of(metrics, metric);
  return cell(e, std::string(step(metric, e.value)) + (best ? " best" : ""));
}

/// The cell for an estimator's metric; `metrics` covers all facts or a group of them. If votes
/// failed, the cell has a mark instead of a colour.
inline std::string cell(const EstimatorResult& made, const MetricEstimates& metrics,
                        CalibrationMetric metric, bool best = false) {
  if (!has_failed_votes(made)) return cell(metrics, metric, best);
  std::string html = cell(estimate_of(metrics, metric));
  if (const std::size_t begin = html.find("<small>"); begin != html.npos) html.insert(begin, " †");
  return html;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
