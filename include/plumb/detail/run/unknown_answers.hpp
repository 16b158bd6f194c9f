// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many facts and statements of a closed-set probe hold an answer that the model's vocabulary cannot
// spell?

#include <cstddef>
#include <vector>

#include "plumb/detail/core/over.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/run/probe_settings.hpp"
#include "plumb/detail/run/statement_prompts.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct UnknownAnswers {
  /// Facts whose right answer, and statements whose candidate, it cannot spell.
  std::size_t facts = 0, statements = 0;
};

/// By relation; nothing where the scorer does not tell.
template <class Scorer, class Builder>
[[nodiscard]] std::vector<UnknownAnswers> unknown_answers(const Scorer& scorer,
                                                          const Dataset& dataset,
                                                          const ProbeSettings& settings,
                                                          const Builder& builder) {
  std::vector<UnknownAnswers> all;
  if constexpr (requires(const Query& query) { scorer.unknown_answers(query); }) {
    Query query;
    for (const Relation& relation : dataset.relations) {
      UnknownAnswers& count = all.emplace_back();
      for (const Fact& fact : relation.facts) {
        bool is_unknown = false;
        for (const std::size_t t : templates_of(relation, settings.templates.indices)) {
          fill_query(query, builder, relation, fact, t);
          const std::vector<bool> unknown = scorer.unknown_answers(query);
          count.statements += static_cast<std::size_t>(over::count(unknown, true));
          is_unknown = is_unknown || unknown[fact.answer];
        }
        if (is_unknown) ++count.facts;
      }
    }
  }
  return all;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
