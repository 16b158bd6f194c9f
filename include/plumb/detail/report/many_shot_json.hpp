// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of a many-shot run in metrics.json and in CSV files.

#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/report/csv.hpp"
#include "plumb/detail/report/injection_columns.hpp"
#include "plumb/detail/report/many_shot_columns.hpp"
#include "plumb/detail/report/metrics_json.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

inline Json with_relations(Json json, const GroupSpread& spread) {
  json["relations"] = Json::object();
  for (const auto& [code, relation] : spread.relations) {
    json["relations"][code] = json_of(spread_columns("sd", false), relation);
  }
  return json;
}

[[nodiscard]] inline Json to_json(const GroupSpread& spread) {
  return with_relations(json_of(group_spread_columns(false), spread), spread);
}

/// The contents of metrics.json.
[[nodiscard]] inline Json to_json(const ManyShotResults& made) {
  Json json = {{"chance", made.chance_by_relation},
               {"choices", made.choices},
               {"choices_beginning_another", made.choices_beginning_another}};
  put_ties(json, made.ties);
  const auto put = [&](const char* name, const std::vector<GroupSpread>& spreads) {
    json[name] = Json::object();
    for (const GroupSpread& spread : spreads) {
      json[name][setting_name(spread.group)] =
          with_relations(json_of(setting_columns(made), spread), spread);
    }
  };
  put("settings", made.groups);
  if (!made.side_by_side.empty()) put("settings_side_by_side", made.side_by_side);
  json["accuracy_against_shots"] = Json::object();
  for (const ShotsCurve& curve : made.curves) {
    Json points = Json::object();
    for (const GroupSpread& point : curve.points) {
      points[std::to_string(point.group.shots)] =
          json_of(spread_columns("sd", false), point.overall);
    }
    json["accuracy_against_shots"][setting_name(curve.like)] = {
        {"points", std::move(points)},
        {"shots_for_95_percent", curve.shots_for_95 ? Json(*curve.shots_for_95) : Json()}};
  }
  json["accuracy_at_k"] = Json::object();
  for (const auto& [group, levels] : made.at_k) {
    Json& list = json["accuracy_at_k"][setting_name(group)] = Json::array();
    for (const AccuracyAtK& level : levels) list.push_back(json_of(at_k_columns(), level));
  }
  if (!made.injections.empty()) {
    json["injection"] = Json::object();
    for (const InjectionResults& results : made.injections) {
      json["injection"][results.relation] = to_json(results);
    }
  }
  return json;
}

/// metrics.csv: every number for every setting and its relations.
[[nodiscard]] inline std::string many_shot_metrics_csv(const ManyShotResults& made) {
  EstimateCsv csv({"setting", "relation", "metric"});
  for (const GroupSpread& spread : made.groups) {
    const std::string setting = setting_name(spread.group);
    add_numbers(csv, {setting, ""}, setting_columns(made), spread);
    for (const auto& [code, one] : spread.relations) {
      add_numbers(csv, {setting, code}, spread_columns("sd", false), one);
    }
  }
  return csv.text();
}

/// accuracy.csv: for each setting group, one row for each relation and one for the mean over
/// relations.
[[nodiscard]] inline std::string many_shot_accuracy_csv(const ManyShotResults& made) {
  detail::EstimateCsv csv({"method", "shots", "separator", "by", "relation", "variants", "sd"});
  for (const GroupSpread& spread : made.groups) {
    const auto add = [&](const std::string& relation, const AccuracySpread& one) {
      csv.add({spread.group.method, std::to_string(spread.group.shots), spread.group.separator,
               spread.group.by, relation, std::to_string(one.variants),
               one.sd ? with_decimals(*one.sd, 8) : ""},
              one.accuracy);
    };
    for (const auto& [code, one] : spread.relations) add(code, one);
    add("mean of relations", spread.overall);
  }
  return csv.text();
}

/// accuracy_at_k.csv.
[[nodiscard]] inline std::string accuracy_at_k_csv(const ManyShotResults& made) {
  detail::EstimateCsv csv({"setting", "k", "answers"});
  for (const auto& [group, levels] : made.at_k) {
    for (const AccuracyAtK& level : levels) {
      csv.add(
          {setting_name(group), with_decimals(level.threshold, 2), std::to_string(level.answers)},
          level.accuracy);
    }
  }
  return csv.text();
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
