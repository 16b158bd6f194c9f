// SPDX-License-Identifier: Apache-2.0
#pragma once

// How multi_prompt_folder.hpp reads a folder in its own layout.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/data/multi_prompt_checks.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The entity described by an object's fields `kind`_id, `kind`_label and `kind`_aliases; if they
/// are invalid, reports the problem and returns nullopt.
inline std::optional<NamedEntity> named_entity(const Json& object, const std::string& kind,
                                               const std::string& prefix, const Site& site,
                                               const ProblemSink& report) {
  const auto id = required_string(object, kind + "_id", site, report, prefix);
  if (!id) return std::nullopt;
  const auto label = required_string(object, kind + "_label", site, report, prefix);
  if (!label) return std::nullopt;
  NamedEntity entity{*id, {*label}};
  const std::string field = kind + "_aliases";
  if (has_value(object, field)) {
    const auto aliases = string_list(object, field);
    if (!aliases) {
      report(user_error(with_field(site, prefix + field), "is not a list of strings",
                        "write [\"…\", …] or remove it"));
      return std::nullopt;
    }
    add_names(entity, *aliases);
  }
  for (const std::string& name : entity.names) {
    const std::string place = prefix + (name == *label ? kind + "_label" : field);
    if (const auto problem = problem_with_name(name, with_field(site, place))) {
      report(*problem);
      return std::nullopt;
    }
  }
  return entity;
}

/// A line's fact; if the line is invalid, reports the problem and returns nullopt.
inline std::optional<ManyNamedFact> many_named_fact(const Json& line, const Site& site,
                                                    const ProblemSink& report) {
  auto subject = named_entity(line, "sub", "", site, report);
  if (!subject) return std::nullopt;
  ManyNamedFact fact{std::move(*subject), {}, site.line};
  const auto refuse = [&](const std::string& field, const std::string& message,
                          const std::string& remedy) {
    report(user_error(with_field(site, field), message, remedy));
    return std::nullopt;
  };
  const std::string shape = "write [{\"obj_id\": \"…\", \"obj_label\": \"…\"}, …]";
  const auto objects = line.find("objects");
  if (objects == line.end()) return refuse("objects", "is missing", shape);
  if (!objects->is_array()) return refuse("objects", "is not a list", shape);
  if (objects->empty()) return refuse("objects", "is empty", shape);
  std::unordered_set<std::string> ids;
  for (const Json& object : *objects) {
    const std::string place = "objects[" + std::to_string(fact.objects.size()) + "]";
    if (!object.is_object()) return refuse(place, "is not an object", shape);
    auto entity = named_entity(object, "obj", place + ".", site, report);
    if (!entity) return std::nullopt;
    if (!ids.insert(entity->id).second) {
      return refuse(place + ".obj_id", "'" + entity->id + "' is duplicated in the fact",
                    "put its names in one object");
    }
    fact.objects.push_back(std::move(*entity));
  }
  return fact;
}

/// A relation of facts.jsonl while the file is being read.
struct ReadRelation {
  MultiPromptRelation relation;
  /// The number, counted from 1, of the first line that mentions the relation.
  std::size_t line = 0;
  /// The lines of the relation's subjects, keyed by the subjects' identifiers.
  std::unordered_map<std::string, std::size_t> subjects;
};

/// Relations in order of first appearance, without templates.
inline std::vector<ReadRelation> read_many_named_facts(const DiskPath& file,
                                                       const ProblemSink& report) {
  std::vector<ReadRelation> relations;
  std::unordered_map<std::string, std::size_t> places;
  for_each_json_line(file, report, [&](const Json& line, std::size_t number) {
    const Site site{file, number};
    const auto code = required_string(line, "relation", site, report);
    if (!code) return;
    const auto [place, is_new] = places.try_emplace(*code, relations.size());
    if (is_new) relations.push_back({{*code, {}, {}, file}, number, {}});
    auto fact = many_named_fact(line, site, report);
    if (!fact) return;
    ReadRelation& read = relations[place->second];
    const auto [first, is_new_subject] = read.subjects.try_emplace(fact->subject.id, number);
    if (!is_new_subject) {
      return report(user_error(with_field(site, "sub_id"),
                               "'" + fact->subject.id + "' is duplicated in relation " + *code +
                                   ", first on line " + std::to_string(first->second),
                               "put all its objects on one line"));
    }
    read.relation.facts.push_back(std::move(*fact));
  });
  return relations;
}

/// If `chooses` is true, reads only the relations that `templates` lists, as for templates from a
/// separate file.
inline MultiPromptDataset load_multi_prompt_folder(const DiskPath& folder,
                                                   const PromptTemplateFile& templates,
                                                   bool chooses, const ProblemSink& report) {
  const auto file = folder / "facts.jsonl";
  MultiPromptDataset dataset{folder.name(), {}, {file, templates.path()}};
  dataset.knows_origins = templates.knows_origins();
  std::unordered_set<std::string> codes;
  for (ReadRelation& read : read_many_named_facts(file, report)) {
    MultiPromptRelation& relation = read.relation;
    codes.insert(relation.code);
    const RelationTemplates* given = templates.find(relation.code);
    if (chooses && given == nullptr) continue;
    if (given != nullptr) relation.templates = given->templates;
    relation.template_file = templates.path();
    if (const auto problem = problem_with_relation(relation, {file, read.line, "relation"})) {
      report(*problem);
    } else {
      dataset.relations.push_back(std::move(relation));
    }
  }
  for (const RelationTemplates& named : templates.relations()) {
    if (codes.contains(named.code)) continue;
    report(user_error({templates.path(), named.line, "relation"},
                      "'" + named.code + "' has no usable facts in " + file.string(),
                      "add facts or remove the templates"));
  }
  return dataset;
}

/// Replaces a dataset's own templates; only the relations listed in the file remain.
inline void use_prompt_templates(MultiPromptDataset& dataset, const PromptTemplateFile& templates,
                                 const ProblemSink& report) {
  std::erase_if(dataset.relations, [&](const MultiPromptRelation& relation) {
    return templates.find(relation.code) == nullptr;
  });
  for (MultiPromptRelation& relation : dataset.relations) {
    const RelationTemplates& given = *templates.find(relation.code);
    relation.templates = given.templates;
    relation.template_file = templates.path();
    if (const auto problem =
            problem_with_relation(relation, {templates.path(), given.line, "relation"})) {
      report(*problem);
    }
  }
  std::erase_if(dataset.relations,
                [](const MultiPromptRelation& relation) { return relation.templates.empty(); });
  dataset.files.push_back(templates.path());
  dataset.knows_origins = templates.knows_origins();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
