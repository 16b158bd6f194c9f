// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a folder in the BEAR layout read?
//
//   metadata_relations.json   {"P36": {"templates": […], "answer_space_labels": […],
//                              "answer_space_ids": […]}, …}
//   P36.jsonl                 {"sub_id", "sub_label", "sub_aliases", "obj_id", "obj_label",
//                              "answer_idx"}, one fact per line
//   relation_info.json        {"P36": {"domains": […]}, …}, optional
//
// This is the layout of the BEAR dataset (Wiland et al. 2024) as lm-pub-quiz reads it. If
// answer_space_labels is missing, as in BEAR-big, the options are the distinct obj_id values, in
// order of appearance, each with its first label. Two objects with the same label are two options,
// as in lm-pub-quiz 0.3.3. A fact whose answer is either object always ends in a tie, because the
// statements for the two are identical.

#include <filesystem>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/relation_builder.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline bool is_bear(const DiskPath& folder) {
  return (folder / "metadata_relations.json").exists();
}

/// Throws a user error if the metadata cannot be read; all other problems go to `report`.
[[nodiscard]] inline Dataset load_bear(const DiskPath& folder,
                                       const ProblemSink& report = throw_problem) {
  Dataset dataset{folder.name(), {}, {}};
  const auto metadata_file = folder / "metadata_relations.json";
  const Json metadata = read_json_object(metadata_file);
  dataset.files.push_back(metadata_file);
  Json info = Json::object();
  if (const auto info_file = folder / "relation_info.json"; info_file.exists()) {
    info = read_json_object(info_file);
    dataset.files.push_back(info_file);
  }
  for (const auto& [code, entry] : metadata.items()) {
    RelationBuilder builder(code, report);
    const Site site{.file = metadata_file, .line = 0, .field = code};
    const auto templates = entry.is_object() ? string_list(entry, "templates") : std::nullopt;
    if (!templates) {
      report(user_error(site, "has no list of templates", "add \"templates\": [\"…\"]"));
      continue;
    }
    for (const std::string& text : *templates) builder.add_template(text, site);
    builder.take_options_by_id();
    if (const auto labels = string_list(entry, "answer_space_labels")) {
      const auto ids = string_list(entry, "answer_space_ids");
      if (ids && ids->size() != labels->size()) {
        report(user_error(site, "answer_space_ids and answer_space_labels differ in length",
                          "write one id for each label, in the same order"));
      }
      builder.set_options(*labels, ids.value_or(std::vector<std::string>{}), site);
    } else if (entry.contains("answer_space_labels") && !entry["answer_space_labels"].is_null()) {
      report(user_error(site, "answer_space_labels is not a list of strings", "write [\"…\", …]"));
      continue;
    }
    if (info.contains(code)) {
      const Json& about = info[code];
      const Site info_site{
          .file = folder / "relation_info.json", .line = 0, .field = code + ".domains"};
      if (auto domains = string_list(about, "domains")) {
        builder.set_domains(std::move(*domains));
      } else if (!about.is_object() || (about.contains("domains") && !about["domains"].is_null())) {
        report(user_error(info_site, "is not a list of strings", "write [\"…\", …] or remove it"));
      }
    }
    const auto facts_file = folder / (code + ".jsonl");
    if (!facts_file.exists()) {
      report(user_error({.file = facts_file},
                        "is missing, but metadata_relations.json lists " + code,
                        "add the file or remove the entry"));
      continue;
    }
    read_facts(std::move(builder), facts_file, dataset, report);
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
