// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a dataset of many prompts kept in a folder?
//
//   facts.jsonl       {"relation": "capital", "sub_id": "FR", "sub_label": "France",
//                      "sub_aliases": ["the French Republic"],
//                      "objects": [{"obj_id": "Q90", "obj_label": "Paris",
//                                   "obj_aliases": ["City of Light"]}]}, one fact a line
//   templates.jsonl   as in prompt_template_file.hpp
// Aliases may be missing. A subject stands once in a relation, an object once in a fact, and every
// relation is in both files. Relations are in the order of facts.jsonl. A folder of any closed-set
// layout is read too (closed_set_prompts.hpp), with prompts/templates.jsonl where it has one, and
// MyriadLAMA as published (myriad_lama.hpp).
// Source of the shape: MyriadLAMA, "What Matters in Learning Facts in Language Models?", section 4.

#include <optional>
#include <string>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a path is a folder of this layout, which has facts.jsonl and is of no closed-set layout
/// that may have such a file too, or MyriadLAMA's.
[[nodiscard]] bool is_multi_prompt(const DiskPath& path);

/// The templates that a folder of a closed-set layout has for many prompts; nothing otherwise.
[[nodiscard]] std::optional<DiskPath> prompt_file_of(const DiskPath& folder);

/// Reads a folder of this layout, or a dataset of any closed-set layout. The templates are those of
/// `templates` where that is not empty, whatever the folder has, and then only the relations that
/// it names are taken. Broken lines and relations without facts or templates go to `report`. Throws a
/// user error when a file cannot be read, the layout is not known or nothing usable was found.
[[nodiscard]] MultiPromptDataset load_multi_prompt(const DiskPath& path,
                                                   const ProblemSink& report = throw_problem,
                                                   const DiskPath& templates = {});

/// facts.jsonl of a dataset whose texts are UTF-8.
[[nodiscard]] std::string facts_jsonl(const MultiPromptDataset& dataset);

/// templates.jsonl of a dataset whose texts are UTF-8; a template without a group has no such
/// field.
[[nodiscard]] std::string templates_jsonl(const MultiPromptDataset& dataset);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <vector>

#include "plumb/detail/data/closed_set_prompts.hpp"
#include "plumb/detail/data/dataset_formats.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder_body.hpp"
#include "plumb/detail/data/myriad_lama.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE bool is_multi_prompt(const DiskPath& path) {
  if (is_myriad_lama(path)) return true;
  if (!path.is_folder() || !(path / "facts.jsonl").exists()) return false;
  const DatasetFormat* closed = format_of(path, dataset_formats);
  return closed == nullptr || closed->gives_way;
}

PLUMB_INLINE std::optional<DiskPath> prompt_file_of(const DiskPath& folder) {
  auto file = folder / "prompts" / "templates.jsonl";
  if (!folder.is_folder() || !file.exists()) return {};
  return file;
}

PLUMB_INLINE MultiPromptDataset load_multi_prompt(const DiskPath& path, const ProblemSink& report,
                                                  const DiskPath& templates) {
  MultiPromptDataset dataset;
  if (is_myriad_lama(path)) {
    dataset = load_myriad_lama(path, report);
    if (!templates.empty()) {
      detail::use_prompt_templates(dataset, PromptTemplateFile(templates, report), report);
    }
  } else if (is_multi_prompt(path)) {
    const PromptTemplateFile file(templates.empty() ? path / "templates.jsonl" : templates, report);
    dataset = detail::load_multi_prompt_folder(path, file, !templates.empty(), report);
  } else {
    const Dataset closed = load_dataset(path, report);
    const auto file = templates.empty() ? prompt_file_of(path) : std::optional(templates);
    std::optional<PromptTemplateFile> read;
    if (file) read.emplace(*file, report);
    dataset = multi_prompt_of(closed, read ? &*read : nullptr, report);
  }
  if (dataset.relations.empty()) {
    throw user_error({.file = path}, "the dataset is empty",
                     "it needs at least one relation with facts and templates");
  }
  return dataset;
}

PLUMB_INLINE std::string facts_jsonl(const MultiPromptDataset& dataset) {
  const auto put = [](Json& object, const std::string& kind, const NamedEntity& entity) {
    object[kind + "_id"] = entity.id;
    object[kind + "_label"] = entity.names.front();
    object[kind + "_aliases"] =
        std::vector<std::string>(entity.names.begin() + 1, entity.names.end());
  };
  std::string text;
  for (const MultiPromptRelation& relation : dataset.relations) {
    for (const ManyNamedFact& fact : relation.facts) {
      Json line = {{"relation", relation.code}};
      put(line, "sub", fact.subject);
      Json& objects = line["objects"] = Json::array();
      for (const NamedEntity& object : fact.objects) {
        put(objects.emplace_back(Json::object()), "obj", object);
      }
      text += line.dump() + "\n";
    }
  }
  return text;
}

PLUMB_INLINE std::string templates_jsonl(const MultiPromptDataset& dataset) {
  std::string text;
  for (const MultiPromptRelation& relation : dataset.relations) {
    for (const PromptTemplate& one : relation.templates) {
      Json line = {{"relation", relation.code}, {"template", one.text}};
      if (!one.group.empty()) line["group"] = one.group;
      line["style"] = style_word(one.style);
      line["origin"] = origin_word(one.origin);
      text += line.dump() + "\n";
    }
  }
  return text;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#endif
