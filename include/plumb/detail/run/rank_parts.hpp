// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a ranking divided into parts, each with its own candidates?
//
// Either all queries share one set of candidates, or the queries of each relation have that
// relation's candidates. The LM head ranks only entities with single-token names.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/run/rank_plan.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The plan of the whole ranking; the plans of its parts, each with its own candidates (or the
/// whole plan as the only part); and, if the LM head is used, the plans of what it can rank in each
/// part, in the same order.
struct RankParts {
  RankPlan whole;
  std::vector<RankPlan> parts{};
  std::vector<RankPlan> single{};
  /// Whether each part contains the queries of only one relation.
  bool by_relation = false;

  /// The relation of a part; empty if the part is the whole plan.
  [[nodiscard]] std::string label(std::size_t part) const {
    if (!by_relation) return "";
    return whole.graph.relations[parts[part].queries.front().query.triple.relation].id;
  }
  /// Whether the LM head has fewer candidates than the other methods.
  [[nodiscard]] bool narrows() const {
    for (std::size_t p = 0; p < single.size(); ++p) {
      if (single[p].candidates.size() != parts[p].candidates.size()) return true;
    }
    return false;
  }
  [[nodiscard]] std::size_t left_out() const {
    std::size_t queries = whole.left_out;
    if (!by_relation) return queries;
    for (const RankPlan& part : parts) queries += part.left_out;
    return queries;
  }
};

/// How many queries ask about a triple that is also one of their shots.
[[nodiscard]] inline std::size_t shown_queries(const std::vector<RankPlan>& parts) {
  std::size_t shown = 0;
  for (const RankPlan& part : parts) {
    for (const PlannedQuery& planned : part.queries) {
      const Triple& asked = planned.query.triple;
      shown += static_cast<std::size_t>(ranges::find(part.shots, asked) != part.shots.end());
    }
  }
  return shown;
}

/// Throws the same errors as rank_plan, and a user error if the LM head is requested but can rank
/// nothing.
template <class Tokenizer>
[[nodiscard]] RankParts rank_parts(const KnowledgeGraph& graph, const RankOptions& options,
                                   bool with_lm_head, const Tokenizer& tokenizer) {
  RankParts made{rank_plan(graph, options, tokenizer)};
  if (options.candidates == CandidateSet::of_relation) {
    made.parts = plans_by_relation(made.whole);
    made.by_relation = true;
  } else {
    made.parts.push_back(made.whole);
  }
  if (!with_lm_head) return made;
  std::size_t queries = 0;
  for (const RankPlan& part : made.parts) {
    made.single.push_back(single_token_plan(part, tokenizer, options.form));
    queries += made.single.back().queries.size();
  }
  refuse_no_single_token(queries);
  return made;
}

/// The concatenated results of `rank(part, place)` for all parts with queries; `place` is the index
/// of the part.
template <class RankPart>
[[nodiscard]] std::vector<EntityRank> ranks_of(const std::vector<RankPlan>& parts, RankPart rank) {
  std::vector<EntityRank> made;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].queries.empty()) continue;
    const std::vector<EntityRank> ranks = rank(parts[p], p);
    made.insert(made.end(), ranks.begin(), ranks.end());
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
