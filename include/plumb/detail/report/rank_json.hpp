// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ranking of entities in metrics.json.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/report/rank_columns.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Json to_json(const TestedCorrelation& tested) {
  Json json = {{"queries", tested.queries}, {"r", to_json(tested.r)}};
  json["p"] = tested.p ? Json(*tested.p) : Json();
  return json;
}

/// The contents of metrics.json.
[[nodiscard]] inline Json to_json(const RankResults& made) {
  const auto columns = rank_columns();
  Json json = {{"methods", Json::object()}, {"agreement", Json::array()}};
  for (const RankedMethod& method : made.methods) {
    Json& one = json["methods"][method.name];
    const std::array<const char*, 3> ties{"optimistic", "realistic", "pessimistic"};
    for (std::size_t t = 0; t < ties.size(); ++t) {
      one["raw"][ties[t]] = json_of(columns, method.raw[t]);
      one["filtered"][ties[t]] = json_of(columns, method.filtered[t]);
    }
    one["candidates"] = method.candidates;
    one["rank_against_name_tokens"] = to_json(method.length);
    for (const RankBin& bin : method.histogram) {
      one["histogram"].push_back(
          {{"from", bin.low}, {"to", bin.high}, {"share", to_json(bin.share)}});
    }
    for (const auto& [tokens, ranks] : method.by_length) {
      std::vector<double> sorted = ranks;
      ranges::sort(sorted);
      Json& box = one["rank_by_name_tokens"][std::to_string(tokens)];
      box["queries"] = sorted.size();
      for (const int percent : {5, 25, 50, 75, 95}) {
        box["percentile_" + std::to_string(percent)] = quantile(sorted, percent / 100.0);
      }
    }
    for (const auto& [relation, metrics] : method.by_relation) {
      one["relations"][relation] = json_of(columns, metrics);
    }
  }
  if (entity_wordings(made).size() > 1) {
    json["largest_difference_between_entity_prompts"] = wording_differences(made);
  }
  for (const MethodAgreement& agreement : made.agreements) {
    Json& one = json["agreement"].emplace_back(
        Json{{"methods", {made.methods[agreement.one].name, made.methods[agreement.other].name}},
             {"queries", agreement.shared.size()},
             {"log_rank", to_json(agreement.log_rank)},
             {"rank", to_json(agreement.rank)}});
    for (const auto& [relation, correlation] : agreement.by_relation) {
      one["relations"][relation] = to_json(correlation);
    }
  }
  return json;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
