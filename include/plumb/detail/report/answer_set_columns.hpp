// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metrics for facts with several right options, each declared once (measure/answer_set.hpp).

#include <span>
#include <string>
#include <vector>

#include "plumb/detail/measure/answer_set.hpp"
#include "plumb/detail/records/probe_answer_sets.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The facts with several right options, either of one relation or of all relations.
struct AnswerSetGroup {
  std::string name;
  AnswerSetMeans means;
};

/// The relations in order, then all facts together; empty if no fact has several right options.
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
      {.key = "name",
       .heading = "several right options",
       .value = [](const G& g) -> CellValue { return g.name; }},
      {.key = "facts", .heading = "facts", .value = [](const G& g) { return g.means.facts; }},
      {.key = "precision_at_n",
       .heading = "precision at n",
       .meaning = "Precision at n: for a fact with n right options, the share of the n likeliest "
                  "options that are right.",
       .value = [](const G& g) { return g.means.precision; },
       .interval = true},
      {.key = "all_above",
       .heading = "all above",
       .meaning =
           "All above: the share of facts whose right options are all likelier than any wrong one.",
       .value = [](const G& g) { return g.means.all_above; }},
      {.key = "set_above",
       .heading = "set above",
       .meaning = "Set above: the share of facts whose right options together are likelier than "
                  "the likeliest wrong option.",
       .value = [](const G& g) { return g.means.set_above; }},
      {.key = "lead",
       .heading = "lead",
       .meaning = "Lead: the log-probability of all right options together minus that of the "
                  "likeliest wrong option, in nats.",
       .value = [](const G& g) { return g.means.lead; }},
      {.key = "brier",
       .heading = "Brier",
       .meaning = "Brier: Σ (p − y)² over the options; y is 1/n for the right options and 0 for "
                  "the others.",
       .value = [](const G& g) { return g.means.brier; }}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
