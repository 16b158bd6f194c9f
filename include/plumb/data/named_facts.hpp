// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts does a dataset hold, by the names of their subjects and objects?
//
// A list of (relation, subject, object), each entity with every name that the dataset has for it: for
// searches in texts, where templates, options and splits do not matter. A fact of several objects is
// several.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/error.hpp"
#include "plumb/core/over.hpp"
#include "plumb/data/choices.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/data/multi_prompt.hpp"

namespace plumb {

struct NamedFact {
  std::string relation;
  NamedEntity subject;
  NamedEntity object;
};

namespace detail {

inline NamedEntity entity_of(std::string id, const std::string& label,
                             const std::vector<std::string>& aliases) {
  NamedEntity made{std::move(id), {label}};
  for (const std::string& alias : aliases) {
    if (over::find(made.names, alias) == made.names.end()) made.names.push_back(alias);
  }
  return made;
}

}  // namespace detail

/// Of a closed set: every fact with its right option, in order. Objects have the aliases of
/// object_aliases. Throws a user error for a relation whose subjects are sentences.
[[nodiscard]] inline std::vector<NamedFact> named_facts(const Dataset& dataset) {
  const ObjectAliases aliases = object_aliases(dataset);
  std::vector<NamedFact> facts;
  for (const Relation& relation : dataset.relations) {
    if (relation.own_sentences) {
      throw user_error({relation.file, 0, relation.code}, "has sentences and no subjects' names",
                       "name a dataset of subjects and objects");
    }
    for (const Fact& fact : relation.facts) {
      const std::string id =
          fact.answer < relation.option_ids.size() ? relation.option_ids[fact.answer] : "";
      const auto known = aliases.find(id);
      facts.push_back(
          {relation.code, detail::entity_of(fact.subject_id, fact.subject, fact.subject_aliases),
           detail::entity_of(id, option_text(relation, fact, fact.answer),
                             known == aliases.end() ? std::vector<std::string>{} : known->second)});
    }
  }
  return facts;
}

/// Of a dataset of many prompts: every subject with each of its objects, in order.
[[nodiscard]] inline std::vector<NamedFact> named_facts(const MultiPromptDataset& dataset) {
  std::vector<NamedFact> facts;
  for (const MultiPromptRelation& relation : dataset.relations) {
    for (const ManyNamedFact& fact : relation.facts) {
      for (const NamedEntity& object : fact.objects) {
        facts.push_back({relation.code, fact.subject, object});
      }
    }
  }
  return facts;
}

}  // namespace plumb
