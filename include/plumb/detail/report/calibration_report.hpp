// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a calibration leaves in a folder and shows on a terminal.
//
// Writes metrics.json, a CSV file for each plot and table, report.html, and in
// recalibration_halves.jsonl which facts the maps of the recalibration were fitted on and which they
// were measured on, by instance, a line for each model and relation:
//   {"model": …, "relation": "P36", "fitted": [0, 3, …], "held_out": [1, 2, …]}

#include <memory>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_by_model.hpp"
#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Page, tables and metrics of a calibration. One thread at a time may write into a folder.
class CalibrationReport : public AnyReport {
 public:
  /// `settings` is an object for the page's last table, `prompts` are examples of what was asked.
  CalibrationReport(CalibrationResults results, Json settings, std::vector<Json> prompts = {});
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/calibration_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE CalibrationReport::CalibrationReport(CalibrationResults results, Json settings,
                                                  std::vector<Json> prompts)
    : AnyReport(std::make_shared<const detail::CalibrationReportBody>(
          std::move(results), std::move(settings), std::move(prompts))) {}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
