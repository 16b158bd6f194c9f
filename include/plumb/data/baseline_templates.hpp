// SPDX-License-Identifier: Apache-2.0
#pragma once

// With which prompts were facts asked for before the many-shot probe?
//
// Human-generated prompts (HGP) are written by people, machine-mined prompts (MMP) are found in
// text; both are a few words with the subject in them, after which the object should follow. Read
// from a JSON object of relations,
//   {"Capital": {"property": "P36", "hgp": ["The capital of {subject} is", …], "mmp": […]}, …}
// Sources: Jiang et al. 2020; latent knowledge in many shots, Table 5. Non-goal: sentences with a
// place for the object (template_file.hpp).

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/core/disk_path.hpp"
#include "plumb/data/json_file.hpp"

namespace plumb {

/// Where the subject stands in a baseline template.
inline constexpr std::string_view subject_slot = "{subject}";

/// The baseline templates of one relation, in file order, {subject} once in each.
struct BaselineTemplates {
  /// The relation in words, as the file has it.
  std::string relation;
  /// Human-generated; empty where the file names none.
  std::vector<std::string> hgp;
  /// Machine-mined; empty where the file names none.
  std::vector<std::string> mmp;
};

namespace detail {

/// The templates under "hgp" or "mmp" of the relation at `site`; none where the entry has no such
/// field. `json` is the whole file.
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
        "write {subject} once, where the subject stands");
  }
  return *list;
}

}  // namespace detail

/// By relation code (the "property"). Throws a user error when the file is not of that shape, a
/// template lacks {subject} or has it twice, a relation has neither kind of template or two entries
/// have the same property.
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
      throw user_error(site, "has a field '" + field + "' that baselines do not have",
                       "its fields are property, hgp and mmp");
    }
    const auto property = first_string(entry, "property");
    if (!property) {
      throw user_error({file, site.line, name + ".property"}, "the relation has no code",
                       "give it a non-empty string, as \"P36\"");
    }
    BaselineTemplates templates{name, detail::baseline_list(entry, "hgp", json, site),
                                detail::baseline_list(entry, "mmp", json, site)};
    if (templates.hgp.empty() && templates.mmp.empty()) {
      throw user_error(site, "has no templates", "give it a list hgp or mmp that is not empty");
    }
    const auto [there, added] = all.emplace(*property, std::move(templates));
    if (!added) {
      throw user_error({file, site.line, name + ".property"},
                       "'" + *property + "' is also the code of '" + there->second.relation + "'",
                       "keep one entry for each relation");
    }
  }
  if (all.empty()) throw user_error({.file = file}, "holds no relation", "add one");
  return all;
}

/// The template with the subject in its place; without a place it comes back unchanged.
[[nodiscard]] inline std::string with_subject(std::string text, std::string_view subject) {
  const std::size_t at = text.find(subject_slot);
  return at == std::string::npos ? text : text.replace(at, subject_slot.size(), subject);
}

}  // namespace plumb
