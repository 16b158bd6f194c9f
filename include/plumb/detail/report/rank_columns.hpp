// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that a ranking of entities reports, each declared once. A column added to
// `rank_columns` appears on the terminal, on the page, in metrics.csv and in metrics.json.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/measure/rank_metrics.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline std::vector<Column<RankMetrics>> rank_columns() {
  using M = RankMetrics;
  std::vector<Column<M>> columns{
      {.key = "queries", .heading = "queries", .value = [](const M& m) { return m.queries; }},
      {.key = "mean_rank",
       .heading = "MR",
       .meaning = "MR: mean rank, from 1.",
       .value = [](const M& m) { return m.mean_rank; },
       .decimals = 1},
      {.key = "mean_reciprocal_rank",
       .heading = "MRR",
       .meaning = "MRR: mean reciprocal rank.",
       .value = [](const M& m) { return m.mean_reciprocal_rank; },
       .interval = true},
      {.key = "adjusted_mean_rank_index",
       .heading = "AMRI",
       .meaning = "AMRI: adjusted mean rank index; 1 is best, 0 corresponds to guessing.",
       .value = [](const M& m) { return m.adjusted_mean_rank_index; }}};
  for (const std::size_t level : ranked_hit_levels) {
    const std::string k = std::to_string(level);
    columns.push_back({"hits_at_" + k, "Hit@" + k,
                       level == 1
                           ? "Hit@k: the share of queries whose true entity is among the first k; "
                             "if it ties with other entities, the query counts as the probability "
                             "that it is among the first k when the tie is broken at random. "
                             "DEER's program counts ranks from 0, so its Hit@k equals Hit@(k + 1) "
                             "here; metrics.csv contains this number as deer_program_hits_at_k."
                           : "",
                       [level](const M& m) { return m.hit_at(level); }});
  }
  columns.push_back(
      {.key = "tied",
       .heading = "ties",
       .meaning = "Ties: queries whose true entity has the same score as others; the rank of such "
                  "an entity is the mean of its best and worst possible ranks.",
       .value = [](const M& m) { return m.tied; }});
  columns.push_back({.key = "undecided",
                     .heading = "undecided",
                     .value = [](const M& m) { return m.undecided; },
                     .place = ColumnPlace::files});
  weigh(columns, {"mean_reciprocal_rank", "hits_at_10"}, ColumnWeight::major);
  weigh(columns, {"queries", "hits_at_100", "tied"}, ColumnWeight::minor);
  return columns;
}

/// Hits at k as DEER's program counts them. That program counts ranks from 0, so its k corresponds
/// to k + 1 here.
[[nodiscard]] inline std::vector<Column<RankMetrics>> deer_program_columns() {
  std::vector<Column<RankMetrics>> columns;
  for (const std::size_t k : {1U, 10U, 100U}) {
    columns.push_back({"deer_program_hits_at_" + std::to_string(k), "", "",
                       [k](const RankMetrics& m) { return m.hit_at(k + 1); }, ColumnPlace::files});
  }
  return columns;
}

/// A named row of numbers.
struct NamedRanks {
  std::string name;
  const RankMetrics* metrics = nullptr;
  /// The number of candidates ranked for each query: "135", or "25–60"; empty if the column is not
  /// shown.
  std::string candidates{};
};

/// The columns of `rank_columns`, preceded by the row names under `heading`, with or without a
/// candidates column. The metrics must outlive the rows.
[[nodiscard]] inline std::vector<Column<NamedRanks>> named_rank_columns(
    const std::string& heading, bool with_candidates = false) {
  auto columns = columns_of<NamedRanks>(
      rank_columns(), [](const NamedRanks& row) -> const RankMetrics& { return *row.metrics; });
  columns.insert(columns.begin(),
                 {.key = "name",
                  .heading = heading,
                  .value = [](const NamedRanks& row) -> CellValue { return row.name; }});
  if (with_candidates) {
    columns.insert(columns.begin() + 2,
                   {.key = "candidates",
                    .heading = "candidates",
                    .value = [](const NamedRanks& row) -> CellValue { return row.candidates; }});
    weigh(columns, {"candidates"}, ColumnWeight::minor);
  }
  return columns;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
