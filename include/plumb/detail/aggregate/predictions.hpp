// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer to every prompt of every fact?
//
// This is the table that aggregators and confidence estimators read: for each relation, its answers
// under every template (measure/relation_answers.hpp), and the role of each template. A fact's row
// lists its paraphrases first, in ascending template order, then the marked templates. The number
// of templates and the index of each marker differ between relations, so a marker is looked up by
// name.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/prompt/confidence_marker.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Answers under templates: paraphrases by index, then marked templates by index.
struct RelationPredictions : RelationAnswers {
  /// Roles of the templates, parallel to the settings.
  std::vector<TemplateRole> roles{};
  std::size_t paraphrases = 0;
  /// Index of the base template among the paraphrases.
  std::size_t base = 0;
  /// facts × templates × options: the scores that the cells were computed from, in nats. Empty if
  /// they were not stored (MemoryProbeOptions::keep_scores).
  std::vector<double> scores{};

  /// For each fact, the answer to its sampled prompt; its confidence is the proportion of samples
  /// that match the answer. Empty unless every fact was sampled.
  std::vector<Prediction> sampled{};
  /// Whether answers are options of a closed set. Generated answers have no margin and no one-hot
  /// Brier score.
  bool closed_set = true;

  /// Adds a column. Must be called before any cells exist; paraphrases must come first.
  void add_template(std::size_t index, TemplateRole role = {}) {
    settings.push_back(template_setting(index));
    roles.push_back(std::move(role));
  }
  /// The dataset index of the template at the given index of a row.
  [[nodiscard]] std::size_t template_at(std::size_t place) const { return settings[place].variant; }
  /// Throws a user error if the options' scores were not stored.
  void need_scores(const std::string& name) const {
    if (scores.size() == cells.size() * relation.options.size()) return;
    throw user_error({.field = relation.code},
                     name + " needs the options' scores, which were not kept",
                     "probe in memory with keep_scores");
  }
  /// The index, within a row, of the template with this marker, if the relation has one.
  [[nodiscard]] std::optional<std::size_t> place_of(std::string_view marker) const {
    const auto found = ranges::find(roles, marker, &TemplateRole::marker);
    if (marker.empty() || found == roles.end()) return std::nullopt;
    return static_cast<std::size_t>(found - roles.begin());
  }
};

/// The data that an estimator receives about one fact.
struct FactPredictions {
  const RelationPredictions& in;
  std::size_t fact = 0;

  [[nodiscard]] std::span<const Prediction> paraphrases() const {
    return in.row(fact).first(in.paraphrases);
  }
  [[nodiscard]] const Prediction& base() const { return in.row(fact)[in.base]; }
  /// The site reported in errors about the fact.
  [[nodiscard]] Site site() const {
    const Fact& of = in.relation.facts[fact];
    return {in.relation.file, of.line, in.relation.code + ", '" + of.subject + "'"};
  }
  [[nodiscard]] std::size_t answer() const { return in.relation.facts[fact].answer; }
  /// The options' scores, in nats, under the template at a given index of the row, or under the
  /// base template. Throws a user error if they were not stored.
  [[nodiscard]] std::span<const double> scores(std::size_t place) const {
    in.need_scores("FactPredictions::scores");
    const std::size_t options = in.relation.options.size();
    return std::span(in.scores).subspan((fact * in.settings.size() + place) * options, options);
  }
  [[nodiscard]] std::span<const double> scores() const { return scores(in.base); }
};

/// All relations of one model.
struct ModelPredictions {
  std::string name;
  std::vector<RelationPredictions> relations;
  /// Facts omitted because the engine did not report the log-probabilities of all their candidates'
  /// tokens.
  std::size_t unreported_facts = 0;

  [[nodiscard]] std::size_t facts() const noexcept {
    std::size_t count = 0;
    for (const RelationPredictions& relation : relations) count += relation.facts();
    return count;
  }
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
