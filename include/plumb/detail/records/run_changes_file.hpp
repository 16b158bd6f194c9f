// SPDX-License-Identifier: Apache-2.0
#pragma once

// Matches the rows of two closed-set run folders (measure/run_changes.hpp).

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/run_changes.hpp"
#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/records/probe_metadata.hpp"
#include "plumb/detail/records/probe_rows.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The instance numbers of a relation's facts in the first folder, by the line of the same fact in
/// the second. Empty if both folders number their facts in the same way; otherwise, facts with the
/// same subject and right answer are the same, in order (measure/aligned_instances.hpp).
inline std::map<std::size_t, std::size_t> renumbered_lines(const RecordedRelation& first,
                                                           const RecordedRelation& second) {
  using Identity = std::tuple<std::string, std::size_t, std::size_t>;  // subject, answer, template
  std::map<std::size_t, std::pair<std::string, std::size_t>> facts;    // by instance
  std::map<Identity, std::vector<std::size_t>> instances;
  for_each_recorded_row(first, [&](const RecordedRow& row) {
    const Fact& fact = row.fact;
    facts.try_emplace(fact.instance, fact.subject, fact.answer);
    instances[{fact.subject, fact.answer, row.template_index}].push_back(fact.instance);
  });
  std::map<std::size_t, std::size_t> lines;
  std::map<Identity, std::size_t> times;
  bool differ = false, moved = false;
  for_each_recorded_row(second, [&](const RecordedRow& row) {
    const Fact& fact = row.fact;
    const auto known = facts.find(fact.instance);
    differ =
        differ || (known != facts.end() && !known->second.first.empty() && !fact.subject.empty() &&
                   known->second != std::pair(fact.subject, fact.answer));
    const Identity identity{fact.subject, fact.answer, row.template_index};
    const auto same = instances.find(identity);
    const std::size_t time = times[identity]++;
    if (same != instances.end() && time < same->second.size()) {
      lines[fact.line] = same->second[time];
      moved = moved || same->second[time] != fact.instance;
    }
  });
  if (!differ || !moved) lines.clear();
  return lines;
}

/// Matches the rows of one relation and appends its facts.
inline void add_changes(RunChanges& into, const RecordedRelation& first,
                        const RecordedRelation& second) {
  struct Kept {
    std::vector<double> scores;
    std::size_t answer = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Kept> kept;  // by instance and template
  for_each_recorded_row(first, [&](const RecordedRow& row) {
    kept[{row.fact.instance, row.template_index}] = {row.scores, row.fact.answer};
  });
  const std::map<std::size_t, std::size_t> lines = renumbered_lines(first, second);
  struct Change {
    FactChange fact;
    std::size_t template_index = 0;
  };
  std::map<std::size_t, Change> facts;  // by instance
  const auto& options = second.relation.options;
  for_each_recorded_row(second, [&](const RecordedRow& row) {
    std::size_t instance = row.fact.instance;
    if (!lines.empty()) {
      const auto line = lines.find(row.fact.line);
      if (line == lines.end()) return;
      instance = line->second;
    }
    const auto before = kept.find({instance, row.template_index});
    if (before == kept.end()) return;
    const std::vector<double>& old = before->second.scores;
    if (before->second.answer != row.fact.answer) {
      throw user_error({second.rows, row.fact.line, "answer_idx"},
                       "differs from the answer in " + first.rows.string(),
                       "compare runs of the same dataset");
    }
    const auto [place, added] = facts.try_emplace(instance);
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
    if (!added && row.template_index >= change.template_index) return;
    change.template_index = row.template_index;
    fact.relation = second.relation.code;
    fact.subject = row.fact.subject;
    const Prediction was = predict(old, row.fact.answer), is = predict(row.scores, row.fact.answer);
    fact.first_answer = options[was.option];
    fact.second_answer = options[is.option];
    fact.first = {was.confidence, was.correct};
    fact.second = {is.confidence, is.correct};
  });
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
