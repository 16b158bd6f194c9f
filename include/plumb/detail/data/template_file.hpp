// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replaces a dataset's templates with those in a file.
//
// Three forms are supported. The first is a JSON object with relations as keys, {"P36": ["The
// capital of [X] is [Y].", …]}, or, as in BEAR's metadata, {"P36": {"templates": […], …}}. The
// second is a templates.jsonl, as in many-prompt datasets (prompt_template_file.hpp). The third is
// a folder of LPAQA's prompts, which have weights (lpaqa.hpp).

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/data/lpaqa.hpp"
#include "plumb/detail/data/prompt_template_file.hpp"
#include "plumb/detail/data/repeated_json_keys.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The template strings in a templates.jsonl, grouped by relation.
inline Json prompt_template_texts(const DiskPath& file) {
  Json all = Json::object();
  const PromptTemplateFile templates(file);
  for (const RelationTemplates& relation : templates.relations()) {
    Json& texts = all[relation.code] = Json::array();
    for (const PromptTemplate& one : relation.templates) texts.push_back(one.text);
  }
  return all;
}

/// Replaces the templates of every relation with those in an LPAQA folder.
inline void use_lpaqa(Dataset& dataset, const DiskPath& folder) {
  for (Relation& relation : dataset.relations) {
    const auto file = lpaqa_file(folder, relation.code);
    if (!file) {
      const bool above = ranges::any_of(
          lpaqa_kinds, [&](const std::string_view kind) { return (folder / kind).is_folder(); });
      throw user_error(
          {.file = folder}, "has neither " + relation.code + ".jsonl nor " + relation.code + ".txt",
          above ? "pass one of its folders, " + std::string(lpaqa_kinds[0]) + ", " +
                      std::string(lpaqa_kinds[1]) + " or " + std::string(lpaqa_kinds[2])
                : "add it, or choose other relations with `relations`");
    }
    WeightedTemplates read = read_lpaqa(*file);
    relation.templates = std::move(read.templates);
    relation.template_weights = std::move(read.weights);
    relation.template_file = *file;
    dataset.files.push_back(*file);
  }
}

/// Replaces the templates of every relation. Throws a user error if a relation is missing from the
/// file or folder or occurs twice, or if a template lacks a placeholder.
inline void use_template_file(Dataset& dataset, const DiskPath& file) {
  if (file.is_folder()) return detail::use_lpaqa(dataset, file);
  const bool is_lines = file.extension() == ".jsonl";
  const std::string json = is_lines ? "" : read_text(file);
  check_json_keys(json, {.file = file}, throw_problem);
  const Json all = is_lines ? detail::prompt_template_texts(file) : object_of_text(json, file);
  for (Relation& relation : dataset.relations) {
    const auto entry = all.find(relation.code);
    if (entry == all.end()) {
      throw user_error({file, 0, relation.code}, "has no templates for this relation",
                       "add them, or choose other relations with `relations`");
    }
    const auto templates =
        entry->is_object() ? string_list(*entry, "templates") : string_list(all, relation.code);
    const auto site = [&](const std::string& text = {}) {
      return Site{file, line_of_json(is_lines ? read_text(file) : json, relation.code, text),
                  relation.code};
    };
    if (!templates || templates->empty()) {
      throw user_error(site(), "has no list of templates", "write [\"… [X] … [Y] …\"]");
    }
    for (const std::string& text : *templates) {
      if (problem_with_template(text, {})) throw *problem_with_template(text, site(text));
    }
    relation.templates = *templates;
    relation.template_weights.clear();
    relation.template_file = file;
  }
  dataset.files.push_back(file);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
