// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do a model's calibration plots show?
//
// The plots show calibration curves over a histogram of confidences (Kissling et al., Figure 2),
// curves with markers (Figure 7), accuracy–rejection curves (Figures 3 and 10), and confidence,
// accuracy and ACE by the number of options (Figure 5). The CSV files contain the same points.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/page.hpp"
#include "plumb/detail/report/xy_chart.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline ChartSeries curve_series(const EstimatorResult& made, const std::string& name,
                                bool intervals) {
  ChartSeries series{name, {}};
  for (const CurvePoint& point : made.curve) {
    series.points.push_back({point.confidence, point.accuracy.value});
    if (intervals) series.points.back().interval = point.accuracy.interval();
  }
  return series;
}

/// A calibration curve for each estimator.
inline std::string curve_charts(const ModelCalibration& model, std::size_t bins) {
  std::string html =
      heading("Calibration curves",
              "Mean confidence against accuracy in " + counted(bins, "equal-count bin") +
                  ", with 95% intervals. Below the dashed line the model is "
                  "overconfident. Bars along the bottom: how often each confidence occurs.") +
      "<div class=\"plots\">\n";
  for (const EstimatorResult& made : model.estimators) {
    XyChart chart{"Calibration of " + estimator_label(made.name), "confidence", "accuracy"};
    chart.width = 330;
    chart.height = 280;
    chart.diagonal = true;
    for (const std::size_t count : made.histogram) {
      chart.histogram.push_back(static_cast<double>(count));
    }
    const ChartSeries series = curve_series(made, "", true);
    const Estimate& ace = estimate_of(made.metrics, CalibrationMetric::ace);
    html +=
        "<div><h3>" + label(estimator_label(made.name)) +
        (ace.count == 0 ? ""
                        : " <span class=\"dim\">ACE " + with_decimals(ace.value, 3) + "</span>") +
        estimator_marks(made) + "</h3>" + xy_chart(chart, {series}) + "</div>\n";
  }
  return html + "</div>\n";
}

inline ChartSeries rejection_series(const EstimatorResult& made) {
  ChartSeries series{estimator_label(made.name), {}};
  for (const RejectionPoint& point : made.rejection) {
    if (point.accuracy.count > 0) {
      series.points.push_back({point.rejected, point.accuracy.value, point.accuracy.interval()});
    }
  }
  return series;
}

/// Rejection by threshold and by vote, for the headline estimators; if `chosen` is set, also for
/// other estimators until there are four curves.
inline std::string rejection_charts(const ModelCalibration& model, bool chosen) {
  std::vector<ChartSeries> thresholds;
  ChartSeries votes{"vote ≥ 2, 3, …", {}};
  ChartSeries none{"nothing rejected, Base", {}, false};
  for (const EstimatorResult& made : model.estimators) {
    const bool headline = made.name == "base" || made.name == "margin" ||
                          made.name == "average_vote2" || made.name == "average_min";
    const bool asked = chosen && thresholds.size() < 4;
    if (headline || asked) thresholds.push_back(rejection_series(made));
    if (made.name == "base" && made.answered.accuracy.count > 0) {
      none.points.push_back({made.answered.rejected, made.answered.accuracy.value});
    }
    if (made.name.starts_with("average_vote") && made.answered.accuracy.count > 0) {
      const Estimate& a = made.answered.accuracy;
      votes.points.push_back({made.answered.rejected, a.value, a.interval(),
                              "≥ " + made.name.substr(std::string("average_vote").size())});
    }
  }
  XyChart chart{"Accuracy–rejection curves", "share rejected", "accuracy of the rest"};
  std::string html =
      heading("Rejecting answers with low confidence",
              "Answers with confidence below 0.1, 0.2, … 0.9 are rejected. The higher and further "
              "left a curve is, the better. By vote: an answer is rejected only if its vote "
              "fails.") +
      "<div class=\"plots two\">" + xy_chart(chart, thresholds);
  chart.title = "Rejection by failed votes";
  std::vector<ChartSeries> by_vote{votes};
  if (!none.points.empty()) by_vote.push_back(none);
  if (!votes.points.empty()) html += xy_chart(chart, by_vote);
  return html + "</div>\n";
}

/// The curves of the base template and of the strongest markers; empty without markers.
inline std::string marker_chart(const ModelCalibration& model) {
  std::vector<ChartSeries> curves;
  for (const std::string name : {"base", "possibly", "certainly", "0%", "100%"}) {
    if (const EstimatorResult* made = model.estimator(name)) {
      curves.push_back(curve_series(*made, estimator_label(name), false));
    }
  }
  XyChart chart{"Calibration with markers", "confidence", "accuracy"};
  chart.diagonal = true;
  chart.width = 700;
  return curves.size() > 1 ? xy_chart(chart, curves) : "";
}

/// There must be at least one point.
inline std::string option_chart(const ModelCalibration& model) {
  ChartSeries confidence{"mean confidence", {}}, accuracy{"accuracy", {}}, ace{"ACE", {}};
  const auto add = [](ChartSeries& series, std::size_t k, const Estimate& e) {
    if (e.count > 0) {
      series.points.push_back({static_cast<double>(k), e.value, e.interval()});
    }
  };
  for (const OptionCountPoint& point : model.option_counts) {
    add(confidence, point.options, point.confidence);
    add(accuracy, point.options, point.accuracy);
    add(ace, point.options, point.ace);
  }
  std::vector<ChartSeries> series{confidence, accuracy};
  if (!ace.points.empty()) series.push_back(ace);  // no ACE if there are too few facts
  XyChart chart{"Confidence, accuracy and ACE by number of options", "options", ""};
  chart.x_range = {0, static_cast<double>(model.option_counts.back().options)};
  chart.width = 700;
  return xy_chart(chart, series);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
