// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a comparison of models leaves in a folder and shows on a terminal.
//
// Writes metrics.json, a CSV file for each table and heat map, and report.html. In the CSV files a
// row ends in value, low, high and count, which are empty and 0 where there is no number.

#include <memory>
#include <utility>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Page, tables and metrics of a comparison. One thread at a time may write into a folder.
class ComparisonReport : public AnyReport {
 public:
  /// `settings` is an object for the page's last table.
  ComparisonReport(Comparison made, Json settings);
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/comparison_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE ComparisonReport::ComparisonReport(Comparison made, Json settings)
    : AnyReport(std::make_shared<const detail::ComparisonReportBody>(std::move(made),
                                                                     std::move(settings))) {}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
