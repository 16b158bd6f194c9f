// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers that a comparison of models reports, each declared once.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/capitalize.hpp"
#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/columns.hpp"
#include "plumb/detail/report/many_shot_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The proportion of one model's knowledge that another model shares. `left_out` and `settings` are
/// the words used in the keys for omitted data and for settings.
[[nodiscard]] inline std::vector<Column<Subsumption>> subsumption_columns(
    const std::string& left_out = "left_out", const std::string& settings = "settings") {
  using S = Subsumption;
  using enum ColumnPlace;
  return {
      {.key = "rate", .heading = "η", .value = [](const S& s) { return s.rate; }, .interval = true},
      {.key = "cells",
       .heading = "cells",
       .value = [](const S& s) { return s.cells; },
       .place = files},
      {.key = "cells_without_knowledge",
       .heading = "without knowledge",
       .value = [](const S& s) { return s.empty; },
       .place = files},
      {.key = left_out + ".relations",
       .heading = "relations left out",
       .value = [](const S& s) { return s.left_out.relations; },
       .place = files},
      {.key = left_out + "." + settings,
       .heading = "settings left out",
       .value = [](const S& s) { return s.left_out.settings; },
       .place = files},
      {.key = left_out + ".facts",
       .heading = "facts left out",
       .value = [](const S& s) { return s.left_out.facts; },
       .place = files}};
}

/// "135M", "1.7B".
[[nodiscard]] inline std::string size_text(double parameters) {
  const char* unit = "";
  for (const char* larger : {"K", "M", "B", "T"}) {
    if (parameters < 999.5) break;
    parameters /= 1000;
    unit = larger;
  }
  return with_decimals(parameters, parameters < 9.95 && *unit != '\0' ? 1 : 0) + unit;
}

/// The leaderboard of models. `made` must outlive the columns.
[[nodiscard]] inline std::vector<Column<ModelStanding>> model_standing_columns(
    const Comparison& made) {
  using M = ModelStanding;
  std::vector<Column<M>> columns;
  if (!made.families.families.empty()) {
    columns.push_back({.key = "family",
                       .heading = "family",
                       .value = [&made](const M& m) -> CellValue {
                         const std::string& family = made.family[m.model];
                         return family.empty() ? CellValue(OwnWord{"–"}) : CellValue(family);
                       },
                       .place = ColumnPlace::page});
  }
  const bool sized =
      ranges::any_of(made.parameters, [](const auto& one) { return one.has_value(); });
  if (sized) {
    columns.push_back({.key = "parameters",
                       .heading = "parameters",
                       .value = [&made](const M& m) -> CellValue {
                         const std::optional<double>& count = made.parameters[m.model];
                         if (!count) return NoCell{};
                         return ShownNumber{*count, size_text(*count)};
                       },
                       .weight = ColumnWeight::minor});
  }
  auto overall =
      columns_of<M>(spread_columns("sd_over_variants", has_ties(made)),
                    [](const M& m) -> const AccuracySpread& { return m.spread.overall; });
  for (Column<M>& one : overall) {
    if (one.key == "sd_over_variants") one.heading = "SD over variants";
    if (one.key == "variants") one.place = ColumnPlace::page;
    if (one.key == "answers") one.place = ColumnPlace::files;
  }
  overall.insert(overall.begin() + 1,
                 {.key = "sd_over_relations",
                  .heading = "SD over relations",
                  .value = [](const M& m) { return PlainNumber{m.spread.sd_over_relations}; }});
  const std::vector<Column<M>> counts{
      {.key = "relations_in_mean",
       .heading = "relations",
       .value = [](const M& m) { return m.spread.relations.size(); },
       .weight = ColumnWeight::minor},
      {.key = "facts",
       .heading = "facts",
       .value = [](const M& m) { return m.spread.overall.accuracy.count; },
       .weight = ColumnWeight::minor}};
  overall.insert(overall.begin() + 4, counts.begin(), counts.end());
  const std::vector<Column<M>> places{
      {.key = "rank",
       .heading = "rank",
       .meaning =
           "Rank: 1 plus the number of models with a significantly higher accuracy, i.e. with a p "
           "(Holm) below 0.05; models without a significant difference share a rank.",
       .value = [&made](const M& m) -> CellValue {
         const auto& rank = made.ranks[m.model];
         return rank ? CellValue(*rank) : CellValue(PlainNumber{});
       }},
      {.key = "known_alone",
       .heading = "known only here",
       .meaning = "Known only here: facts that only this model knows, among the models that were "
                  "tested on them.",
       .value = [&made](const M& m) { return made.fact_counts.known_alone[m.model]; },
       .place = ColumnPlace::page}};
  overall.insert(overall.begin() + 1, places.begin(), places.begin() + 1);
  overall.insert(overall.begin() + 7, places.begin() + 1, places.end());
  columns.insert(columns.end(), overall.begin(), overall.end());
  return columns;
}

/// The model's name, followed by the columns of model_standing_columns.
[[nodiscard]] inline std::vector<Column<ModelStanding>> named_model_columns(
    const Comparison& made) {
  auto columns = model_standing_columns(made);
  columns.insert(columns.begin(), {.key = "model",
                                   .heading = "model",
                                   .value = [&made](const ModelStanding& m) -> CellValue {
                                     return made.table.models[m.model];
                                   },
                                   .weight = ColumnWeight::major,
                                   .names_model = true});
  return columns;
}

/// The leaderboard of relations.
[[nodiscard]] inline std::vector<Column<RelationStanding>> relation_standing_columns(
    const Comparison& made) {
  using R = RelationStanding;
  using enum ColumnPlace;
  return {{.key = "accuracy",
           .heading = "accuracy",
           .value = [](const R& r) { return r.accuracy; },
           .interval = true},
          {.key = "sd_over_models",
           .heading = "SD over models",
           .value = [](const R& r) { return PlainNumber{r.sd}; }},
          {.key = "models", .heading = "models", .value = [](const R& r) { return r.models; }},
          {.key = "facts",
           .heading = "facts",
           .value = [&made](const R& r) { return made.table.facts[r.relation]; }},
          {.key = "accuracy_first_wins",
           .heading = first_wins_heading,
           .value = [](const R& r) { return r.accuracy_first_wins; },
           .place = files},
          {.key = "ties",
           .heading = "ties",
           .value = [](const R& r) { return r.ties.tied; },
           .place = files},
          {.key = "answers",
           .heading = "answers",
           .value = [](const R& r) { return r.ties.answers; },
           .place = files}};
}
[[nodiscard]] inline std::vector<Column<RelationStanding>> named_relation_columns(
    const Comparison& made) {
  auto columns = relation_standing_columns(made);
  columns.insert(columns.begin(), {.key = "relation",
                                   .heading = "relation",
                                   .value = [&made](const RelationStanding& r) -> CellValue {
                                     return made.table.relations[r.relation];
                                   }});
  return columns;
}

/// A base model compared with a model that was fine-tuned from it.
[[nodiscard]] inline std::vector<Column<TunedComparison>> tuned_columns() {
  using T = TunedComparison;
  std::vector<Column<T>> columns{{.key = "base_accuracy",
                                  .heading = "base accuracy",
                                  .value = [](const T& t) { return t.base_accuracy; }},
                                 {.key = "tuned_accuracy",
                                  .heading = "tuned accuracy",
                                  .value = [](const T& t) { return t.tuned_accuracy; }},
                                 {.key = "difference",
                                  .heading = "tuned − base",
                                  .value = [](const T& t) { return t.difference; },
                                  .interval = true}};
  const auto add = [&](const char* path, const char* heading, Subsumption T::*of) {
    for (auto& one : columns_of<T>(
             subsumption_columns(), [of](const T& t) -> const Subsumption& { return t.*of; },
             path)) {
      if (one.heading == "η") one.heading = heading;
      columns.push_back(std::move(one));
    }
  };
  add("tuned_given_base.", "η(tuned|base)", &T::tuned_given_base);
  add("base_given_tuned.", "η(base|tuned)", &T::base_given_tuned);
  return columns;
}
[[nodiscard]] inline std::vector<Column<TunedComparison>> named_tuned_columns(
    const Comparison& made) {
  using T = TunedComparison;
  auto columns = tuned_columns();
  const auto name = [&made](std::size_t model) -> CellValue { return made.table.models[model]; };
  prepend(columns, {{.key = "pair",
                     .heading = "base → tuned",
                     .value = [&made](const T& t) -> CellValue {
                       return made.table.models[t.base] + " → " + made.table.models[t.tuned];
                     },
                     .place = ColumnPlace::terminal},
                    {.key = "base",
                     .heading = "base",
                     .value = [name](const T& t) { return name(t.base); },
                     .place = ColumnPlace::page,
                     .names_model = true},
                    {.key = "tuned",
                     .heading = "fine-tuned",
                     .value = [name](const T& t) { return name(t.tuned); },
                     .place = ColumnPlace::page,
                     .names_model = true}});
  return columns;
}

/// The changes from the first model to each other model, for display in tables; metrics.json
/// contains all changes.
[[nodiscard]] inline std::vector<Column<ModelChanges>> change_columns(const Comparison& made) {
  using C = ModelChanges;
  std::vector<Column<C>> columns{{.key = "model",
                                  .heading = "against " + made.table.models.front(),
                                  .value = [](const C& one) -> CellValue { return one.model; },
                                  .names_model = true}};
  if (made.changes.empty()) return columns;
  const std::vector<std::pair<std::string, std::string>> headings{
      {"accuracy.drop", "accuracy lost"}, {"ace.rise", "ACE rise"},
      {"brier.rise", "Brier rise"},       {"loglik.mean", "mean score change"},
      {"loglik.max", "largest change"},   {"known.lost", "facts lost"},
      {"known.gained", "facts gained"}};
  const auto& values = made.changes.front().values;
  for (const auto& [key, heading] : headings) {
    const auto found = ranges::find(values, key, &ChangedValue::key);
    if (found == values.end()) continue;
    const auto place = static_cast<std::size_t>(found - values.begin());
    const bool counts = key.starts_with("known.");
    columns.push_back({.key = key,
                       .heading = heading,
                       .meaning = capitalize(heading) + ": " + found->meaning + ".",
                       .value = [place, counts](const C& one) -> CellValue {
                         const Estimate& value = one.values[place].value;
                         if (!counts || !value.exists()) return value;
                         return static_cast<std::size_t>(value.value);
                       },
                       .interval = key.ends_with(".drop") || key.ends_with(".rise")});
  }
  return columns;
}

/// The spread between draws of the shots.
[[nodiscard]] inline std::vector<Column<DrawSpread>> draw_columns() {
  using D = DrawSpread;
  return {{.key = "runs",
           .heading = "draws of the shots",
           .value = [](const D& one) -> CellValue { return one.runs; }},
          {.key = "draws",
           .heading = "draws",
           .value = [](const D& one) -> CellValue { return one.draws; }},
          {.key = "mean",
           .heading = "mean accuracy",
           .meaning = "Mean accuracy: the mean over the draws.",
           .value = [](const D& one) -> CellValue { return PlainNumber{one.mean}; }},
          {.key = "sd",
           .heading = "SD",
           .meaning = "SD: the sample standard deviation (n − 1) of the draws' accuracies.",
           .value = [](const D& one) -> CellValue { return PlainNumber{one.sd}; }},
          {.key = "least",
           .heading = "lowest",
           .value = [](const D& one) -> CellValue { return PlainNumber{one.least}; }},
          {.key = "most", .heading = "highest", .value = [](const D& one) -> CellValue {
             return PlainNumber{one.most};
           }}};
}

/// The smallest and largest models of a family, among those whose size is known.
struct FamilyEnds {
  std::size_t smallest = 0, largest = 0;
};

/// Families are in alphabetical order. A family whose models all have the same size is left out.
/// Source: Wu et al., "Towards Reliable Latent Knowledge Estimation in LLMs", Table 1.
[[nodiscard]] inline std::vector<FamilyEnds> ends_of_families(const Comparison& made) {
  std::map<std::string, FamilyEnds> ends;
  const auto size = [&](std::size_t m) { return *made.parameters[m]; };
  for (std::size_t m = 0; m < made.parameters.size(); ++m) {
    if (!made.parameters[m] || made.family[m].empty()) continue;
    FamilyEnds& one = ends.try_emplace(made.family[m], FamilyEnds{m, m}).first->second;
    if (size(m) < size(one.smallest)) one.smallest = m;
    if (size(m) > size(one.largest)) one.largest = m;
  }
  std::vector<FamilyEnds> made_of;
  for (const auto& [family, one] : ends) {
    if (size(one.smallest) < size(one.largest)) made_of.push_back(one);
  }
  return made_of;
}

[[nodiscard]] inline std::vector<Column<FamilyEnds>> family_ends_columns(const Comparison& made) {
  using E = FamilyEnds;
  std::vector<Column<E>> columns{
      {.key = "family", .heading = "family", .value = [&made](const E& e) -> CellValue {
         return made.family[e.smallest];
       }}};
  for (const auto& [which, model] :
       {std::pair{"smallest", &E::smallest}, {"largest", &E::largest}}) {
    columns.push_back(
        {.key = which,
         .heading = std::string(which) + " model",
         .value = [&made, of = model](const E& e) -> CellValue { return made.table.models[e.*of]; },
         .names_model = true});
    columns.push_back({.key = std::string(which) + "_accuracy",
                       .heading = "its accuracy",
                       .value = [&made, of = model](const E& e) -> CellValue {
                         for (const ModelStanding& one : made.models) {
                           if (one.model == e.*of) return one.spread.overall.accuracy;
                         }
                         return Estimate{};
                       },
                       .interval = true});
  }
  columns.push_back(
      {.key = "rate",
       .heading = "η(smallest|largest)",
       .meaning = "η(smallest|largest): the share of the facts known to the smallest model that "
                  "the largest knows too.",
       .value = [&made](const E& e) { return made.subsumption[e.smallest][e.largest].rate; },
       .interval = true});
  return columns;
}

/// The proportion of one model's knowledge that another model shares, and the two models' agreement
/// on relations.
struct KnowledgePair {
  std::size_t of = 0, given = 0;
};
[[nodiscard]] inline std::vector<Column<KnowledgePair>> model_pair_columns(const Comparison& made) {
  using P = KnowledgePair;
  auto columns = columns_of<P>(subsumption_columns(), [&made](const P& p) -> const Subsumption& {
    return made.subsumption[p.of][p.given];
  });
  columns.insert(columns.begin(), {.key = "pair",
                                   .heading = "known to → also known to",
                                   .value = [&made](const P& p) -> CellValue {
                                     return made.table.models[p.of] + " → " +
                                            made.table.models[p.given];
                                   }});
  columns.push_back({.key = "correlation",
                     .heading = "r of accuracies",
                     .value = [&made](const P& p) { return made.correlations[p.of][p.given]; }});
  return columns;
}

/// Ordered pairs of models, in leaderboard order.
[[nodiscard]] inline std::vector<KnowledgePair> model_pairs(const Comparison& made) {
  std::vector<KnowledgePair> pairs;
  for (const ModelStanding& of : made.models) {
    for (const ModelStanding& given : made.models) {
      if (of.model != given.model) pairs.push_back({of.model, given.model});
    }
  }
  return pairs;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
