// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a comparison with published numbers leaves in a folder and shows on a terminal.
//
// Writes metrics.json, published.csv, without_counterpart.csv where it has a row, and report.html.

#include <memory>
#include <utility>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/published_comparison.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One thread at a time may write into a folder.
class PublishedReport : public AnyReport {
 public:
  /// `settings` is an object for the page's last table.
  PublishedReport(PublishedComparison made, Json settings);
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/published_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE PublishedReport::PublishedReport(PublishedComparison made, Json settings)
    : AnyReport(std::make_shared<const detail::PublishedReportBody>(std::move(made),
                                                                    std::move(settings))) {}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
