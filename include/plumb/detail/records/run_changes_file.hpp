// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matches the rows of two closed-set run folders (measure/run_changes.hpp).

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/run_changes.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/aligned_instances.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/records/probe_metadata.hpp"
#include "plumb/detail/records/probe_rows.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A row without what the comparison does not need.
struct ComparedRow {
  std::size_t instance, template_index, answer, line;
  std::string subject;
  std::vector<double> scores;
};

inline std::vector<ComparedRow> compared_rows(const RecordedRelation& recorded) {
  std::vector<ComparedRow> rows;
  for_each_recorded_row(recorded, [&](const RecordedRow& row) {
    rows.push_back({row.fact.instance, row.template_index, row.fact.answer, row.fact.line,
                    row.fact.subject, row.scores});
  });
  return rows;
}

/// Gives the rows of the same fact in both folders the same number (measure/aligned_instances.hpp).
inline void align_rows(std::vector<ComparedRow>& first, std::vector<ComparedRow>& second,
                       const std::vector<std::string>& options) {
  std::vector<std::vector<NumberedFact>> facts;
  std::vector<std::map<std::size_t, std::size_t>> places;  // by instance: the fact's index
  for (const std::vector<ComparedRow>* rows : {&first, &second}) {
    auto& of_folder = facts.emplace_back();
    auto& place = places.emplace_back();
    for (const ComparedRow& row : *rows) {
      if (!place.emplace(row.instance, of_folder.size()).second) continue;
      of_folder.push_back({row.instance, row.subject, options[row.answer]});
    }
  }
  const auto numbers = aligned_numbers(facts);
  if (numbers.empty()) return;
  for (ComparedRow& row : first) row.instance = numbers[0][places[0].at(row.instance)];
  for (ComparedRow& row : second) row.instance = numbers[1][places[1].at(row.instance)];
}

/// Matches the rows of one relation and appends its facts.
inline void add_changes(RunChanges& into, const RecordedRelation& first,
                        const RecordedRelation& second) {
  const auto& options = second.relation.options;
  std::vector<ComparedRow> rows = compared_rows(first), changed = compared_rows(second);
  align_rows(rows, changed, options);
  std::map<std::pair<std::size_t, std::size_t>, const ComparedRow*> kept;  // by instance, template
  for (const ComparedRow& row : rows) kept[{row.instance, row.template_index}] = &row;
  struct Change {
    FactChange fact;
    std::size_t template_index = 0;
  };
  std::map<std::size_t, Change> facts;  // by instance
  for (const ComparedRow& row : changed) {
    const auto before = kept.find({row.instance, row.template_index});
    if (before == kept.end()) continue;
    const std::vector<double>& old = before->second->scores;
    if (before->second->answer != row.answer) {
      throw user_error({second.rows, row.line, "answer_idx"},
                       "differs from the answer in " + first.rows.string(),
                       "compare runs of the same dataset");
    }
    const auto [place, added] = facts.try_emplace(row.instance);
    Change& change = place->second;
    FactChange& fact = change.fact;
    for (std::size_t i = 0; i < old.size(); ++i) {
      const double moved = std::abs(row.scores[i] - old[i]);
      ++into.scores;
      into.moved_sum += moved;
      into.moved_most = (std::max)(into.moved_most, moved);
      if (moved < fact.moved || (moved == fact.moved && !fact.option.empty())) continue;
      fact.moved = moved;
      fact.option = options[i];
    }
    if (!added && row.template_index >= change.template_index) continue;
    change.template_index = row.template_index;
    fact.relation = second.relation.code;
    fact.subject = row.subject;
    const Prediction was = predict(old, row.answer), is = predict(row.scores, row.answer);
    fact.first_answer = options[was.option];
    fact.second_answer = options[is.option];
    fact.first = {was.confidence, was.correct};
    fact.second = {is.confidence, is.correct};
  }
  if (facts.empty()) return;
  into.relations.push_back(facts.size());
  for (auto& [instance, change] : facts) into.facts.push_back(std::move(change.fact));
}

/// Throws a user error if the folders differ in options or scoring, or if files are damaged.
/// Returns no facts if the two folders have none in common.
[[nodiscard]] inline RunChanges read_run_changes(const DiskPath& first, const DiskPath& second) {
  RunChanges made;
  const std::vector<RecordedRelation> before = recorded_relations(first);
  for (const RecordedRelation& after : recorded_relations(second)) {
    const std::string& code = after.relation.code;
    const auto found = ranges::find_if(
        before, [&](const RecordedRelation& one) { return one.relation.code == code; });
    if (found == before.end()) continue;
    if (found->reduction != after.reduction || found->span != after.span) {
      throw user_error({.file = second, .field = code},
                       "was scored differently from " + first.string(),
                       "compare runs with the same `reduction` and `span`");
    }
    if (found->relation.options != after.relation.options) {
      throw user_error({.file = second, .field = code},
                       "has different options from " + first.string(),
                       "compare runs of the same dataset");
    }
    add_changes(made, *found, after);
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
