// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns answers into the predictions that aggregators and calibrators read.
//
// A prediction is the likeliest option of a fact under a template, with its confidence. Paraphrases
// come first, then templates with an epistemic marker (template_roles.hpp). The settings of a
// many-shot study all count as paraphrases of one another.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/aggregate/template_roles.hpp"
#include "plumb/detail/aggregate/weighted_likelihood.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct PredictionOptions {
  TemplateKinds kinds{};
  /// Whether the predictions store every option's score, 8 bytes each (FactPredictions::scores).
  bool keep_scores = false;
};

/// A table's predictions without cells: relation, settings and roles.
inline RelationPredictions frame_of_table(const Answers::Table& table, const TemplateKinds& kinds) {
  const auto is_template = [](const Setting& one) { return one.method == "template"; };
  if (ranges::all_of(table.settings, is_template)) {
    std::vector<std::size_t> indices;
    for (const Setting& setting : table.settings) indices.push_back(setting.variant);
    return prediction_frame(table.relation, indices, kinds, table.relation.file);
  }
  RelationPredictions frame;
  frame.relation = table.relation;
  frame.settings = table.settings;
  frame.roles.resize(table.settings.size());
  frame.paraphrases = table.settings.size();
  return frame;
}

/// Throws a user error if a template's role cannot be determined, or if the base template was not
/// used as a paraphrase.
[[nodiscard]] inline ModelPredictions predictions_of(const Answers& answers,
                                                     const PredictionOptions& options = {}) {
  ModelPredictions made{answers.name, {}, answers.unreported_facts};
  for (const Answers::Table& table : answers.tables) {
    RelationPredictions& frame =
        made.relations.emplace_back(detail::frame_of_table(table, options.kinds));
    std::vector<std::size_t> places;  // for each of the row's settings, its index in the table
    for (const Setting& setting : frame.settings) {
      places.push_back(
          static_cast<std::size_t>(ranges::find(table.settings, setting) - table.settings.begin()));
    }
    for (std::size_t fact = 0; fact < table.facts(); ++fact) {
      WeightedLikelihood together;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const std::vector<double> scores = table.scores(fact, places[i], answers.scoring.reduction);
        frame.cells.push_back(predict(scores, table.answer(fact)));
        together.add(scores, weight_of(table.relation.template_weights, frame.template_at(i)));
        if (!options.keep_scores) continue;
        frame.scores.insert(frame.scores.end(), scores.begin(), scores.end());
      }
      const std::vector<double> weighted = together.scores();
      if (!weighted.empty()) frame.weighted.push_back(predict(weighted, table.answer(fact)));
    }
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
