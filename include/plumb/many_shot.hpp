// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model know if its prompt contains only other facts of the relation?
//
// Estimates latent knowledge with many shots, in memory. A prompt is a list of bare subject-object
// pairs. In IC-LKE, the list ends with a subject whose choices are scored. In EIC-LKE, many of the
// listed pairs are themselves questions.
//
//   plumb::CausalScorer scorer(model);
//   const plumb::Answers answers = plumb::many_shot(scorer, dataset, {.shots = {{10}}, .seeds = 2});
//   plumb::accuracy_spreads(answers)[0].overall.accuracy.value
//
// Run: examples/five_systems.cpp. Source: "Towards Reliable Latent Knowledge Estimation in LLMs".

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/aggregate/answers.hpp"
#include "plumb/detail/core/error.hpp"
#include "plumb/detail/data/check_and_complete.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/run/many_shot_plan.hpp"
#include "plumb/detail/run/many_shot_scores.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Scores the choices of every test fact of every relation. The result has a column for each
/// setting, that is, for each combination of method, shot count, separator and shot seed. Relations
/// with too few facts for the settings are skipped, with a remark. The scorer must score
/// continuations, as CausalScorer does; any CandidateScorer that does so is accepted. Throws a user
/// error if no relation can be used (the message gives the reason for the first one), if a sequence
/// is longer than the model's context, or if the engine did not report a token.
template <class Scorer>
[[nodiscard]] Answers many_shot(Scorer& scorer, const Dataset& dataset,
                                const ManyShotOptions& options = {},
                                const ObjectAliases& aliases = {}) {
  static_assert(check_scorer<Scorer>());
  if constexpr (!PackedScorer<Scorer>) {
    QueryByQuery<Scorer> packed(scorer);
    return many_shot(packed, dataset, options, aliases);
  } else {
    const Dataset asked_of = check_and_complete(dataset, Templates::not_needed);
    Answers made{.name = "model", .scoring = {Reduction::sum, Span::continuation}};
    std::vector<ManyShotRelation> relations;
    for (const Relation& relation : asked_of.relations) {
      relations.emplace_back(relation, aliases, options);
    }
    std::vector<std::pair<std::string, RelationRemark>> remarks;
    for (const ManyShotRelation& asked : relations) {
      const std::string& code = asked.relation().code;
      for (const RelationRemark& note : asked.notes()) remarks.emplace_back(code, note);
      if (asked.skipped()) remarks.emplace_back(code, *asked.skipped());
      if (asked.skipped() || asked.statements() == 0) continue;
      made.tables.push_back(answers_of(scorer, asked));
    }
    made.remarks = distinct_remarks(remarks);
    if (!made.tables.empty()) return made;
    const ManyShotRelation& first = relations.front();
    if (!first.skipped()) {
      throw user_error({.field = first.relation().code}, "has no question to ask",
                       "set numbers of `shots`, or add facts that `eic` can use");
    }
    throw user_error({.field = first.relation().code},
                     first.skipped()->what + " (" + first.skipped()->detail + ")",
                     first.remedy() + ", or add more facts");
  }
}

/// Returns the model's accuracy in each group of settings that differ only in the seed, and the
/// spread of that accuracy over seeds.
[[nodiscard]] inline std::vector<GroupSpread> accuracy_spreads(const Answers& answers) {
  return accuracy_spreads(likeliest(answers));
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::accuracy_spreads;
using detail::many_shot;
using detail::ManyShotOptions;
using detail::setting_name;

}  // namespace plumb
