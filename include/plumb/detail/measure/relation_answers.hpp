// SPDX-License-Identifier: Apache-2.0
#pragma once

// How did a model answer the facts of a relation, under each setting?
//
// This is the table of answers (facts × settings) from which the measures are computed. An answer
// is the likeliest candidate for a prompt (measure/prediction.hpp) or is derived from a generated
// text. A setting consists of the kind of question (a method and its number of shots, or a
// template) and a variant (the seed of the shots, or the index of the template); spreads are
// computed over the variants. The table is read by measures of one model (probe_metrics.hpp,
// accuracy_spread.hpp) and of several models (subsumption.hpp and others). Combined with the roles
// of its templates, it forms the table in aggregate/predictions.hpp. If facts have many prompts and
// the number of prompts varies, the table in aggregate/prompt_outcomes.hpp is used instead, at 12
// bytes per prompt.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/prompt/question_setting.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The setting for a template of a closed-set probe.
[[nodiscard]] inline Setting template_setting(std::size_t template_index) {
  Setting setting{"template"};
  setting.variant = template_index;
  return setting;
}

/// Not every relation has every setting: a relation with few facts lacks settings with many shots.
struct RelationAnswers {
  /// The relation, with its facts in the order of the rows.
  Relation relation{};
  /// The settings, one for each column.
  std::vector<Setting> settings{};
  /// facts × settings, in row-major order. Options are indices into the relation's options. Ranks
  /// are computed among these options or, in a many-shot run, among the fact's own choices.
  /// Generated answers have no option, confidence, rank or tie.
  std::vector<Prediction> cells{};
  /// Parallel to the cells: the generated texts; empty if no answer was generated.
  std::vector<std::string> texts{};
  /// For each fact, the combined answer of all templates, based on the weighted mean of their
  /// scores (aggregate/weighted_likelihood.hpp). Empty if no scored template has a weight above 0.
  std::vector<Prediction> weighted{};

  [[nodiscard]] std::size_t facts() const noexcept { return relation.facts.size(); }
  [[nodiscard]] std::span<const Prediction> row(std::size_t fact) const {
    return std::span(cells).subspan(fact * settings.size(), settings.size());
  }
  /// The position, within a row, of the template with this index; nullopt if the template was not
  /// used for these facts.
  [[nodiscard]] std::optional<std::size_t> place_of_template(std::size_t index) const {
    const auto found = ranges::find(settings, template_setting(index));
    if (found == settings.end()) return std::nullopt;
    return static_cast<std::size_t>(found - settings.begin());
  }
};

/// The text of the answer to a fact under the setting at this index; in a tie, the first of the
/// tied options. Empty if the option's text is unknown.
[[nodiscard]] inline std::string answer_text(const RelationAnswers& table, std::size_t fact,
                                             std::size_t place) {
  const std::size_t cell = fact * table.settings.size() + place;
  if (table.settings[place].by != "choice") {
    return cell < table.texts.size() ? table.texts[cell] : std::string();
  }
  const std::size_t option = table.cells[cell].option;
  const Fact& asked = table.relation.facts[fact];
  const std::vector<std::string>& labels =
      asked.choices.empty() ? table.relation.options : asked.choices;
  return option < labels.size() ? labels[option] : std::string();
}

/// The answers of one model for all relations.
struct ModelAnswers {
  std::string name;
  std::vector<RelationAnswers> relations;
};

/// The relation with this code, or the end iterator.
[[nodiscard]] inline auto find_relation(const std::vector<RelationAnswers>& all,
                                        const std::string& code) {
  return ranges::find_if(all,
                         [&](const RelationAnswers& one) { return one.relation.code == code; });
}
auto find_relation(std::vector<RelationAnswers>&& all, const std::string& code) = delete;

/// One or several answers to each fact of a relation: the answers under one setting, the answers
/// under all templates, or the combined answer of the templates. This is a view, which any number
/// of threads may read; the table must outlive it.
class AnswersView {
 public:
  /// The answers under the setting at this index.
  static AnswersView of_setting(const RelationAnswers& table, std::size_t place) {
    return AnswersView(table, table.cells, {place}, table.facts());
  }
  /// The answers under all templates, in ascending order of index.
  static AnswersView of_templates(const RelationAnswers& table) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < table.settings.size(); ++i) {
      if (table.settings[i].method == "template") places.push_back(i);
    }
    ranges::sort(places, {}, [&](std::size_t place) { return table.settings[place].variant; });
    return AnswersView(table, table.cells, std::move(places), table.facts());
  }
  /// The combined answers, based on the weighted mean of the templates' scores.
  static AnswersView of_weighted(const RelationAnswers& table) {
    return AnswersView(table, table.weighted, {0}, table.weighted.size());
  }
  static AnswersView of_setting(RelationAnswers&& table, std::size_t place) = delete;
  static AnswersView of_templates(RelationAnswers&& table) = delete;
  static AnswersView of_weighted(RelationAnswers&& table) = delete;

  [[nodiscard]] const Relation& relation() const noexcept { return table_->relation; }
  [[nodiscard]] std::size_t facts() const noexcept { return facts_; }
  /// The number of answers to each fact.
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] const Prediction& answer(std::size_t fact, std::size_t i = 0) const {
    return cells_[fact * per_fact_ + places_[i]];
  }
  /// The setting of the i-th answer; not available for weighted answers.
  [[nodiscard]] const Setting& setting(std::size_t i = 0) const {
    return table_->settings[places_[i]];
  }

 private:
  AnswersView(const RelationAnswers& table, std::span<const Prediction> cells,
              std::vector<std::size_t> places, std::size_t facts)
      : table_(&table),
        cells_(cells),
        per_fact_(facts == 0 ? 0 : cells.size() / facts),
        places_(std::move(places)),
        facts_(facts) {}

  const RelationAnswers* table_;
  std::span<const Prediction> cells_;
  std::size_t per_fact_;
  std::vector<std::size_t> places_;  // indices into a fact's cells
  std::size_t facts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
