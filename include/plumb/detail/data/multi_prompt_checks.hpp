// SPDX-License-Identifier: Apache-2.0
#pragma once

// When can a relation be asked with many prompts?
//
// The rules are the same wherever it was read: an entity's names are not blank, have no line break and
// stand once each, and a relation has a name that files can have, facts and templates. Non-goals: single lines and
// templates, whose readers report them (multi_prompt_folder.hpp, prompt_template_file.hpp).

#include <optional>
#include <string>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// One more name; blank ones and those it has are passed over.
inline void add_name(NamedEntity& entity, const std::string& name) {
  if (is_blank(name) || ranges::find(entity.names, name) != entity.names.end()) return;
  entity.names.push_back(name);
}

inline void add_names(NamedEntity& entity, const std::vector<std::string>& names) {
  for (const std::string& name : names) add_name(entity, name);
}

/// What is wrong with a name as a line of a prompt: a break in it.
[[nodiscard]] inline std::optional<Error> problem_with_name(const std::string& name,
                                                            const Site& site) {
  if (name.find_first_of("\r\n") == std::string::npos) return std::nullopt;
  return user_error(site, "holds a line break", "prompts end with their line; write it on one");
}

/// What a relation lacks once it is read, or what is wrong with its name.
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
