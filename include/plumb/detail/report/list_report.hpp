// SPDX-License-Identifier: Apache-2.0
#pragma once

// What lists of answers leave for people and for other programs.
//
// From a finished run folder: metrics.json and metrics.csv (every number), answers.csv (every answer with
// its numbers), report.html, and the table for the terminal. All depends on the rows and the seed alone.

#include <memory>
#include <vector>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/report/any_report.hpp"
#include "plumb/detail/report/list_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once, then writes. One thread at a time may write into a folder.
class ListReport : public AnyReport {
 public:
  /// Throws a user error when the folder holds no finished run in KAMEL's form.
  explicit ListReport(const DiskPath& folder, Bootstrap bootstrap = {});

  [[nodiscard]] const std::vector<ListGroup>& groups() const noexcept;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/list_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE ListReport::ListReport(const DiskPath& folder, Bootstrap bootstrap)
    : AnyReport(std::make_shared<const detail::ListReportBody>(folder, bootstrap)) {}

PLUMB_INLINE const std::vector<ListGroup>& ListReport::groups() const noexcept {
  return held<detail::ListReportBody>().groups();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
