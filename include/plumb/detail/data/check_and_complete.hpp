// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a dataset built by a program as complete as one from a loader?
//
// The dataset undergoes the same checks as a file, except that one option per relation is enough.
// Values that a loader would derive are filled in, so that a program only has to specify each
// fact's subject and answer.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/utf8.hpp"
#include "plumb/detail/core/white_space.hpp"
#include "plumb/detail/data/dataset.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Numbers the facts if all have instance 0, and assigns ids to the options if they have none. A
/// relation from a loader is left unchanged.
inline void fill_in(Relation& relation) {
  std::vector<Fact>& facts = relation.facts;
  if (ranges::all_of(facts, [](const Fact& fact) { return fact.instance == 0; })) {
    for (std::size_t i = 0; i < facts.size(); ++i) facts[i].instance = i;
  }
  if (!relation.option_ids.empty()) return;
  for (std::size_t i = 0; i < relation.options.size(); ++i) {
    relation.option_ids.push_back(relation.code + "-" + std::to_string(i));
  }
}

inline void check_instances(const Relation& relation) {
  std::unordered_set<std::size_t> seen;
  for (const Fact& fact : relation.facts) {
    if (seen.insert(fact.instance).second) continue;
    throw user_error({relation.file, fact.line, relation.code},
                     "instance " + std::to_string(fact.instance) + " is duplicated",
                     "number the facts, or set all instances to 0");
  }
}

inline void check_own_sentences(const Relation& relation) {
  for (const Fact& fact : relation.facts) {
    if (fact.subject.find("[Y]") != std::string::npos) continue;
    throw user_error({relation.file, fact.line, relation.code},
                     "the sentence '" + fact.subject + "' has no [Y]",
                     "write [Y] in the answer's place");
  }
}

/// Throws a user error if a text is not UTF-8, because results files must be UTF-8.
inline void check_utf8(const Relation& relation) {
  const auto check = [&](const std::string& text, const char* what, std::size_t line = 0) {
    if (first_invalid_utf8(text) == std::string_view::npos) return;
    throw user_error({relation.file, line, relation.code},
                     std::string(what) + " '" + valid_utf8(text) + "' is not UTF-8", "convert it");
  };
  for (const std::string& text : relation.templates) (check)(text, "the template");
  for (const std::string& text : relation.options) (check)(text, "the option");
  for (const std::string& text : relation.option_ids) (check)(text, "the option's id");
  for (const std::string& text : relation.domains) (check)(text, "the domain");
  for (const Fact& fact : relation.facts) {
    (check)(fact.subject, "the subject", fact.line);
    (check)(fact.subject_id, "the subject's id", fact.line);
    for (const std::string& text : fact.subject_aliases) (check)(text, "the alias", fact.line);
    for (const std::string& text : fact.choices) (check)(text, "the choice", fact.line);
    for (const auto& [name, text] : fact.further) (check)(name + text, "the column", fact.line);
  }
}

inline void check_options(const Relation& relation) {
  const Site site{.file = relation.file, .field = relation.code};
  const std::size_t options = relation.options.size(), ids = relation.option_ids.size();
  for (const std::string& label : relation.options) {
    if (label.empty()) throw user_error(site, "an option is empty", "give it a label");
  }
  if (ids != 0 && ids != options) {
    throw user_error(site, counted(ids, "id") + " for " + counted(options, "option"),
                     "add one id for each option, or leave option_ids empty");
  }
  // Options with ids may share a label.
  std::vector<std::string> names = ids == 0 ? relation.options : relation.option_ids;
  ranges::sort(names);
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  throw user_error(
      site, "option '" + *twice + "' is duplicated",
      ids == 0 ? "keep one of them and renumber the answers" : "give each option its own id");
}

/// Whether the probe inserts the relation's facts into templates.
enum class Templates { needed, not_needed };

/// The completed relation. Throws a user error for anything that a loader would reject in a file,
/// except a relation with only one option.
[[nodiscard]] inline Relation check_and_complete(Relation relation,
                                                 Templates templates = Templates::needed) {
  const Site site{.file = relation.file, .field = relation.code};
  if (const auto problem = problem_with_relation_name(relation.code, site)) throw *problem;
  const bool lacks_template = templates == Templates::needed && relation.templates.empty();
  const char* missing = lacks_template             ? "template"
                        : relation.facts.empty()   ? "fact"
                        : relation.options.empty() ? "option"
                                                   : nullptr;
  if (missing != nullptr) {
    throw user_error(site, std::string("has no ") + missing,
                     lacks_template ? "add one, or set a `template_file`" : "add one");
  }
  detail::check_utf8(relation);
  if (relation.own_sentences) {
    detail::check_own_sentences(relation);
  } else {
    for (const std::string& text : relation.templates) {
      if (const auto problem = problem_with_template(text, site)) throw *problem;
    }
  }
  detail::check_options(relation);
  const std::size_t options = relation.options.size();
  for (const Fact& fact : relation.facts) {
    if (is_blank(fact.subject)) {
      throw user_error({relation.file, fact.line, relation.code}, "a fact has no subject",
                       "give it a label");
    }
    if (fact.answer < options && (fact.choices.empty() || fact.choices.size() == options)) continue;
    throw user_error({relation.file, fact.line, relation.code},
                     "the answer or the choices of '" + fact.subject + "' do not match " +
                         counted(options, "option"),
                     "make answer an index into options, and choices parallel to options");
  }
  fill_in(relation);
  detail::check_instances(relation);
  return relation;
}

/// Completes every relation of a dataset. Also throws a user error if the dataset has no relations,
/// or if two relations have the same name, because their results would be written to the same file.
[[nodiscard]] inline Dataset check_and_complete(Dataset dataset,
                                                Templates templates = Templates::needed) {
  if (dataset.relations.empty()) {
    throw user_error({.field = dataset.name}, "the dataset has no relations", "add one");
  }
  std::unordered_set<std::string> codes;
  for (Relation& relation : dataset.relations) {
    relation = check_and_complete(std::move(relation), templates);
    if (codes.insert(relation.code).second) continue;
    throw user_error({.file = relation.file, .line = 0, .field = relation.code},
                     "two relations have this name", "rename one of them");
  }
  return dataset;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
