// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does a job run DEER so that it can be resumed?
//
// Each distinct query is embedded once, into queries.npy. Each candidate is embedded once per
// entity prompt, into entities.npy (embedded_texts.hpp). Ranks are then computed from cosines,
// either for all queries and candidates or for a subset of the queries and fewer candidates.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/prompt/entity_prompt.hpp"
#include "plumb/detail/rank/entity_ranking.hpp"
#include "plumb/detail/rank/entity_shard.hpp"
#include "plumb/detail/records/npy_file.hpp"
#include "plumb/detail/run/deer_ranks.hpp"
#include "plumb/detail/run/embedded_texts.hpp"
#include "plumb/detail/run/run_folder.hpp"
#include "plumb/detail/run/vector_cache.hpp"
#include "plumb/detail/run/work.hpp"
#include "plumb/detail/run/written_rows.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model, options, folder, work and plan must outlive this object. Not thread-safe.
template <DeerModel Model>
class DeerRun {
 public:
  /// Embeds the plan's queries. `ranking`, if given, must outlive this object; without it, this
  /// process computes the ranks itself.
  DeerRun(Model& model, const RankOptions& options, const RunFolder& folder, Work& work,
          const RankPlan& plan, const FramingTokens& around, EntityRanking* ranking = nullptr)
      : ranking_(ranking != nullptr ? *ranking : alone_),
        model_(model),
        options_(options),
        folder_(folder),
        plan_(plan),
        distinct_(plan),
        texts_(model, folder, work, around),
        queries_(embedded_queries()) {}

  /// Whether all query vectors exist. A shard has only some of them, so it does not rank anything.
  [[nodiscard]] bool has_queries() const noexcept { return queries_.has_value(); }

  /// The plan for embedding: the queries and, if entities are embedded, the candidates under each
  /// entity prompt that are not in the cache. Does not call the model.
  [[nodiscard]] static JobPlan plan(Model& model, const RankOptions& options, const RankPlan& plan,
                                    const FramingTokens& around, bool with_entities,
                                    const VectorCache* cache = nullptr) {
    JobPlan made;
    const auto add = [&](const std::string& name, const TextLists& lists) {
      PlannedPart part{name, "text", 0, ScoringCost()};
      with_embedder(model, [&](const auto& embedder) {
        for (const std::span<const std::string>& list : lists) {
          if (list.empty()) continue;
          part.count += list.size();
          *part.cost += embedder.plan(list, around).cost();
        }
      });
      made.push_back(std::move(part));
    };
    const DistinctQueries distinct(plan);
    const std::vector<std::string> queries = distinct.texts(plan, options.form);
    add("queries", distinct.lists(queries));
    for (const EntityPrompt prompt : options.entity_prompts) {
      if (!with_entities) break;
      const std::vector<std::string> texts = entity_texts(plan, prompt);
      if (cache == nullptr || !cache->find(texts)) add(entities_name(prompt), {texts});
    }
    return made;
  }

  /// "entities.npy" for the paper's prompt, "entities-a.npy" … for its variants.
  [[nodiscard]] static std::string entities_file(EntityPrompt prompt) {
    return entities_name(prompt) + ".npy";
  }

  /// Embeds the plan's candidates and writes the vectors to a file. If there is a cache, the
  /// vectors are read from it or stored in it. Returns nothing in a shard, because other shards
  /// have some of the vectors.
  [[nodiscard]] std::optional<NpyFile> entities(EntityPrompt prompt,
                                                const VectorCache* cache = nullptr) {
    std::vector<std::string> names;
    for (const std::uint32_t e : plan_.candidates.entities()) {
      names.push_back(plan_.graph.entities[e].id);
    }
    const std::vector<std::string> texts = entity_texts(plan_, prompt);
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

  /// Ranks for part of the plan, in the order of its queries. `entities` are the vectors of the
  /// whole plan's candidates.
  [[nodiscard]] std::vector<EntityRank> rank(const RankPlan& part, const EntityVectors& entities) {
    return deer_ranks(model_, ranking_, plan_, part, distinct_, entities, queries_->rows());
  }

  /// The nearest candidates for each query in a part, as indices into the part's candidates.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(const RankPlan& part,
                                                             const EntityVectors& entities,
                                                             std::size_t count) {
    const auto of_distinct =
        ranking_.nearest(vectors_of(plan_, part, entities), queries_->rows(), count);
    std::vector<std::vector<NearEntity>> made;
    for (const PlannedQuery& planned : part.queries)
      made.push_back(of_distinct[distinct_.row(planned)]);
    return made;
  }

 private:
  static std::string entities_name(EntityPrompt prompt) {
    return "entities" + detail::suffix_of(prompt);
  }
  [[nodiscard]] std::optional<NpyFile> embedded_queries() {
    const KnowledgeGraph& graph = plan_.graph;
    std::vector<std::string> names;
    for (const GraphQuery& query : distinct_.queries()) {
      names.push_back(graph.entities[query.given()].id + (query.asks_head ? " inverse of " : " ") +
                      graph.relations[query.triple.relation].id);
    }
    const std::vector<std::string> texts = distinct_.texts(plan_, options_.form);
    return texts_.embedded("queries", names, distinct_.lists(texts));
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

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
