// SPDX-License-Identifier: Apache-2.0
#pragma once

// The file that stores an injection experiment.
//
//   <relation>_injection.json  {"relation": …, "highlight": position, "instances": […], "panels":
//                              [{"name": …, "pairs": [[subject, object, kind, log-probability],
//                              …]}, …]}
// "instances" contains the instance of each position's fact (earlier versions did not write it).
// Kind is 0 for a correct pair, 1 for an injected one and 2 for a correct one directly after it.
// The log-probability of the object, in nats, is conditional on everything before it.

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/disk_path.hpp"
#include "plumb/detail/data/json_file.hpp"
#include "plumb/detail/measure/injection_results.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

[[nodiscard]] inline std::string recorded_injection_text(const ScoredInjection& made) {
  Json json = {{"relation", made.design.relation}, {"highlight", made.design.highlight}};
  if (!made.design.instances.empty()) json["instances"] = made.design.instances;
  json["panels"] = Json::array();
  for (std::size_t i = 0; i < made.design.panels.size(); ++i) {
    const InjectionPanel& panel = made.design.panels[i];
    Json pairs = Json::array();
    for (std::size_t p = 0; p < panel.pairs.size(); ++p) {
      const InjectedPair& pair = panel.pairs[p];
      pairs.push_back(
          {pair.subject, pair.object, static_cast<int>(pair.kind), made.log_probabilities[i][p]});
    }
    json["panels"].push_back({{"name", panel.name}, {"pairs", std::move(pairs)}});
  }
  return json.dump() + "\n";
}

/// Throws a user error if the file has a different format. Only the instances of the facts are
/// stored.
[[nodiscard]] inline ScoredInjection read_recorded_injection(const DiskPath& file) {
  const Json json = read_json_object(file);
  ScoredInjection made;
  try {
    made.design.relation = json.at("relation");
    made.design.highlight = json.at("highlight");
    if (json.contains("instances")) {
      made.design.instances = json.at("instances").get<std::vector<std::size_t>>();
    }
    bool sound = json.at("panels").size() == 5;
    for (const Json& panel : json.at("panels")) {
      made.design.panels.push_back({panel.at("name"), {}});
      std::vector<InjectedPair>& pairs = made.design.panels.back().pairs;
      std::vector<double>& scores = made.log_probabilities.emplace_back();
      for (const Json& pair : panel.at("pairs")) {
        const int kind = pair.at(2);
        sound = sound && kind >= 0 && kind <= static_cast<int>(PairKind::after_injected);
        pairs.push_back({pair.at(0), pair.at(1), static_cast<PairKind>(kind)});
        scores.push_back(pair.at(3));
      }
      sound = sound && pairs.size() == made.design.panels.front().pairs.size();
    }
    if (!sound || made.design.highlight >= made.design.panels.front().pairs.size()) {
      throw user_error({file, 0, "panels"},
                       "are not five lists of equal length that include the highlighted position",
                       "the file was changed; recreate it with `plumb many-shot`");
    }
  } catch (const Json::exception&) {
    throw user_error({.file = file}, "is not an injection experiment",
                     "the file was changed; recreate it with `plumb many-shot`");
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
