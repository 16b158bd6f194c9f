// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files does a ranking write for each method?
//
// METHOD_ranks.jsonl contains a line for each query (records/ranking_rows.hpp).
// METHOD_nearest.jsonl contains the nearest entities of each query, in the same order.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "plumb/detail/run/rank_parts.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/run/run_folder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Writes a method's ranks.
inline void write_ranks(const RunFolder& folder, const std::string& method,
                        const std::vector<EntityRank>& ranks) {
  std::string lines;
  for (const EntityRank& rank : ranks) lines += row_line(rank);
  write_atomically(folder.file(method + "_ranks.jsonl"), lines);
}

/// Writes each query's nearest entities. `nearest(part)` returns the nearest entities for a part's
/// queries, as indices into the part's candidates.
template <class Nearest>
void write_nearest(const RunFolder& folder, const std::string& method, const RankParts& parts,
                   Nearest nearest) {
  const KnowledgeGraph& graph = parts.whole.graph;
  std::string lines;
  for (const RankPlan& part : parts.parts) {
    const std::vector<std::vector<NearEntity>> of_part = nearest(part);
    for (std::size_t q = 0; q < part.queries.size(); ++q) {
      const GraphQuery& query = part.queries[q].query;
      NearestEntities row{query.asks_head, graph.entities[query.triple.head].id,
                          graph.relations[query.triple.relation].id,
                          graph.entities[query.triple.tail].id};
      for (const NearEntity& nearby : of_part[q]) {
        const std::uint32_t entity = part.candidates.entities()[nearby.entity];
        row.nearest.emplace_back(graph.entities[entity].id, nearby.cosine);
      }
      lines += row_line(row);
    }
  }
  write_atomically(folder.file(method + "_nearest.jsonl"), lines);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
