// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in metrics.json?
//
// Every number that is shown anywhere, each with its count and its 95% interval, so that a page or
// a paper can be checked against one file. A number that does not exist (Hit@10 where no relation
// has ten options) is null.

#include <string>

#include "plumb/data/json_file.hpp"
#include "plumb/measure/probe_metrics.hpp"

namespace plumb {

[[nodiscard]] inline Json to_json(const Estimate& estimate) {
  if (estimate.count == 0) return nullptr;
  return {{"value", estimate.value},
          {"low", estimate.low},
          {"high", estimate.high},
          {"count", estimate.count},
          {"interval", estimate.method}};
}

/// Adds how many answers share their best score, and of how many answers.
inline void put_ties(Json& json, const TieCount& ties) {
  json["ties"] = ties.tied;
  json["answers"] = ties.answers;
}

[[nodiscard]] inline Json to_json(const GroupMetrics& metrics) {
  Json json = {{"relations", metrics.relations}, {"facts", metrics.facts}};
  json["accuracy"] = to_json(metrics.accuracy);
  json["accuracy_first_wins"] = to_json(metrics.accuracy_first_wins);
  for (std::size_t i = 0; i < hit_levels.size(); ++i) {
    json["hits_at_" + std::to_string(hit_levels[i])] = to_json(metrics.hits[i]);
  }
  json["mean_rank"] = to_json(metrics.mean_rank);
  json["mean_reciprocal_rank"] = to_json(metrics.mean_reciprocal_rank);
  json["answers"] = metrics.ties_for_best.answers;
  json["ties_for_best"] = metrics.ties_for_best.tied;
  json["ties_with_answer"] = metrics.ties_with_answer;
  return json;
}

[[nodiscard]] inline Json to_json(const ProbeMetrics& metrics) {
  Json json = {{"overall", to_json(metrics.overall)},
               {"overall_unweighted", to_json(metrics.overall_unweighted)}};
  json["relations"] = Json::object();
  for (const auto& [code, group] : metrics.relations) json["relations"][code] = to_json(group);
  json["domains"] = Json::object();
  for (const auto& [domain, group] : metrics.domains) {
    Json& one = json["domains"][domain] = to_json(group.metrics);
    one["accuracy_divided_support"] = to_json(group.divided_support);
    one["accuracy_divided_support_first_wins"] = to_json(group.divided_support_first_wins);
  }
  json["cardinality"] = Json::object();
  for (const auto& [kind, group] : metrics.cardinality) json["cardinality"][kind] = to_json(group);
  return json;
}

}  // namespace plumb
