// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a many-shot run leaves for people and for other programs.
//
// From a finished run folder: metrics.json, accuracy.csv, accuracy_at_k.csv, injection.csv where there
// is such an experiment, report.html, and the table for the terminal. All depends on the results and the
// settings alone.

#include <memory>

#include "plumb/core/compiled.hpp"
#include "plumb/core/disk_path.hpp"
#include "plumb/measure/many_shot_results.hpp"
#include "plumb/report/any_report.hpp"

namespace plumb {
namespace detail {

class ManyShotReportBody;

}  // namespace detail

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class ManyShotReport : public AnyReport {
 public:
  /// Throws a user error when the folder holds no finished run.
  explicit ManyShotReport(const DiskPath& folder, Bootstrap bootstrap = {});

  [[nodiscard]] const ManyShotResults& results() const noexcept { return *results_; }

 private:
  explicit ManyShotReport(const std::shared_ptr<const detail::ManyShotReportBody>& body);

  const ManyShotResults* results_;  // of what is held
};

}  // namespace plumb

#if PLUMB_BODIES

#include "plumb/report/many_shot_report_body.hpp"

namespace plumb {

PLUMB_INLINE ManyShotReport::ManyShotReport(const DiskPath& folder, Bootstrap bootstrap)
    : ManyShotReport(std::make_shared<const detail::ManyShotReportBody>(folder, bootstrap)) {}

PLUMB_INLINE ManyShotReport::ManyShotReport(
    const std::shared_ptr<const detail::ManyShotReportBody>& body)
    : AnyReport(body), results_(&body->results()) {}

}  // namespace plumb

#endif
