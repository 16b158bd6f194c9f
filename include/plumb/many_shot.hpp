// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does a model know when it is shown nothing but other facts of the relation?
//
// Latent knowledge in many shots, in memory: bare pairs of subject and object, then a subject whose
// choices are scored (IC-LKE), or many questions in one row of pairs (EIC-LKE).
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

/// The choices of every test fact of every relation, a column for each setting: method, number of shots,
/// separator and the seed that drew the shots. Relations with too few facts for what is asked are left
/// out and remarked on. The scorer is one of continuations, which CausalScorer is; any
/// CandidateScorer will do. Throws a user error where no relation can be asked, which says of the first
/// why, for a sequence past the model's context and for a token that the engine did not report.
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
      throw user_error({.field = first.relation().code}, "is asked nothing",
                       "give `shots` numbers, or facts that `eic` takes");
    }
    throw user_error({.field = first.relation().code},
                     first.skipped()->what + " (" + first.skipped()->detail + ")",
                     first.remedy() + ", or give more facts");
  }
}

/// How accurate the model is under each group of settings, which differ in the seed alone, and how far
/// the seed moves it.
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
