// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which statements does a closed-set probe give to the model?
//
// All that runner.hpp scores, in the order of its rows: part "statements", one text for each option.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/prompt/prompt.hpp"
#include "plumb/run/listed_prompt.hpp"
#include "plumb/run/runner.hpp"

namespace plumb {

/// Calls `visit(kind, make)` for each fact under each template; make() gives the ListedPrompt.
/// `templates` are a run's, empty for all of each relation's. Throws as templates_of does.
template <PromptBuilder Builder, class Visit>
void for_each_statement_prompt(const Dataset& dataset, const Builder& builder,
                               const std::vector<std::size_t>& templates, bool with_bos,
                               const WantedFact& wanted, Visit visit) {
  for (const Relation& relation : dataset.relations) {
    const std::vector<std::size_t> asked = templates_of(relation, templates);
    for (const Fact& fact : relation.facts) {
      if (!wanted.has(fact.subject_id, fact.subject, relation.code, fact.instance)) continue;
      for (const std::size_t t : asked) {
        visit("template " + std::to_string(t), [&] {
          Query query;
          fill_query(query, builder, relation, fact, t);
          return ListedPrompt{.about = Json{{"part", "statements"},
                                            {"relation", relation.code},
                                            {"sub_id", fact.subject_id},
                                            {"sub_label", fact.subject},
                                            {"instance_index", fact.instance},
                                            {"template", t}},
                              .texts = std::move(query.candidates),
                              .with_bos = with_bos,
                              .candidates = true};
        });
      }
    }
  }
}

}  // namespace plumb
