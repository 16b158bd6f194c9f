// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which facts of a results folder have several right options, and how well does the model know
// them?
//
// A probe stores a fact with several objects as several rows, one for each (subject, object) pair,
// so that the files are compatible with lm-pub-quiz. Here, the rows of a subject are merged into
// one fact: the right options are those of all its rows, and the scores come from its first row
// under each template (the statements are identical). Subjects are distinguished as in
// SubjectGroups, using the first row of each instance. Rows without a subject, rows with their own
// texts for the options, and subjects with only one object are skipped. Objects whose rows were not
// scored, for example because of a limit, are unknown here and count as wrong.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/fact_split.hpp"
#include "plumb/detail/measure/answer_set.hpp"
#include "plumb/detail/records/probe_rows.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A relation's facts with several right options, each with its scores under all scored templates,
/// in ascending order of template.
struct RelationAnswerSets {
  std::string code;
  AnswerSetScores facts;
};

/// Facts are in the order of their first rows; `facts` must contain all of the relation's facts
/// that occur in its rows. The rows are read again only if a fact has several right options.
[[nodiscard]] inline RelationAnswerSets answer_sets_of(const RecordedRelation& recorded,
                                                       const std::vector<Fact>& facts) {
  RelationAnswerSets made{recorded.relation.code, {}};
  Relation relation = recorded.relation;
  const auto countable = [](const Fact& fact) {
    return !subject_key(fact).empty() && fact.choices.empty();
  };
  std::copy_if(facts.begin(), facts.end(), std::back_inserter(relation.facts), countable);
  const SubjectGroups subjects(relation);
  std::map<std::string, std::vector<std::size_t>> right;  // by subject
  for (const Fact& fact : relation.facts) right[subjects.of(fact)].push_back(fact.answer);
  for (auto& [subject, options] : right) ranges::sort_distinct(options);
  std::erase_if(right, [](const auto& one) { return one.second.size() < 2; });
  if (right.empty()) return made;
  std::map<std::string, std::map<std::size_t, AnswerSetScore>> scores;  // by subject and template
  std::vector<std::string> order;
  for_each_recorded_row(recorded, [&](const RecordedRow& row) {
    if (!countable(row.fact)) return;
    const std::string& subject = subjects.of(row.fact);
    const auto options = right.find(subject);
    if (options == right.end()) return;
    if (!scores.contains(subject)) order.push_back(subject);
    auto& by_template = scores[subject];
    if (by_template.contains(row.template_index)) return;
    by_template.emplace(row.template_index, score_answer_set(row.scores, options->second));
  });
  for (const std::string& subject : order) {
    auto& fact = made.facts.emplace_back();
    for (const auto& [index, score] : scores.at(subject)) fact.push_back(score);
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
