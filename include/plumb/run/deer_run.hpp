// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is DEER carried out so that it can be resumed?
//
// Each distinct query and, for each entity prompt, each candidate is embedded once, into queries.npy
// and entities.npy (embedded_texts.hpp). Then cosines are counted, of all queries or of a part of them
// among fewer candidates.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/prompt/entity_prompt.hpp"
#include "plumb/prompt/triple_prompt.hpp"
#include "plumb/rank/entity_ranking.hpp"
#include "plumb/rank/entity_shard.hpp"
#include "plumb/records/npy_file.hpp"
#include "plumb/run/embedded_texts.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/run/unranked.hpp"
#include "plumb/run/vector_cache.hpp"
#include "plumb/run/work.hpp"
#include "plumb/run/written_rows.hpp"
#include "plumb/score/bos.hpp"

namespace plumb {

/// Model, options, folder, work and plan must outlive it. Not thread-safe.
template <DeerModel Model>
class DeerRun {
 public:
  /// Embeds the plan's queries. Without a `ranking`, which must outlive it, this process counts
  /// alone.
  DeerRun(Model& model, const RankOptions& options, const RunFolder& folder, Work& work,
          const RankPlan& plan, const Surround& around, EntityRanking* ranking = nullptr)
      : ranking_(ranking != nullptr ? *ranking : alone_),
        model_(model),
        options_(options),
        folder_(folder),
        plan_(plan),
        distinct_(plan),
        texts_(model, folder, work, around),
        queries_(embedded_queries()) {}

  /// Whether the queries' vectors are there; in a shard others have some of them, and nothing is
  /// ranked.
  [[nodiscard]] bool has_queries() const noexcept { return queries_.has_value(); }

  /// What embedding takes: the queries and, with entities, the candidates of each entity prompt that
  /// the cache, if there is one, does not know. The model is not asked.
  [[nodiscard]] static JobPlan plan(Model& model, const RankOptions& options, const RankPlan& plan,
                                    const Surround& around, bool with_entities,
                                    const VectorCache* cache = nullptr) {
    JobPlan made;
    const auto add = [&](const std::string& name, const TextLists& lists) {
      PlannedPart part{name, "text", 0, ScoringCost()};
      EmbeddedTexts<Model>::with_embedder(model, [&](const auto& embedder) {
        for (const std::span<const std::string>& list : lists) {
          if (list.empty()) continue;
          part.count += list.size();
          *part.cost += embedder.plan(list, around).cost();
        }
      });
      made.push_back(std::move(part));
    };
    const DistinctQueries distinct(plan);
    const std::vector<std::string> queries = query_texts(options, plan, distinct);
    add("queries", lists_of(queries, distinct));
    for (const EntityPrompt prompt : options.entity_prompts) {
      if (!with_entities) break;
      const std::vector<std::string> texts = candidate_texts(plan, prompt);
      if (cache == nullptr || !cache->find(texts)) add(entities_name(prompt), {texts});
    }
    return made;
  }

  /// "deer" for the paper's prompt, "deer-a" … for its variants.
  [[nodiscard]] static std::string name_of_method(EntityPrompt prompt) {
    return "deer" + suffix(prompt);
  }

  /// "entities.npy" for the paper's prompt, "entities-a.npy" … for its variants.
  [[nodiscard]] static std::string entities_file(EntityPrompt prompt) {
    return entities_name(prompt) + ".npy";
  }

  /// Embeds the plan's candidates, into their file; with a cache they are taken from there, or kept.
  /// Nothing in a shard, where others have some of them.
  [[nodiscard]] std::optional<NpyFile> entities(EntityPrompt prompt,
                                                const VectorCache* cache = nullptr) {
    std::vector<std::string> names;
    for (const std::uint32_t e : plan_.candidates.entities()) {
      names.push_back(plan_.graph.entities[e].id);
    }
    const std::vector<std::string> texts = candidate_texts(plan_, prompt);
    if (cache == nullptr) return texts_.embedded(entities_name(prompt), names, {texts});
    const DiskPath file = folder_.file(entities_file(prompt));
    const bool is_there = file.exists();
    if (const auto known = cache->find(texts)) {
      if (!is_there || !are_same_bytes(NpyFile(file).rows(), known->rows())) {
        write_vectors(file, names, known->rows());
      }
      return NpyFile(file);
    }
    std::optional<NpyFile> made = texts_.embedded(entities_name(prompt), names, {texts});
    if (made) cache->keep(texts, made->rows());
    return made;
  }

  /// Ranks of a part of the plan, in the order of its queries. `entities` are the whole plan's
  /// candidates.
  [[nodiscard]] std::vector<EntityRank> rank(const RankPlan& part, const EntityVectors& entities) {
    const TrueCandidates truths(part);
    std::vector<EntityQuestion> questions;
    for (const PlannedQuery& planned : part.queries) {
      const std::uint32_t gold = part.candidates.place(planned.query.gold());
      questions.push_back({row_of(planned), gold, truths.of(planned.query)});
      std::erase(questions.back().known, gold);
    }
    const std::vector<EntityStanding> standings =
        ranking_.standings(candidates_of(part, entities), queries_->rows(), questions);
    std::vector<EntityRank> made;
    for (std::size_t i = 0; i < standings.size(); ++i) {
      EntityRank& rank = made.emplace_back(unranked(model_, part, part.queries[i]));
      rank.score = standings[i].cosine;
      rank.raw = standings[i].raw;
      rank.filtered = standings[i].filtered.rank;
      rank.filtered_candidates = standings[i].filtered.candidates;
    }
    return made;
  }

  /// The nearest candidates of each of a part's queries, as places among them.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(const RankPlan& part,
                                                             const EntityVectors& entities,
                                                             std::size_t count) {
    const auto of_distinct =
        ranking_.nearest(candidates_of(part, entities), queries_->rows(), count);
    std::vector<std::vector<NearEntity>> made;
    for (const PlannedQuery& planned : part.queries) made.push_back(of_distinct[row_of(planned)]);
    return made;
  }

 private:
  /// Queries of one given entity and relation, and which row each planned query is.
  struct DistinctQueries {
    explicit DistinctQueries(const RankPlan& plan) {
      for (const bool head : {false, true}) {
        for (const PlannedQuery& planned : plan.queries) {
          if (planned.query.asks_head != head) continue;
          if (rows.try_emplace(key(planned.query), static_cast<std::uint32_t>(queries.size()))
                  .second) {
            queries.push_back(planned.query);
          }
        }
        if (!head) tails = queries.size();
      }
    }
    using Key = std::tuple<bool, std::uint32_t, std::uint32_t>;
    static Key key(const GraphQuery& query) {
      return {query.asks_head, query.given(), query.triple.relation};
    }
    std::vector<GraphQuery> queries;  // those that ask for the tail first
    std::size_t tails = 0;
    std::map<Key, std::uint32_t> rows;
  };

  /// The vectors of a part's candidates.
  [[nodiscard]] EntityVectors candidates_of(const RankPlan& part,
                                            const EntityVectors& entities) const {
    if (part.candidates.size() == plan_.candidates.size()) return entities;
    std::vector<std::uint32_t> places;
    for (const std::uint32_t entity : part.candidates.entities()) {
      places.push_back(plan_.candidates.place(entity));
    }
    return entities.narrowed(places);
  }
  /// Which of the distinct queries it is.
  [[nodiscard]] std::uint32_t row_of(const PlannedQuery& planned) const {
    return distinct_.rows.at(DistinctQueries::key(planned.query));
  }

  static std::string entities_name(EntityPrompt prompt) { return "entities" + suffix(prompt); }
  static std::string suffix(EntityPrompt prompt) {
    return prompt == EntityPrompt::eol ? "" : "-" + std::string(name_of(prompt));
  }

  static std::vector<std::string> candidate_texts(const RankPlan& plan, EntityPrompt prompt) {
    std::vector<std::string> texts;
    for (const std::uint32_t e : plan.candidates.entities()) {
      texts.push_back(entity_text(prompt, plan.graph.entities[e]));
    }
    return texts;
  }
  static std::vector<std::string> query_texts(const RankOptions& options, const RankPlan& plan,
                                              const DistinctQueries& distinct) {
    const TriplePrompt prompt(plan.graph, plan.shots, options.form);
    std::vector<std::string> texts;
    for (const GraphQuery& query : distinct.queries) texts.push_back(prompt.query(query));
    return texts;
  }
  /// Each side has shots of its own.
  static TextLists lists_of(std::span<const std::string> queries, const DistinctQueries& distinct) {
    return {queries.first(distinct.tails), queries.subspan(distinct.tails)};
  }

  [[nodiscard]] std::optional<NpyFile> embedded_queries() {
    const KnowledgeGraph& graph = plan_.graph;
    std::vector<std::string> names;
    for (const GraphQuery& query : distinct_.queries) {
      names.push_back(graph.entities[query.given()].id + (query.asks_head ? " inverse of " : " ") +
                      graph.relations[query.triple.relation].id);
    }
    const std::vector<std::string> texts = query_texts(options_, plan_, distinct_);
    return texts_.embedded("queries", names, lists_of(texts, distinct_));
  }

  LocalRanking alone_;
  EntityRanking& ranking_;
  Model& model_;
  const RankOptions& options_;
  const RunFolder& folder_;
  const RankPlan& plan_;
  DistinctQueries distinct_;
  EmbeddedTexts<Model> texts_;
  std::optional<NpyFile> queries_;
};

}  // namespace plumb
