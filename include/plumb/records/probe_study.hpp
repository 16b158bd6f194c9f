// SPDX-License-Identifier: Apache-2.0
#pragma once

// What did a closed-set probe find, as a study?
//
// A probe's templates are the variants of one setting, "template", so that what compares models
// reads a probe and a many-shot study alike. Works on plumb's run folders and on lm-pub-quiz's.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/core/parallel.hpp"
#include "plumb/measure/study.hpp"
#include "plumb/records/probe_facts.hpp"

namespace plumb {

/// All templates that were scored, relations in the order of the folder; a relation without rows is
/// left out. Predictions are made from the folder's own scores. Throws a user error for what is no
/// finished results folder, and what recorded_facts refuses.
[[nodiscard]] inline StudiedModel probe_study(const DiskPath& folder, const std::string& name) {
  const std::vector<RecordedRelation> recorded = recorded_relations(folder);
  StudiedModel model{name, std::vector<StudiedRelation>(recorded.size())};
  parallel_for(recorded.size(), [&](std::size_t i) {
    const auto table = recorded_facts(std::span(&recorded[i], 1),
                                      [](const RecordedRow& row, const RecordedRelation&) {
                                        return predict(row.scores, row.fact.answer);
                                      });
    StudiedRelation& relation = model.relations[i];
    relation.code = table.relation.code;
    for (const Fact& fact : table.relation.facts) {
      relation.facts.push_back(
          {fact.instance, fact.subject, option_text(table.relation, fact, fact.answer)});
    }
    for (std::size_t t = 0; t < table.templates.size(); ++t) {
      SettingAnswers& made = relation.settings.emplace_back();
      made.setting.method = "template";
      made.setting.variant = table.templates[t];
      for (const auto& cells : table.cells) made.answers.push_back(cells[t]);
    }
  });
  std::erase_if(model.relations, [](const StudiedRelation& r) { return r.facts.empty(); });
  return model;
}

}  // namespace plumb
