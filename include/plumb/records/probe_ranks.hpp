// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do the right answers stand in a results folder?
//
// Reads the rows one by one and keeps ranks only, so a folder of any size can be measured. Works on
// plumb's run folders and on lm-pub-quiz's.

#include <filesystem>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "plumb/aggregate/weighted_likelihood.hpp"
#include "plumb/core/disk_path.hpp"
#include "plumb/measure/probe_metrics.hpp"
#include "plumb/records/probe_facts.hpp"

namespace plumb {

[[nodiscard]] inline RelationRanks ranks_of(const RecordedRelation& recorded) {
  auto table =
      recorded_facts(std::span(&recorded, 1), [](const RecordedRow& row, const RecordedRelation&) {
        return rank_answer(row.scores, row.fact.answer);
      });
  std::vector<std::size_t> answers;
  for (const Fact& fact : table.relation.facts) answers.push_back(fact.answer);
  return {table.relation.code,
          table.relation.domains,
          is_one_to_one(table.relation),
          table.relation.options.size(),
          std::move(table.templates),
          std::move(table.cells),
          std::move(answers)};
}

[[nodiscard]] inline std::vector<RelationRanks> recorded_ranks(const DiskPath& folder) {
  std::vector<RelationRanks> all;
  for (const RecordedRelation& recorded : recorded_relations(folder))
    all.push_back(ranks_of(recorded));
  return all;
}

/// The ranks under the weighted mean of the templates' scores (aggregate/weighted_likelihood.hpp),
/// one for each fact, by instance; `templates` is empty. None for a relation whose templates have no
/// weights, and no facts where none of those scored weighs anything.
[[nodiscard]] inline std::vector<RelationRanks> recorded_weighted_ranks(const DiskPath& folder) {
  std::vector<RelationRanks> all;
  for (const RecordedRelation& recorded : recorded_relations(folder)) {
    Relation relation = recorded.relation;
    if (relation.template_weights.empty()) continue;
    std::map<std::size_t, WeightedLikelihood> sums;  // by instance
    for_each_recorded_row(recorded, [&](const RecordedRow& row) {
      const auto [sum, is_new] = sums.try_emplace(row.fact.instance);
      if (is_new) relation.facts.push_back(row.fact);
      sum->second.add(row.scores, weight_of(relation.template_weights, row.template_index));
    });
    over::sort(relation.facts, {}, &Fact::instance);
    RelationRanks& made = all.emplace_back(RelationRanks{
        relation.code, relation.domains, is_one_to_one(relation), relation.options.size(), {}, {}});
    for (const Fact& fact : relation.facts) {
      const std::vector<double> scores = sums.at(fact.instance).scores();
      if (!scores.empty()) made.ranks.push_back({rank_answer(scores, fact.answer)});
    }
  }
  return all;
}

}  // namespace plumb
