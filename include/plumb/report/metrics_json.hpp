// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all metrics.json share.
//
// Every number that is shown anywhere, each with its count and its 95% interval, so that a page or
// a paper can be checked against one file. A number that does not exist (Hit@10 where no relation
// has ten options) is null.

#include <string>

#include "plumb/data/json_file.hpp"
#include "plumb/measure/interval.hpp"
#include "plumb/measure/ties.hpp"

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

/// What every metrics.json begins with.
[[nodiscard]] inline Json metrics_head(const Bootstrap& bootstrap) {
  return {{"bootstrap", {{"seed", bootstrap.seed}, {"resamples", bootstrap.resamples}}},
          {"interval", 0.95}};
}

}  // namespace plumb
