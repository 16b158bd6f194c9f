// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of facts with several right options, each declared once (measure/answer_set.hpp).

#include <span>
#include <string>
#include <vector>

#include "plumb/detail/measure/answer_set.hpp"
#include "plumb/detail/records/probe_answer_sets.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::detail {

/// A relation's facts of that kind, or those of all.
struct AnswerSetGroup {
  std::string name;
  AnswerSetMeans means;
};

/// Relations in their order, then all facts; nothing where no fact has several right options.
[[nodiscard]] inline std::vector<AnswerSetGroup> answer_set_groups(
    const std::vector<RelationAnswerSets>& relations, const Bootstrap& bootstrap) {
  std::vector<AnswerSetGroup> groups;
  std::vector<AnswerSetScores> all;
  for (const RelationAnswerSets& relation : relations) {
    groups.push_back({relation.code, answer_set_means(std::span(&relation.facts, 1), bootstrap,
                                                      "several right/" + relation.code)});
    all.push_back(relation.facts);
  }
  if (!all.empty()) {
    groups.push_back({"all facts", answer_set_means(all, bootstrap, "several right")});
  }
  return groups;
}

[[nodiscard]] inline std::vector<Column<AnswerSetGroup>> answer_set_columns() {
  using G = AnswerSetGroup;
  return {
      {"name", "several right options", "", [](const G& g) -> CellValue { return g.name; }},
      {"facts", "facts", "", [](const G& g) { return g.means.facts; }},
      {"precision_at_n", "precision at n",
       "Precision at n: of a fact with n right options, the share of its n likeliest that are "
       "right.",
       [](const G& g) { return g.means.precision; }, ColumnPlace::everywhere, 3, true},
      {"all_above", "all above",
       "All above: the share of facts whose right options each stand above every wrong one.",
       [](const G& g) { return g.means.all_above; }},
      {"set_above", "set above",
       "Set above: the share whose right options together are likelier than the best wrong one.",
       [](const G& g) { return g.means.set_above; }},
      {"lead", "lead", "Lead: by how many nats they are.", [](const G& g) { return g.means.lead; }},
      {"brier", "Brier",
       "Brier: Σ (p − y)² over the options, y being 1/n for the right ones and 0 else.",
       [](const G& g) { return g.means.brier; }}};
}

}  // namespace plumb::detail
