// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is DEER carried out so that it can be resumed?
//
// Each distinct query and, for each entity prompt, each candidate is embedded once, into queries.npy
// and entities.npy; packs that are done stand in the journal, with the rows that they have written and
// those rows' hash, which a resumed or merged run compares. Then cosines are counted, of all queries or
// of a part of them among fewer candidates.

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
#include "plumb/rank/prompt_embedder.hpp"
#include "plumb/rank/text_batches.hpp"
#include "plumb/records/npy_file.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/run/unranked.hpp"
#include "plumb/run/vector_cache.hpp"
#include "plumb/run/work.hpp"
#include "plumb/run/written_rows.hpp"

namespace plumb {

/// A model that DEER can embed with.
template <class M>
concept DeerModel = TreeEmbedder<M> ||(Embedder<M>&& LanguageModel<M>);

/// Model, options, folder, work and plan must outlive it. Not thread-safe.
template <DeerModel Model>
class DeerRun {
 public:
  /// Embeds the plan's queries. Without a `ranking`, which must outlive it, this process counts
  /// alone.
  DeerRun(Model& model, const RankOptions& options, const RunFolder& folder, Work& work,
          const RankPlan& plan, bool with_bos, EntityRanking* ranking = nullptr)
      : ranking_(ranking != nullptr ? *ranking : alone_),
        model_(model),
        options_(options),
        folder_(folder),
        work_(work),
        plan_(plan),
        with_bos_(with_bos),
        distinct_(plan),
        queries_(embedded_queries()) {}

  /// Whether the queries' vectors are there; in a shard others have some of them, and nothing is
  /// ranked.
  [[nodiscard]] bool has_queries() const noexcept { return queries_.has_value(); }

  /// What embedding takes: the queries and, with entities, the candidates of each entity prompt that
  /// the cache, if there is one, does not know. The model is not asked.
  [[nodiscard]] static JobPlan plan(Model& model, const RankOptions& options, const RankPlan& plan,
                                    bool with_bos, bool with_entities,
                                    const VectorCache* cache = nullptr) {
    JobPlan made;
    const auto add = [&](const std::string& name, const Lists& lists) {
      PlannedPart part{name, "text", 0, ScoringCost()};
      with_embedder(model, [&](const auto& embedder) {
        for (const std::span<const std::string>& list : lists) {
          if (list.empty()) continue;
          part.count += list.size();
          *part.cost += embedder.plan(list, with_bos).cost();
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
    if (cache == nullptr) return embedded(entities_name(prompt), names, {texts});
    const DiskPath file = folder_.file(entities_file(prompt));
    const bool is_there = file.exists();
    if (const auto known = cache->find(texts)) {
      if (!is_there || !are_same_bytes(NpyFile(file).rows(), known->rows())) {
        write_vectors(file, names, known->rows());
      }
      return NpyFile(file);
    }
    std::optional<NpyFile> made = embedded(entities_name(prompt), names, {texts});
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

  using Lists = std::vector<std::span<const std::string>>;

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
  static Lists lists_of(std::span<const std::string> queries, const DistinctQueries& distinct) {
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
    return embedded("queries", names, lists_of(texts, distinct_));
  }

  /// Calls `use` with what embeds texts by this model.
  template <class Use>
  static auto with_embedder(Model& model, Use use) {
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

  /// Embeds texts, one list after another, into `what`.npy, unless it stands there already. Nothing in
  /// a shard, whose rows stay in `what`.npy.part.
  [[nodiscard]] std::optional<NpyFile> embedded(const std::string& what,
                                                const std::vector<std::string>& names,
                                                const Lists& lists) {
    return with_embedder(model_,
                         [&](auto& embedder) { return embedded_by(embedder, what, names, lists); });
  }

  template <class TextEmbedder>
  [[nodiscard]] std::optional<NpyFile> embedded_by(TextEmbedder& embedder, const std::string& what,
                                                   const std::vector<std::string>& names,
                                                   const Lists& lists) {
    const auto file = folder_.file(what + ".npy");
    std::optional<NpyWriter> writer;
    std::optional<NpyFile> whole;
    Part part(work_, what);
    if (file.exists()) {
      whole.emplace(file);
      check_shape(file, *whole, names.size(), embedder.dimension());
    } else {
      // Without the file that they were written into, packs are not done, nor are they when a new one
      // is there to go on with.
      if (!NpyWriter::is_begun(file, names.size(), embedder.dimension())) part.begin_anew();
      writer.emplace(file, names.size(), embedder.dimension());
      work_.begin(what, names.size());
      for (const DiskPath& shard : work_.shards()) writer->take_rows(shard / (what + ".npy.part"));
    }
    const VectorRows vectors = whole ? whole->rows() : writer->rows();
    std::size_t first = 0, earlier = 0;
    for (const std::span<const std::string>& list : lists) {
      if (list.empty()) continue;
      auto job = embedder.plan(list, with_bos_);
      work_.summary().cost += job.cost();
      std::vector<PackCost> packs;
      for (std::size_t p = 0; p < job.packs(); ++p) {
        if (writer) packs.push_back({job.texts(p), job.statements(p), job.tokens(p)});
        if (whole) check_rows(part, file, vectors, part.kept(earlier + p).value_or(Json::array()));
      }
      bool is_fresh = false;  // what was written just now need not be read again
      part.go_through(
          packs,
          [&](std::size_t p) {
            std::vector<std::size_t> rows;
            embedder.embed(job, p, [&](std::size_t text, std::span<const float> row) {
              rows.push_back(first + text);
              writer->put(rows.back(), row);
            });
            writer->sync();  // or the journal's line could outlive its rows
            is_fresh = true;
            return written_rows(vectors, rows).dump();
          },
          [&](std::size_t, const Json& said) {
            if (!std::exchange(is_fresh, false)) check_rows(part, file, vectors, said);
          });
      first += list.size();
      earlier += job.packs();
    }
    if (!part.is_whole()) return std::nullopt;
    if (writer) {
      std::string lines;
      for (const std::string& name : names) lines += name + "\n";
      write_atomically(identifiers_of(file), lines);
      writer->finish();
      whole.emplace(file);
    }
    return whole;
  }

  static void check_shape(const DiskPath& file, const NpyFile& found, std::size_t rows,
                          std::size_t columns) {
    if (static_cast<std::size_t>(found.rows().rows()) == rows &&
        static_cast<std::size_t>(found.rows().cols()) == columns) {
      return;
    }
    throw user_error({.file = file}, "holds vectors of another shape than this run's",
                     "remove it, then `resume`: they are made anew");
  }
  /// Throws a user error for rows that are not what a pack has written.
  void check_rows(const Part& part, const DiskPath& file, VectorRows vectors,
                  const Json& said) const {
    std::optional<std::size_t> changed;
    try {
      changed = changed_row(vectors, said);
    } catch (const Json::exception&) {
      throw part.other_job();
    }
    if (!changed) return;
    const std::string where =
        "row " + std::to_string(*changed + 1) + " or one of its pack is not what ";
    if (!work_.shards().empty()) {
      throw user_error({.file = file}, where + "its shard wrote",
                       "make the shards again, then merge");
    }
    throw user_error({.file = file.exists() ? file : file + ".part"}, where + "this run wrote",
                     "remove the file, then `resume`: its vectors are made anew");
  }

  LocalRanking alone_;
  EntityRanking& ranking_;
  Model& model_;
  const RankOptions& options_;
  const RunFolder& folder_;
  Work& work_;
  const RankPlan& plan_;
  bool with_bos_;
  DistinctQueries distinct_;
  std::optional<NpyFile> queries_;
};

}  // namespace plumb
