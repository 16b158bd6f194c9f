// SPDX-License-Identifier: Apache-2.0
#pragma once

// The output of a search for facts in texts: a row for each relation, and a line for each fact.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/fact_overlap.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The facts of one relation, or of all relations.
struct RelationOverlap {
  std::string relation;
  std::size_t facts = 0;
  /// The number of facts that a text contains at least once, and the total number of their
  /// occurrences.
  std::size_t met = 0;
  std::size_t meetings = 0;
  /// Whether a rule is drawn above the row.
  bool begins_section = false;

  void add(const FactMeetings& fact) {
    ++facts;
    met += fact.count > 0 ? 1 : 0;
    meetings += fact.count;
  }
};

/// Relations in order of appearance. The lists are parallel.
[[nodiscard]] inline std::vector<RelationOverlap> met_relations(std::span<const NamedFact> facts,
                                                                std::span<const FactMeetings> met) {
  std::vector<RelationOverlap> relations;
  for (std::size_t f = 0; f < facts.size(); ++f) {
    auto found = ranges::find(relations, facts[f].relation, &RelationOverlap::relation);
    if (found == relations.end()) {
      relations.push_back({facts[f].relation});
      found = relations.end() - 1;
    }
    found->add(met[f]);
  }
  return relations;
}

[[nodiscard]] inline std::vector<Column<RelationOverlap>> overlap_columns() {
  using M = RelationOverlap;
  return {
      {.key = "relation",
       .heading = "relation",
       .value = [](const M& m) -> CellValue { return m.relation; }},
      {.key = "facts", .heading = "facts", .value = [](const M& m) { return m.facts; }},
      {.key = "met", .heading = "met", .value = [](const M& m) { return m.met; }},
      {.key = "share",
       .heading = "share",
       .value = [](const M& m) -> CellValue { return wilson(m.met, m.facts); },
       .interval = true},
      {.key = "meetings", .heading = "meetings", .value = [](const M& m) { return m.meetings; }}};
}

/// What counts as an occurrence of a fact, and how occurrences are counted.
[[nodiscard]] inline std::string meaning_of(const Within& within) {
  const auto in = [](const std::string& unit) {
    return "subject and object in one " + unit + ", counted by " + unit;
  };
  if (within.unit == Within::Unit::line) return in("line");
  if (within.unit == Within::Unit::paragraph) return in("paragraph");
  if (within.unit == Within::Unit::document) return in("document");
  return "subject and object within " + counted(within.words, "word") + ", counted without overlap";
}

/// A fact as a JSON object; the file and line of its first occurrence are null if there is none.
/// `files` is the list of paths that `FactMeetings::file` indexes into.
[[nodiscard]] inline Json overlap_json(const NamedFact& fact, const FactMeetings& met,
                                       std::span<const std::string> files) {
  return {{"relation", fact.relation},
          {"instance_index", fact.instance},
          {"sub_id", fact.subject.id},
          {"sub_label", fact.subject.names.front()},
          {"obj_id", fact.object.id},
          {"obj_label", fact.object.names.front()},
          {"meetings", met.count},
          {"first_file", met.count > 0 ? Json(files[met.file]) : Json()},
          {"first_line", met.count > 0 ? Json(met.line) : Json()}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
