// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers does a many-shot run come to?
//
// Everything its page, its tables and its metrics.json show, measured once from the run folder.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/measure/accuracy_spread.hpp"
#include "plumb/measure/many_shot_study.hpp"
#include "plumb/report/csv.hpp"
#include "plumb/report/injection_page.hpp"
#include "plumb/report/metrics_json.hpp"
#include "plumb/score/recorded_injection.hpp"

namespace plumb {

/// Accuracy against the number of shots, for one way of writing pairs.
struct ShotsCurve {
  Setting like;
  std::vector<GroupSpread> points;
  /// Fewest shots that reach 95% of the accuracy at the most; none where that is 0.
  std::optional<std::size_t> shots_for_95;
};

struct ManyShotResults {
  StudiedModel study;
  /// Every group, over the relations that have it.
  std::vector<GroupSpread> groups;
  /// The groups that answer by choice and write pairs the usual way, over the relations that have
  /// them all; empty where there are no such relations or fewer than two groups.
  std::vector<GroupSpread> side_by_side;
  std::vector<ShotsCurve> curves;
  /// Accuracy at K of each group that answers by choice and has the most shots of its kind.
  std::vector<std::pair<Setting, std::vector<AccuracyAtK>>> at_k;
  std::vector<InjectionResults> injections;
  /// What must be said of relations, each remark once.
  std::vector<std::string> remarks;
  /// By relation: mean of 1 / choices over its facts, what guessing reaches.
  std::map<std::string, double> chance_by_relation;
  /// Choices of all facts, and those whose tokens are the beginning of another's of the same fact.
  std::size_t choices = 0;
  std::size_t choices_beginning_another = 0;
  /// Among all answers by choice.
  TieCount ties{};
};

/// What guessing reaches over the relations of a group, each counting once as in its accuracy.
[[nodiscard]] inline double chance_of(const ManyShotResults& made, const GroupSpread& group) {
  double sum = 0;
  for (const auto& [code, unused] : group.relations) {
    const auto found = made.chance_by_relation.find(code);
    if (found != made.chance_by_relation.end()) sum += found->second;
  }
  return group.relations.empty() ? 0 : sum / static_cast<double>(group.relations.size());
}

namespace detail {

/// Whether a group writes pairs with the separator of the study's first IC-LKE group, or has none.
inline bool has_usual_separator(const ManyShotResults& made, const Setting& group) {
  if (group.method != "ic") return true;
  const auto first = over::find_if(
      made.groups, [](const GroupSpread& spread) { return spread.group.method == "ic"; });
  return first->group.separator == group.separator;
}

inline std::vector<GroupSpread> groups_side_by_side(const ManyShotResults& made,
                                                    const Bootstrap& bootstrap) {
  std::vector<Setting> groups;
  for (const GroupSpread& spread : made.groups) {
    if (spread.group.by == "choice" && has_usual_separator(made, spread.group)) {
      groups.push_back(spread.group);
    }
  }
  if (groups.size() < 2) return {};
  std::vector<const StudiedRelation*> common;
  for (const StudiedRelation& relation : made.study.relations) {
    const bool whole = over::all_of(
        groups, [&](const Setting& group) { return !variants_of(relation, group).empty(); });
    if (whole) common.push_back(&relation);
  }
  std::vector<GroupSpread> spreads;
  if (common.empty()) return spreads;
  for (const Setting& group : groups) spreads.push_back(group_spread(common, group, bootstrap));
  return spreads;
}

}  // namespace detail

/// Measures a finished run folder. Throws a user error when it is none or damaged.
[[nodiscard]] inline ManyShotResults many_shot_results(const std::filesystem::path& folder,
                                                       const Bootstrap& bootstrap) {
  ManyShotResults made;
  std::map<std::string, std::pair<double, std::size_t>> chances;  // sum, rows
  const std::vector<RecordedChoiceRelation> recorded = recorded_choice_relations(folder);
  made.study =
      many_shot_study(recorded, "", [&](const std::string& relation, const RecordedChoice& row) {
        chances[relation].first += 1 / static_cast<double>(row.choices.size());
        ++chances[relation].second;
      });
  for (const auto& [code, sum] : chances) {  // every fact has as many rows as any other
    made.chance_by_relation[code] = sum.first / static_cast<double>(sum.second);
  }
  std::vector<std::pair<std::string, RelationRemark>> remarks;
  for (const RecordedChoiceRelation& relation : recorded) {
    made.choices += relation.choices;
    made.choices_beginning_another += relation.choices_beginning_another;
    for (const RelationRemark& note : relation.notes) remarks.emplace_back(relation.code, note);
    if (relation.skipped) remarks.emplace_back(relation.code, *relation.skipped);
    const auto injection = folder / (relation.code + "_injection.json");
    if (!std::filesystem::exists(injection)) continue;
    const RecordedInjection panels = read_recorded_injection(injection);
    made.injections.push_back(
        injection_results(panels.design, panels.log_probabilities, bootstrap));
  }
  made.remarks = told_once(remarks);
  made.groups = accuracy_spreads(made.study, bootstrap);
  for (const GroupSpread& spread : made.groups) {
    if (spread.group.by == "choice") made.ties += spread.overall.ties;
  }
  if (auto warning = tie_warning(made.ties)) {
    made.remarks.push_back(std::move(*warning));
  } else {
    for (const GroupSpread& spread : made.groups) {
      if (spread.group.by != "choice") continue;
      warning = tie_warning(spread.overall.ties);
      if (warning) made.remarks.push_back(setting_name(spread.group) + ": " + *warning);
    }
  }
  made.side_by_side = detail::groups_side_by_side(made, bootstrap);
  for (const GroupSpread& spread : made.groups) {
    const Setting& group = spread.group;
    if (group.by != "choice") continue;
    const bool most = over::none_of(made.groups, [&](const GroupSpread& other) {
      return other.group.by == group.by && other.group.method == group.method &&
             other.group.separator == group.separator && other.group.shots > group.shots;
    });
    if (!most) continue;
    made.at_k.emplace_back(group, accuracy_at_k(made.study.relations, group));
    std::vector<GroupSpread> points = shots_curve(made.study, group, bootstrap);
    if (group.method != "ic" || points.size() < 2) continue;
    const auto enough = shots_for_share(points);
    made.curves.push_back({group, std::move(points), enough});
  }
  return made;
}

[[nodiscard]] inline Json to_json(const AccuracySpread& spread) {
  Json json = {{"accuracy", to_json(spread.accuracy)},
               {"accuracy_first_wins", to_json(spread.accuracy_first_wins)},
               {"sd", spread.sd ? Json(*spread.sd) : Json()},
               {"variants", spread.variants}};
  put_ties(json, spread.ties);
  return json;
}

[[nodiscard]] inline Json to_json(const GroupSpread& spread) {
  Json json = to_json(spread.overall);
  json["relations_asked"] = spread.relations.size();
  json["sd_over_relations"] = spread.sd_over_relations ? Json(*spread.sd_over_relations) : Json();
  json["relations"] = Json::object();
  for (const auto& [code, relation] : spread.relations) json["relations"][code] = to_json(relation);
  return json;
}

/// What metrics.json holds.
[[nodiscard]] inline Json to_json(const ManyShotResults& made) {
  Json json = {{"chance", made.chance_by_relation},
               {"choices", made.choices},
               {"choices_beginning_another", made.choices_beginning_another}};
  put_ties(json, made.ties);
  const auto put = [&](const char* name, const std::vector<GroupSpread>& spreads) {
    json[name] = Json::object();
    for (const GroupSpread& spread : spreads) {
      json[name][setting_name(spread.group)] = to_json(spread);
      json[name][setting_name(spread.group)]["chance"] = chance_of(made, spread);
    }
  };
  put("settings", made.groups);
  if (!made.side_by_side.empty()) put("settings_side_by_side", made.side_by_side);
  json["accuracy_against_shots"] = Json::object();
  for (const ShotsCurve& curve : made.curves) {
    Json points = Json::object();
    for (const GroupSpread& point : curve.points) {
      points[std::to_string(point.group.shots)] = to_json(point.overall);
    }
    json["accuracy_against_shots"][setting_name(curve.like)] = {
        {"points", std::move(points)},
        {"shots_for_95_percent", curve.shots_for_95 ? Json(*curve.shots_for_95) : Json()}};
  }
  json["accuracy_at_k"] = Json::object();
  for (const auto& [group, levels] : made.at_k) {
    Json& list = json["accuracy_at_k"][setting_name(group)] = Json::array();
    for (const AccuracyAtK& level : levels) {
      list.push_back({{"k", level.threshold},
                      {"accuracy", to_json(level.accuracy)},
                      {"answers", level.answers}});
    }
  }
  if (!made.injections.empty()) {
    json["injection"] = Json::object();
    for (const InjectionResults& results : made.injections) {
      json["injection"][results.relation] = to_json(results);
    }
  }
  return json;
}

/// accuracy.csv: a row for each setting group and relation, and for their mean.
[[nodiscard]] inline std::string many_shot_accuracy_csv(const ManyShotResults& made) {
  detail::EstimateCsv csv({"method", "shots", "separator", "by", "relation", "variants", "sd"});
  for (const GroupSpread& spread : made.groups) {
    const auto add = [&](const std::string& relation, const AccuracySpread& one) {
      csv.add({spread.group.method, std::to_string(spread.group.shots), spread.group.separator,
               spread.group.by, relation, std::to_string(one.variants),
               one.sd ? fixed(*one.sd, 8) : ""},
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
      csv.add({setting_name(group), fixed(level.threshold, 2), std::to_string(level.answers)},
              level.accuracy);
    }
  }
  return csv.text();
}

}  // namespace plumb
