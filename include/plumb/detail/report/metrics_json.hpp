// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts that all metrics.json files share.
//
// A metrics.json file contains every number that appears in any output, with its count and its 95%
// interval, so that a page or a paper can be checked against a single file. A number that does not
// exist (Hit@10 if no relation has ten options) is null; if a number has no interval, the
// interval's ends are null.

#include <cmath>
#include <optional>
#include <string>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline Json to_json(const Estimate& estimate) {
  if (!estimate.exists()) return nullptr;
  return {{"value", estimate.value},
          {"low", estimate.has_interval() ? Json(estimate.low) : Json()},
          {"high", estimate.has_interval() ? Json(estimate.high) : Json()},
          {"count", estimate.count},
          {"interval", estimate.method}};
}

/// Adds the number of answers with a tie for the best score, and the number of answers.
inline void put_ties(Json& json, const TieCount& ties) {
  json["ties"] = ties.tied;
  json["answers"] = ties.answers;
}

/// A number, or null if it is absent or NaN.
[[nodiscard]] inline Json number_or_null(const std::optional<double>& value) {
  return value && !std::isnan(*value) ? Json(*value) : Json();
}

/// The first entries of every metrics.json.
[[nodiscard]] inline Json metrics_head(const Bootstrap& bootstrap) {
  return {{"bootstrap", {{"seed", bootstrap.seed}, {"resamples", bootstrap.resamples}}},
          {"interval", 0.95}};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
