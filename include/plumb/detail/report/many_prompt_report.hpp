// SPDX-License-Identifier: Apache-2.0
#pragma once

// What answers to many prompts leave for people and for other programs.
//
// metrics.json, the numbers behind each chart as CSV (many_prompt_csv.hpp), report.html, and the table for
// the terminal. All depends on the results, the settings and the title alone. Non-goal: where the answers
// come from (calibrate/many_prompt_study.hpp).

#include <memory>
#include <string>
#include <utility>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/any_report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Page, tables and metrics of one run. One thread at a time may write into a folder.
class ManyPromptReport : public AnyReport {
 public:
  /// `run` has the settings for the page's last table and examples of what was asked.
  ManyPromptReport(ManyPromptResults made, RunRecord run, std::string title);

  [[nodiscard]] const ManyPromptResults& results() const noexcept;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include "plumb/detail/report/many_prompt_report_body.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE ManyPromptReport::ManyPromptReport(ManyPromptResults made, RunRecord run,
                                                std::string title)
    : AnyReport(std::make_shared<const detail::ManyPromptReportBody>(
          std::move(made), std::move(run), std::move(title))) {}

PLUMB_INLINE const ManyPromptResults& ManyPromptReport::results() const noexcept {
  return held<detail::ManyPromptReportBody>().results();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
