// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a calibration report made of, and how is it kept in metrics.json?
//
// Every number that is shown anywhere, with its count and its 95% interval; null for one that does
// not exist. The same names stand in the CSV files (calibration_csv.hpp).

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "plumb/calibrate/calibration_study.hpp"
#include "plumb/calibrate/model_comparison.hpp"
#include "plumb/report/metrics_json.hpp"

namespace plumb {

/// What a calibration report is made of.
struct CalibrationResults {
  std::vector<ModelCalibration> models;
  /// Parallel to the models: which are masked language models.
  std::vector<bool> masked;
  ModelComparison comparison;
  StudyOptions options;
  /// What must be said of all models together.
  std::vector<std::string> remarks{};
};

/// An estimator's name as people write it.
[[nodiscard]] inline std::string estimator_label(const std::string& name) {
  const auto parts = name.find('_');
  std::string label = name.substr(0, parts);
  if (label.empty() || parts == std::string::npos) {
    if (name == "base") return "Base";
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
