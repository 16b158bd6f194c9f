// SPDX-License-Identifier: Apache-2.0
#pragma once

// The results of the tests' many-shot and ranking folders, computed with few resamples, and lists
// of the names in them for comparisons.

#include <string>
#include <vector>

#include "plumb/detail/measure/many_shot_results.hpp"
#include "plumb/detail/rank/rank_results.hpp"
#include "plumb/detail/records/many_shot_answers.hpp"
#include "plumb/detail/records/ranking_rows.hpp"
#include "support/many_shot_folder.hpp"
#include "support/small_graph.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test {

inline constexpr Bootstrap few_resamples{.seed = 3, .resamples = 50};

[[nodiscard]] inline ManyShotResults results(const ManyShotFolder& folder) {
  return many_shot_results(read_many_shot_run(folder.path()), few_resamples);
}

inline const std::vector<std::string> all_methods{"deer", "likelihood", "deer-single-token",
                                                  "lm-head"};

[[nodiscard]] inline RankResults results(const RankFolder& folder,
                                         const std::vector<std::string>& methods = all_methods,
                                         bool narrowed = true) {
  return rank_results(read_ranked_methods(folder.path(), methods, narrowed), few_resamples);
}

[[nodiscard]] inline std::vector<std::string> names(const std::vector<GroupSpread>& spreads) {
  std::vector<std::string> all;
  for (const GroupSpread& spread : spreads) all.push_back(setting_name(spread.group));
  return all;
}

[[nodiscard]] inline std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> all;
  for (const auto& [key, value] : json.items()) all.push_back(key);
  return all;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail::test
