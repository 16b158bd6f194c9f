// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is DEER carried out so that it can be resumed?
//
// Each distinct query and, for each entity prompt, each candidate is embedded once, into queries.npy
// and entities.npy; packs that are done stand in the journal. Then cosines are counted, of all
// queries or of a part of them among fewer candidates.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/prompt/entity_prompt.hpp"
#include "plumb/prompt/triple_prompt.hpp"
#include "plumb/rank/cosine_ranker.hpp"
#include "plumb/rank/filtered_ranks.hpp"
#include "plumb/rank/prompt_embedder.hpp"
#include "plumb/rank/text_batches.hpp"
#include "plumb/records/npy_file.hpp"
#include "plumb/run/run_folder.hpp"
#include "plumb/run/unranked.hpp"
#include "plumb/run/work.hpp"

namespace plumb {

/// A model that DEER can embed with.
template <class M>
concept DeerModel = TreeEmbedder<M> ||(Embedder<M>&& LanguageModel<M>);

/// Model, options, folder, work and plan must outlive it. Not thread-safe.
template <DeerModel Model>
class DeerRun {
 public:
  /// Embeds the plan's queries.
  DeerRun(Model& model, const RankOptions& options, const RunFolder& folder, Work& work,
          const RankPlan& plan, bool with_bos)
      : model_(model),
        options_(options),
        folder_(folder),
        work_(work),
        plan_(plan),
        with_bos_(with_bos),
        distinct_(plan),
        queries_(embedded_queries()) {}

  /// "deer" for the paper's prompt, "deer-a" … for its variants.
  [[nodiscard]] static std::string name_of_method(EntityPrompt prompt) {
    return "deer" + suffix(prompt);
  }

  /// "entities.npy" for the paper's prompt, "entities-a.npy" … for its variants.
  [[nodiscard]] static std::string entities_file(EntityPrompt prompt) {
    return entities_name(prompt) + ".npy";
  }

  /// Embeds the plan's candidates, into their file.
  [[nodiscard]] NpyFile entities(EntityPrompt prompt) {
    std::vector<std::string> texts, names;
    for (const std::uint32_t e : plan_.candidates.entities()) {
      texts.push_back(entity_text(prompt, plan_.graph.entities[e]));
      names.push_back(plan_.graph.entities[e].id);
    }
    return embedded(entities_name(prompt), names, {texts});
  }

  /// Ranks of a part of the plan, in the order of its queries. `entities` are rows of the whole
  /// plan's candidates.
  [[nodiscard]] std::vector<EntityRank> rank(const RankPlan& part, VectorRows entities) const {
    return with_candidates(part, entities, [&](VectorRows rows) { return ranked(part, rows); });
  }

  /// The nearest candidates of each of a part's queries, as places among them.
  [[nodiscard]] std::vector<std::vector<NearEntity>> nearest(const RankPlan& part,
                                                             VectorRows entities,
                                                             std::size_t count) const {
    return with_candidates(part, entities, [&](VectorRows rows) {
      const auto of_distinct = CosineRanker(rows).nearest(queries_.rows(), count);
      std::vector<std::vector<NearEntity>> made;
      for (const PlannedQuery& planned : part.queries) {
        made.push_back(of_distinct[distinct_.rows.at(DistinctQueries::key(planned.query))]);
      }
      return made;
    });
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

  /// Calls `use` with the rows of a part's candidates.
  template <class Use>
  auto with_candidates(const RankPlan& part, VectorRows entities, Use use) const {
    if (part.candidates.size() == plan_.candidates.size()) return use(entities);
    EmbeddingMatrix fewer(static_cast<Eigen::Index>(part.candidates.size()), entities.cols());
    for (std::size_t i = 0; i < part.candidates.size(); ++i) {
      const std::uint32_t place = plan_.candidates.place(part.candidates.entities()[i]);
      fewer.row(static_cast<Eigen::Index>(i)) = entities.row(static_cast<Eigen::Index>(place));
    }
    return use(VectorRows(fewer.data(), fewer.rows(), fewer.cols()));
  }

  static std::string entities_name(EntityPrompt prompt) { return "entities" + suffix(prompt); }
  static std::string suffix(EntityPrompt prompt) {
    return prompt == EntityPrompt::eol ? "" : "-" + std::string(name_of(prompt));
  }

  [[nodiscard]] NpyFile embedded_queries() {
    const KnowledgeGraph& graph = plan_.graph;
    const TriplePrompt prompt(graph, plan_.shots, options_.form);
    std::vector<std::string> texts, names;
    for (const GraphQuery& query : distinct_.queries) {
      texts.push_back(prompt.query(query));
      names.push_back(graph.entities[query.given()].id + (query.asks_head ? " inverse of " : " ") +
                      graph.relations[query.triple.relation].id);
    }
    // Each side has shots of its own.
    const std::span<const std::string> all = texts;
    return embedded("queries", names, {all.first(distinct_.tails), all.subspan(distinct_.tails)});
  }

  using Lists = std::vector<std::span<const std::string>>;

  /// Embeds texts, one list after another, into `what`.npy, unless it stands there already.
  [[nodiscard]] NpyFile embedded(const std::string& what, const std::vector<std::string>& names,
                                 const Lists& lists) {
    if constexpr (TreeEmbedder<Model>) {
      if (capabilities_of(model_).tree_embeddings) {
        return embedded_by(PromptEmbedder<Model>(model_), what, names, lists);
      }
    }
    if constexpr (Embedder<Model>) {
      return embedded_by(TextBatches<Model>(model_), what, names, lists);
    }
    throw internal_error({}, "this backend has no embeddings");
  }

  template <class TextEmbedder>
  [[nodiscard]] NpyFile embedded_by(TextEmbedder embedder, const std::string& what,
                                    const std::vector<std::string>& names, const Lists& lists) {
    const auto file = folder_.file(what + ".npy");
    std::optional<NpyWriter> writer;
    if (!file.exists()) writer.emplace(file, names.size(), embedder.dimension());
    Part part(work_, what);
    if (writer) work_.begin(what, names.size());
    // Without the file that they were written into, packs are not done.
    if (writer && !writer->goes_on()) part.leave_journal_aside();
    std::size_t first = 0;
    for (const std::span<const std::string>& list : lists) {
      if (list.empty()) continue;
      auto job = embedder.plan(list, with_bos_);
      work_.summary().cost += job.cost();
      std::vector<PackCost> packs;
      for (std::size_t p = 0; p < job.packs() && writer; ++p) {
        packs.push_back({job.texts(p), job.statements(p)});
      }
      part.go_through(
          packs,
          [&](std::size_t p) {
            embedder.embed(job, p, [&](std::size_t text, std::span<const float> row) {
              writer->put(first + text, row);
            });
            writer->sync();  // or the journal's line could outlive its rows
            return "[]";
          },
          [](std::size_t, const Json&) {});
      first += list.size();
    }
    if (writer) {
      std::string lines;
      for (const std::string& name : names) lines += name + "\n";
      write_atomically(identifiers_of(file), lines);
      writer->finish();
    }
    return NpyFile(file);
  }

  [[nodiscard]] std::vector<EntityRank> ranked(const RankPlan& part, VectorRows entities) const {
    const VectorRows queries = queries_.rows();
    const CosineRanker ranker(entities);
    const TrueCandidates truths(part);
    std::vector<RankQuestion> questions;
    for (const PlannedQuery& planned : part.queries) {
      questions.push_back({distinct_.rows.at(DistinctQueries::key(planned.query)),
                           part.candidates.place(planned.query.gold())});
    }
    const std::vector<Rank> ranks = ranker.ranks(queries, questions);
    std::vector<EntityRank> made;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto [query, gold] = questions[i];
      const std::span<const float> row(queries.row(static_cast<Eigen::Index>(query)).data(),
                                       ranker.dimension());
      EntityRank& rank = made.emplace_back(unranked(model_, part, part.queries[i]));
      rank.score = ranker.cosine(row, gold);
      rank.raw = ranks[i];
      const QueryRank filtered =
          filtered_rank(ranker, rank.raw, row, gold, truths.of(part.queries[i].query));
      rank.filtered = filtered.rank;
      rank.filtered_candidates = filtered.candidates;
    }
    return made;
  }

  Model& model_;
  const RankOptions& options_;
  const RunFolder& folder_;
  Work& work_;
  const RankPlan& plan_;
  bool with_bos_;
  DistinctQueries distinct_;
  NpyFile queries_;
};

}  // namespace plumb
