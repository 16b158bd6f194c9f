// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cost of a run, and its format in the journal and run.json.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/score/candidate_scorer.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A cost in the format of the journal and run.json. Counts of masked inputs are included only if
/// there were any.
[[nodiscard]] inline Json cost_json(const ScoringCost& cost) {
  Json json = {{"statements", cost.statements},
               {"tokens_one_by_one", cost.tokens_one_by_one},
               {"tree_nodes", cost.tree_nodes},
               {"tokens_fed", cost.tokens_fed}};
  if (cost.masked_inputs > 0) {
    json["masked_inputs"] = cost.masked_inputs;
    json["masked_inputs_computed"] = cost.masked_inputs_computed;
  }
  return json;
}
[[nodiscard]] inline ScoringCost cost_of_json(const Json& json) {
  return {json.at("statements"),
          json.at("tokens_one_by_one"),
          json.at("tree_nodes"),
          json.at("tokens_fed"),
          json.value("masked_inputs", std::uint64_t{0}),
          json.value("masked_inputs_computed", std::uint64_t{0})};
}

/// The cost of a job. Times are for this process only, in seconds.
struct RunSummary {
  ScoringCost cost;
  double seconds_model = 0;
  /// The number of statements that this process evaluated instead of reading them from the journal.
  std::size_t fresh_statements = 0;
  /// The seconds spent in the model, for each part of the job.
  std::map<std::string, double> seconds_by_part{};
  /// The number of statements that a resumed run read from its journal.
  std::size_t kept_statements = 0;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
