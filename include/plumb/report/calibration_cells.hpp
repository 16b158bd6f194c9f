// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a number look in a calibration table?
//
// Cells with their interval in small print, coloured in the paper's steps (Kissling et al., Table
// 1): ACE 0.05, 0.1, 0.2; Brier 0.1, 0.2, 0.25.

#include <array>
#include <string>
#include <vector>

#include "plumb/report/calibration_data.hpp"
#include "plumb/report/page.hpp"

namespace plumb::detail {

inline std::string heading(const char* title, const std::string& explanation) {
  return "<h2>" + std::string(title) + "</h2>\n<p class=\"dim\">" + explanation + "</p>\n";
}

inline std::string table_head(const std::vector<std::string>& heads) {
  std::string html = "<div class=\"wide\"><table class=\"sortable\"><thead><tr>";
  for (const std::string& head : heads) {
    html += "<th scope=\"col\"><button type=\"button\">" + head + "</button></th>";
  }
  return html + "</tr></thead><tbody>\n";
}
inline constexpr const char* table_end = "</tbody></table></div>\n";

/// The colour of a cell, by the paper's steps.
inline const char* step(CalibrationMetric metric, double value) {
  const bool ace = metric == CalibrationMetric::ace || metric == CalibrationMetric::ece;
  if (!ace && metric != CalibrationMetric::brier) return "";
  const std::array<double, 3> steps =
      ace ? std::array<double, 3>{0.05, 0.1, 0.2} : std::array<double, 3>{0.1, 0.2, 0.25};
  return value < steps[0] ? "h0" : value < steps[1] ? "h1" : value < steps[2] ? "h2" : "h3";
}

inline std::string cell(const Estimate& e, const std::string& classes = "", bool interval = true) {
  if (e.count == 0) return "<td data-v=\"-1\">–</td>";
  return "<td data-v=\"" + fixed(e.value, 6) + "\"" +
         (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" + fixed(e.value, 3) +
         (interval ? "<small>" + fixed(e.low, 3) + (e.low < 0 || e.high < 0 ? " to " : "–") +
                         fixed(e.high, 3) + "</small>"
                   : "") +
         "</td>";
}
inline std::string cell(const MetricEstimates& metrics, CalibrationMetric metric,
                        bool best = false) {
  const Estimate& e = at(metrics, metric);
  return cell(e, std::string(step(metric, e.value)) + (best ? " best" : ""));
}
/// A whole number.
inline std::string number_cell(std::size_t n) {
  return "<td data-v=\"" + std::to_string(n) + "\">" + std::to_string(n) + "</td>";
}

}  // namespace plumb::detail
