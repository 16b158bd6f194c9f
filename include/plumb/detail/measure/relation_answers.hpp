// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer to the facts of a relation, under every setting it was asked under?
//
// The table of answers that measures read, facts × settings: what scores come to when the
// likeliest candidate of each prompt is taken (measure/prediction.hpp), or what generated texts
// hold. A setting is what the question was (a method and its number of shots, or a template) and
// the variant of it that a spread is taken over: the seed of the shots, or the index of the
// template. Measures of one model (probe_metrics.hpp, accuracy_spread.hpp) and of several
// (subsumption.hpp and its neighbours) read it; with the roles of its templates it is
// aggregate/predictions.hpp. Many prompts whose number differs from fact to fact are in
// aggregate/prompt_outcomes.hpp, 12 bytes each.

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

/// The setting of a closed-set probe's template.
[[nodiscard]] inline Setting template_setting(std::size_t template_index) {
  Setting setting{"template"};
  setting.variant = template_index;
  return setting;
}

/// Not every relation has every setting: one with too few facts lacks settings of many shots.
struct RelationAnswers {
  /// With its facts, in the order of the rows.
  Relation relation{};
  /// Of the columns.
  std::vector<Setting> settings{};
  /// facts × settings, row by row. Options are among the relation's; ranks are too, or among the
  /// fact's own choices in a many-shot run. Answers by generation have no option, confidence, rank
  /// and tie.
  std::vector<Prediction> cells{};
  /// Parallel to the cells, what was generated; empty where no answer is by generation.
  std::vector<std::string> texts{};
  /// By fact, what all templates answer together, by the weighted mean of their scores
  /// (aggregate/weighted_likelihood.hpp); empty where no template that was scored weighs anything.
  std::vector<Prediction> weighted{};

  [[nodiscard]] std::size_t facts() const noexcept { return relation.facts.size(); }
  [[nodiscard]] std::span<const Prediction> row(std::size_t fact) const {
    return std::span(cells).subspan(fact * settings.size(), settings.size());
  }
  /// Place in a row of the template with this index, if the facts were asked under it.
  [[nodiscard]] std::optional<std::size_t> place_of_template(std::size_t index) const {
    const auto found = ranges::find(settings, template_setting(index));
    if (found == settings.end()) return std::nullopt;
    return static_cast<std::size_t>(found - settings.begin());
  }
};

/// What was answered to a fact under the setting at this place, as text: of a tie the first choice.
/// Empty for an option whose text is not known.
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

/// All relations of one model.
struct ModelAnswers {
  std::string name;
  std::vector<RelationAnswers> relations;
};

/// The one with this code, or the end.
[[nodiscard]] inline auto find_relation(const std::vector<RelationAnswers>& all,
                                        const std::string& code) {
  return ranges::find_if(all,
                         [&](const RelationAnswers& one) { return one.relation.code == code; });
}
auto find_relation(std::vector<RelationAnswers>&& all, const std::string& code) = delete;

/// One or several answers to each fact of a relation: all of a setting, all of its templates, or
/// those that its templates give together. A view, which any number of threads may read: the table
/// must outlive it.
class AnswersView {
 public:
  /// Under the setting at this place.
  static AnswersView of_setting(const RelationAnswers& table, std::size_t place) {
    return AnswersView(table, table.cells, {place}, table.facts());
  }
  /// Under all templates, ascending by index.
  static AnswersView of_templates(const RelationAnswers& table) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < table.settings.size(); ++i) {
      if (table.settings[i].method == "template") places.push_back(i);
    }
    ranges::sort(places, {}, [&](std::size_t place) { return table.settings[place].variant; });
    return AnswersView(table, table.cells, std::move(places), table.facts());
  }
  /// By the weighted mean of the templates' scores.
  static AnswersView of_weighted(const RelationAnswers& table) {
    return AnswersView(table, table.weighted, {0}, table.weighted.size());
  }
  static AnswersView of_setting(RelationAnswers&& table, std::size_t place) = delete;
  static AnswersView of_templates(RelationAnswers&& table) = delete;
  static AnswersView of_weighted(RelationAnswers&& table) = delete;

  [[nodiscard]] const Relation& relation() const noexcept { return table_->relation; }
  [[nodiscard]] std::size_t facts() const noexcept { return facts_; }
  /// Answers to each fact.
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] const Prediction& answer(std::size_t fact, std::size_t i = 0) const {
    return cells_[fact * per_fact_ + places_[i]];
  }
  /// Of the i-th answer; not of weighted ones.
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
  std::vector<std::size_t> places_;  // among a fact's cells
  std::size_t facts_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
