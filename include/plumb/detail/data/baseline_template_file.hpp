// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the format of a baseline template file (baseline_templates.hpp)?
//
// A JSON object that maps relations to their templates: {"Capital": {"property": "P36", "hgp":
//   ["The capital of {subject} is", …], "mmp": […]}, …}

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/baseline_templates.hpp"
#include "plumb/detail/data/json_file.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The templates listed under "hgp" or "mmp" for the relation at `site`; empty if the entry has no
/// such field. `json` is the content of the whole file.
inline std::vector<std::string> baseline_list(const Json& entry, const std::string& field,
                                              const std::string& json, Site site) {
  const std::string name = std::exchange(site.field, site.field + "." + field);
  if (!entry.contains(field)) return {};
  const auto list = string_list(entry, field);
  if (!list) {
    throw user_error(site, "is not a list of strings", "write [\"… {subject} …\", …]");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string& text = (*list)[i];
    const std::size_t at = text.find(subject_slot);
    const bool absent = at == std::string::npos;
    if (!absent && text.find(subject_slot, at + 1) == std::string::npos) continue;
    throw user_error(
        {site.file, line_of_json(json, name, text), site.field + "[" + std::to_string(i) + "]"},
        "template '" + text + "' has " + (absent ? "no " : "more than one ") +
            std::string(subject_slot),
        "write {subject} once, in the subject's place");
  }
  return *list;
}

/// Reads each relation's templates, keyed by the relation's code (the "property"). Throws a user
/// error if the file does not have this format, a template lacks {subject} or contains it more than
/// once, a relation has neither kind of template, or two entries have the same property.
[[nodiscard]] inline std::map<std::string, BaselineTemplates> read_baseline_templates(
    const DiskPath& file) {
  std::map<std::string, BaselineTemplates> all;
  const Json relations = read_json_object(file);
  const std::string json = read_text(file);
  for (const auto& [name, entry] : relations.items()) {
    const Site site{file, line_of_json(json, name), name};
    if (!entry.is_object()) {
      throw user_error(site, "is not an object",
                       "write {\"property\": \"P36\", \"hgp\": […], \"mmp\": […]}");
    }
    for (const auto& [field, value] : entry.items()) {
      if (field == "property" || field == "hgp" || field == "mmp") continue;
      throw user_error(site, "has the unknown field '" + field + "'",
                       "use only property, hgp and mmp");
    }
    const auto property = first_string(entry, "property");
    if (!property) {
      throw user_error({file, site.line, name + ".property"}, "is missing or empty",
                       "write the relation's code, such as \"P36\"");
    }
    BaselineTemplates templates{name, detail::baseline_list(entry, "hgp", json, site),
                                detail::baseline_list(entry, "mmp", json, site)};
    if (templates.hgp.empty() && templates.mmp.empty()) {
      throw user_error(site, "has no templates", "add a non-empty list hgp or mmp");
    }
    const auto [there, added] = all.emplace(*property, std::move(templates));
    if (!added) {
      throw user_error({file, site.line, name + ".property"},
                       "'" + *property + "' is also the code of '" + there->second.relation + "'",
                       "keep one entry for each relation");
    }
  }
  if (all.empty()) throw user_error({.file = file}, "contains no relation", "add one");
  return all;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
