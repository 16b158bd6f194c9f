// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts were shown before the prompts of a run of many prompts?
//
//   shots.jsonl   a row for each setting with examples and each relation that it asks, under
//                 X-template for each of its templates: setting, relation, template (null if the
//                 list is for all templates), shots: [{relation, sub_id, sub_label, obj_label,
//                 template}, …]
// If each prompt has its own examples, the list contains all facts that may be shown, with one row
// for each setting and relation (X-random: a single row, whose relation is null). The template of
// each of these facts is null; it is recorded in the rows of answers. A row of answers, samples,
// names or content-free prompts has "shots": indices into the list of its setting, relation and
// template, in the order in which the prompt shows them. The setting is the first part of the
// file's name.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/records/recorded_shots.hpp"
#include "plumb/detail/records/result_lines.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Json to_json(const RecordedShot& shot) {
  return {{"relation", shot.relation},
          {"sub_id", shot.subject_id},
          {"sub_label", shot.subject},
          {"obj_label", shot.object},
          {"template", shot.template_index ? Json(*shot.template_index) : Json()}};
}

/// One line of shots.jsonl, including its newline.
[[nodiscard]] inline std::string shot_list_line(const RecordedShotList& list) {
  Json row = {{"setting", list.setting},
              {"relation", list.relation.empty() ? Json() : Json(list.relation)},
              {"template", list.template_index ? Json(*list.template_index) : Json()},
              {"shots", Json::array()}};
  for (const RecordedShot& shot : list.shots) row["shots"].push_back(to_json(shot));
  return row.dump() + "\n";
}

/// Returns the lists in file order. Throws a user error if the file cannot be read or a line is not
/// such a row.
[[nodiscard]] inline std::vector<RecordedShotList> read_shot_lists(const DiskPath& file) {
  std::vector<RecordedShotList> lists;
  for_each_result_line(file, [&](const Json& row, std::size_t line) {
    try {
      RecordedShotList& list = lists.emplace_back();
      list.setting = row.at("setting");
      const auto template_of = [](const Json& one) {
        const Json& index = one.at("template");
        return index.is_null() ? std::nullopt : std::optional(index.get<std::size_t>());
      };
      if (!row.at("relation").is_null()) list.relation = row.at("relation");
      list.template_index = template_of(row);
      for (const Json& shot : row.at("shots")) {
        list.shots.push_back({shot.at("relation"), shot.at("sub_id"), shot.at("sub_label"),
                              shot.at("obj_label"), template_of(shot)});
      }
    } catch (const Json::exception&) {
      throw user_error({file, line}, "is not a list of shots",
                       "the file was changed; run the job again");
    }
  });
  return lists;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
