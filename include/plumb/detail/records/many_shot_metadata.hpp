// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a run folder of facts with choices of their own say of each relation?
//
//   metadata_many_shot.json   by relation: options, option_ids, facts, training, test, shots (by
//                             seed, instances of training facts in the order of the shots), templates
//                             (hgp and mmp, by variant), choices (of all test facts),
//                             choices_beginning_another, and notes or the reason for which it was
//                             skipped; beside them model and dataset
// Its rows are told in many_shot_rows.hpp.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/baseline_templates.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/relation_remark.hpp"
#include "plumb/detail/records/atomic_file.hpp"
#include "plumb/detail/records/result_sums.hpp"
#include "plumb/detail/records/results_kind.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Json to_json(const RelationRemark& remark) {
  return {{"what", remark.what}, {"detail", remark.detail}};
}

/// What metadata_many_shot.json says of a relation.
struct RecordedChoiceRelation {
  std::string code{};
  std::vector<std::string> options{}, option_ids{};
  std::size_t facts = 0, training = 0, test = 0;
  /// By seed: the instances of the training facts in the order in which they become shots.
  std::vector<std::vector<std::size_t>> shots{};
  /// Of the prompts beside; none where the relation has none of its own.
  std::optional<BaselineTemplates> templates{};
  std::vector<RelationRemark> notes{};
  /// Why it was not asked at all; mostly nothing.
  std::optional<RelationRemark> skipped{};
  /// Choices of all test facts, and those whose tokens begin another's of the same fact.
  std::size_t choices = 0;
  std::size_t choices_beginning_another = 0;
  /// Of what was read: rows of choices, and of generated texts where there are any.
  DiskPath rows{};
  DiskPath generated{};
};

[[nodiscard]] inline Json to_json(const RecordedChoiceRelation& relation) {
  Json notes = Json::array(), templates = Json::object();
  for (const RelationRemark& note : relation.notes) notes.push_back(to_json(note));
  if (const auto& own = relation.templates) templates = {{"hgp", own->hgp}, {"mmp", own->mmp}};
  return {{"options", relation.options},
          {"option_ids", relation.option_ids},
          {"facts", relation.facts},
          {"training", relation.training},
          {"test", relation.test},
          {"shots", relation.shots},
          {"templates", std::move(templates)},
          {"notes", std::move(notes)},
          {"skipped", relation.skipped ? to_json(*relation.skipped) : Json()},
          {"choices", relation.choices},
          {"choices_beginning_another", relation.choices_beginning_another}};
}

/// Leaves metadata_many_shot.json, which says that all rows are there. Throws an internal error when it
/// cannot be written.
inline void write_many_shot_metadata(const DiskPath& folder, const std::string& model,
                                     const std::string& dataset,
                                     const std::vector<RecordedChoiceRelation>& relations) {
  Json written = {{"model", model}, {"dataset", dataset}, {"relations", Json::object()}};
  for (const RecordedChoiceRelation& relation : relations) {
    written["relations"][relation.code] = to_json(relation);
  }
  write_atomically(folder / metadata_name(ResultsKind::many_shot), written.dump(2) + "\n");
}

/// The relations of a many-shot run, in order: what a report needs of each, options, templates, notes,
/// skipped and both numbers of choices. Throws a user error when the folder is none.
[[nodiscard]] inline std::vector<RecordedChoiceRelation> recorded_choice_relations(
    const DiskPath& folder) {
  std::vector<RecordedChoiceRelation> relations;
  const Json metadata = read_metadata(folder, ResultsKind::many_shot);
  const DiskPath file = folder / metadata_name(ResultsKind::many_shot);
  try {
    for (const auto& [code, entry] : metadata.at("relations").items()) {
      RecordedChoiceRelation& relation = relations.emplace_back();
      refuse_as_file_name(code, file);
      relation.code = code;
      relation.options = entry.at("options");
      relation.choices = entry.at("choices");
      relation.choices_beginning_another = entry.at("choices_beginning_another");
      relation.rows = folder / (code + "_choices.jsonl");
      relation.generated = folder / (code + "_generated.jsonl");
      const auto remark = [](const Json& said) {
        return RelationRemark{said.at("what"), said.at("detail")};
      };
      if (const Json own = entry.value("templates", Json::object()); !own.empty()) {
        relation.templates = BaselineTemplates{code, own.at("hgp"), own.at("mmp")};
      }
      for (const Json& note : entry.at("notes")) relation.notes.push_back(remark(note));
      if (!entry.at("skipped").is_null()) relation.skipped = remark(entry.at("skipped"));
    }
  } catch (const Json::exception&) {
    throw user_error({.file = file}, "is not what `plumb many-shot` writes", "make the run again");
  }
  return relations;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
