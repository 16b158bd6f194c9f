// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a model answer in a many-shot run?
//
// Reads a run folder into a study: the likeliest choice of every fact under every setting, and
// where texts were generated, whether they hold the answer, as settings of their own.

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/measure/many_shot_results.hpp"
#include "plumb/records/injection_file.hpp"
#include "plumb/records/many_shot_rows.hpp"
#include "plumb/records/result_lines.hpp"

namespace plumb {
namespace detail {

/// Puts answers, row by row, into one relation's table.
class StudyTable {
 public:
  explicit StudyTable(std::string code) { relation_.code = std::move(code); }

  /// Facts must come in the same order under every setting.
  void add(const Setting& setting, const StudiedFact& fact, const Prediction& answer,
           const Site& site) {
    const auto key =
        std::tuple{setting.method, setting.shots, setting.separator, setting.by, setting.variant};
    const auto [entry, added] = places_.try_emplace(key, relation_.settings.size());
    if (added) relation_.settings.push_back({setting, {}});
    std::vector<Prediction>& answers = relation_.settings[entry->second].answers;
    if (entry->second == 0) relation_.facts.push_back(fact);
    if (answers.size() >= relation_.facts.size() ||
        relation_.facts[answers.size()].instance != fact.instance) {
      throw user_error(site, "is not the fact that stands here under other settings",
                       "the file was changed; make it again with `plumb many-shot`");
    }
    answers.push_back(answer);
  }

  [[nodiscard]] StudiedRelation finish(const Site& site) && {
    for (const SettingAnswers& setting : relation_.settings) {
      if (setting.answers.size() == relation_.facts.size()) continue;
      throw user_error(site, "has not the same facts under every setting",
                       "the file is incomplete; make it again with `plumb many-shot`");
    }
    return std::move(relation_);
  }

 private:
  StudiedRelation relation_;
  std::map<std::tuple<std::string, std::size_t, std::string, std::string, std::size_t>, std::size_t>
      places_;
};

}  // namespace detail

/// The study of the relations of a finished many-shot run; those that were skipped are left out.
/// `visit` is called with the relation's code and each row of choices in passing. Throws a user error
/// for damaged files.
template <class Visit>
[[nodiscard]] StudiedModel many_shot_study(const std::vector<RecordedChoiceRelation>& relations,
                                           std::string name, Visit visit) {
  StudiedModel model{std::move(name), {}};
  for (const RecordedChoiceRelation& recorded : relations) {
    if (recorded.skipped) continue;
    detail::StudyTable table(recorded.code);
    for_each_recorded_choice(recorded, [&](const RecordedChoice& row) {
      const Prediction answer = predict(row.scores, row.answer);
      table.add(row.setting,
                {row.fact.instance, row.fact.subject, recorded.options[row.fact.answer]}, answer,
                {recorded.rows, row.fact.line});
      visit(recorded.code, row);
    });
    for_each_recorded_generation(recorded, [&](const RecordedGeneration& row) {
      const StudiedFact fact{row.fact.instance, row.fact.subject, ""};
      Setting setting = row.setting;
      Prediction answer;
      setting.by = "generation";
      answer.correct = row.correct;
      table.add(setting, fact, answer, {recorded.generated, row.fact.line});
      setting.by = "generation-aliases";
      answer.correct = row.correct_with_aliases;
      table.add(setting, fact, answer, {recorded.generated, row.fact.line});
    });
    model.relations.push_back(std::move(table).finish({.file = recorded.rows}));
  }
  return model;
}

[[nodiscard]] inline StudiedModel many_shot_study(const DiskPath& folder, std::string name) {
  return many_shot_study(recorded_choice_relations(folder), std::move(name),
                         [](const std::string&, const RecordedChoice&) {});
}

/// All that a finished run folder holds. Throws a user error when it is none or damaged.
[[nodiscard]] inline ManyShotAnswers read_many_shot_run(const DiskPath& folder) {
  ManyShotAnswers run;
  std::map<std::string, std::pair<double, std::size_t>> chances;  // sum, rows
  const std::vector<RecordedChoiceRelation> recorded = recorded_choice_relations(folder);
  run.study =
      many_shot_study(recorded, "", [&](const std::string& relation, const RecordedChoice& row) {
        chances[relation].first += 1 / static_cast<double>(row.choices.size());
        ++chances[relation].second;
        run.chance_by_fact[relation][row.fact.instance] =
            1 / static_cast<double>(row.choices.size());
      });
  for (const auto& [code, sum] : chances) {  // every fact has as many rows as any other
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
  run.remarks = told_once(remarks);
  return run;
}

}  // namespace plumb
