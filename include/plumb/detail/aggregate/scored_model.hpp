// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer under every template, and how did it score the base template's options?
//
// Beside the predictions the scores of the base template are kept, because temperature scaling and
// smaller option sets need them, and the base template's predictions under the other reductions.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/predictions.hpp"
#include "plumb/detail/core/over.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The four reductions, in the paper's order.
inline constexpr std::array<Scoring, 4> all_scorings{
    Scoring{Reduction::sum, Span::statement}, Scoring{Reduction::mean, Span::statement},
    Scoring{Reduction::sum, Span::answer}, Scoring{Reduction::mean, Span::answer}};

/// The base template of one relation, and what was left out of it.
struct BaseScores {
  /// Templates that were scored and are in no list of kinds.
  std::vector<std::size_t> unlisted;
  /// facts × options, row by row.
  std::vector<double> scores;
  /// By `all_scorings`, each parallel to the facts; empty where the folder lacks the columns or an
  /// answer without a scored token.
  std::array<std::vector<Prediction>, all_scorings.size()> reductions;
};

/// All that is known of one model. `base` is parallel to the predictions' relations.
struct ScoredModel {
  ModelPredictions predictions;
  std::vector<BaseScores> base;
  std::string dataset;
  /// The number that stands for a statement, and over which of its tokens; as the folders name it.
  std::string reduction;
  std::string span;
  /// Notes of the relations, each once.
  std::vector<std::string> notes;
};

/// Takes domains, and whether relations are 1:1, from the dataset that was probed; relations the
/// dataset lacks stay as they are. Returns how many it has.
inline std::size_t describe_relations(ScoredModel& model, const Dataset& dataset) {
  std::size_t known = 0;
  for (RelationPredictions& made : model.predictions.relations) {
    const auto found = over::find(dataset.relations, made.relation.code, &Relation::code);
    if (found == dataset.relations.end()) continue;
    made.relation.domains = found->domains;
    made.relation.cardinality = cardinality_of(*found);
    ++known;
  }
  return known;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
