// SPDX-License-Identifier: Apache-2.0
#pragma once

// Are more facts known under one query form than under another, over many prompts?
//
// Runs the paired tests of measure/paired_comparison.hpp over the facts that two query forms share.
// A fact counts as known under a query form if more than half of its prompts are answered
// correctly. Relations are matched by code, and facts as in prompt_pairs.hpp. A fact without a
// prompt counts as not asked.

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/prompt_outcomes.hpp"
#include "plumb/detail/measure/paired_comparison.hpp"
#include "plumb/detail/measure/relation_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The outcomes of a query form, with its name. The outcomes must outlive it.
struct NamedOutcomes {
  std::string name;
  const PromptOutcomes* outcomes = nullptr;
};

/// Compares every pair of query forms; within each pair, the form listed earlier comes first.
/// Throws the same errors as paired_comparisons.
[[nodiscard]] inline std::vector<PairedComparison> paired_by_prompts(
    const std::vector<NamedOutcomes>& ways, const Bootstrap& bootstrap) {
  const Setting setting{.method = "prompts", .by = "prompts"};
  std::map<std::string, bool> by_answer;  // by relation
  for (const NamedOutcomes& way : ways) {
    for (const PromptRelation& relation : way.outcomes->relations()) {
      bool& identified = by_answer.try_emplace(relation.code, true).first->second;
      identified = identified && has_right_answers(*way.outcomes, relation);
    }
  }
  // By relation, identity, and the number of earlier facts with this identity.
  std::map<std::tuple<std::string, std::string, std::size_t>, std::size_t> instances;
  std::vector<ModelAnswers> models;
  for (const NamedOutcomes& way : ways) {
    ModelAnswers& model = models.emplace_back(ModelAnswers{way.name, {}});
    for (const PromptRelation& relation : way.outcomes->relations()) {
      RelationAnswers made;
      made.relation.code = relation.code;
      made.relation.options = {""};
      made.settings = {setting};
      std::map<std::string, std::size_t> seen;
      for (std::size_t f = relation.first_fact; f < relation.first_fact + relation.facts; ++f) {
        const std::string identity = fact_identity(*way.outcomes, f, by_answer.at(relation.code));
        const auto place = std::tuple(relation.code, identity, seen[identity]++);
        const RightCount count = count_right(way.outcomes->prompts(f));
        if (count.total == 0) continue;
        Fact& fact = made.relation.facts.emplace_back();
        fact.instance = instances.try_emplace(place, instances.size()).first->second;
        made.cells.emplace_back().correct = 2 * count.right > count.total;
      }
      if (!made.cells.empty()) model.relations.push_back(std::move(made));
    }
  }
  return paired_comparisons(models, setting, bootstrap);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
