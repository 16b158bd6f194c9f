// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely does a model find every candidate of every fact?
//
// This is the result of a probe in memory: for each relation, a dense row-major table of shape
// [facts, templates, candidates]. Accuracy, calibration and comparisons are computed from it.
// plumb/tensors.hpp provides the tables as xtensor tensors, with softmax, means and argmax over
// their axes. A many-shot study uses the same kind of table: a setting (a number of shots, drawn
// with a seed) replaces a template, and each fact has its own choices. Non-goal: generated texts.

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

/// All relations of one model. Plain data; any number of threads may read it.
struct Answers {
  struct Table {
    /// Its facts are axis 0, and its options are axis 2. Facts without a score are omitted.
    Relation relation{};
    /// Axis 1: the relation's templates, by index (`variant`), or settings of a many-shot study.
    std::vector<Setting> settings{};
    /// The options used for each fact, if facts have their own choices. Empty if all options were
    /// used for every fact.
    std::vector<std::vector<std::uint32_t>> choices{};
    /// In nats, summed over the span's tokens. If a fact has fewer choices than others, its values
    /// are padded with NaN.
    std::vector<double> log_likelihoods{};
    /// The number of scored tokens, and the number of bytes of the span's text.
    std::vector<std::uint32_t> tokens{};
    std::vector<std::uint32_t> bytes{};
    /// The score of each answer after a neutral prefix, in nats, for Reduction::pmi; empty if it
    /// was not computed.
    std::vector<double> neutral{};

    [[nodiscard]] std::size_t facts() const noexcept { return relation.facts.size(); }
    [[nodiscard]] std::size_t templates() const noexcept { return settings.size(); }
    /// The largest number of candidates of any fact.
    [[nodiscard]] std::size_t candidates() const noexcept {
      const std::size_t rows = facts() * templates();
      if (choices.empty() || rows == 0) return relation.options.size();
      return log_likelihoods.size() / rows;
    }
    /// The number of candidates of one fact.
    [[nodiscard]] std::size_t candidates(std::size_t fact) const {
      return choices.empty() ? relation.options.size() : choices[fact].size();
    }
    /// The option that a fact's candidate represents, and the option's text.
    [[nodiscard]] std::size_t option(std::size_t fact, std::size_t candidate) const {
      return choices.empty() ? candidate : choices[fact][candidate];
    }
    [[nodiscard]] const std::string& label(std::size_t fact, std::size_t candidate) const {
      return option_text(relation, relation.facts[fact], option(fact, candidate));
    }
    /// The right candidate of a fact.
    [[nodiscard]] std::size_t answer(std::size_t fact) const {
      const std::size_t right = relation.facts[fact].answer;
      if (choices.empty()) return right;
      return static_cast<std::size_t>(
          ranges::find(choices[fact], static_cast<std::uint32_t>(right)) - choices[fact].begin());
    }
    /// The start of a fact's candidates under a template, as an index into the three lists.
    [[nodiscard]] std::size_t place(std::size_t fact, std::size_t template_place) const {
      return (fact * templates() + template_place) * candidates();
    }
    /// The score of each candidate, in nats, nats per token or nats per byte.
    [[nodiscard]] std::vector<double> scores(std::size_t fact, std::size_t template_place,
                                             Reduction reduction) const {
      const std::size_t first = place(fact, template_place), count = candidates(fact);
      std::vector<double> reduced;
      for (std::size_t i = first; i < first + count; ++i) {
        reduced.push_back(reduce(score(i), reduction, neutral.empty() ? std::nan("") : neutral[i]));
      }
      return reduced;
    }
    /// Appends a candidate's score over the common span.
    void add(const SpanScore& score) {
      log_likelihoods.push_back(score.log_likelihood);
      tokens.push_back(score.tokens);
      bytes.push_back(score.bytes);
    }
    /// The score at an index of the three lists.
    [[nodiscard]] SpanScore score(std::size_t i) const {
      return {log_likelihoods[i], tokens[i], bytes[i]};
    }
  };

  std::string name{};
  /// The reduction and the span of all scores in these tables.
  Scoring scoring{};
  std::vector<Table> tables{};
  /// Facts omitted because the engine did not report the log-probabilities of all their candidates'
  /// tokens.
  std::size_t unreported_facts = 0;
  /// Remarks that must appear wherever the numbers are shown, for example which relations were left
  /// out.
  std::vector<std::string> remarks{};
};

/// The model's answers: the likeliest candidate of each fact under each template or setting, with
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
