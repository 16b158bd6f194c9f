// SPDX-License-Identifier: Apache-2.0
#pragma once

// How are exact ranks by likelihood computed so that a job can be resumed?
//
// The names are searched for several queries per pack, and each pack is written to the journal when
// it is finished. Ranking by the LM head is the same search, limited to names of one token. A name
// is tokenised together with its query, and its tokens are taken from the result.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/run/name_ranking.hpp"
#include "plumb/detail/run/work.hpp"
#include "plumb/detail/score/kept_prompts.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The model, options and work must outlive this object. Not thread-safe.
template <ScoringLm Model>
class NameSearchRun {
 public:
  NameSearchRun(Model& model, const RankOptions& options, KeptPrompts<Model>& prompts, Work& work)
      : ranking_(model, options, prompts), work_(work) {}

  /// Plans the queries of the given plans in one query form. The amount of work in the name
  /// searches is not known in advance.
  [[nodiscard]] static PlannedPart planned(KeptPrompts<Model>& prompts, std::string name,
                                           const std::vector<RankPlan>& plans, QueryForm form) {
    PlannedPart part{std::move(name), "query", 0, ScoringCost()};
    for (const RankPlan& plan : plans) {
      const TriplePrompt prompt(plan.graph, plan.shots, form);
      for (const PlannedQuery& planned : plan.queries) {
        ++part.count;
        part.cost->tokens_one_by_one += prompts.ids(prompt.query(planned.query)).size();
      }
    }
    return part;
  }

  /// Exact ranks by the likelihood of the names. `label` distinguishes the plans of one run.
  [[nodiscard]] std::vector<EntityRank> likelihood(const RankPlan& plan,
                                                   const std::string& label = "") {
    return ranking_.likelihood(plan, label, [&](auto& packs) { execute(packs); });
  }

  /// The ranks according to the single token that follows the query. Every candidate's name must be
  /// a single token.
  [[nodiscard]] std::vector<EntityRank> lm_head(const RankPlan& plan,
                                                const std::string& label = "") {
    return ranking_.lm_head(plan, label, [&](auto& packs) { execute(packs); });
  }

  /// Whether all queries so far have been searched. In a shard this is false, because other shards
  /// search some of the queries; the ranks are then invalid.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

  /// The cost by method; for head queries, " heads" is appended to the method's name.
  [[nodiscard]] const std::map<std::string, NameSearchCost>& cost() const noexcept { return cost_; }

 private:
  /// The row that the journal stores for a pack.
  [[nodiscard]] static std::string row_of(const SearchedPack& found) {
    Json rows = Json::array();
    rows.push_back(Json::array({found.fed_for_names, found.fed_for_prompts}));
    for (const SearchedRank& r : found.ranks) {
      rows.push_back({r.score, r.above, r.equal, r.filtered_above, r.filtered_equal, r.undecided,
                      r.nearby, r.expanded});
    }
    return rows.dump();
  }
  [[nodiscard]] static SearchedPack pack_of(const Json& rows) {
    SearchedPack found{rows[0][0], rows[0][1], {}};
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Json& row = rows[i];
      SearchedRank& r = found.ranks.emplace_back();
      r.score = row[0];
      r.above = row[1];
      r.equal = row[2];
      r.filtered_above = row[3];
      r.filtered_equal = row[4];
      r.undecided = row[5];
      r.nearby = row[6];
      r.expanded = row[7];
    }
    return found;
  }

  void execute(NamePacks<Model>& packs) {
    std::vector<PackCost> costs;
    for (std::size_t p = 0; p < packs.packs(); ++p) {
      const std::size_t queries = packs.queries(p);
      costs.push_back({queries, packs.candidates() * queries, queries});
    }
    Part part(work_, packs.name());
    work_.begin(packs.name(), packs.queries());
    const bool is_whole = part.generate_rows(
        costs, [&](std::size_t p) { return row_of(packs.search(p, [&] { part.step(); })); },
        [&](std::size_t p, const Json& rows) {
          if (rows.size() != packs.queries(p) + 1) throw part.other_job();
          packs.take(p, pack_of(rows), work_.summary().cost, cost_[packs.method()]);
        });
    is_whole_ = is_whole_ && is_whole;
  }

  NameRanking<Model> ranking_;
  Work& work_;
  std::map<std::string, NameSearchCost> cost_;
  bool is_whole_ = true;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
