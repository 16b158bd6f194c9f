// SPDX-License-Identifier: Apache-2.0
#pragma once

// How is a closed-set dataset used with many prompts?
//
// All facts about a subject become one fact with several objects. Subjects are distinguished as in
// SubjectGroups, so subjects that share a label are merged into one, with the names of the first.
// An object has the label given in its fact and the aliases from object_aliases. The templates are
// either the relation's own or come from a file, which then also selects the relations. A
// relation's own templates are treated as manual. Each template forms its own group, and a template
// that ends like a question has the question style. Source of the structure: MyriadLAMA, "What
// Matters in Learning Facts in Language Models?", section 4.1. Non-goal: the options; here the
// model does not choose among them.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/data/fact_split.hpp"
#include "plumb/detail/data/multi_prompt.hpp"
#include "plumb/detail/data/prompt_templates.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The relation's own templates. Duplicates are merged, because a closed set may contain some, as
/// BEAR's P103 does. Invalid templates are reported.
inline std::vector<PromptTemplate> own_prompt_templates(const Relation& relation,
                                                        const ProblemSink& report) {
  std::vector<PromptTemplate> made;
  std::unordered_set<std::string> seen;
  for (const std::string& text : relation.templates) {
    if (!seen.insert(text).second) continue;
    PromptTemplate one{text};
    if (is_question(text)) one.style = TemplateStyle::question;
    const Site site{relation.template_file, 0, relation.code};
    if (const auto problem = problem_with_prompt_template(one, site)) {
      report(*problem);
    } else {
      made.push_back(std::move(one));
    }
  }
  return made;
}

/// The relation's facts grouped by subject, in the order in which the subjects first occur.
/// Duplicate facts are merged.
inline std::vector<ManyNamedFact> facts_by_subject(const Relation& relation,
                                                   const ObjectAliases& aliases,
                                                   const ProblemSink& report) {
  std::vector<ManyNamedFact> made;
  std::vector<std::unordered_map<std::string, std::size_t>> objects;  // by identifier
  std::unordered_map<std::string, std::size_t> places;
  const SubjectGroups subjects(relation);
  for (const Fact& fact : relation.facts) {
    const std::string& object = option_text(relation, fact, fact.answer);
    if (is_blank(fact.subject) || is_blank(object)) {
      report(user_error({relation.file, fact.line, is_blank(fact.subject) ? "subject" : "object"},
                        "has no name", "add a name or remove the fact"));
      continue;
    }
    const std::string& key = subjects.of(fact);
    const auto [place, is_new] = places.try_emplace(key, made.size());
    if (is_new) {
      made.push_back({{key, {}}, {}, fact.line});
      objects.emplace_back();
    }
    ManyNamedFact& one = made[place->second];
    if (subject_key(fact) == key) {
      add_name(one.subject, fact.subject);
      add_names(one.subject, fact.subject_aliases);
    }
    const std::string& id = relation.option_ids[fact.answer];
    const auto [answer, is_more] = objects[place->second].try_emplace(id, one.objects.size());
    if (is_more) one.objects.push_back({id, {}});
    add_name(one.objects[answer->second], object);
    if (const auto names = aliases.find(id); is_more && names != aliases.end()) {
      add_names(one.objects[answer->second], names->second);
    }
  }
  return made;
}

/// The relations are in the dataset's order. If `templates` is set, only the relations that it
/// names are included; if it is null, the relations' own templates are used. Reports relations that
/// are left without templates or facts, and relations whose statements are not sentences about
/// names (FACTOR's). Relations whose facts have their own sentences (ConceptNet's and Squad's in
/// LAMA) are skipped and listed in `left_out`.
[[nodiscard]] inline MultiPromptDataset multi_prompt_of(const Dataset& dataset,
                                                        const PromptTemplates* templates,
                                                        const ProblemSink& report = throw_problem) {
  MultiPromptDataset made{dataset.name, {}, dataset.files, dataset.left_out};
  if (templates != nullptr) {
    made.files.push_back(templates->path());
    made.knows_origins = templates->knows_origins();
  }
  std::string sentences;
  const ObjectAliases aliases = object_aliases(dataset);
  std::unordered_set<std::string> codes;
  for (const Relation& relation : dataset.relations) {
    codes.insert(relation.code);
    const auto* given = templates == nullptr ? nullptr : templates->find(relation.code);
    if (templates != nullptr && given == nullptr) continue;
    if (relation.own_sentences) {
      add_to_list(sentences, relation.code);
      continue;
    }
    if (relation.verbatim) {
      report(user_error({relation.file, 0, relation.code},
                        "has texts and completions, not subjects and objects with names",
                        "choose a dataset of facts"));
      continue;
    }
    MultiPromptRelation one{relation.code, {}, {}, relation.file, relation.template_file};
    if (given != nullptr) {
      one.templates = given->templates;
      one.template_file = templates->path();
    } else {
      one.templates = detail::own_prompt_templates(relation, report);
    }
    one.facts = detail::facts_by_subject(relation, aliases, report);
    const Site site = given != nullptr ? Site{templates->path(), given->line, "relation"}
                                       : Site{.file = relation.file};
    if (const auto problem = problem_with_relation(one, site)) {
      report(*problem);
    } else {
      made.relations.push_back(std::move(one));
    }
  }
  if (!sentences.empty()) {
    made.left_out.push_back("relations whose facts are sentences without subject names: " +
                            sentences);
  }
  if (templates == nullptr) return made;
  for (const RelationTemplates& named : templates->relations()) {
    if (codes.contains(named.code)) continue;
    report(user_error({templates->path(), named.line, "relation"},
                      "'" + named.code + "' has no usable facts in " + dataset.name,
                      "add facts or remove the templates"));
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
