// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job that replays another program's embedding-based rankings. It recomputes the cosines and
// ranks and compares them with those in the file.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/ties.hpp"
#include "plumb/detail/run/fixed_ranking.hpp"
#include "plumb/detail/run/job.hpp"
#include "plumb/detail/run/provenance.hpp"
#include "plumb/detail/run/rank_settings.hpp"
#include "plumb/detail/run/replay_report.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/prompt_tokens.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Models Job. The model and the graph must outlive this object. Not thread-safe.
template <TreeEmbedder Model>
class FixedRankingJob {
 public:
  /// Reads `settings.fixed`. Throws the same errors as read_fixed_rankings, and a user error if a
  /// name contains text that the model must not read, or if the model has no BOS although BOS is
  /// required.
  FixedRankingJob(Model& model, const KnowledgeGraph& graph, const RankSettings& settings,
                  Provenance provenance = {})
      : model_(model),
        graph_(graph),
        settings_(settings),
        provenance_(std::move(provenance)),
        fixed_(read_fixed_rankings(settings.fixed, graph)),
        bos_(BosOfRanking::of(model_, settings_.bos)) {
    const SpecialTokenCheck check{model_, settings_.special_tokens, require_bos(model_, bos_.bos)};
    for (const FixedRanking& ranking : fixed_.rankings) {
      std::set<std::uint32_t> met(ranking.entities.begin(), ranking.entities.end());
      for (const auto* list : {&ranking.shots, &ranking.queries}) {
        for (const Triple& triple : *list) met.insert({triple.head, triple.tail});
      }
      (check)(graph_, {met.begin(), met.end()}, true);
    }
    check.warn(provenance_.description);
  }

  [[nodiscard]] Json settings() const {
    std::vector<std::filesystem::path> files = graph_.files;
    files.push_back(settings_.fixed);
    Json record = shared_settings("rank --fixed", provenance_, settings_.fixed.filename().string(),
                                  files, bos_.bos, settings_.special_tokens);
    if (Json frame = frame_record(bos_); !frame.is_null()) record["frame"] = std::move(frame);
    record["query_form"] = setting::to_json(settings_.ranking.form);
    return record;
  }

  [[nodiscard]] JobPlan plan() const {
    PlannedPart queries{"queries", "text"}, entities{"entities", "text"};
    for (const FixedRanking& ranking : fixed_.rankings) {
      queries.count += ranking.queries.size();
      entities.count += ranking.entities.size();
    }
    return {std::move(queries), std::move(entities)};
  }

  void run(const RunFolder& folder, Work& work) {
    std::vector<PackCost> packs;
    std::size_t texts = 0;
    for (const FixedRanking& ranking : fixed_.rankings) {
      packs.push_back({.items = ranking.queries.size() + ranking.entities.size()});
      texts += packs.back().items;
    }
    work.begin("texts", texts);
    Json made = Json::array();
    std::size_t tied = 0, queries = 0;
    const auto evaluate = [&](std::size_t i) {
      return fixed_ranking_rows(fixed_.rankings[i], graph_, settings_.ranking.form, bos_.around(),
                                model_);
    };
    const auto take = [&](std::size_t i, const Json& rows) {
      const FixedRanking& ranking = fixed_.rankings[i];
      FixedRankingResult result = fixed_ranking_result(ranking, rows, provenance_.model);
      double reciprocal = 0;
      std::size_t ties = 0;
      for (const Rank& rank : result.ranks) {
        reciprocal += 1 / rank.realistic();
        ties += rank.equal > 0 ? 1U : 0U;
      }
      tied += ties;
      queries += result.ranks.size();
      const bool has_cosines = result.worst_difference.has_value();
      shown_.add({std::to_string(i), std::to_string(ranking.queries.size()),
                  std::to_string(ranking.entities.size()),
                  with_decimals(reciprocal / static_cast<double>(result.ranks.size()), 3),
                  has_cosines ? with_decimals(*result.worst_difference, 7) : "–",
                  result.compared ? std::to_string(result.other_ranks) : "–",
                  has_cosines ? std::to_string(result.nearby) : "–", std::to_string(ties)});
      made.push_back(std::move(result.ranking));
    };
    Part part(work, "rankings", "rankings");
    if (!part.generate_rows(packs, evaluate, take)) return;  // a shard
    part.finish({});
    write_atomically(folder.file("fixed.json"),
                     (fixed_.is_list ? made : made.front()).dump(1) + "\n");
    for (std::string& text : model_warnings(settings())) notes_.push_back(std::move(text));
    if (const auto warning = rank_tie_warning(tied, queries)) notes_.push_back(*warning);
  }

  [[nodiscard]] Report report(const DiskPath&) const { return replay_report(shown_, notes_); }

 private:
  Model& model_;
  const KnowledgeGraph& graph_;
  RankSettings settings_;
  Provenance provenance_;
  FixedRankings fixed_;
  BosOfRanking bos_;
  TextTable shown_{{"ranking", "queries", "entities", "MRR", "largest difference",
                    "different ranks", "within 1e-4", "ties"}};
  std::vector<std::string> notes_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
