// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts does a dataset contain, expressed by the names of their subjects and objects?
//
// The result is a list of (relation, subject, object) in which each entity has all the names that
// appear in the dataset. The list is meant for text searches, where templates, options and splits
// do not matter. A fact with several objects becomes several entries. In every function,
// `relations` selects the relations (all if empty), and a relation that the dataset does not
// contain is a user error.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/data/choices.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/knowledge_graph.hpp"
#include "plumb/detail/data/multi_prompt.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct NamedFact {
  std::string relation;
  /// Position of the fact in the relation, from 0; for a closed set, the `instance_index` of its
  /// results. Entries from a single fact with several objects share this position.
  std::size_t instance = 0;
  NamedEntity subject;
  NamedEntity object;
};

inline NamedEntity entity_of(std::string id, const std::string& label,
                             const std::vector<std::string>& aliases) {
  NamedEntity made{std::move(id), {label}};
  for (const std::string& alias : aliases) {
    if (ranges::find(made.names, alias) == made.names.end()) made.names.push_back(alias);
  }
  return made;
}

inline bool is_taken(const std::vector<std::string>& relations, const std::string& code) {
  return relations.empty() || ranges::find(relations, code) != relations.end();
}

/// Returns the facts. Throws a user error if `relations` lists a relation that has no facts.
inline std::vector<NamedFact> with_all(std::vector<NamedFact> facts,
                                       const std::vector<std::string>& relations) {
  for (const std::string& code : relations) {
    if (ranges::find(facts, code, &NamedFact::relation) != facts.end()) continue;
    throw user_error({.setting = "relations"},
                     "'" + code + "' is not a relation that has facts in the dataset",
                     "list its relations with `plumb data describe`");
  }
  return facts;
}

/// Removes the relations whose facts are sentences (ConceptNet's and Squad's in LAMA) and lists
/// them in `left_out`. Throws a user error if no relation remains.
[[nodiscard]] inline Dataset without_sentences(Dataset dataset) {
  std::string codes;
  std::erase_if(dataset.relations, [&](const Relation& relation) {
    if (relation.own_sentences) add_to_list(codes, relation.code);
    return relation.own_sentences;
  });
  if (codes.empty()) return dataset;
  if (dataset.relations.empty()) {
    throw user_error({.file = dataset.files.front()}, "has sentences without subject names",
                     "choose a dataset of facts");
  }
  dataset.left_out.push_back("relations whose facts are sentences without subject names: " + codes);
  return dataset;
}

/// For a closed set: every fact with its correct option, in the order of the dataset. Objects have
/// the aliases from object_aliases. Throws a user error for a relation whose facts are sentences,
/// because it has no names.
[[nodiscard]] inline std::vector<NamedFact> named_facts(
    const Dataset& dataset, const std::vector<std::string>& relations = {}) {
  const ObjectAliases aliases = object_aliases(dataset);
  std::vector<NamedFact> facts;
  for (const Relation& relation : dataset.relations) {
    if (!detail::is_taken(relations, relation.code)) continue;
    if (relation.own_sentences || relation.verbatim) {
      throw user_error({relation.file, 0, relation.code}, "has sentences without subject names",
                       "use `relations` to choose relations with names");
    }
    for (const Fact& fact : relation.facts) {
      const std::string id =
          fact.answer < relation.option_ids.size() ? relation.option_ids[fact.answer] : "";
      const auto known = aliases.find(id);
      facts.push_back(
          {relation.code, fact.instance,
           detail::entity_of(fact.subject_id, fact.subject, fact.subject_aliases),
           detail::entity_of(id, option_text(relation, fact, fact.answer),
                             known == aliases.end() ? std::vector<std::string>{} : known->second)});
    }
  }
  return detail::with_all(std::move(facts), relations);
}

/// For a many-prompt dataset: every subject with each of its objects, in order.
[[nodiscard]] inline std::vector<NamedFact> named_facts(
    const MultiPromptDataset& dataset, const std::vector<std::string>& relations = {}) {
  std::vector<NamedFact> facts;
  for (const MultiPromptRelation& relation : dataset.relations) {
    if (!detail::is_taken(relations, relation.code)) continue;
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      for (const NamedEntity& object : relation.facts[f].objects) {
        facts.push_back({relation.code, f, relation.facts[f].subject, object});
      }
    }
  }
  return detail::with_all(std::move(facts), relations);
}

/// For a knowledge graph: the triples of its test part, which are the queries, in order. Relations
/// are represented by their identifiers.
[[nodiscard]] inline std::vector<NamedFact> named_facts(
    const KnowledgeGraph& graph, const std::vector<std::string>& relations = {}) {
  std::vector<NamedFact> facts;
  std::vector<std::size_t> seen(graph.relations.size(), 0);
  for (const Triple& triple : graph.test) {
    const std::string& code = graph.relations[triple.relation].id;
    if (!detail::is_taken(relations, code)) continue;
    const Entity &head = graph.entities[triple.head], &tail = graph.entities[triple.tail];
    facts.push_back(
        {code, seen[triple.relation]++, {head.id, {head.name}}, {tail.id, {tail.name}}});
  }
  return detail::with_all(std::move(facts), relations);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
