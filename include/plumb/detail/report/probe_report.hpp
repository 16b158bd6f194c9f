// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a closed-set probe leaves for people and for other programs.
//
// From a results folder, plumb's or lm-pub-quiz's, this writes metrics.json, metrics.csv, accuracy.csv
// and report.html; it also makes the table for the terminal. All of it depends on the results and the
// run's settings alone, never on times, so it compares byte by byte.

#include <memory>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a results folder once, then writes. One thread at a time may write into a folder.
class ProbeReport : public AnyReport {
 public:
  /// Throws a user error when the folder holds no finished results.
  explicit ProbeReport(const DiskPath& folder, Bootstrap bootstrap = {});

  [[nodiscard]] const ProbeMetrics& metrics() const noexcept;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/probe_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE ProbeReport::ProbeReport(const DiskPath& folder, Bootstrap bootstrap)
    : AnyReport(std::make_shared<const detail::ProbeReportBody>(folder, bootstrap)) {}

PLUMB_INLINE const ProbeMetrics& ProbeReport::metrics() const noexcept {
  return held<detail::ProbeReportBody>().metrics();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
