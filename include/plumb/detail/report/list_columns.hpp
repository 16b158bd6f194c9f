// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metrics for lists of answers, each declared once (measure/answer_lists.hpp).

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/answer_lists.hpp"
#include "plumb/detail/records/generation_lists.hpp"
#include "plumb/detail/report/columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A relation's answers, or the mean over relations.
struct ListGroup {
  std::string name;
  std::size_t facts = 0, objects = 0;
  ListMeans with_aliases{}, main_label{}, script{};
  /// The number of answers that name nothing, and the number that were cut off at the token limit.
  std::size_t empty = 0, cut = 0;
};

/// The relations in order, except those without answers. If there are several, their mean comes
/// last.
[[nodiscard]] inline std::vector<ListGroup> list_groups(const ListRun& run,
                                                        const Bootstrap& bootstrap) {
  std::vector<ListGroup> groups;
  const auto add = [&](const std::string& name, std::size_t first, std::size_t count) {
    ListGroup group{name};
    std::vector<std::vector<ListScore>> aliases, labels, script;
    for (std::size_t r = first; r < first + count; ++r) {
      aliases.emplace_back();
      labels.emplace_back();
      script.emplace_back();
      for (const RecordedList& one : run.relations[r]) {
        aliases.back().push_back(one.with_aliases);
        labels.back().push_back(one.main_label);
        script.back().push_back(one.script);
        group.empty += one.empty ? 1U : 0U;
        group.cut += one.cut ? 1U : 0U;
        group.objects += run.asked.relations[r].facts[one.fact].objects.size();
      }
      group.facts += run.relations[r].size();
    }
    if (group.facts == 0) return;
    group.with_aliases = list_means(aliases, bootstrap, "lists/" + name + "/with aliases");
    group.main_label = list_means(labels, bootstrap, "lists/" + name + "/main label");
    group.script = list_means(script, bootstrap, "lists/" + name + "/script");
    groups.push_back(std::move(group));
  };
  for (std::size_t r = 0; r < run.relations.size(); ++r) {
    add(run.asked.relations[r].code, r, 1);
  }
  if (groups.size() > 1) add("mean of relations", 0, run.relations.size());
  return groups;
}

[[nodiscard]] inline std::vector<Column<ListGroup>> list_columns() {
  using G = ListGroup;
  constexpr auto page = ColumnPlace::page;
  const auto number = [](ListMeans G::*means) {
    return [means](const G& g) -> CellValue { return PlainNumber{(g.*means).f1_of_means}; };
  };
  std::vector<Column<G>> columns{
      {.key = "name",
       .heading = "relation",
       .value = [](const G& g) -> CellValue { return g.name; }},
      {.key = "facts", .heading = "facts", .value = [](const G& g) { return g.facts; }},
      {.key = "objects",
       .heading = "objects",
       .value = [](const G& g) { return g.objects; },
       .place = page},
      {.key = "precision",
       .heading = "precision",
       .meaning = "Precision: the share of a list's answers that are right, i.e. match any name of "
                  "an object.",
       .value = [](const G& g) { return g.with_aliases.precision; }},
      {.key = "recall",
       .heading = "recall",
       .meaning = "Recall: the share of a fact's objects that an answer names.",
       .value = [](const G& g) { return g.with_aliases.recall; }},
      {.key = "f1",
       .heading = "F1",
       .meaning = "F1: the harmonic mean of precision and recall for each fact.",
       .value = [](const G& g) { return g.with_aliases.f1; },
       .interval = true},
      {.key = "f1_of_means",
       .heading = "F1 of means",
       .meaning = "F1 of means: the harmonic mean of mean precision and mean recall.",
       .value = number(&G::with_aliases),
       .place = page},
      {.key = "main_label_precision",
       .heading = "precision, main label",
       .meaning = "Main label: answers are compared only with the main label of an object.",
       .value = [](const G& g) { return g.main_label.precision; },
       .place = page},
      {.key = "main_label_recall",
       .heading = "recall, main label",
       .value = [](const G& g) { return g.main_label.recall; },
       .place = page},
      {.key = "main_label_f1",
       .heading = "F1, main label",
       .value = [](const G& g) { return g.main_label.f1; }},
      {.key = "main_label_f1_of_means",
       .heading = "F1 of means, main label",
       .value = number(&G::main_label),
       .place = page},
      {.key = "script_precision",
       .heading = "script's precision",
       .meaning = "Script's: the numbers that KAMEL's published scripts compute; they accept "
                  "aliases, and their F1 is the F1 of means. The scripts split at \";\" without "
                  "trimming, so only the first answer in a list can match.",
       .value = [](const G& g) { return g.script.precision; }},
      {.key = "script_recall",
       .heading = "script's recall",
       .value = [](const G& g) { return g.script.recall; }},
      {.key = "script_f1_of_means", .heading = "script's F1", .value = number(&G::script)},
      {.key = "empty",
       .heading = "empty",
       .meaning = "Empty: answers that name nothing.",
       .value = [](const G& g) { return g.empty; }},
      {.key = "cut",
       .heading = "cut",
       .meaning = "Cut: number of answers that reached the token limit (not a percentage).",
       .value = [](const G& g) { return g.cut; }}};
  weigh(columns, {"f1"}, ColumnWeight::major);
  weigh(columns, {"main_label_f1", "empty", "cut"}, ColumnWeight::minor);
  return columns;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
