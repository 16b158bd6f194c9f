// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a dataset of many prompts stored in a folder?
//
//   facts.jsonl       {"relation": "capital", "sub_id": "FR", "sub_label": "France",
//                      "sub_aliases": ["the French Republic"],
//                      "objects": [{"obj_id": "Q90", "obj_label": "Paris",
//                                   "obj_aliases": ["City of Light"]}]}, one fact per line
//   templates.jsonl   as in prompt_template_file.hpp
// Aliases may be missing. A subject appears once in a relation, and an object once in a fact. Every
// relation is in both files. Relations are in the order of facts.jsonl. Two other layouts are read
// too: any closed-set dataset (closed_set_prompts.hpp), with prompts/templates.jsonl if the folder
// contains it, and MyriadLAMA as published (myriad_lama.hpp). Source of the structure: MyriadLAMA,
// "What Matters in Learning Facts in Language Models?", section 4.

#include <optional>
#include <string>

#include "plumb/detail/core/compiled.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Whether a path contains MyriadLAMA or is a folder in this layout. The folder must contain
/// facts.jsonl and must not be in a closed-set layout, because such a layout may also contain that
/// file.
[[nodiscard]] bool is_multi_prompt(const DiskPath& path);

/// The file of templates for many prompts in the folder of a closed-set dataset; nullopt if there
/// is none.
[[nodiscard]] std::optional<DiskPath> prompt_file_of(const DiskPath& folder);

/// Reads MyriadLAMA, a folder in this layout, or a dataset in any closed-set layout. If `templates`
/// is not empty, it replaces the folder's templates, and only the relations that it lists are read.
/// Invalid lines and relations without facts or templates are passed to `report`. Throws a user
/// error if a file cannot be read, the layout is unknown or there is no usable data.
[[nodiscard]] MultiPromptDataset load_multi_prompt(const DiskPath& path,
                                                   const ProblemSink& report = throw_problem,
                                                   const DiskPath& templates = {});

/// The contents of a dataset's facts.jsonl. The dataset's strings must be UTF-8.
[[nodiscard]] std::string facts_jsonl(const MultiPromptDataset& dataset);

/// The contents of a dataset's templates.jsonl. The dataset's strings must be UTF-8. The `group`
/// field is omitted for a template without a group.
[[nodiscard]] std::string templates_jsonl(const MultiPromptDataset& dataset);

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

#if PLUMB_BODIES

#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/closed_set_prompts.hpp"
#include "plumb/detail/data/dataset_formats.hpp"
#include "plumb/detail/data/fact_columns.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/load.hpp"
#include "plumb/detail/data/multi_prompt_folder_body.hpp"
#include "plumb/detail/data/myriad_lama.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"
#include "plumb/detail/data/tsv.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

PLUMB_INLINE bool is_multi_prompt(const DiskPath& path) {
  if (is_myriad_lama(path)) return true;
  const DiskPath facts = path / "facts.jsonl";
  if (!path.is_folder() || !facts.exists()) return false;
  const std::vector<std::string> header = detail::table_header(facts);
  const bool has_label = ranges::find(header, "sub_label") != header.end();
  if (!has_label && fact_columns(header)) return false;  // a table of facts (tsv.hpp)
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
    if (templates.empty() && !(path / "templates.jsonl").exists()) {
      detail::refuse_broken_first_line(path / "facts.jsonl");  // it may be a table of facts
    }
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
