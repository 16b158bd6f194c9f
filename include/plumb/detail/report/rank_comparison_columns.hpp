// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that compare models by their rankings, each declared once.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/rank/rank_comparison.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/rank_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The first model's value minus the second's, over the queries that both models ranked.
[[nodiscard]] inline std::vector<Column<RankDifference>> rank_difference_columns() {
  using D = RankDifference;
  using enum ColumnPlace;
  return {{.key = "queries",
           .heading = "queries",
           .value = [](const D& d) { return d.queries; },
           .weight = ColumnWeight::minor},
          {.key = "mean_reciprocal_rank",
           .heading = "MRR, difference",
           .meaning =
               "Difference: the first model's mean minus the second's over the queries that both "
               "have; it is significant if its interval excludes 0.",
           .value = [](const D& d) { return d.mean_reciprocal_rank; },
           .interval = true,
           .weight = ColumnWeight::major},
          {.key = "hits_at_1",
           .heading = "Hit@1, difference",
           .value = [](const D& d) { return d.hits_at_1; },
           .place = page},
          {.key = "hits_at_10",
           .heading = "Hit@10, difference",
           .value = [](const D& d) { return d.hits_at_10; }},
          {.key = "first_higher",
           .heading = "first higher",
           .meaning = "First higher: queries whose true entity the first model ranks higher.",
           .value = [](const D& d) { return d.first_higher; },
           .weight = ColumnWeight::minor},
          {.key = "second_higher",
           .heading = "second higher",
           .value = [](const D& d) { return d.second_higher; },
           .weight = ColumnWeight::minor},
          {.key = "equal",
           .heading = "equal",
           .value = [](const D& d) { return d.equal; },
           .place = page},
          {.key = "log_rank.r",
           .heading = "r of log ranks",
           .value = [](const D& d) { return d.log_rank.r; }},
          {.key = "log_rank.p",
           .heading = "p of r",
           .value = [](const D& d) { return correlation_p_cell(d.log_rank.p); },
           .place = files}};
}

/// The columns of `rank_difference_columns`, preceded by the names of the two models. `made` must
/// outlive the columns.
[[nodiscard]] inline std::vector<Column<RankDifference>> named_rank_difference_columns(
    const RankComparison& made) {
  using D = RankDifference;
  auto columns = rank_difference_columns();
  prepend(columns, {{.key = "pair",
                     .heading = "first − second",
                     .value = [&made](const D& d) -> CellValue {
                       return made.models[d.first].name + " − " + made.models[d.second].name;
                     },
                     .weight = ColumnWeight::major}});
  return columns;
}

/// The agreement of two methods of one model. The comparison must outlive this object.
struct ModelAgreement {
  const RankedModel* model = nullptr;
  const MethodAgreement* agreement = nullptr;

  [[nodiscard]] std::string methods() const {
    return model->methods[agreement->one].name + "+" + model->methods[agreement->other].name;
  }
};

/// Sorted by method pair, then by model size where known, smallest first.
[[nodiscard]] inline std::vector<ModelAgreement> model_agreements(const RankComparison& made) {
  std::vector<ModelAgreement> all;
  for (const RankedModel& model : made.models) {
    for (const MethodAgreement& one : model.agreements) all.push_back({&model, &one});
  }
  ranges::stable_sort(all, {}, [](const ModelAgreement& one) {
    return std::pair(one.methods(), one.model->parameters.value_or(0));
  });
  return all;
}

[[nodiscard]] inline std::vector<Column<MethodAgreement>> agreement_numbers() {
  using A = MethodAgreement;
  using enum ColumnPlace;
  return {{.key = "queries",
           .heading = "queries",
           .value = [](const A& a) { return a.shared.size(); },
           .weight = ColumnWeight::minor},
          {.key = "log_rank.r",
           .heading = "r of log ranks",
           .meaning = "r: Pearson's r over the queries that both methods rank among the same "
                      "candidates, with its two-sided p.",
           .value = [](const A& a) { return a.log_rank.r; },
           .interval = true,
           .weight = ColumnWeight::major},
          {.key = "log_rank.p",
           .heading = "p",
           .value = [](const A& a) { return correlation_p_cell(a.log_rank.p); },
           .place = page},
          {.key = "rank.r", .heading = "r of ranks", .value = [](const A& a) { return a.rank.r; }},
          {.key = "rank.p",
           .heading = "p of ranks",
           .value = [](const A& a) { return correlation_p_cell(a.rank.p); },
           .place = page}};
}

[[nodiscard]] inline std::vector<Column<ModelAgreement>> model_agreement_columns() {
  using M = ModelAgreement;
  auto columns = columns_of<M>(
      agreement_numbers(), [](const M& one) -> const MethodAgreement& { return *one.agreement; });
  prepend(columns, {{.key = "methods",
                     .heading = "methods",
                     .value = [](const M& one) -> CellValue { return one.methods(); }},
                    {.key = "model",
                     .heading = "model",
                     .value = [](const M& one) -> CellValue { return one.model->name; },
                     .names_model = true}});
  return columns;
}

/// `made` must outlive the columns.
[[nodiscard]] inline std::vector<Column<SizeSeries>> size_series_columns(
    const RankComparison& made) {
  using S = SizeSeries;
  return {{.key = "family",
           .heading = "family",
           .value = [](const S& s) -> CellValue { return s.family; }},
          {.key = "method",
           .heading = "method",
           .value = [](const S& s) -> CellValue { return s.method; }},
          {.key = "measure",
           .heading = "number",
           .value = [](const S& s) -> CellValue { return s.measure; }},
          {.key = "models",
           .heading = "models",
           .value = [&made](const S& s) -> CellValue {
             return text_list(s.models, [&](std::size_t m) { return made.models[m].name; });
           }},
          {.key = "monotone", .heading = "never falls", .value = [](const S& s) -> CellValue {
             return OwnWord{s.monotone ? "yes" : "no"};
           }}};
}

/// Rows for `rank_columns`, one for each model.
[[nodiscard]] inline std::vector<NamedRanks> rows_of(const RankComparison& made,
                                                     const MethodComparison& of) {
  std::vector<NamedRanks> rows;
  for (const RankStanding& one : of.standings) {
    const RankedMethod& method = made.ranked(one);
    rows.push_back(
        {made.models[one.model].name, &method.realistic(), std::to_string(method.candidates)});
  }
  return rows;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
