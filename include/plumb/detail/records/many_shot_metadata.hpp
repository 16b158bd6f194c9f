// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metadata, by relation, of a run folder whose facts have their own choices.
//
//   metadata_many_shot.json   by relation: options, option_ids, facts, training, test, shots (by
//                             seed, instances of training facts in the order of the shots),
//                             templates (hgp and mmp, by variant), choices (of all test facts),
//                             choices_beginning_another, and notes or the reason for which it was
//                             skipped; next to these, model and dataset
// The rows are described in many_shot_rows.hpp.

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

/// A relation's entry in metadata_many_shot.json.
struct RecordedChoiceRelation {
  std::string code{};
  std::vector<std::string> options{}, option_ids{};
  std::size_t facts = 0, training = 0, test = 0;
  /// For each seed, the instances of the training facts in the order in which they become shots.
  std::vector<std::vector<std::size_t>> shots{};
  /// Templates of the baseline prompts; nullopt if the relation has none of its own.
  std::optional<BaselineTemplates> templates{};
  std::vector<RelationRemark> notes{};
  /// Why the relation was skipped; usually nullopt.
  std::optional<RelationRemark> skipped{};
  /// The total number of choices of all test facts, and the number of choices whose tokens are a
  /// prefix of another choice's tokens for the same fact.
  std::size_t choices = 0;
  std::size_t choices_beginning_another = 0;
  /// The files to read: the rows of choices, and the generated texts if there are any.
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

/// Writes metadata_many_shot.json, which marks the rows as complete. Throws an internal error if it
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

/// The relations of a many-shot run, in order, with the entries that a report needs: options,
/// templates, notes, skipped and both choice counts. Throws a user error if the folder is of
/// another kind.
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
      const auto remark = [](const Json& recorded) {
        return RelationRemark{recorded.at("what"), recorded.at("detail")};
      };
      if (const Json own = entry.value("templates", Json::object()); !own.empty()) {
        relation.templates = BaselineTemplates{code, own.at("hgp"), own.at("mmp")};
      }
      for (const Json& note : entry.at("notes")) relation.notes.push_back(remark(note));
      if (!entry.at("skipped").is_null()) relation.skipped = remark(entry.at("skipped"));
    }
  } catch (const Json::exception&) {
    throw user_error({.file = file}, "is not in the format of `plumb many-shot`", "run it again");
  }
  return relations;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
