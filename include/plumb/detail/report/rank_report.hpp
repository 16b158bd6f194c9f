// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a ranking of entities leaves for people and for other programs.
//
// From a finished run folder: metrics.json, metrics.csv, ranks.csv, report.html, and the table for the
// terminal. All depends on the results and the settings alone.

#include <memory>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class RankReport : public AnyReport {
 public:
  /// Throws a user error when the folder holds no finished run.
  explicit RankReport(const DiskPath& folder, Bootstrap bootstrap = {});

  [[nodiscard]] const RankResults& results() const noexcept;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/rank_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE RankReport::RankReport(const DiskPath& folder, Bootstrap bootstrap)
    : AnyReport(std::make_shared<const detail::RankReportBody>(folder, bootstrap)) {}

PLUMB_INLINE const RankResults& RankReport::results() const noexcept {
  return held<detail::RankReportBody>().results();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
