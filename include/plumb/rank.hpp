// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does the true entity rank among all entities of a knowledge graph?
//
// Runs the rankings of "Cosine Similarity as Logits?" in memory. Entities are ranked by the cosine
// of their embeddings (DEER's own protocol), by the exact likelihood of every name, or by the LM
// head among one-token names.
//
//   const auto made = plumb::rank(model, graph, {.methods = {RankMethod::likelihood}});
//   made.methods[0].realistic().mean_reciprocal_rank.value
//
// For vectors from another source: plumb::CosineRanker, examples/rank_own_vectors.cpp. Run:
// examples/five_systems.cpp.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/closed_set_graph.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/rank/entity_shard.hpp"
#include "plumb/detail/rank/filtered_ranks.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/run/deer_ranks.hpp"
#include "plumb/detail/run/name_ranking.hpp"
#include "plumb/detail/run/rank_method.hpp"
#include "plumb/detail/run/rank_parts.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct RankingOptions {
  std::vector<RankMethod> methods{RankMethod::deer};
  /// Which queries, candidates and shots to use, and in which form.
  RankOptions asked{};
  /// The token that precedes each text. By default, it is the token that the model's tokenizer
  /// adds, if any.
  std::optional<Bos> bos{};
  /// The seed for the bootstrap intervals.
  std::uint64_t seed = 0;
};

/// Computes the vectors of several lists of texts, one list after another.
template <DeerModel Model>
[[nodiscard]] EmbeddingMatrix embedded(Model& model, const TextLists& lists, const Bos& bos) {
  std::size_t count = 0;
  for (const std::span<const std::string>& list : lists) count += list.size();
  EmbeddingMatrix all(static_cast<Eigen::Index>(count),
                      static_cast<Eigen::Index>(model.dimension()));
  Eigen::Index next = 0;
  with_embedder(model, [&](auto& embedder) {
    for (const std::span<const std::string>& list : lists) {
      if (list.empty()) continue;
      auto job = embedder.plan(list, bos);
      for (std::size_t p = 0; p < job.packs(); ++p) {
        embedder.embed(job, p, [&](std::size_t text, std::span<const float> row) {
          std::copy(row.begin(), row.end(), all.row(next + static_cast<Eigen::Index>(text)).data());
        });
      }
      next += static_cast<Eigen::Index>(list.size());
    }
  });
  return all;
}

inline VectorRows vector_rows(const EmbeddingMatrix& matrix) {
  return {matrix.data(), matrix.rows(), matrix.cols()};
}

/// Adds a method for each entity prompt. If the LM head can rank only some candidates, also adds a
/// second version of each method that ranks only those candidates.
template <DeerModel Model>
void rank_by_vectors(Model& model, const RankOptions& options, const RankParts& parts,
                     const Bos& bos, std::vector<RankedMethod>& made) {
  LocalRanking ranking;
  const DistinctQueries distinct(parts.whole);
  const std::vector<std::string> texts = distinct.texts(parts.whole, options.form);
  const EmbeddingMatrix queries = embedded(model, distinct.lists(texts), bos);
  for (const EntityPrompt prompt : options.entity_prompts) {
    const std::vector<std::string> names = entity_texts(parts.whole, prompt);
    const EmbeddingMatrix entities = embedded(model, TextLists{names}, bos);
    const auto of = [&](const RankPlan& part, std::size_t) {
      return deer_ranks(model, ranking, parts.whole, part, distinct, vector_rows(entities),
                        vector_rows(queries));
    };
    const std::string name = name_of_deer(prompt);
    made.push_back({name, false, ranks_of(parts.parts, of)});
    if (parts.narrows()) {
      made.push_back({name + "-single-token", true, ranks_of(parts.single, of)});
    }
  }
}

/// Ranks the candidates by each method and computes metrics of the ranks: raw and filtered, with
/// ties counted in three ways, and by relation. Also measures how well the methods agree. The model
/// must compute likelihoods; for DEER it must also be an Embedder or a TreeEmbedder. Throws a user
/// error if the model does not support a method, if the graph has too few triples for the shots, or
/// if a query is longer than the model's context.
template <ScoringLm Model>
[[nodiscard]] RankResults rank(Model& model, const KnowledgeGraph& graph,
                               const RankingOptions& options = {}) {
  const auto asks = [&](RankMethod method) {
    return ranges::find(options.methods, method) != options.methods.end();
  };
  refuse_unrankable(graph, asks(RankMethod::deer), has_vectors(model));
  const RankParts parts = rank_parts(graph, options.asked, asks(RankMethod::lm_head), model);
  const Bos bos = BosOfRanking::of(model, options.bos).bos;
  std::vector<RankedMethod> made;
  if constexpr (DeerModel<Model>) {
    if (asks(RankMethod::deer)) {
      detail::rank_by_vectors(model, options.asked, parts, bos, made);
    }
  }
  if (!asks(RankMethod::likelihood) && !asks(RankMethod::lm_head)) {
    return rank_results(std::move(made), {.seed = options.seed});
  }
  KeptPrompts<Model> prompts(model, require_bos(model, bos));
  NameRanking names(model, options.asked, prompts);
  const auto carry = [](auto& packs) {
    ScoringCost all;
    NameSearchCost cost;
    for (std::size_t p = 0; p < packs.packs(); ++p) packs.take(p, packs.search(p), all, cost);
  };
  if (asks(RankMethod::likelihood)) {
    made.push_back({"likelihood", false, ranks_of(parts.parts, [&](const RankPlan& part, auto p) {
                      return names.likelihood(part, parts.label(p), carry);
                    })});
  }
  if (asks(RankMethod::lm_head)) {
    made.push_back(
        {"lm-head", parts.narrows(), ranks_of(parts.single, [&](const RankPlan& part, auto p) {
           return names.lm_head(part, parts.label(p), carry);
         })});
  }
  return rank_results(std::move(made), {.seed = options.seed});
}

/// Does the same for a closed-set dataset: each fact is a triple, and up to ten facts of each
/// relation serve as shots.
template <ScoringLm Model>
[[nodiscard]] RankResults rank(Model& model, const Dataset& dataset,
                               const RankingOptions& options = {}) {
  return rank(model, graph_of(dataset, {}), options);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::CosineRanker;
using detail::filtered_ranks;
using detail::rank;
using detail::rank_metrics;
using detail::RankingOptions;
using detail::RankMethod;
using detail::RankQuestion;
using detail::Ties;
using detail::VectorRows;

}  // namespace plumb
