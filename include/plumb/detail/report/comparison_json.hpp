// SPDX-License-Identifier: Apache-2.0
#pragma once

// The metrics.json of a model comparison.
//
// Contains every number that any output shows, with its count and its 95% interval; the interval is
// null if it does not exist. Standard deviations and means of correlations have no interval.

#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/measure/model_comparison.hpp"
#include "plumb/detail/report/comparison_columns.hpp"
#include "plumb/detail/report/metrics_json.hpp"
#include "plumb/detail/report/paired_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Json model_json(const Comparison& made, const ModelStanding& standing) {
  const AccuracyTable& table = made.table;
  const auto codes = [&](const std::vector<std::size_t>& places) {
    Json list = Json::array();
    for (const std::size_t r : places) list.push_back(table.relations[r]);
    return list;
  };
  const auto [top, bottom] = extreme_relations(table, standing.model);
  Json json = json_of(model_standing_columns(made), standing);
  const std::string& family = made.family[standing.model];
  json["family"] = family.empty() ? Json() : Json(family);
  json["top"] = codes(top);
  json["bottom"] = codes(bottom);
  json["relations"] = Json::object();
  for (std::size_t r = 0; r < table.relations.size(); ++r) {
    const AccuracySpread& cell = table.cells[standing.model][r];
    if (cell.accuracy.count == 0) continue;
    json["relations"][table.relations[r]] =
        json_of(spread_columns("sd_over_variants", false), cell);
  }
  return json;
}

/// Models and relations are in the order of their leaderboards.
[[nodiscard]] inline Json to_json(const Comparison& made) {
  const AccuracyTable& table = made.table;
  Json json = metrics_head(made.bootstrap);
  json["setting"] = setting_name(table.group);
  json["remarks"] = made.remarks;
  json["models"] = Json::object();
  for (const ModelStanding& standing : made.models) {
    json["models"][table.models[standing.model]] = detail::model_json(made, standing);
  }
  if (!made.settings.empty()) {
    Json& settings = json["settings"] = Json::object();
    for (const SettingAccuracies& one : made.settings) {
      Json& accuracies = settings[setting_name(one.setting)] = Json::object();
      for (std::size_t m = 0; m < table.models.size(); ++m) {
        accuracies[table.models[m]] = to_json(one.accuracy[m]);
      }
    }
  }
  if (!made.groups.column.empty()) {
    json["groups"] = {{"column", made.groups.column},
                      {"facts_without", made.groups.without},
                      {"values", Json::array()}};
    for (const ColumnGroup& one : made.groups.groups) {
      Json group = {{"value", one.name}, {"facts", one.facts}, {"models", Json::object()}};
      for (std::size_t m = 0; m < table.models.size(); ++m) {
        group["models"][table.models[m]] = to_json(one.accuracy[m]);
      }
      json["groups"]["values"].push_back(std::move(group));
    }
  }
  json["relations"] = Json::object();
  for (const RelationStanding& standing : made.relations) {
    json["relations"][table.relations[standing.relation]] =
        json_of(relation_standing_columns(made), standing);
  }
  json["correlation"] = Json::array();
  json["subsumption"] = Json::array();
  for (std::size_t i = 0; i < table.models.size(); ++i) {
    for (std::size_t j = 0; j < table.models.size(); ++j) {
      if (i == j) continue;
      Json entry = {{"of", table.models[i]}, {"given", table.models[j]}};
      entry.update(json_of(subsumption_columns(), made.subsumption[i][j]));
      json["subsumption"].push_back(entry);
      if (i > j) continue;
      json["correlation"].push_back({{"models", {table.models[i], table.models[j]}},
                                     {"r", to_json(made.correlations[i][j])}});
    }
  }
  json["changes"] = Json::object();
  for (const ModelChanges& one : made.changes) {
    Json& changed = json["changes"][one.model] = Json::object();
    for (const ChangedValue& value : one.values) changed[value.key] = to_json(value.value);
  }
  json["draws"] = Json::array();
  for (const DrawSpread& one : made.draws) json["draws"].push_back(json_of(draw_columns(), one));
  json["families"] = Json::array();
  for (const FamilyEnds& one : ends_of_families(made)) {
    json["families"].push_back(json_of(family_ends_columns(made), one));
  }
  json["family_correlation"] = Json::array();
  const FamilyCorrelations& families = made.families;
  for (std::size_t i = 0; i < families.families.size(); ++i) {
    for (std::size_t j = i; j < families.families.size(); ++j) {
      const MeanCorrelation& mean = families.means[i][j];
      json["family_correlation"].push_back(
          {{"families", {families.families[i], families.families[j]}},
           {"mean_r", number_or_null(mean.value)},
           {"pairs", mean.pairs}});
    }
  }
  json["paired_tests"] = paired_json(made);
  json["facts"] = json_of(compared_fact_columns(), made.fact_counts);
  json["base_and_tuned"] = Json::array();
  for (const TunedComparison& pair : made.pairs) {
    Json one = {{"base", table.models[pair.base]}, {"tuned", table.models[pair.tuned]}};
    one.update(json_of(tuned_columns(), pair));
    json["base_and_tuned"].push_back(std::move(one));
  }
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
