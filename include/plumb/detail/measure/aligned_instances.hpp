// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do several models number the facts of a relation in the same way?
//
// Comparisons match facts by their instance numbers. Results of other programs may number the same
// facts differently: lm-pub-quiz 0.2 counts the rows of a larger file. If an instance is not the
// same fact in all models, the relation's facts are renumbered, so that facts with the same subject
// and the same right answer have the same number.

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/relation_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A fact's number, its subject (its label; if it has none, its identifier) and its right answer.
struct NumberedFact {
  std::size_t instance;
  std::string subject, answer;
};

inline NumberedFact numbered_fact(const Relation& relation, const Fact& fact) {
  return {fact.instance, fact.subject.empty() ? fact.subject_id : fact.subject,
          option_text(relation, fact, fact.answer)};
}

/// New numbers for the facts of several tables, as described above, in the order of the facts.
/// Empty if the facts keep their numbers: if no number belongs to different facts, if no fact has
/// different numbers, or if a fact has no subject.
inline std::vector<std::vector<std::size_t>> aligned_numbers(
    const std::vector<std::vector<NumberedFact>>& tables) {
  using Identity = std::pair<std::string, std::string>;
  std::map<std::size_t, Identity> by_instance;
  // The new number, and the first table's. A subject may have the same answer twice; the facts then
  // count up.
  std::map<std::tuple<Identity, std::size_t>, std::pair<std::size_t, std::size_t>> numbers;
  std::vector<std::vector<std::size_t>> made;
  bool differ = false, moved = false;
  for (const std::vector<NumberedFact>& table : tables) {
    std::map<Identity, std::size_t> times;
    auto& of_table = made.emplace_back();
    for (const NumberedFact& fact : table) {
      if (fact.subject.empty()) return {};
      const Identity identity{fact.subject, fact.answer};
      differ = differ || by_instance.try_emplace(fact.instance, identity).first->second != identity;
      const auto number =
          numbers.try_emplace({identity, times[identity]++}, numbers.size(), fact.instance).first;
      moved = moved || number->second.second != fact.instance;
      of_table.push_back(number->second.first);
    }
  }
  return differ && moved ? made : std::vector<std::vector<std::size_t>>();
}

/// Renumbers the facts of each relation that the models number differently. Returns the codes of
/// the renumbered relations.
inline std::vector<std::string> align_instances(std::vector<ModelAnswers>& models) {
  std::map<std::string, std::vector<Relation*>> relations;
  for (ModelAnswers& model : models) {
    for (RelationAnswers& one : model.relations) {
      relations[one.relation.code].push_back(&one.relation);
    }
  }
  std::vector<std::string> renumbered;
  for (const auto& [code, tables] : relations) {
    std::vector<std::vector<NumberedFact>> facts;
    for (const Relation* table : tables) {
      auto& of_table = facts.emplace_back();
      for (const Fact& fact : table->facts) of_table.push_back(numbered_fact(*table, fact));
    }
    const auto numbers = aligned_numbers(facts);
    if (numbers.empty()) continue;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      for (std::size_t f = 0; f < numbers[t].size(); ++f) {
        tables[t]->facts[f].instance = numbers[t][f];
      }
    }
    renumbered.push_back(code);
  }
  return renumbered;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
