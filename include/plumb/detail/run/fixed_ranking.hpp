// SPDX-License-Identifier: Apache-2.0
#pragma once

// How can another program's embedding-based ranking be replayed exactly?
//
//   {"shots": [[head, relation, tail], …], "entities": [id, …],
//    "queries": [[head, relation, tail], …],
//    "model": …, "cosine": [[…], …], "rank": [7, …]}
// The file contains one such object or a list of them. Its identifiers refer to a separately loaded
// graph. The results have the same structure: cosines (one row per query, one number per entity)
// and realistic ranks. Cosines and ranks in the file are only used for comparison.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/entity_prompt.hpp"
#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/rank/cosine_ranker.hpp"
#include "plumb/detail/rank/prompt_embedder.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct FixedRanking {
  /// The JSON object as it was read.
  Json source;
  std::vector<Triple> shots;
  std::vector<std::uint32_t> entities;
  std::vector<Triple> queries;
  /// The index of each query's tail among the entities.
  std::vector<std::uint32_t> gold;
};

/// Looks up identifiers in a graph.
class GraphIdentifiers {
 public:
  explicit GraphIdentifiers(const KnowledgeGraph& graph) {
    for (std::uint32_t e = 0; e < graph.entities.size(); ++e) entities_[graph.entities[e].id] = e;
    for (std::uint32_t r = 0; r < graph.relations.size(); ++r) {
      relations_[graph.relations[r].id] = r;
    }
  }
  [[nodiscard]] std::uint32_t entity(const Json& id, const Site& site) const {
    return find(entities_, id, "an entity", site);
  }
  [[nodiscard]] Triple triple(const Json& ids, const Site& site) const {
    if (!ids.is_array() || ids.size() != 3) {
      throw user_error(site, "is not a triple", "write [\"head\", \"relation\", \"tail\"]");
    }
    return {entity(ids[0], site), find(relations_, ids[1], "a relation", site),
            entity(ids[2], site), 0};
  }

 private:
  using Places = std::unordered_map<std::string, std::uint32_t>;
  static std::uint32_t find(const Places& places, const Json& id, const char* what,
                            const Site& site) {
    const auto found = id.is_string() ? places.find(id.get<std::string>()) : places.end();
    if (found != places.end()) return found->second;
    throw user_error(site, id.dump() + " is not " + what + " of the graph",
                     "set `data` to the graph that the file refers to");
  }
  Places entities_, relations_;
};

inline FixedRanking fixed_ranking(const Json& object, const GraphIdentifiers& ids,
                                  const Site& site) {
  FixedRanking ranking;
  ranking.source = object;
  const auto list = [&](const char* name) -> const Json& {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (found == object.end() || !found->is_array() || found->empty()) {
      throw user_error({site.file, 0, site.field + name}, "is not a list",
                       "write {\"shots\": …, \"entities\": …, \"queries\": …}");
    }
    return *found;
  };
  const auto at = [&](const char* name, std::size_t i) {
    return Site{site.file, 0, site.field + name + "[" + std::to_string(i) + "]"};
  };
  const Json& shots = list("shots");
  for (std::size_t i = 0; i < shots.size(); ++i) {
    ranking.shots.push_back(ids.triple(shots[i], at("shots", i)));
  }
  const Json& entities = list("entities");
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const std::uint32_t entity = ids.entity(entities[i], at("entities", i));
    if (ranges::find(ranking.entities, entity) != ranking.entities.end()) {
      throw user_error(at("entities", i), entities[i].dump() + " is duplicated", "list it once");
    }
    ranking.entities.push_back(entity);
  }
  const Json& queries = list("queries");
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ranking.queries.push_back(ids.triple(queries[i], at("queries", i)));
    const auto gold = ranges::find(ranking.entities, ranking.queries.back().tail);
    if (gold == ranking.entities.end()) {
      throw user_error(at("queries", i), "the tail is not among the entities",
                       "add it to entities");
    }
    ranking.gold.push_back(static_cast<std::uint32_t>(gold - ranking.entities.begin()));
  }
  if (object.contains("cosine")) {
    bool sound = object["cosine"].is_array() && object["cosine"].size() == queries.size();
    for (std::size_t i = 0; sound && i < queries.size(); ++i) {
      const Json& row = object["cosine"][i];
      sound = row.is_array() && row.size() == entities.size() &&
              ranges::all_of(row, [](const Json& cosine) { return cosine.is_number(); });
    }
    if (!sound) {
      throw user_error({site.file, 0, site.field + "cosine"},
                       "needs one row per query with one number per entity", "fix or remove it");
    }
  }
  if (object.contains("rank")) {
    const Json& ranks = object["rank"];
    if (!ranks.is_array() || ranks.size() != queries.size() ||
        !ranges::all_of(ranks, [](const Json& rank) { return rank.is_number(); })) {
      throw user_error({site.file, 0, site.field + "rank"}, "needs one number per query",
                       "fix or remove it");
    }
  }
  return ranking;
}

struct FixedRankings {
  std::vector<FixedRanking> rankings;
  /// Whether the file contains a list, in which case the results are also written as a list.
  bool is_list = false;
};

/// Throws a user error that names the field if the file is invalid.
[[nodiscard]] inline FixedRankings read_fixed_rankings(const DiskPath& file,
                                                       const KnowledgeGraph& graph) {
  const Json value = read_json(file);
  const detail::GraphIdentifiers ids(graph);
  if (!value.is_array()) return {{detail::fixed_ranking(value, ids, {.file = file})}, false};
  FixedRankings all{{}, true};
  for (std::size_t i = 0; i < value.size(); ++i) {
    all.rankings.push_back(
        detail::fixed_ranking(value[i], ids, {file, 0, "[" + std::to_string(i) + "]."}));
  }
  if (all.rankings.empty()) throw user_error({.file = file}, "contains no ranking", "add one");
  return all;
}

/// The results of a ranking, in the same structure as the file.
struct FixedRankingResult {
  Json ranking;
  std::vector<Rank> ranks;
  /// The largest difference from the file's cosines; not set if the file has no cosines.
  std::optional<double> worst_difference;
  /// `other_ranks` counts queries whose rank differs from the one implied by the file's cosines or,
  /// if the file has no cosines, from the file's rank. `nearby` counts entities whose cosine is
  /// within 1e-4 of the true entity's cosine; these may be ranked on either side of it.
  std::size_t other_ranks = 0, nearby = 0;
  /// Whether the file contains cosines or ranks to compare with.
  bool compared = false;
};

/// The model's results for a ranking, stored as a pack in the journal: {"cosine": one row per
/// query, with one number per entity, "rank": [above, equal] per query}.
template <TreeEmbedder Model>
[[nodiscard]] std::string fixed_ranking_rows(const FixedRanking& fixed, const KnowledgeGraph& graph,
                                             QueryForm form, const FramingTokens& around,
                                             Model& model) {
  const TriplePrompt prompt(graph, fixed.shots, form);
  std::vector<std::string> queries, entities;
  std::vector<RankQuestion> questions;
  for (std::uint32_t q = 0; q < fixed.queries.size(); ++q) {
    queries.push_back(prompt.query({fixed.queries[q], false}));
    questions.push_back({q, fixed.gold[q]});
  }
  for (const std::uint32_t e : fixed.entities) {
    entities.push_back(entity_text(EntityPrompt::eol, graph.entities[e]));
  }
  PromptEmbedder embedder(model);
  const EmbeddingMatrix rows = embedder.embed(queries, around);
  const EmbeddingMatrix columns = embedder.embed(entities, around);
  const CosineRanker ranker(VectorRows(columns.data(), columns.rows(), columns.cols()));
  const std::vector<Rank> found =
      ranker.ranks(VectorRows(rows.data(), rows.rows(), rows.cols()), questions);
  Json cosines = Json::array(), ranks = Json::array();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const std::span<const float> row(rows.row(static_cast<Eigen::Index>(q)).data(),
                                     ranker.dimension());
    Json& list = cosines.emplace_back(Json::array());
    for (std::size_t e = 0; e < entities.size(); ++e) list.push_back(ranker.cosine(row, e));
    ranks.push_back({found[q].above, found[q].equal});
  }
  return Json{{"cosine", std::move(cosines)}, {"rank", std::move(ranks)}}.dump();
}

/// Builds a ranking's results from the model's rows. Throws an nlohmann exception if the rows have
/// a different structure.
[[nodiscard]] inline FixedRankingResult fixed_ranking_result(const FixedRanking& fixed,
                                                             const Json& rows,
                                                             const std::string& model_name) {
  FixedRankingResult result{fixed.source, {}, {}, 0, 0, false};
  const bool compares = fixed.source.contains("cosine");
  const bool compares_ranks = !compares && fixed.source.contains("rank");
  result.compared = compares || compares_ranks;
  Json ranks = Json::array();
  for (std::size_t q = 0; q < fixed.queries.size(); ++q) {
    const Json& list = rows.at("cosine").at(q);
    if (list.size() != fixed.entities.size()) {
      throw user_error({.field = "rankings"},
                       "the cosines in the journal do not belong to this ranking",
                       "start again in another folder");
    }
    result.ranks.push_back({rows.at("rank").at(q).at(0), rows.at("rank").at(q).at(1)});
    const double rank = result.ranks.back().realistic();
    ranks.push_back(rank);
    if (compares_ranks) {
      const double theirs = fixed.source["rank"][q];
      result.other_ranks += theirs == rank ? 0U : 1U;
    }
    if (!compares) continue;
    const Json& theirs = fixed.source["cosine"][q];
    const std::size_t gold = fixed.gold[q];
    std::size_t above = 0, nearby = 0;
    for (std::size_t e = 0; e < fixed.entities.size(); ++e) {
      const double cosine = theirs[e];
      const double difference = std::abs(list.at(e).get<double>() - cosine);
      result.worst_difference = (std::max)(result.worst_difference.value_or(0), difference);
      if (e == gold) continue;
      const double apart = cosine - theirs[gold].get<double>();
      nearby += std::abs(apart) <= 1e-4 ? 1U : 0U;
      above += apart > 1e-4 ? 1U : 0U;
    }
    const bool same =
        rank >= static_cast<double>(1 + above) && rank <= static_cast<double>(1 + above + nearby);
    result.other_ranks += same ? 0U : 1U;
    result.nearby += nearby;
  }
  result.ranking["model"] = model_name;
  result.ranking["cosine"] = rows.at("cosine");
  result.ranking["rank"] = std::move(ranks);
  return result;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
