// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where do the right answers of a relation stand in a results folder?
//
// Goes through the rows once and keeps ranks, so a folder of any size can be measured; where templates
// have weights also the weighted scores of one relation. Rows are read again where a fact has several
// right options. Works on plumb's run folders and on lm-pub-quiz's.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "plumb/aggregate/weighted_likelihood.hpp"
#include "plumb/measure/probe_metrics.hpp"
#include "plumb/records/probe_answer_sets.hpp"
#include "plumb/records/probe_facts.hpp"

namespace plumb {

/// What the rows of one relation say.
struct RelationResults {
  RelationRanks ranks;
  /// The ranks under the weighted mean of the templates' scores (aggregate/weighted_likelihood.hpp),
  /// one for each fact, by instance; `templates` is empty. None where the templates have no weights, and no
  /// facts where none of those scored weighs anything.
  std::optional<RelationRanks> weighted{};
  /// Its facts with several right options.
  RelationAnswerSets several_right{};
};

namespace detail {

template <class Cell>
RelationRanks empty_ranks(const RecordedFacts<Cell>& table) {
  const Relation& relation = table.relation;
  return {
      relation.code, relation.domains, is_one_to_one(relation), relation.options.size(), {}, {}};
}

}  // namespace detail

/// `visit(row)` sees each row as it is read. Throws a user error for rows that contradict each other or
/// the metadata.
template <class Visit>
[[nodiscard]] RelationResults read_relation_results(const RecordedRelation& recorded, Visit visit) {
  const std::vector<double>& weights = recorded.relation.template_weights;
  std::map<std::size_t, WeightedLikelihood> sums;  // by instance
  auto table =
      recorded_facts(std::span(&recorded, 1), [&](const RecordedRow& row, const RecordedRelation&) {
        if (!weights.empty()) {
          sums[row.fact.instance].add(row.scores, weight_of(weights, row.template_index));
        }
        visit(row);
        return rank_answer(row.scores, row.fact.answer);
      });
  RelationResults made{detail::empty_ranks(table)};
  const std::vector<Fact>& facts = table.relation.facts;
  if (!weights.empty()) {
    made.weighted = made.ranks;
    for (const Fact& fact : facts) {
      const std::vector<double> scores = sums.at(fact.instance).scores();
      if (!scores.empty()) made.weighted->ranks.push_back({rank_answer(scores, fact.answer)});
    }
  }
  made.ranks.templates = std::move(table.templates);
  made.ranks.ranks = std::move(table.cells);
  for (const Fact& fact : facts) made.ranks.answers.push_back(fact.answer);
  made.several_right = answer_sets_of(recorded, facts);
  return made;
}

[[nodiscard]] inline RelationResults read_relation_results(const RecordedRelation& recorded) {
  return read_relation_results(recorded, [](const RecordedRow&) {});
}

}  // namespace plumb
