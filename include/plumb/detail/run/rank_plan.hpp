// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which queries about a knowledge graph does a ranking use, and which entities does it rank?
//
// The queries are the triples of a part of the graph, or a seeded sample of these triples. The
// candidates are all entities, those with a single-token name, the heads and tails of the queries,
// or, for each relation, the entities in the relation's range. All compared methods use the same
// queries and candidates. Source: "Cosine Similarity as Logits?", sections 5.2 and 5.3 and appendix
// C.2.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/prompt/entity_prompt.hpp"
#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"
#include "plumb/detail/score/name_search.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

enum class GraphPart { test, valid, train, all };
[[nodiscard]] constexpr std::array<GraphPart, 4> every(GraphPart) noexcept {
  return {GraphPart::test, GraphPart::valid, GraphPart::train, GraphPart::all};
}
[[nodiscard]] constexpr std::string_view name_of(GraphPart part) noexcept {
  constexpr std::array<std::string_view, 4> names{"test", "valid", "train", "all"};
  return names[static_cast<std::size_t>(part)];
}

enum class CandidateSet { all, single_token, of_queries, of_relation };
[[nodiscard]] constexpr std::array<CandidateSet, 4> every(CandidateSet) noexcept {
  return {CandidateSet::all, CandidateSet::single_token, CandidateSet::of_queries,
          CandidateSet::of_relation};
}
[[nodiscard]] constexpr std::string_view name_of(CandidateSet set) noexcept {
  constexpr std::array<std::string_view, 4> names{"all", "single-token", "of-queries",
                                                  "of-relation"};
  return names[static_cast<std::size_t>(set)];
}

struct RankOptions {
  GraphPart part = GraphPart::test;
  CandidateSet candidates = CandidateSet::all;
  /// Codes of the selected relations; empty selects all.
  std::vector<std::string> relations{};
  /// How many of these triples to draw with the seed, and how many of the drawn triples to use,
  /// from the first on; 0 means all.
  std::size_t sample = 0;
  std::size_t limit = 0;
  std::uint64_t sample_seed = 0;
  std::size_t shots = 8;
  std::uint64_t shot_seed = 0;
  /// The query form for DEER and the LM head; likelihoods always use the paper's form.
  QueryForm form = QueryForm::reference;
  /// The prompts for embedding entities. DEER produces one ranking for each.
  std::vector<EntityPrompt> entity_prompts{EntityPrompt::eol};
  /// Whether to also query the head of each triple.
  bool heads = false;
  NameSearchOptions search{};
};

/// A query, and the part of the graph that it comes from.
struct PlannedQuery {
  GraphQuery query;
  std::string_view part;
};

/// The entities among which each query's answer is ranked. Any number of threads may read the same
/// object.
class Candidates {
 public:
  Candidates() = default;
  Candidates(std::vector<std::uint32_t> entities, std::size_t all)
      : entities_(std::move(entities)), places_(all, absent) {
    for (std::uint32_t i = 0; i < entities_.size(); ++i) places_[entities_[i]] = i;
  }
  /// Indices into the graph's entities, in ascending order.
  [[nodiscard]] const std::vector<std::uint32_t>& entities() const noexcept { return entities_; }
  [[nodiscard]] std::size_t size() const noexcept { return entities_.size(); }
  [[nodiscard]] bool has(std::uint32_t entity) const { return places_[entity] != absent; }
  /// The entity's index among the candidates.
  [[nodiscard]] std::uint32_t place(std::uint32_t entity) const { return places_[entity]; }

 private:
  static constexpr std::uint32_t absent = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> entities_;
  std::vector<std::uint32_t> places_;
};

/// The queries, shots and candidates of a ranking. The graph must outlive this object.
struct RankPlan {
  const KnowledgeGraph& graph;
  std::vector<Triple> shots;
  std::vector<PlannedQuery> queries;
  Candidates candidates;
  /// The number of queries left out because the true entity is not a candidate.
  std::size_t left_out = 0;
};

inline std::set<std::uint32_t> asked_relations(const KnowledgeGraph& graph,
                                               const std::vector<std::string>& codes) {
  std::set<std::uint32_t> asked;
  for (const std::string& code : codes) {
    const auto found = ranges::find(graph.relations, code, &GraphRelation::id);
    if (found == graph.relations.end()) {
      std::string known;
      for (const GraphRelation& relation : graph.relations) known += " " + relation.id;
      throw user_error({.setting = "relations"}, "'" + code + "' is not a relation of the graph",
                       "it has" + known);
    }
    asked.insert(static_cast<std::uint32_t>(found - graph.relations.begin()));
  }
  return asked;
}

/// The same plan, reduced to the given candidates and to the queries whose true entity is among
/// them.
inline RankPlan narrowed(const RankPlan& plan, std::vector<std::uint32_t> entities) {
  RankPlan made{plan.graph, plan.shots, {}, {}, plan.left_out};
  made.candidates = Candidates(std::move(entities), plan.graph.entities.size());
  for (const PlannedQuery& planned : plan.queries) {
    if (made.candidates.has(planned.query.gold())) {
      made.queries.push_back(planned);
    } else {
      ++made.left_out;
    }
  }
  return made;
}

/// The candidates whose name is a single token (preceded by a space in the paper's form) and the
/// queries about them; there may be none.
template <class Tokenizer>
[[nodiscard]] RankPlan single_token_plan(const RankPlan& plan, const Tokenizer& tokenizer,
                                         QueryForm form) {
  std::vector<std::uint32_t> single;
  const bool puts_space = puts_space_before(tokenizer);
  for (const std::uint32_t e : plan.candidates.entities()) {
    const std::string text = TriplePrompt::head_candidate(plan.graph.entities[e], form);
    if (inner_tokens(tokenizer, text, puts_space).tokens.size() == 1) single.push_back(e);
  }
  return detail::narrowed(plan, std::move(single));
}

inline void refuse_no_single_token(std::size_t queries) {
  if (queries > 0) return;
  throw user_error({.setting = "candidates"},
                   "no query's true entity has a one-token name with this model",
                   "use more queries with `limit` or `sample`, or rank by likelihood or DEER");
}

/// For each relation, a plan with the relation's queries and, as candidates, the entities in its
/// range. If the graph does not list a relation's range, the range consists of all the relation's
/// tails. Relations without queries have no plan.
[[nodiscard]] inline std::vector<RankPlan> plans_by_relation(const RankPlan& plan) {
  const KnowledgeGraph& graph = plan.graph;
  std::vector<std::set<std::uint32_t>> ranges(graph.relations.size());
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    ranges[r].insert(graph.relations[r].range.begin(), graph.relations[r].range.end());
  }
  for (const auto* part : {&graph.train, &graph.valid, &graph.test}) {
    for (const Triple& t : *part) {
      if (graph.relations[t.relation].range.empty()) ranges[t.relation].insert(t.tail);
    }
  }
  std::vector<RankPlan> made;
  for (std::uint32_t r = 0; r < ranges.size(); ++r) {
    RankPlan of{graph, plan.shots, {}, {}, 0};
    for (const PlannedQuery& planned : plan.queries) {
      if (planned.query.triple.relation == r) of.queries.push_back(planned);
    }
    if (of.queries.empty()) continue;
    made.push_back(detail::narrowed(of, {ranges[r].begin(), ranges[r].end()}));
  }
  return made;
}

/// The texts scored after likelihood queries, in candidate order.
[[nodiscard]] inline std::vector<std::string> likelihood_texts(const RankPlan& plan) {
  std::vector<std::string> texts;
  for (const std::uint32_t e : plan.candidates.entities()) {
    texts.push_back(TriplePrompt::candidate(plan.graph.entities[e]));
  }
  return texts;
}

/// The texts that the LM head ranks after queries in the given form, in candidate order.
[[nodiscard]] inline std::vector<std::string> head_texts(const RankPlan& plan, QueryForm form) {
  std::vector<std::string> texts;
  for (const std::uint32_t e : plan.candidates.entities()) {
    texts.push_back(TriplePrompt::head_candidate(plan.graph.entities[e], form));
  }
  return texts;
}

/// Throws a user error if the part has no triples, or if the graph has too few for the shots.
template <class Tokenizer>
[[nodiscard]] RankPlan rank_plan(const KnowledgeGraph& graph, const RankOptions& options,
                                 const Tokenizer& tokenizer) {
  RankPlan plan{graph, drawn_shots(graph, options.shots, options.shot_seed), {}, {}, 0};
  const std::set<std::uint32_t> asked = detail::asked_relations(graph, options.relations);
  std::vector<std::pair<Triple, std::string_view>> triples;
  const auto add = [&](GraphPart part, const std::vector<Triple>& list, std::string_view name) {
    if (options.part != part && options.part != GraphPart::all) return;
    for (const Triple& triple : list) {
      if (asked.empty() || asked.contains(triple.relation)) triples.emplace_back(triple, name);
    }
  };
  add(GraphPart::train, graph.train, "train");
  add(GraphPart::valid, graph.valid, "valid");
  add(GraphPart::test, graph.test, "test");
  if (triples.empty()) {
    throw user_error({.setting = "split"}, "the graph has no triples in this part",
                     "use another part");
  }
  if (options.sample > 0 && options.sample < triples.size()) {
    RandomStream random(options.sample_seed, "queries/" + graph.name);
    random.shuffle(triples, options.sample);
    triples.resize(options.sample);
  }
  if (options.limit > 0 && options.limit < triples.size()) triples.resize(options.limit);
  std::set<std::uint32_t> met;
  for (const auto& [triple, name] : triples) {
    met.insert({triple.head, triple.tail});
    plan.queries.push_back({{triple, false}, name});
    if (options.heads) plan.queries.push_back({{triple, true}, name});
  }
  std::vector<std::uint32_t> entities;
  if (options.candidates == CandidateSet::of_queries) {
    entities.assign(met.begin(), met.end());
  } else {
    for (std::uint32_t e = 0; e < graph.entities.size(); ++e) entities.push_back(e);
  }
  plan.candidates = Candidates(std::move(entities), graph.entities.size());
  if (options.candidates == CandidateSet::of_relation) {
    std::set<std::uint32_t> ranked;
    for (const RankPlan& part : plans_by_relation(plan)) {
      ranked.insert(part.candidates.entities().begin(), part.candidates.entities().end());
    }
    plan.candidates = Candidates({ranked.begin(), ranked.end()}, graph.entities.size());
  }
  if (options.candidates != CandidateSet::single_token) return plan;
  RankPlan single = single_token_plan(plan, tokenizer, options.form);
  refuse_no_single_token(single.queries.size());
  return single;
}

/// For each query, the candidates that are true answers, as candidate indices in ascending order.
/// The query's own true entity is included. The plan must outlive this object. Any number of
/// threads may use the same object.
class TrueCandidates {
 public:
  explicit TrueCandidates(const RankPlan& plan) : plan_(plan) {
    for (const auto* part : {&plan.graph.train, &plan.graph.valid, &plan.graph.test}) {
      for (const Triple& t : *part) {
        tails_.push_back({t.head, t.relation, t.tail, 0});
        heads_.push_back({t.tail, t.relation, t.head, 0});
      }
    }
    for (auto* list : {&tails_, &heads_}) {
      ranges::sort_distinct(*list);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> of(const GraphQuery& query) const {
    const std::vector<Triple>& list = query.asks_head ? heads_ : tails_;
    const std::uint32_t relation = query.triple.relation;
    std::vector<std::uint32_t> places;
    for (auto at = ranges::lower_bound(list, Triple{query.given(), relation, 0, 0});
         at != list.end() && at->head == query.given() && at->relation == relation; ++at) {
      if (plan_.candidates.has(at->tail)) places.push_back(plan_.candidates.place(at->tail));
    }
    return places;  // ascending, because candidates are in entity order
  }

 private:
  const RankPlan& plan_;
  std::vector<Triple> tails_, heads_;  // given entity, relation, queried entity
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
