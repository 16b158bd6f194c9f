// SPDX-License-Identifier: Apache-2.0
#pragma once

// What does each fact of a relation have under each template that was scored?
//
// Rows of one or several results folders, gathered into a table of facts by templates, one cell
// made from each row; the rows themselves are not kept. Works on plumb's run folders and on
// lm-pub-quiz's. Several folders of one model join when they tell of the same facts and options
// under different templates.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/number_words.hpp"
#include "plumb/core/over.hpp"
#include "plumb/records/probe_rows.hpp"

namespace plumb {

/// Facts ascend by instance, templates by index; cells[fact][i] belongs to templates[i].
template <class Cell>
struct RecordedFacts {
  /// With its facts. Where no metadata says whether it is 1:1, the facts decide.
  Relation relation;
  std::vector<std::size_t> templates;
  std::vector<std::vector<Cell>> cells;
};

namespace detail {

inline void refuse_different(const RecordedRelation& first, const RecordedRelation& other) {
  const auto refuse = [&](const char* field, const std::string& what) {
    throw user_error({other.rows, 0, field}, what + " " + first.rows.parent().string(),
                     "folders join only when they score the same dataset");
  };
  if (other.relation.options != first.relation.options) {
    refuse("answer_space_labels", "are not those of");
  }
  if (other.reduction != first.reduction || other.span != first.span) {
    refuse("reduction", "is not that of");
  }
}

}  // namespace detail

/// The table of one relation; `parts` are its entries in one or more folders, `of(row,
/// part)` makes a cell. Throws a user error for a row that is duplicated, a fact that lacks a
/// template another has, an incomplete file, and folders that do not belong together.
template <class Of>
[[nodiscard]] auto recorded_facts(std::span<const RecordedRelation> parts, Of of,
                                  bool with_parts = false) {
  using Cell = decltype(of(std::declval<const RecordedRow&>(), parts.front()));
  RecordedFacts<Cell> table;
  table.relation = parts.front().relation;
  std::map<std::size_t, std::pair<Fact, std::map<std::size_t, Cell>>> by_instance;
  std::map<std::size_t, DiskPath> scored_in;  // by template
  for (const RecordedRelation& recorded : parts) {
    detail::refuse_different(parts.front(), recorded);
    // A folder that scored a template knows its text.
    std::vector<std::string>& texts = table.relation.templates;
    if (recorded.relation.templates.size() > texts.size()) {
      texts.resize(recorded.relation.templates.size());
    }
    const std::vector<std::size_t> before = table.templates;
    if (table.relation.cardinality != Cardinality::one_to_one &&
        recorded.relation.cardinality != Cardinality::by_facts) {
      table.relation.cardinality = recorded.relation.cardinality;
    }
    if (table.relation.domains.empty()) table.relation.domains = recorded.relation.domains;
    std::size_t facts = 0;
    std::size_t last = 0;
    const auto visit = [&](const RecordedRow& row) {
      const std::size_t instance = row.fact.instance;
      auto [entry, added] =
          by_instance.try_emplace(instance, row.fact, std::map<std::size_t, Cell>{});
      const Fact& known = entry->second.first;
      const bool named = !known.subject.empty() && !row.fact.subject.empty();
      if (known.answer != row.fact.answer || (named && known.subject != row.fact.subject) ||
          known.choices != row.fact.choices) {
        throw user_error({recorded.rows, row.fact.line, "instance_index"},
                         "instance " + std::to_string(instance) + " was another fact before",
                         "folders join only when they score the same dataset");
      }
      if (facts == 0 || instance != last) ++facts;  // rows of a fact stand together
      last = instance;
      if (!entry->second.second.emplace(row.template_index, of(row, recorded)).second) {
        throw user_error({recorded.rows, row.fact.line, "instance_index"},
                         "instance " + std::to_string(instance) + " is duplicated for template " +
                             std::to_string(row.template_index),
                         parts.size() > 1 ? "name folders of different models as NAME=DIR"
                                          : "the results file is damaged");
      }
      if (over::find(table.templates, row.template_index) == table.templates.end()) {
        table.templates.push_back(row.template_index);
      }
      scored_in.emplace(row.template_index, recorded.rows);
    };
    for_each_recorded_row(recorded, visit, with_parts);
    for (std::size_t t = 0; t < recorded.relation.templates.size(); ++t) {
      const auto has = [t](const std::vector<std::size_t>& list) {
        return over::find(list, t) != list.end();
      };
      const bool scored_here = has(table.templates) && !has(before);
      if (scored_here || texts[t].empty()) texts[t] = recorded.relation.templates[t];
    }
    if (recorded.facts > 0 && facts != recorded.facts) {
      const bool lacks = facts < recorded.facts;
      throw user_error({.file = recorded.rows},
                       (lacks ? std::to_string(facts) + " of " + counted(recorded.facts, "fact")
                              : "has " + counted(facts, "fact") + " where its metadata counts " +
                                    std::to_string(recorded.facts)),
                       lacks ? "the results file is incomplete; probe again"
                             : "the results file is of another run; probe again");
    }
  }
  over::sort(table.templates);
  for (auto& [instance, told] : by_instance) {
    auto& entry = told;
    if (entry.second.size() != table.templates.size()) {
      const auto lacking = over::find_if(
          table.templates, [&](std::size_t index) { return !entry.second.contains(index); });
      throw user_error({scored_in.at(*lacking), 0, "template_index"},
                       "instance " + std::to_string(instance) + " has no row for template " +
                           std::to_string(*lacking) + ", which others have",
                       parts.size() > 1 ? "join folders that score the same facts"
                                        : "the results file is incomplete; probe again");
    }
    auto& cells = table.cells.emplace_back();
    for (auto& [index, cell] : entry.second) cells.push_back(std::move(cell));
    table.relation.facts.push_back(std::move(entry.first));
  }
  table.relation.cardinality = cardinality_of(table.relation);
  return table;
}

}  // namespace plumb
