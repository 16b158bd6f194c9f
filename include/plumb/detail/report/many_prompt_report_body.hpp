// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many_prompt_report.hpp measures, writes and shows.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/many_prompt_results.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/records/whole_file.hpp"
#include "plumb/detail/report/many_prompt_columns.hpp"
#include "plumb/detail/report/many_prompt_csv.hpp"
#include "plumb/detail/report/many_prompt_json.hpp"
#include "plumb/detail/report/many_prompt_page.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Page, tables and metrics of one run. One thread at a time may write into a folder.
class ManyPromptReportBody {
 public:
  /// `run` has the settings for the page's last table and examples of what was asked.
  ManyPromptReportBody(ManyPromptResults made, RunRecord run, std::string title)
      : made_(std::move(made)), run_(std::move(run)), title_(std::move(title)) {}

  /// Writes metrics.json, the CSVs of many_prompt_csvs and report.html into `target`, which must be
  /// there.
  void write(const DiskPath& target) const {
    const ManyPromptOptions& options = made_.options;
    Json metrics = metrics_head(options.bootstrap);
    metrics["samplings"] = {{"samplings", options.samplings},
                            {"seed", options.seed},
                            {"headline_by", name_of(options.by)}};
    metrics.update(to_json(made_));
    write_atomically(target / "metrics.json", metrics.dump(2) + "\n");
    const auto tables = many_prompt_csvs(made_);
    for (const auto& [name, text] : tables) write_atomically(target / name, text);
    // Never one that is written: a power loss may keep that it is gone, and lose what takes its place.
    for (const ManyPromptTable& table : many_prompt_tables) {
      const bool is_written =
          over::any_of(tables, [&](const auto& one) { return one.first == table.file; });
      if (table.may_be_empty && !is_written) remove_file(target / table.file);
    }
    write_atomically(target / "report.html", whole_page({title_, detail::asked_in_words(made_),
                                                         notes(), run_.settings, run_.prompts},
                                                        many_prompt_sections(made_)));
  }

  /// One row for each way of asking. Below it, what the answers look like where a model wrote them, and
  /// ranks of the true token where gaps were filled.
  [[nodiscard]] std::string table(const TableWidth& width = {}) const {
    const auto written = written_ways(made_);
    const std::vector<WayRanks> ranks = way_ranks(made_);
    return text_table(many_prompt_columns(made_), made_.ways, width) +
           (written.empty() ? "" : "\n" + text_table(written_answer_columns(), written, width)) +
           (ranks.empty() ? "" : "\n" + text_table(token_rank_columns(), ranks, width));
  }

  /// What must be said wherever the numbers are shown, each once.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }

  [[nodiscard]] const ManyPromptResults& results() const noexcept { return made_; }

 private:
  ManyPromptResults made_;
  RunRecord run_;
  std::string title_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
