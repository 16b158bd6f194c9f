// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is DEER carried out so that it can be taken up again?
//
// Each distinct query and each candidate is embedded once, into queries.npy and entities.npy; packs
// that are done stand in the journal. Then cosines are counted.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "plumb/prompt/entity_prompt.hpp"
#include "plumb/prompt/triple_prompt.hpp"
#include "plumb/rank/cosine_ranker.hpp"
#include "plumb/rank/npy_file.hpp"
#include "plumb/rank/prompt_embedder.hpp"
#include "plumb/run/rank_work.hpp"
#include "plumb/run/run_folder.hpp"

namespace plumb {

/// Model, options, folder and work must outlive it.
template <TreeEmbedder Model>
class DeerRun {
 public:
  DeerRun(Model& model, const RankOptions& options, const RunFolder& folder, RankWork& work)
      : model_(model), options_(options), folder_(folder), work_(work) {}

  /// DEER's ranks, in the order of the plan's queries. `entities` are vectors made elsewhere, a row
  /// for each candidate; without them the candidates are embedded.
  [[nodiscard]] std::vector<EntityRank> rank(const RankPlan& plan, bool with_bos,
                                             std::optional<VectorRows> entities) {
    const DistinctQueries distinct(plan);
    const NpyFile queries = embedded_queries(plan, distinct, with_bos);
    std::optional<NpyFile> own;
    if (!entities) {
      own.emplace(embedded_entities(plan, with_bos));
      entities.emplace(own->rows());
    }
    return ranked(plan, distinct, queries.rows(), *entities);
  }

  /// The same from vectors that stand in the folder already, among fewer candidates.
  [[nodiscard]] std::vector<EntityRank> rank_again(const RankPlan& whole, const RankPlan& narrow,
                                                   VectorRows all_entities) {
    const DistinctQueries distinct(whole);
    const NpyFile queries(folder_.file("queries.npy"));
    EmbeddingMatrix entities(static_cast<Eigen::Index>(narrow.candidates.size()),
                             all_entities.cols());
    for (std::size_t i = 0; i < narrow.candidates.size(); ++i) {
      const std::uint32_t place = whole.candidates.place(narrow.candidates.entities()[i]);
      entities.row(static_cast<Eigen::Index>(i)) =
          all_entities.row(static_cast<Eigen::Index>(place));
    }
    return ranked(narrow, distinct, queries.rows(),
                  VectorRows(entities.data(), entities.rows(), entities.cols()));
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

  [[nodiscard]] NpyFile embedded_queries(const RankPlan& plan, const DistinctQueries& distinct,
                                         bool with_bos) {
    const TriplePrompt prompt(plan.graph, plan.shots, options_.form);
    std::vector<std::string> texts, names;
    for (const GraphQuery& query : distinct.queries) {
      texts.push_back(prompt.query(query));
      names.push_back(plan.graph.entities[query.given()].id +
                      (query.asks_head ? " inverse of " : " ") +
                      plan.graph.relations[query.triple.relation].id);
    }
    // Each side has shots of its own.
    const std::span<const std::string> all = texts;
    return embedded("queries", names, {all.first(distinct.tails), all.subspan(distinct.tails)},
                    with_bos);
  }

  [[nodiscard]] NpyFile embedded_entities(const RankPlan& plan, bool with_bos) {
    std::vector<std::string> texts, names;
    for (const std::uint32_t e : plan.candidates.entities()) {
      texts.push_back(entity_text(options_.entity_prompt, plan.graph.entities[e]));
      names.push_back(plan.graph.entities[e].id);
    }
    return embedded("entities", names, {texts}, with_bos);
  }

  /// Embeds texts, one list after another, into `what`.npy, unless it stands there already.
  [[nodiscard]] NpyFile embedded(const std::string& what, const std::vector<std::string>& names,
                                 const std::vector<std::span<const std::string>>& lists,
                                 bool with_bos) {
    const auto file = folder_.file(what + ".npy");
    PromptEmbedder embedder(model_);
    std::optional<NpyWriter> writer;
    if (!std::filesystem::exists(file)) writer.emplace(file, names.size(), embedder.dimension());
    std::size_t first = 0, done = 0, fresh = 0;
    if (writer) work_.advance(what, 0, 0, names.size());
    for (std::size_t l = 0; l < lists.size(); first += lists[l].size(), ++l) {
      if (lists[l].empty()) continue;
      const std::string part = what + (l == 0 ? "" : " " + std::to_string(l));
      auto job = embedder.plan(lists[l], with_bos);
      work_.summary.cost += job.cost();
      for (std::size_t p = 0; p < job.packs() && writer; ++p) {
        done += job.texts(p);
        if (!work_.journal.find(part, p)) {
          work_.time(what, [&] {
            embedder.embed(job, p, [&](std::size_t text, std::span<const float> row) {
              writer->put(first + text, row);
            });
          });
          work_.journal.append(part, p, Json::array());
          fresh += job.texts(p);
          work_.summary.fresh_statements += job.statements(p);
        }
        work_.advance(what, done, fresh, names.size());
      }
    }
    if (writer) {
      std::string lines;
      for (const std::string& name : names) lines += name + "\n";
      write_atomically(identifiers_of(file), lines);
      writer->finish();
    }
    return NpyFile(file);
  }

  [[nodiscard]] std::vector<EntityRank> ranked(const RankPlan& plan,
                                               const DistinctQueries& distinct, VectorRows queries,
                                               VectorRows entities) {
    const CosineRanker ranker(entities);
    const TrueCandidates truths(plan);
    std::vector<RankQuestion> questions;
    for (const PlannedQuery& planned : plan.queries) {
      questions.push_back({distinct.rows.at(DistinctQueries::key(planned.query)),
                           plan.candidates.place(planned.query.gold())});
    }
    const std::vector<Rank> ranks = ranker.ranks(queries, questions);
    std::vector<EntityRank> made;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto [query, gold] = questions[i];
      const std::span<const float> row(queries.row(static_cast<Eigen::Index>(query)).data(),
                                       ranker.dimension());
      EntityRank& rank = made.emplace_back(unranked(model_, plan, plan.queries[i]));
      rank.score = ranker.cosine(row, gold);
      rank.raw = rank.filtered = ranks[i];
      const std::vector<std::uint32_t> others = truths.of(plan.queries[i].query);
      rank.filtered_candidates = rank.candidates - (others.size() - 1);
      for (const std::uint32_t other : others) {
        if (other == gold) continue;
        const double cosine = ranker.cosine(row, other);
        rank.filtered.above -= cosine > rank.score ? 1U : 0U;
        rank.filtered.equal -= cosine == rank.score ? 1U : 0U;
      }
    }
    return made;
  }

  Model& model_;
  const RankOptions& options_;
  const RunFolder& folder_;
  RankWork& work_;
};

}  // namespace plumb
