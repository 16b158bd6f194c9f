// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do the right answers stand in a results folder?
//
// Reads the rows one by one and keeps ranks only, so a folder of any size can be measured. Works on
// plumb's run folders and on lm-pub-quiz's.

#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/measure/probe_metrics.hpp"
#include "plumb/records/recorded_facts.hpp"

namespace plumb {

[[nodiscard]] inline RelationRanks ranks_of(const RecordedRelation& recorded) {
  auto table =
      recorded_facts(std::span(&recorded, 1), [](const RecordedRow& row, const RecordedRelation&) {
        return rank_answer(row.scores, row.fact.answer);
      });
  return {table.relation.code,           table.relation.domains,     is_one_to_one(table.relation),
          table.relation.options.size(), std::move(table.templates), std::move(table.cells)};
}

[[nodiscard]] inline std::vector<RelationRanks> recorded_ranks(const DiskPath& folder) {
  std::vector<RelationRanks> all;
  for (const RecordedRelation& recorded : recorded_relations(folder))
    all.push_back(ranks_of(recorded));
  return all;
}

}  // namespace plumb
