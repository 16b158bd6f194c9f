// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely did a model find every candidate of every fact?
//
// What a probe in memory gives: for each relation a dense table of shape [facts, templates,
// candidates], row by row, which whatever reads answers (accuracy, calibration, comparison) reduces. As
// xtensor's tensors, with softmax, means and argmax over their axes: plumb/tensors.hpp. A many-shot
// study has the same table, where a setting (so many shots, drawn by a seed) takes the place of a
// template and a fact has choices of its own. Non-goal: texts that were generated.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/score/statement_score.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// All relations of one model. Plain data: any number of threads may read one.
struct Answers {
  struct Table {
    /// Its facts are axis 0, its options axis 2. Facts without a score are not among them.
    Relation relation{};
    /// Axis 1: templates of the relation, by index (`variant`), or settings of a many-shot study.
    std::vector<Setting> settings{};
    /// By fact, the options that it was asked with, where facts have choices of their own; empty where
    /// every fact was asked with all options.
    std::vector<std::vector<std::uint32_t>> choices{};
    /// Nats, summed over the span's tokens; NaN behind the choices of a fact that has fewer than others.
    std::vector<double> log_likelihoods{};
    /// Scored tokens, and bytes of the span's text.
    std::vector<std::uint32_t> tokens{};
    std::vector<std::uint32_t> bytes{};
    /// Nats of each answer behind a neutral prefix, for Reduction::pmi; empty where that was not asked.
    std::vector<double> neutral{};

    [[nodiscard]] std::size_t facts() const noexcept { return relation.facts.size(); }
    [[nodiscard]] std::size_t templates() const noexcept { return settings.size(); }
    /// Of the fact with the most.
    [[nodiscard]] std::size_t candidates() const noexcept {
      const std::size_t rows = facts() * templates();
      if (choices.empty() || rows == 0) return relation.options.size();
      return log_likelihoods.size() / rows;
    }
    /// Of one fact.
    [[nodiscard]] std::size_t candidates(std::size_t fact) const {
      return choices.empty() ? relation.options.size() : choices[fact].size();
    }
    /// The option that a candidate of a fact is, and its text.
    [[nodiscard]] std::size_t option(std::size_t fact, std::size_t candidate) const {
      return choices.empty() ? candidate : choices[fact][candidate];
    }
    [[nodiscard]] const std::string& label(std::size_t fact, std::size_t candidate) const {
      return option_text(relation, relation.facts[fact], option(fact, candidate));
    }
    /// The candidate that is right.
    [[nodiscard]] std::size_t answer(std::size_t fact) const {
      const std::size_t right = relation.facts[fact].answer;
      if (choices.empty()) return right;
      return static_cast<std::size_t>(
          ranges::find(choices[fact], static_cast<std::uint32_t>(right)) - choices[fact].begin());
    }
    /// Where the candidates of a fact under a template begin in the three lists.
    [[nodiscard]] std::size_t place(std::size_t fact, std::size_t template_place) const {
      return (fact * templates() + template_place) * candidates();
    }
    /// The number that stands for each candidate, in nats, or nats per token or byte.
    [[nodiscard]] std::vector<double> scores(std::size_t fact, std::size_t template_place,
                                             Reduction reduction) const {
      const std::size_t first = place(fact, template_place), count = candidates(fact);
      std::vector<double> reduced;
      for (std::size_t i = first; i < first + count; ++i) {
        reduced.push_back(reduce(score(i), reduction, neutral.empty() ? std::nan("") : neutral[i]));
      }
      return reduced;
    }
    /// Appends a candidate's score over the span of all numbers here.
    void add(const SpanScore& score) {
      log_likelihoods.push_back(score.log_likelihood);
      tokens.push_back(score.tokens);
      bytes.push_back(score.bytes);
    }
    /// The score at a place in the three lists.
    [[nodiscard]] SpanScore score(std::size_t i) const {
      return {log_likelihoods[i], tokens[i], bytes[i]};
    }
  };

  std::string name{};
  /// Which number of a statement counts; the span is that of all numbers here.
  Scoring scoring{};
  std::vector<Table> tables{};
  /// Facts that are not among them, as the engine did not report how likely all of their candidates'
  /// tokens are.
  std::size_t unreported_facts = 0;
  /// What must be said wherever the numbers are shown, as which relations were left out.
  std::vector<std::string> remarks{};
};

/// What the model answered: the likeliest candidate of each fact under each template or setting, with
/// its confidence.
[[nodiscard]] inline ModelAnswers likeliest(const Answers& answers) {
  ModelAnswers made{answers.name, {}};
  for (const Answers::Table& table : answers.tables) {
    RelationAnswers& relation = made.relations.emplace_back();
    relation.relation = table.relation;
    relation.settings = table.settings;
    for (std::size_t fact = 0; fact < table.facts(); ++fact) {
      for (std::size_t place = 0; place < table.templates(); ++place) {
        relation.cells.push_back(
            predict(table.scores(fact, place, answers.scoring.reduction), table.answer(fact)));
      }
    }
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
