// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tables of predictions, given or random, without results folders.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/calibrate/confidence.hpp"
#include "plumb/detail/core/random.hpp"
#include "support/make_tie.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

/// A fact's answer, and the predicted option and Base confidence under each template: first the
/// paraphrases, then the markers.
struct AnsweredFact {
  std::size_t answer = 0;
  std::vector<std::pair<std::size_t, double>> cells;
};

/// A relation with five options. The Margin confidence is half the Base confidence. The last
/// templates have `markers`.
[[nodiscard]] inline RelationPredictions answered(const std::string& code,
                                                  const std::vector<AnsweredFact>& facts,
                                                  const std::vector<std::string>& markers = {}) {
  RelationPredictions made;
  made.relation.code = code;
  made.relation.options = {"a", "b", "c", "d", "e"};
  const std::size_t templates = facts.empty() ? 0 : facts.front().cells.size();
  made.paraphrases = templates - (facts.empty() ? 0 : markers.size());
  for (std::size_t t = 0; t < templates; ++t) {
    made.add_template(t);
    if (t < made.paraphrases) continue;
    const std::string& marker = markers[t - made.paraphrases];
    const bool number = marker.back() == '%';
    made.roles.back() = {number ? TemplateKind::numerical : TemplateKind::verbalized, marker};
  }
  for (const AnsweredFact& fact : facts) {
    Fact& added = made.relation.facts.emplace_back();
    added.answer = fact.answer;
    added.instance = made.relation.facts.size() - 1;
    for (const auto& [option, confidence] : fact.cells) {
      made.cells.push_back({option, option == fact.answer, confidence, confidence / 2, 0});
    }
  }
  return made;
}

/// The predictions of one fact, whose answer is option 0.
[[nodiscard]] inline std::vector<Prediction> cells(
    const std::vector<std::pair<std::size_t, double>>& given) {
  return answered("one", {{0, given}}).cells;
}

/// The template indices of a row, in the row's order.
[[nodiscard]] inline std::vector<std::size_t> indices_of(const RelationPredictions& relation) {
  std::vector<std::size_t> indices;
  for (const Setting& asked : relation.settings) indices.push_back(asked.variant);
  return indices;
}

/// The shape of random_model: relations "r0", "r1", … with `facts` facts each. Every relation is in
/// the domain "All" and in either "Even" or "Odd". With `one_to_one`, fact i has the answer i.
struct ModelShape {
  std::size_t relations = 3;
  std::size_t facts = 12;
  std::size_t options = 5;
  std::size_t paraphrases = 3;
  std::vector<std::string> markers{};
  bool one_to_one = false;
};

/// A model that knows some of the facts; its reductions are independent, as if they came from four
/// different scoring runs.
[[nodiscard]] inline ScoredModel random_model(const ModelShape& shape,
                                              const std::string& name = "random") {
  ScoredModel model;
  model.predictions.name = name;
  for (std::size_t r = 0; r < shape.relations; ++r) {
    RandomStream random(5, name + "/" + std::to_string(r));
    const auto scores = [&](std::size_t answer, double knows) {
      std::vector<double> made(shape.options);
      for (double& score : made) score = 4 * random.uniform() - 30;
      made[answer] += knows;
      return made;
    };
    RelationPredictions& made = model.predictions.relations.emplace_back();
    BaseScores& base = model.base.emplace_back();
    made.relation.code.append("r").append(std::to_string(r));
    made.relation.options.resize(shape.options);
    made.relation.domains = {r % 2 == 0 ? "Even" : "Odd", "All"};
    made.relation.cardinality =
        shape.one_to_one ? Cardinality::one_to_one : Cardinality::many_to_one;
    made.paraphrases = shape.paraphrases;
    for (std::size_t t = 0; t < shape.paraphrases; ++t) made.add_template(t);
    for (const std::string& marker : shape.markers) {
      made.add_template(made.settings.size(), {TemplateKind::verbalized, marker});
    }
    for (std::size_t f = 0; f < shape.facts; ++f) {
      Fact& fact = made.relation.facts.emplace_back();
      fact.instance = f;
      fact.answer = shape.one_to_one ? f : random.below(shape.options);
      const double knows = 3 * random.uniform();
      for (std::size_t t = 0; t < made.settings.size(); ++t) {
        const std::vector<double> drawn = scores(fact.answer, knows);
        made.cells.push_back(predict(drawn, fact.answer));
        if (t == 0) base.scores.insert(base.scores.end(), drawn.begin(), drawn.end());
      }
      base.reductions[0].push_back(made.cells[made.cells.size() - made.settings.size()]);
      for (std::size_t i = 1; i < base.reductions.size(); ++i) {
        base.reductions[i].push_back(predict(scores(fact.answer, knows), fact.answer));
      }
    }
  }
  return model;
}

/// Judgements with many tied confidences, which take `steps` + 1 values from 0 to 1.
[[nodiscard]] inline std::vector<Judgement> tied_judgements(std::size_t count, std::size_t steps,
                                                            const std::string& name) {
  RandomStream random(17, name);
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < count; ++i) {
    const double c = static_cast<double>(random.below(steps + 1)) / static_cast<double>(steps);
    judgements.push_back({c, random.uniform() < c * c});
  }
  return judgements;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
