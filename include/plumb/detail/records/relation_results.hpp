// SPDX-License-Identifier: Apache-2.0
#pragma once

// What do the rows of a relation in a results folder contain?
//
// Reads the rows once and stores the answers, so that a folder of any size can be measured. If
// templates have weights, the weighted scores of one relation are stored too. Rows are read again
// if a fact has several right options. Reads plumb's run folders and lm-pub-quiz's.

#include <span>

#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/records/probe_answer_sets.hpp"
#include "plumb/detail/records/probe_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The results in the rows of one relation.
struct RelationResults {
  /// Of its facts' own texts for the options, only the right ones are stored.
  RelationAnswers answers;
  /// Its facts with several right options.
  RelationAnswerSets several_right{};
};

/// `visit(row)` is called for each row as it is read. Throws a user error for rows that contradict
/// each other or the metadata.
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
