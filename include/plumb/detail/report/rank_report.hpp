// SPDX-License-Identifier: Apache-2.0
#pragma once

// The report on a ranking of entities, for people and for other programs.
//
// From a finished run folder, it creates metrics.json, metrics.csv, ranks.csv, report.html, and the
// table for the terminal. All of these depend only on the results and the settings.

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/report/report.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

using RankReport = ReportOf<RankResults>;

/// Computes the metrics of a run folder once, for all parts of its report. Throws a user error if
/// the folder has no finished run.
[[nodiscard]] RankReport rank_report(const DiskPath& folder, Bootstrap bootstrap = {});

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "plumb/detail/records/ranking_metadata.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/records/run_record.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/rank_json.hpp"
#include "plumb/detail/report/rank_page.hpp"
#include "plumb/detail/report/text_table.hpp"
#include "plumb/detail/report/whole_page.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Measures a run folder once.
class RankReportBody {
 public:
  /// Throws a user error if the folder has no finished run.
  explicit RankReportBody(const DiskPath& folder, Bootstrap bootstrap = {})
      : bootstrap_(bootstrap) {
    const RankingMetadata metadata = read_ranking_metadata(folder);
    made_ =
        rank_results(read_ranked_methods(folder, metadata.methods, metadata.narrowed), bootstrap);
    made_.remarks.insert(made_.remarks.begin(), metadata.remarks.begin(), metadata.remarks.end());
    run_ = read_run_record(folder);
  }

  [[nodiscard]] Json metrics() const {
    Json metrics = metrics_head(bootstrap_);
    metrics.update(to_json(made_));
    return metrics;
  }
  [[nodiscard]] std::vector<ReportFile> files() const {
    return {{"ranks.csv", csv()}, {"metrics.csv", metrics_csv()}};
  }
  [[nodiscard]] std::string page() const {
    return whole_page(
        {run_.title(),
         "Entity ranking: each query (head, relation, ?) ranks all candidates; the true entity "
         "should rank first.",
         notes(), run_.settings, run_.prompts},
        rank_sections(made_));
  }

  [[nodiscard]] std::vector<NamedTable> tables() const {
    std::vector<NamedTable> tables{
        {"ranks", table_of(named_rank_columns("method", true), detail::ranked_rows(made_))}};
    if (made_.agreements.empty()) return tables;
    using A = MethodAgreement;
    const std::vector<Column<A>> columns{
        {.key = "agreement",
         .heading = "agreement",
         .value = [this](const A& a) -> CellValue {
           return made_.methods[a.one].name + " and " + made_.methods[a.other].name;
         }},
        {.key = "queries",
         .heading = "queries",
         .value = [](const A& a) { return a.shared.size(); }},
        {.key = "r_of_log_ranks",
         .heading = "r of log ranks",
         .value = [](const A& a) { return a.log_rank.r; },
         .interval = true},
        {.key = "p", .heading = "p", .value = [](const A& a) -> CellValue {
           return OwnWord{detail::p_text(a.log_rank.p)};
         }}};
    tables.push_back({"agreements", table_of(columns, made_.agreements)});
    return tables;
  }

  /// The notes that must accompany the numbers wherever they are shown, without duplicates.
  [[nodiscard]] std::vector<std::string> notes() const { return run_.with_warnings(made_.remarks); }
  [[nodiscard]] const RankResults& results() const noexcept { return made_; }

 private:
  /// Every number of every method.
  [[nodiscard]] std::string metrics_csv() const {
    detail::EstimateCsv csv({"method", "ranks", "relation", "metric"});
    for (const RankedMethod& method : made_.methods) {
      const auto realistic = static_cast<std::size_t>(Ties::realistic);
      add_numbers(csv, {method.name, "raw", ""}, rank_columns(), method.raw[realistic]);
      add_numbers(csv, {method.name, "filtered", ""}, rank_columns(), method.filtered[realistic]);
      add_numbers(csv, {method.name, "raw", ""}, deer_program_columns(), method.raw[realistic]);
      add_numbers(csv, {method.name, "filtered", ""}, deer_program_columns(),
                  method.filtered[realistic]);
      for (const auto& [relation, metrics] : method.by_relation) {
        add_numbers(csv, {method.name, "raw", relation}, rank_columns(), metrics);
      }
    }
    return csv.text();
  }

  /// A row for each method and query.
  [[nodiscard]] std::string csv() const {
    std::string text = csv_line({"method", "part", "line", "asks", "head", "relation", "tail",
                                 "tokens", "rank", "filtered_rank", "undecided", "rank_at_most"});
    for (const RankedMethod& method : made_.methods) {
      for (const EntityRank& rank : method.ranks) {
        text += csv_line(
            {method.name, rank.part, std::to_string(rank.line), rank.asks_head ? "head" : "tail",
             rank.head, rank.relation, rank.tail, std::to_string(rank.tokens),
             with_decimals(rank.raw.realistic(), 1), with_decimals(rank.filtered.realistic(), 1),
             std::to_string(rank.undecided),
             with_decimals(rank.raw.realistic() + static_cast<double>(rank.undecided), 1)});
      }
    }
    return text;
  }

  Bootstrap bootstrap_;
  RankResults made_;
  RunRecord run_;
};

PLUMB_INLINE RankReport rank_report(const DiskPath& folder, Bootstrap bootstrap) {
  return report_of<RankResults>(std::make_shared<const RankReportBody>(folder, bootstrap));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
