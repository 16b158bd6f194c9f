// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do a relation's rows in a results folder contain?
//
// Reads the rows once and stores the answers, so that a folder of any size can be measured. If
// templates have weights, the weighted scores of one relation at a time are stored too. Rows are
// read again if a fact has several right options. Reads both plumb's run folders and lm-pub-quiz's
// folders.

#include <span>

#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/records/probe_answer_sets.hpp"
#include "plumb/detail/records/probe_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The results in the rows of one relation.
struct RelationResults {
  /// Among the facts' own texts for the options, only those of the right options are stored.
  RelationAnswers answers;
  /// The relation's facts with several right options.
  RelationAnswerSets several_right{};
};

/// `visit(row)` is called for each row as it is read. Throws a user error if rows contradict each
/// other or the metadata.
template <class Visit>
[[nodiscard]] RelationResults read_relation_results(const RecordedRelation& recorded, Visit visit) {
  const auto scores_of = [&](const RecordedRow& row, const RecordedRelation& in) -> decltype(auto) {
    visit(row);
    return scores_of_row(row, in);
  };
  RelationResults made{recorded_answers(std::span(&recorded, 1), scores_of)};
  made.several_right = answer_sets_of(recorded, made.answers.relation.facts);
  detail::keep_right_texts(made.answers.relation.facts);
  return made;
}

[[nodiscard]] inline RelationResults read_relation_results(const RecordedRelation& recorded) {
  return read_relation_results(recorded, [](const RecordedRow&) {});
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
