// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do the right answers stand in a results folder?
//
// Reads the rows one by one and keeps ranks only, so a folder of any size can be measured. Works on
// plumb's run folders and on lm-pub-quiz's.

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/measure/probe_metrics.hpp"
#include "plumb/score/recorded.hpp"

namespace plumb {

/// Where the metadata does not say whether the relation is 1:1, the recorded facts decide. Throws a
/// user error when a fact lacks a template that another fact of its relation has.
[[nodiscard]] inline RelationRanks ranks_of(const RecordedRelation& recorded) {
  RelationRanks ranks;
  ranks.code = recorded.relation.code;
  ranks.domains = recorded.relation.domains;
  ranks.one_to_one = recorded.relation.one_to_one;
  ranks.options = recorded.relation.options.size();
  std::map<std::size_t, std::map<std::size_t, AnswerRank>> by_instance;
  std::map<std::size_t, std::size_t> instance_of_answer;
  bool shared_answer = false;
  for_each_recorded_row(recorded, [&](const RecordedRow& row) {
    const auto [known, added] = instance_of_answer.emplace(row.fact.answer, row.fact.instance);
    shared_answer = shared_answer || (!added && known->second != row.fact.instance);
    if (!by_instance[row.fact.instance]
             .emplace(row.template_index, rank_answer(row.scores, row.fact.answer))
             .second) {
      throw user_error(
          {recorded.rows, 0, "instance_index"},
          "instance " + std::to_string(row.fact.instance) + " stands twice for one template",
          "the results file is damaged");
    }
    if (std::ranges::find(ranks.templates, row.template_index) == ranks.templates.end()) {
      ranks.templates.push_back(row.template_index);
    }
  });
  if (recorded.facts > 0 && by_instance.size() != recorded.facts) {
    throw user_error(
        {.file = recorded.rows},
        std::to_string(by_instance.size()) + " of " + std::to_string(recorded.facts) + " facts",
        "the results file is incomplete; probe again");
  }
  if (!recorded.has_cardinality) ranks.one_to_one = !shared_answer;
  std::ranges::sort(ranks.templates);
  for (const auto& [instance, rows] : by_instance) {
    if (rows.size() != ranks.templates.size()) {
      throw user_error(
          {recorded.rows, 0, "template_index"},
          "instance " + std::to_string(instance) + " lacks a template that others have",
          "the results file is incomplete");
    }
    auto& list = ranks.ranks.emplace_back();
    for (const auto& [template_index, rank] : rows) list.push_back(rank);
  }
  return ranks;
}

[[nodiscard]] inline std::vector<RelationRanks> recorded_ranks(
    const std::filesystem::path& folder) {
  std::vector<RelationRanks> all;
  for (const RecordedRelation& recorded : recorded_relations(folder))
    all.push_back(ranks_of(recorded));
  return all;
}

/// The template indices any relation was scored under, ascending.
[[nodiscard]] inline std::vector<std::size_t> scored_templates(
    const std::vector<RelationRanks>& all) {
  std::vector<std::size_t> templates;
  for (const RelationRanks& relation : all) {
    templates.insert(templates.end(), relation.templates.begin(), relation.templates.end());
  }
  std::ranges::sort(templates);
  const auto [first, last] = std::ranges::unique(templates);
  templates.erase(first, last);
  return templates;
}

}  // namespace plumb
