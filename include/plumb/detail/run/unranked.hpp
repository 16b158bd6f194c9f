// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about a query before it is ranked?

#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The result row for a query before the query is ranked.
template <class Tokenizer>
[[nodiscard]] EntityRank unranked(const Tokenizer& tokenizer, const RankPlan& plan,
                                  const PlannedQuery& planned) {
  const KnowledgeGraph& graph = plan.graph;
  const GraphQuery& query = planned.query;
  EntityRank rank;
  rank.part = planned.part;
  rank.line = query.triple.line;
  rank.asks_head = query.asks_head;
  rank.head = graph.entities[query.triple.head].id;
  rank.relation = graph.relations[query.triple.relation].id;
  rank.tail = graph.entities[query.triple.tail].id;
  rank.candidates = rank.filtered_candidates = plan.candidates.size();
  rank.tokens = inner_tokens(tokenizer, " " + graph.entities[query.gold()].name).tokens.size();
  return rank;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
