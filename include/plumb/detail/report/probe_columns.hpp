// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that a closed-set probe reports, each declared once. A column added to
// `group_columns` appears on the terminal, on the page, in metrics.csv and in metrics.json.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The numbers for a group of facts. The accuracy computed by letting the first of tied options win
/// is shown only if there is a tie.
[[nodiscard]] inline std::vector<Column<GroupMetrics>> group_columns(bool has_ties = true) {
  using G = GroupMetrics;
  std::vector<Column<G>> columns{
      {.key = "relations",
       .heading = "relations",
       .value = [](const G& g) { return g.relations; },
       .place = ColumnPlace::files},
      {.key = "facts", .heading = "facts", .value = [](const G& g) { return g.facts; }},
      {.key = "accuracy",
       .heading = "accuracy",
       .meaning = "Accuracy: the share of facts whose right option is the likeliest; if n options "
                  "share the best score and one of them is right, the fact counts as 1/n.",
       .value = [](const G& g) { return g.accuracy; },
       .interval = true}};
  for (const std::size_t level : {1U, 3U, 5U, 10U}) {
    const std::string k = std::to_string(level);
    columns.push_back({"hits_at_" + k, "Hit@" + k,
                       level == 1
                           ? "Hit@k: the share of facts whose right option is among the k "
                             "likeliest; if it ties with other options, the fact counts as the "
                             "probability that it is among the first k when the tie is broken at "
                             "random. A dash is shown if a relation has fewer than k options."
                           : "",
                       [level](const G& g) { return g.hit_at(level); },
                       level == 3 || level == 10 ? ColumnPlace::everywhere : ColumnPlace::page});
  }
  columns.push_back({.key = "mean_reciprocal_rank",
                     .heading = "MRR",
                     .meaning = "MRR: the mean reciprocal rank of the right option.",
                     .value = [](const G& g) { return g.mean_reciprocal_rank; },
                     .interval = true});
  columns.push_back({.key = "mean_rank",
                     .heading = "mean rank",
                     .value = [](const G& g) { return g.mean_rank; },
                     .decimals = 1});
  columns.push_back({.key = "answers",
                     .heading = "answers",
                     .value = [](const G& g) { return g.ties_for_best.answers; },
                     .place = ColumnPlace::files});
  columns.push_back({.key = "ties_for_best",
                     .heading = "ties",
                     .meaning = "Ties: answers in which several options share the best score.",
                     .value = [](const G& g) { return g.ties_for_best.tied; }});
  columns.push_back({.key = "ties_with_answer",
                     .heading = "ties with answer",
                     .value = [](const G& g) { return g.ties_with_answer; },
                     .place = ColumnPlace::files});
  columns.push_back(
      {.key = "accuracy_first_wins",
       .heading = detail::first_wins_heading,
       .meaning = "First wins: the first of the tied options is the answer, as in lm-pub-quiz.",
       .value = [](const G& g) { return g.accuracy_first_wins; },
       .place = has_ties ? ColumnPlace::everywhere : ColumnPlace::files,
       .interval = true});
  weigh(columns, {"accuracy", "mean_reciprocal_rank"}, ColumnWeight::major);
  weigh(columns, {"mean_rank", "ties_for_best"}, ColumnWeight::minor);
  return columns;
}

/// A row of a probe's table.
struct ProbedGroup {
  /// "relation", "domain", "cardinality", "overall", or "by " followed by a column name.
  std::string kind;
  std::string name;
  const GroupMetrics* metrics = nullptr;
  /// Null for a row that is not a relation.
  const Relation* relation = nullptr;
  /// Whether the preceding row is of a different kind.
  bool begins_section = false;

  [[nodiscard]] double chance() const {
    return 1.0 / static_cast<double>(relation->options.size());
  }
};

/// Relations, then domains, column values, cardinalities and all facts. The metrics and answers
/// must outlive the result.
[[nodiscard]] inline std::vector<ProbedGroup> probed_groups(
    const ProbeMetrics& metrics, const std::vector<RelationAnswers>& answers) {
  std::vector<ProbedGroup> groups;
  for (const auto& [code, group] : metrics.relations) {
    groups.push_back({"relation", code, &group, &find_relation(answers, code)->relation, false});
  }
  std::size_t first = groups.size();
  for (const auto& [domain, group] : metrics.domains) {
    groups.push_back({"domain", domain, &group.metrics, nullptr, groups.size() == first});
  }
  first = groups.size();
  for (const auto& [value, group] : metrics.by_column.values) {
    const std::string& column = metrics.by_column.column;
    groups.push_back(
        {"by " + column, column + " " + value, &group, nullptr, groups.size() == first});
  }
  first = groups.size();
  for (const auto& [kind, group] : metrics.cardinality) {
    groups.push_back({"cardinality", kind, &group, nullptr, groups.size() == first});
  }
  groups.push_back(
      {"overall", "all facts", &metrics.overall, nullptr, metrics.cardinality.empty()});
  groups.push_back({"overall", "mean of relations", &metrics.overall_unweighted, nullptr, false});
  return groups;
}

/// All columns of the table.
[[nodiscard]] inline std::vector<Column<ProbedGroup>> probe_columns(bool has_ties) {
  using G = ProbedGroup;
  auto numbers = columns_of<G>(group_columns(has_ties),
                               [](const G& g) -> const GroupMetrics& { return *g.metrics; });
  const auto facts = ranges::find(numbers, "facts", &Column<G>::key);
  const std::vector<Column<G>> of_relation{
      {.key = "options",
       .heading = "options",
       .value = [](const G& g) -> CellValue {
         if (g.relation == nullptr) return std::string();
         return g.relation->options.size();
       }},
      {.key = "kind",
       .heading = "kind",
       .value = [](const G& g) -> CellValue {
         if (g.relation == nullptr) return std::string();
         return std::string(is_one_to_one(*g.relation) ? "1:1" : "N:1");
       },
       .place = ColumnPlace::page}};
  numbers.insert(facts + 1, of_relation.begin(), of_relation.end());
  weigh(numbers, {"options"}, ColumnWeight::minor);
  numbers.insert(numbers.begin(), {.key = "name",
                                   .heading = "relation",
                                   .value = [](const G& g) -> CellValue { return g.name; }});
  return numbers;
}

/// One row for each value of a fact column, or for each bin of its values.
[[nodiscard]] inline std::vector<Column<std::pair<std::string, GroupMetrics>>> value_columns(
    const ColumnMetrics& by, bool has_ties) {
  using V = std::pair<std::string, GroupMetrics>;
  auto columns = columns_of<V>(group_columns(has_ties),
                               [](const V& one) -> const GroupMetrics& { return one.second; });
  columns.insert(columns.begin(), {.key = "value",
                                   .heading = by.column,
                                   .value = [](const V& one) -> CellValue { return one.first; }});
  return columns;
}

[[nodiscard]] inline Json to_json(const ColumnMetrics& by) {
  Json json = {{"column", by.column}, {"facts_without", by.without}, {"values", Json::array()}};
  for (const auto& one : by.values) json["values"].push_back(json_of(value_columns(by, true), one));
  return json;
}

[[nodiscard]] inline Json to_json(const ProbeMetrics& metrics) {
  const auto columns = group_columns();
  Json json = {{"overall", json_of(columns, metrics.overall)},
               {"overall_unweighted", json_of(columns, metrics.overall_unweighted)},
               {"relations", Json::object()},
               {"domains", Json::object()},
               {"cardinality", Json::object()}};
  for (const auto& [code, group] : metrics.relations) {
    json["relations"][code] = json_of(columns, group);
  }
  for (const auto& [domain, group] : metrics.domains) {
    Json& one = json["domains"][domain] = json_of(columns, group.metrics);
    one["accuracy_divided_support"] = to_json(group.divided_support);
    one["accuracy_divided_support_first_wins"] = to_json(group.divided_support_first_wins);
  }
  for (const auto& [kind, group] : metrics.cardinality) {
    json["cardinality"][kind] = json_of(columns, group);
  }
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
