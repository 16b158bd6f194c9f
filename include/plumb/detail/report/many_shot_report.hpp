// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a many-shot run leaves for people and for other programs.
//
// From a finished run folder: metrics.json, accuracy.csv, accuracy_at_k.csv, injection.csv where there
// is such an experiment, report.html, and the table for the terminal. All depends on the results and the
// settings alone.

#include <memory>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class ManyShotReport : public AnyReport {
 public:
  /// Throws a user error when the folder holds no finished run.
  explicit ManyShotReport(const DiskPath& folder, Bootstrap bootstrap = {});

  [[nodiscard]] const ManyShotResults& results() const noexcept;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/many_shot_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE ManyShotReport::ManyShotReport(const DiskPath& folder, Bootstrap bootstrap)
    : AnyReport(std::make_shared<const detail::ManyShotReportBody>(folder, bootstrap)) {}

PLUMB_INLINE const ManyShotResults& ManyShotReport::results() const noexcept {
  return held<detail::ManyShotReportBody>().results();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
