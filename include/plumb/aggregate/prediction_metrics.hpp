// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much does a model know, by the answers that a probe in memory got?
//
// The numbers of measure/probe_metrics.hpp with their intervals, over every template that was asked;
// those of one template are `probe_metrics` of its ranks (`only_template`). A run folder of the same
// scores has the same numbers to the last bit. Non-goal: whether confidence is earned
// (calibrate/calibrator.hpp).

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/aggregate/predictions.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/measure/probe_metrics.hpp"

namespace plumb {

/// Where the right option of each fact stands under each template that was asked, markers too. The
/// predictions are those of `predict`, as a probe in memory makes them.
[[nodiscard]] inline RelationRanks ranks_of(const RelationPredictions& asked) {
  std::vector<std::pair<std::size_t, std::size_t>> places;  // template index, place in a row
  for (const ScoredTemplate& one : asked.templates) places.emplace_back(one.index, places.size());
  over::sort(places);
  const Relation& relation = asked.relation;
  RelationRanks made{
      relation.code, relation.domains, is_one_to_one(relation), relation.options.size(), {}, {}};
  for (const auto& [index, place] : places) made.templates.push_back(index);
  for (std::size_t fact = 0; fact < asked.facts(); ++fact) {
    std::vector<AnswerRank>& row = made.ranks.emplace_back();
    for (const auto& [index, place] : places) {
      const Prediction& cell = asked.row(fact)[place];
      const std::size_t others = cell.is_tie() ? cell.tied_options - 1U : 0U;
      row.push_back({cell.rank, cell.option, others, cell.accuracy_first_wins() > 0});
    }
  }
  return made;
}

[[nodiscard]] inline std::vector<RelationRanks> ranks_of(const ModelPredictions& asked) {
  std::vector<RelationRanks> all;
  for (const RelationPredictions& relation : asked.relations) all.push_back(ranks_of(relation));
  return all;
}

/// Accuracy, hits at k, mean rank and MRR by relation, domain and over all: a fact counts once, with
/// the mean over its templates.
[[nodiscard]] inline ProbeMetrics metrics_of(const ModelPredictions& asked,
                                             const Bootstrap& bootstrap = {}) {
  return probe_metrics(ranks_of(asked), bootstrap, "all");
}

}  // namespace plumb
