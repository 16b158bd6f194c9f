// SPDX-License-Identifier: Apache-2.0
#pragma once

// The statements that a closed-set probe sends to the model: for each fact and template, one
// statement per option.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/prompt/in_context.hpp"
#include "plumb/detail/prompt/prompt.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/score/bos.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The template indices to use for a relation: `chosen`, or all if `chosen` is empty. Throws a user
/// error for an index that the relation does not have.
[[nodiscard]] inline std::vector<std::size_t> templates_of(const Relation& relation,
                                                           const std::vector<std::size_t>& chosen) {
  for (const std::size_t index : chosen) {
    if (index < relation.templates.size()) continue;
    throw user_error({.setting = "templates"},
                     "relation " + relation.code + " has " +
                         counted(relation.templates.size(), "template") + ", but no index " +
                         std::to_string(index),
                     "indices start at 0");
  }
  if (!chosen.empty()) return chosen;
  std::vector<std::size_t> all(relation.templates.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

/// Fills `query` with the statements of a fact under a template, one per option.
template <PromptBuilder Builder>
void fill_query(Query& query, const Builder& builder, const Relation& relation, const Fact& fact,
                std::size_t template_index) {
  query.candidates.resize(relation.options.size());
  const auto fill = [&](auto build) {
    for (std::size_t option = 0; option < relation.options.size(); ++option) {
      query.candidates[option] = build(option);
    }
  };
  if constexpr (requires { builder.context(relation, fact, template_index); }) {
    const std::string context = builder.context(relation, fact, template_index);
    fill([&](std::size_t option) {
      return builder.build(context, relation, fact, template_index, option);
    });
  } else {
    fill([&](std::size_t option) { return builder.build(relation, fact, template_index, option); });
  }
}

/// The number of statements in a probe.
[[nodiscard]] inline std::size_t count_statements(const Dataset& dataset,
                                                  const std::vector<std::size_t>& templates) {
  std::size_t count = 0;
  for (const Relation& relation : dataset.relations) {
    count +=
        relation.facts.size() * templates_of(relation, templates).size() * relation.options.size();
  }
  return count;
}

/// Calls `visit(kind, make)` for each fact and template, in the order of a probe's rows; make()
/// returns the ListedPrompt. If `templates` is empty, all templates of each relation are used.
/// Throws the same errors as templates_of.
template <PromptBuilder Builder, class Visit>
void for_each_statement_prompt(const Dataset& dataset, const Builder& builder,
                               const std::vector<std::size_t>& templates, const Bos& with_bos,
                               const WantedFact& wanted, Visit visit) {
  for (const Relation& relation : dataset.relations) {
    const std::vector<std::size_t> asked = templates_of(relation, templates);
    for (const Fact& fact : relation.facts) {
      if (!wanted.has(fact.subject_id, fact.subject, relation.code, fact.instance)) continue;
      for (const std::size_t t : asked) {
        visit("template " + std::to_string(t), [&] {
          Query query;
          fill_query(query, builder, relation, fact, t);
          Json about{{"part", "statements"},
                     {"relation", relation.code},
                     {"sub_id", fact.subject_id},
                     {"sub_label", fact.subject},
                     {"instance_index", fact.instance},
                     {"template", t}};
          if constexpr (requires { builder.solved(); }) {
            for (const Fact* const shown : builder.solved().of(relation, fact)) {
              about["shots"].push_back(shown->instance);
            }
          }
          return ListedPrompt{.about = std::move(about),
                              .texts = std::move(query.candidates),
                              .with_bos = with_bos,
                              .candidates = true};
        });
      }
    }
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
