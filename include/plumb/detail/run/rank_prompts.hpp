// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which prompts does a ranking of entities send to the model?
//
// This file lists all prompts that deer_run.hpp and name_search_run.hpp send, based on the same
// plans. "deer queries" and "deer entities" ("deer-a entities" for variant a) are texts whose last
// token's vector is used. "likelihood" and "lm-head" are queries. The texts that are scored after
// each query are listed once, as "likelihood candidates" and "lm-head candidates", and separately
// for each relation if relations have their own candidates. The model receives a query's tokens
// followed by a candidate's tokens; the candidate is tokenised as it would be within a text. (If
// the vocabulary has a token that spans the comma and the name, the likelihood is computed from the
// tokens of the whole text: score/token_joins.hpp.)

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/prompt/entity_prompt.hpp"
#include "plumb/detail/prompt/triple_prompt.hpp"
#include "plumb/detail/records/listed_prompt.hpp"
#include "plumb/detail/run/rank_parts.hpp"
#include "plumb/detail/run/rank_settings.hpp"
#include "plumb/detail/score/bos.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Visits the prompts of a plan's queries, in the order of the plan.
template <class Visit>
void for_each_query_prompt(const RankPlan& plan, const std::string& part, QueryForm form,
                           const Bos& with_bos, const WantedFact& wanted, Visit visit) {
  const KnowledgeGraph& graph = plan.graph;
  const TriplePrompt prompt(graph, plan.shots, form);
  for (const PlannedQuery& planned : plan.queries) {
    const GraphQuery& query = planned.query;
    const Entity& given = graph.entities[query.given()];
    if (!wanted.has(given.id, given.name)) continue;
    visit(part + (query.asks_head ? ", heads" : ", tails"), [&] {
      const auto ids = [&](const Triple& triple) {
        return Json::array({graph.entities[triple.head].id, graph.relations[triple.relation].id,
                            graph.entities[triple.tail].id});
      };
      Json shots = Json::array();
      for (const Triple& shot : plan.shots) shots.push_back(ids(shot));
      return ListedPrompt{.about = Json{{"part", part},
                                        {"asks", query.asks_head ? "head" : "tail"},
                                        {"triple", ids(query.triple)},
                                        {"shots", std::move(shots)}},
                          .texts = {Prompt{prompt.query(query), {}, {}}},
                          .with_bos = with_bos};
    });
  }
}

/// A single list of all texts that are scored after a plan's queries. `label` is the relation's
/// name.
inline ListedPrompt listed_candidates(const RankPlan& plan, const std::string& part,
                                      const std::string& label,
                                      const std::vector<std::string>& texts) {
  ListedPrompt made{.about = Json{{"part", part}}, .candidates = true};
  if (!label.empty()) made.about["relation"] = label;
  for (const std::string& text : texts)
    made.texts.push_back({text, {{0, text.size()}}, {{0, true}}});
  for (const std::uint32_t e : plan.candidates.entities()) {
    made.entities.push_back(plan.graph.entities[e].id);
  }
  return made;
}

/// Calls `visit(kind, make)` for each prompt; `bos` precedes the prompt, and make() returns the
/// ListedPrompt. Lists of candidates are skipped if only one entity's prompts are selected.
template <class Visit>
void for_each_rank_prompt(const RankParts& parts, const RankSettings& settings, const Bos& bos,
                          const WantedFact& wanted, Visit visit) {
  const KnowledgeGraph& graph = parts.whole.graph;
  const RankOptions& options = settings.ranking;
  if (settings.ranks_by(RankMethod::deer)) {
    detail::for_each_query_prompt(parts.whole, "deer queries", options.form, bos, wanted, visit);
    for (const EntityPrompt written : options.entity_prompts) {
      if (!settings.entities.empty()) break;  // the entity vectors come from a file
      const std::string part = written == EntityPrompt::eol
                                   ? "deer entities"
                                   : "deer-" + std::string(name_of(written)) + " entities";
      for (const std::uint32_t e : parts.whole.candidates.entities()) {
        const Entity& entity = graph.entities[e];
        if (!wanted.has(entity.id, entity.name)) continue;
        visit(part, [&] {
          return ListedPrompt{.about = Json{{"part", part}, {"entity", entity.id}},
                              .texts = {Prompt{entity_text(written, entity), {}, {}}},
                              .with_bos = bos};
        });
      }
    }
  }
  const auto scored = [&](const std::string& part, const std::vector<RankPlan>& plans,
                          QueryForm form, auto texts_of) {
    for (std::size_t p = 0; p < plans.size(); ++p) {
      if (plans[p].queries.empty()) continue;
      const std::string list = part + " candidates";
      if (wanted.all()) {
        visit(list, [&] {
          return detail::listed_candidates(plans[p], list, parts.label(p), texts_of(plans[p]));
        });
      }
      detail::for_each_query_prompt(plans[p], part, form, bos, wanted, visit);
    }
  };
  if (settings.ranks_by(RankMethod::likelihood)) {
    scored("likelihood", parts.parts, QueryForm::paper,
           [](const RankPlan& plan) { return likelihood_texts(plan); });
  }
  if (settings.ranks_by(RankMethod::lm_head)) {
    scored("lm-head", parts.single, options.form,
           [&](const RankPlan& plan) { return head_texts(plan, options.form); });
  }
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
