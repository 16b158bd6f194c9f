// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which texts does DEER embed, and what ranks follow from their vectors?
//
// Queries with the same given entity and relation are embedded once. Head queries and tail queries
// are in separate lists, because each side has its own shots. The caller decides how the texts are
// embedded: into files that can be resumed (deer_run.hpp), or in memory.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/detail/backend/capabilities.hpp"
#include "plumb/detail/backend/concepts.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/prompt/entity_prompt.hpp"
#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"
#include "plumb/detail/rank/prompt_embedder.hpp"
#include "plumb/detail/rank/text_batches.hpp"
#include "plumb/detail/run/rank_plan.hpp"
#include "plumb/detail/run/unranked.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A model that DEER can use for embedding.
template <class M>
concept DeerModel = TreeEmbedder<M> ||(Embedder<M>&& LanguageModel<M>);

/// Calls `use` with an object that embeds texts with this model.
template <DeerModel Model, class Use>
auto with_embedder(Model& model, Use use) {
  if constexpr (TreeEmbedder<Model>) {
    if (capabilities_of(model).tree_embeddings) {
      PromptEmbedder<Model> embedder(model);
      return use(embedder);
    }
  }
  if constexpr (Embedder<Model>) {
    TextBatches<Model> embedder(model);
    return use(embedder);
  }
  throw internal_error({}, "this backend has no embeddings");
}

/// Lists of texts. The texts of one list share a prefix.
using TextLists = std::vector<std::span<const std::string>>;

inline std::string suffix_of(EntityPrompt prompt) {
  return prompt == EntityPrompt::eol ? "" : "-" + std::string(name_of(prompt));
}

/// "deer" for the paper's prompt, "deer-a" … for its variants.
[[nodiscard]] inline std::string name_of_deer(EntityPrompt prompt) {
  return "deer" + detail::suffix_of(prompt);
}

/// The distinct queries of a plan, identified by given entity and relation, and the row of each
/// planned query. Any number of threads may read the same object.
class DistinctQueries {
 public:
  explicit DistinctQueries(const RankPlan& plan) {
    for (const bool head : {false, true}) {
      for (const PlannedQuery& planned : plan.queries) {
        if (planned.query.asks_head != head) continue;
        if (rows_.try_emplace(key(planned.query), static_cast<std::uint32_t>(queries_.size()))
                .second) {
          queries_.push_back(planned.query);
        }
      }
      if (!head) tails_ = queries_.size();
    }
  }

  /// Queries that ask for the tail come first.
  [[nodiscard]] const std::vector<GraphQuery>& queries() const noexcept { return queries_; }
  [[nodiscard]] std::uint32_t row(const PlannedQuery& planned) const {
    return rows_.at(key(planned.query));
  }
  /// The texts to embed for the queries, and these texts grouped into lists.
  [[nodiscard]] std::vector<std::string> texts(const RankPlan& plan, QueryForm form) const {
    const TriplePrompt prompt(plan.graph, plan.shots, form);
    std::vector<std::string> texts;
    for (const GraphQuery& query : queries_) texts.push_back(prompt.query(query));
    return texts;
  }
  [[nodiscard]] TextLists lists(std::span<const std::string> texts) const {
    return {texts.first(tails_), texts.subspan(tails_)};
  }

 private:
  using Key = std::tuple<bool, std::uint32_t, std::uint32_t>;
  static Key key(const GraphQuery& query) {
    return {query.asks_head, query.given(), query.triple.relation};
  }

  std::vector<GraphQuery> queries_;
  std::size_t tails_ = 0;
  std::map<Key, std::uint32_t> rows_;
};

/// The texts to embed for a plan's candidates.
[[nodiscard]] inline std::vector<std::string> entity_texts(const RankPlan& plan,
                                                           EntityPrompt prompt) {
  std::vector<std::string> texts;
  for (const std::uint32_t e : plan.candidates.entities()) {
    texts.push_back(entity_text(prompt, plan.graph.entities[e]));
  }
  return texts;
}

/// The vectors of a part's candidates, selected from the vectors of the whole plan.
[[nodiscard]] inline EntityVectors vectors_of(const RankPlan& whole, const RankPlan& part,
                                              const EntityVectors& entities) {
  if (part.candidates.size() == whole.candidates.size()) return entities;
  std::vector<std::uint32_t> places;
  for (const std::uint32_t entity : part.candidates.entities()) {
    places.push_back(whole.candidates.place(entity));
  }
  return entities.narrowed(places);
}

/// Ranks for part of a plan, in the order of its queries. `entities` are the vectors of the whole
/// plan's candidates, and `queries` are the vectors of `distinct`.
template <class Tokenizer>
[[nodiscard]] std::vector<EntityRank> deer_ranks(const Tokenizer& tokenizer, EntityRanking& ranking,
                                                 const RankPlan& whole, const RankPlan& part,
                                                 const DistinctQueries& distinct,
                                                 const EntityVectors& entities,
                                                 VectorRows queries) {
  const TrueCandidates truths(part);
  std::vector<EntityQuestion> questions;
  for (const PlannedQuery& planned : part.queries) {
    const std::uint32_t gold = part.candidates.place(planned.query.gold());
    questions.push_back({distinct.row(planned), gold, truths.of(planned.query)});
    std::erase(questions.back().known, gold);
  }
  const std::vector<EntityStanding> standings =
      ranking.standings(vectors_of(whole, part, entities), queries, questions);
  std::vector<EntityRank> made;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    EntityRank& rank = made.emplace_back(unranked(tokenizer, part, part.queries[i]));
    rank.score = standings[i].cosine;
    rank.raw = standings[i].raw;
    rank.filtered = standings[i].filtered.rank;
    rank.filtered_candidates = standings[i].filtered.candidates;
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
