// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer in a many-shot run?
//
// This header reads the likeliest choice for every fact under every setting. If texts were
// generated, additional settings record whether the texts contain the answer.

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/records/injection_file.hpp"
#include "plumb/detail/records/many_shot_rows.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Collects answers, row by row, into one relation's table.
class AnswersBySetting {
 public:
  AnswersBySetting(std::string code, std::vector<std::string> options) {
    made_.relation.code = std::move(code);
    made_.relation.options = std::move(options);
  }

  /// Facts must be added in the same order under every setting.
  void add(const Setting& setting, const Fact& fact, const Prediction& answer, const Site& site,
           const std::string& text = {}) {
    const auto key =
        std::tuple{setting.method, setting.shots, setting.separator, setting.by, setting.variant};
    const auto [entry, added] = places_.try_emplace(key, columns_.size());
    if (added) {
      made_.settings.push_back(setting);
      columns_.emplace_back();
      texts_.emplace_back();
    }
    std::vector<Prediction>& column = columns_[entry->second];
    std::vector<Fact>& facts = made_.relation.facts;
    if (entry->second == 0) {
      if (setting.by != "choice") {
        throw user_error(site, "is a generated text for a fact that has no row of choices",
                         "the file was changed; recreate it with `plumb many-shot`");
      }
      facts.push_back(fact);
    }
    if (column.size() >= facts.size() || facts[column.size()].instance != fact.instance) {
      throw user_error(site, "does not match the fact at this position under other settings",
                       "the file was changed; recreate it with `plumb many-shot`");
    }
    column.push_back(answer);
    if (setting.by != "choice") texts_[entry->second].push_back(text);
  }

  [[nodiscard]] RelationAnswers finish(const Site& site) && {
    for (const std::vector<Prediction>& column : columns_) {
      if (column.size() == made_.facts()) continue;
      throw user_error(site, "does not have the same facts under every setting",
                       "the file is incomplete; recreate it with `plumb many-shot`");
    }
    const bool any_text =
        ranges::any_of(texts_, [](const auto& column) { return !column.empty(); });
    for (std::size_t fact = 0; fact < made_.facts(); ++fact) {
      for (const std::vector<Prediction>& column : columns_) made_.cells.push_back(column[fact]);
      for (std::size_t c = 0; c < texts_.size() && any_text; ++c) {
        made_.texts.push_back(texts_[c].empty() ? std::string() : texts_[c][fact]);
      }
    }
    return std::move(made_);
  }

 private:
  RelationAnswers made_;
  std::vector<std::vector<Prediction>> columns_;  // parallel to the settings
  // also parallel to the settings; empty for choices
  std::vector<std::vector<std::string>> texts_;
  std::map<std::tuple<std::string, std::size_t, std::string, std::string, std::size_t>, std::size_t>
      places_;
};

/// The answers for each relation of a finished many-shot run, except skipped relations. `visit` is
/// called with the relation's code and each row of choices as it is read. Throws a user error if
/// files are damaged.
template <class Visit>
[[nodiscard]] ModelAnswers many_shot_answers(const std::vector<RecordedChoiceRelation>& relations,
                                             std::string name, Visit visit) {
  ModelAnswers model{std::move(name), {}};
  for (const RecordedChoiceRelation& recorded : relations) {
    if (recorded.skipped) continue;
    detail::AnswersBySetting table(recorded.code, recorded.options);
    for_each_recorded_choice(recorded, [&](const RecordedChoice& row) {
      Prediction answer = predict(row.scores, row.answer);
      answer.option = row.choices[answer.option];
      table.add(row.setting, row.fact, answer, {recorded.rows, row.fact.line});
      visit(recorded.code, row);
    });
    for_each_recorded_generation(recorded, [&](const RecordedGeneration& row) {
      Setting setting = row.setting;
      Prediction answer;
      setting.by = "generation";
      answer.correct = row.correct;
      table.add(setting, row.fact, answer, {recorded.generated, row.fact.line}, row.text);
      setting.by = "generation-aliases";
      answer.correct = row.correct_with_aliases;
      table.add(setting, row.fact, answer, {recorded.generated, row.fact.line}, row.text);
    });
    model.relations.push_back(std::move(table).finish({.file = recorded.rows}));
  }
  return model;
}

[[nodiscard]] inline ModelAnswers many_shot_answers(const DiskPath& folder, std::string name) {
  return many_shot_answers(recorded_choice_relations(folder), std::move(name),
                           [](const std::string&, const RecordedChoice&) {});
}

/// Reads everything in a finished run folder. Throws a user error if the folder is not of this kind
/// or is damaged.
[[nodiscard]] inline ManyShotFindings read_many_shot_run(const DiskPath& folder) {
  ManyShotFindings run;
  std::map<std::string, std::pair<double, std::size_t>> chances;  // sum, rows
  const std::vector<RecordedChoiceRelation> recorded = recorded_choice_relations(folder);
  run.answers =
      many_shot_answers(recorded, "", [&](const std::string& relation, const RecordedChoice& row) {
        chances[relation].first += 1 / static_cast<double>(row.choices.size());
        ++chances[relation].second;
        run.chance_by_fact[relation][row.fact.instance] =
            1 / static_cast<double>(row.choices.size());
      });
  for (const auto& [code, sum] : chances) {  // all facts of a relation have the same number of rows
    run.chance_by_relation[code] = sum.first / static_cast<double>(sum.second);
  }
  std::vector<std::pair<std::string, RelationRemark>> remarks;
  for (const RecordedChoiceRelation& relation : recorded) {
    run.choices += relation.choices;
    run.choices_beginning_another += relation.choices_beginning_another;
    for (const RelationRemark& note : relation.notes) remarks.emplace_back(relation.code, note);
    if (relation.skipped) remarks.emplace_back(relation.code, *relation.skipped);
    const auto injection = folder / (relation.code + "_injection.json");
    if (!is_there(injection)) continue;
    run.scored_injections.push_back(read_recorded_injection(injection));
  }
  run.remarks = distinct_remarks(remarks);
  return run;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
