// SPDX-License-Identifier: Apache-2.0
#pragma once

// Can a relation be used with many prompts?
//
// The rules are the same for all sources. An entity's names must be distinct, not blank and without
// line breaks. A relation must have facts, templates, and a name that is usable in file names.
// Non-goals: individual lines and templates, whose problems are reported by their readers
// (multi_prompt_folder.hpp, prompt_template_file.hpp).

#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Adds a name unless it is blank or a duplicate.
inline void add_name(NamedEntity& entity, const std::string& name) {
  if (is_blank(name) || ranges::find(entity.names, name) != entity.names.end()) return;
  entity.names.push_back(name);
}

inline void add_names(NamedEntity& entity, const std::vector<std::string>& names) {
  for (const std::string& name : names) add_name(entity, name);
}

/// The problem with a name that contains a line break (a prompt is a single line); nullopt for any
/// other name.
[[nodiscard]] inline std::optional<Error> problem_with_name(const std::string& name,
                                                            const Site& site) {
  if (name.find_first_of("\r\n") == std::string::npos) return std::nullopt;
  return user_error(site, "contains a line break",
                    "write it on one line, because a prompt is one line");
}

/// The problem with a relation after reading, if any: a bad name, no facts or no templates.
[[nodiscard]] inline std::optional<Error> problem_with_relation(const MultiPromptRelation& relation,
                                                                const Site& site) {
  const std::string& code = relation.code;
  if (auto problem = problem_with_relation_name(code, site)) return problem;
  if (!relation.facts.empty() && !relation.templates.empty()) return std::nullopt;
  return user_error(
      site, "relation " + code + " has no usable " + (relation.facts.empty() ? "fact" : "template"),
      "add one or remove the relation");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
