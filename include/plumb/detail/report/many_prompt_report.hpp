// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on answers to many prompts, for people and for other programs.
//
// It creates metrics.json, the numbers of each chart as CSV (many_prompt_csv.hpp), report.html, and
// the table for the terminal. All of these depend only on the results, the settings and the title.
// Non-goal: where the answers come from (calibrate/many_prompt_study.hpp).

#include <string>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/paired_columns.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using ManyPromptReport = ReportOf<ManyPromptResults>;

/// `run` contains the settings for the page's last table, and examples of the model's prompts.
[[nodiscard]] ManyPromptReport many_prompt_report(ManyPromptResults made, RunRecord run,
                                                  std::string title);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_prompt_csv.hpp"
#include "plumb/detail/report/many_prompt_json.hpp"
#include "plumb/detail/report/many_prompt_page.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The page, tables and metrics of one run.
class ManyPromptReportBody {
 public:
  /// `run` has the settings for the page's last table and examples of the model's prompts.
  ManyPromptReportBody(ManyPromptResults made, RunRecord run, std::string title)
      : made_(std::move(made)), run_(std::move(run)), title_(std::move(title)) {}

  [[nodiscard]] Json metrics() const {
    const ManyPromptOptions& options = made_.options;
    Json metrics = metrics_head(options.bootstrap);
    metrics["samplings"] = {{"samplings", options.samplings},
                            {"seed", options.seed},
                            {"headline_by", name_of(options.by)}};
    metrics.update(to_json(made_));
    return metrics;
  }
  [[nodiscard]] std::vector<ReportFile> files() const { return many_prompt_csvs(made_); }
  [[nodiscard]] std::string page() const {
    return whole_page({title_, asked_in_words(made_), notes(), run_.settings, run_.prompts},
                      many_prompt_sections(made_));
  }

  /// The first table has one row for each query form. It is followed by a table on the form of the
  /// answers, if a model generated them, and by a table of the ranks of the true token, if gaps
  /// were filled.
  [[nodiscard]] std::vector<NamedTable> tables() const {
    const auto written = written_ways(made_);
    const std::vector<WayRanks> ranks = way_ranks(made_);
    std::vector<NamedTable> tables{{"prompts", table_of(many_prompt_columns(made_), made_.ways)}};
    if (!written.empty())
      tables.push_back({"written", table_of(written_answer_columns(), written)});
    if (!ranks.empty()) tables.push_back({"token_ranks", table_of(token_rank_columns(), ranks)});
    // If there are many settings, the paired tests are shown only on the page.
    if (!made_.paired.empty() && made_.paired.size() <= 10) {
      tables.push_back(
          {"paired_tests", paired_terminal_table(made_.names(), made_.paired), paired_note});
    }
    return tables;
  }

  /// The notes that must accompany the numbers wherever they are shown, without duplicates.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }

  [[nodiscard]] const ManyPromptResults& results() const noexcept { return made_; }

 private:
  ManyPromptResults made_;
  RunRecord run_;
  std::string title_;
};

PLUMB_INLINE ManyPromptReport many_prompt_report(ManyPromptResults made, RunRecord run,
                                                 std::string title) {
  return report_of<ManyPromptResults>(std::make_shared<const ManyPromptReportBody>(
      std::move(made), std::move(run), std::move(title)));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
