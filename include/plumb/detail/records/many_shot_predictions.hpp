// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answers of a many-shot run, converted to the form that calibration reads.
//
// Each combination of method, number of shots and separator becomes a separate model. The seeds of
// its shots (or its templates) serve as paraphrases, and the first of them serves as the base
// template. Each fact has its own choices, which are options of its relation. Generated texts are
// left out because they have no likelihood.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "plumb/detail/records/probe_predictions.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One relation under settings that differ only in their variant: facts by instance, each with its
/// answers under all variants.
class VariantAnswers {
 public:
  void add(const RecordedChoice& row, const DiskPath& file) {
    const auto [column, is_new] = places_.try_emplace(row.setting.variant, settings_.size());
    if (is_new) settings_.push_back(row.setting);
    auto [entry, first] = facts_.try_emplace(row.fact.instance);
    if (first) {
      entry->second.fact = row.fact;
      order_.push_back(row.fact.instance);
    }
    std::vector<std::optional<Answer>>& answers = entry->second.answers;
    if (answers.size() <= column->second) answers.resize(column->second + 1);
    if (answers[column->second]) {
      throw user_error({file, row.fact.line}, "the fact already has a row under this setting",
                       "the file was changed; recreate it with `plumb many-shot`");
    }
    Prediction made = predict(row.scores, row.answer);
    made.option = row.choices[made.option];
    answers[column->second] = Answer{made, row.choices, row.scores};
  }

  /// Throws a user error if a fact has no row under some variant, or if the base is not one of the
  /// variants.
  void finish(RelationPredictions& made, BaseScores& scores, const TemplateKinds& kinds,
              const DiskPath& file) const {
    made.settings = settings_;
    made.roles.resize(settings_.size());
    made.paraphrases = settings_.size();
    if (const auto place = places_.find(kinds.base); place != places_.end()) {
      made.base = place->second;
    } else if (kinds.base != 0) {
      throw user_error({.setting = "base-template"},
                       setting_name(settings_.front()) + " of " + made.relation.code +
                           " has no seed or template " + std::to_string(kinds.base),
                       "drop `base-template` to use the first of each");
    }
    for (const std::size_t instance : order_) {
      const OfFact& of = facts_.at(instance);
      const auto is_missing = [](const std::optional<Answer>& answer) { return !answer; };
      if (of.answers.size() != settings_.size() || ranges::any_of(of.answers, is_missing)) {
        throw user_error({file, of.fact.line}, "the fact lacks a row under some seed or template",
                         "the file is incomplete; recreate it with `plumb many-shot`");
      }
      made.relation.facts.push_back(of.fact);
      for (const std::optional<Answer>& answer : of.answers)
        made.cells.push_back(answer->prediction);
      const Answer& base = *of.answers[made.base];
      scores.add(base.scores, base.choices);
    }
  }

 private:
  struct Answer {
    Prediction prediction;
    std::vector<std::uint32_t> choices;
    std::vector<double> scores;
  };
  struct OfFact {
    Fact fact;
    std::vector<std::optional<Answer>> answers;
  };

  std::vector<Setting> settings_;
  std::map<std::size_t, std::size_t> places_;  // index by variant
  std::map<std::size_t, OfFact> facts_;        // by instance
  std::vector<std::size_t> order_;
};

/// A ScoredModel for each method, number of shots and separator of a finished run, named "NAME
/// METHOD/SHOTS". Throws a user error if the folder contains no such run or is damaged.
[[nodiscard]] inline std::vector<ScoredModel> read_many_shot_models(const std::string& name,
                                                                    const DiskPath& folder,
                                                                    const ReadingOptions& options) {
  const Json metadata = read_metadata(folder, ResultsKind::many_shot);
  std::vector<RecordedChoiceRelation> relations = recorded_choice_relations(folder);
  refuse_absent_relations(options.relations, relations, &RecordedChoiceRelation::code, name);
  std::vector<ScoredModel> models;
  for (const RecordedChoiceRelation& recorded : relations) {
    if (recorded.skipped || !is_asked(options.relations, recorded.code)) continue;
    std::vector<std::pair<Setting, VariantAnswers>> groups;
    for_each_recorded_choice(recorded, [&](const RecordedChoice& row) {
      auto group = ranges::find_if(
          groups, [&](const auto& one) { return one.first.group() == row.setting.group(); });
      if (group == groups.end()) group = groups.insert(group, {row.setting, {}});
      group->second.add(row, recorded.rows);
    });
    for (const auto& [setting, answers] : groups) {
      const std::string full = name + " " + setting_name(setting);
      auto model = ranges::find_if(
          models, [&](const ScoredModel& one) { return one.predictions.name == full; });
      if (model == models.end()) {
        model = models.insert(model, ScoredModel{});
        model->predictions.name = full;
        model->dataset = first_string(metadata, "dataset").value_or("");
        model->reduction = name_of(Reduction::sum);
        model->span = name_of(Span::continuation);
        model->asked_by = setting.varies_by_template() ? AskedBy::templates : AskedBy::shots;
        model->notes.push_back(
            setting.varies_by_template()
                ? "Each fact is tested with its own choices."
                : "Each fact is tested with its own choices; the seeds of the shots replace "
                  "paraphrases, and the first seed replaces the base template.");
      }
      RelationPredictions& made = model->predictions.relations.emplace_back();
      made.relation.code = recorded.code;
      made.relation.options = recorded.options;
      made.relation.file = recorded.rows;
      if (setting.varies_by_template() && recorded.templates) {
        made.relation.templates =
            setting.method == "hgp" ? recorded.templates->hgp : recorded.templates->mmp;
      }
      answers.finish(made, model->base.emplace_back(), options.kinds, recorded.rows);
    }
  }
  return models;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
