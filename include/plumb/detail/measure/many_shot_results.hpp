// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which numbers does a many-shot run produce?
//
// All the numbers that the run's page, tables and metrics.json show. Each is computed once from the
// answers.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/measure/chance.hpp"
#include "plumb/detail/measure/injection_results.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Accuracy by number of shots, for one pair separator.
struct ShotsCurve {
  Setting like;
  std::vector<GroupSpread> points;
  /// The smallest number of shots that reaches 95% of the accuracy at the largest number of shots;
  /// nullopt if that accuracy is 0.
  std::optional<std::size_t> shots_for_95;
};

/// The answers of a run, before any metrics are computed.
struct ManyShotFindings {
  ModelAnswers answers;
  std::vector<ScoredInjection> scored_injections;
  /// Distinct remarks about relations, which must appear wherever the numbers are shown.
  std::vector<std::string> remarks;
  /// The accuracy of guessing by relation: the mean of 1 / choices over the relation's facts.
  std::map<std::string, double> chance_by_relation;
  /// The accuracy of guessing by relation and fact (its instance): 1 / choices.
  std::map<std::string, std::map<std::size_t, double>> chance_by_fact;
  /// The number of choices of all facts, and the number of these choices whose tokens are a prefix
  /// of another choice's tokens for the same fact.
  std::size_t choices = 0;
  std::size_t choices_beginning_another = 0;
};

struct ManyShotResults : ManyShotFindings {
  /// Every group, measured across the relations that include it.
  std::vector<GroupSpread> groups;
  /// The groups that answer by choice and use the usual separator (has_usual_separator), each
  /// measured across the relations that include all of these groups. Empty if there are no such
  /// relations or fewer than two groups.
  std::vector<GroupSpread> side_by_side;
  std::vector<ShotsCurve> curves;
  /// Accuracy at K for each group that answers by choice and has the most shots among the groups
  /// with the same method and separator.
  std::vector<std::pair<Setting, std::vector<AccuracyAtK>>> at_k;
  std::vector<InjectionResults> injections;
  /// Ties among all answers by choice.
  TieCount ties{};
};

/// The accuracy of guessing over the relations of a group; each relation counts once, as in the
/// group's accuracy. Nullopt if it is unknown for any of these relations.
[[nodiscard]] inline std::optional<double> chance_of(const ManyShotResults& made,
                                                     const GroupSpread& group) {
  double sum = 0;
  for (const auto& [code, unused] : group.relations) {
    const auto found = made.chance_by_relation.find(code);
    if (found == made.chance_by_relation.end()) return std::nullopt;
    sum += found->second;
  }
  if (group.relations.empty()) return std::nullopt;
  return sum / static_cast<double>(group.relations.size());
}

/// Whether a group uses the pair separator of the run's first IC-LKE group; always true for other
/// methods.
inline bool has_usual_separator(const ManyShotResults& made, const Setting& group) {
  if (group.method != "ic") return true;
  const auto first = ranges::find_if(
      made.groups, [](const GroupSpread& spread) { return spread.group.method == "ic"; });
  return first->group.separator == group.separator;
}

inline std::vector<GroupSpread> groups_side_by_side(const ManyShotResults& made) {
  std::vector<Setting> groups;
  for (const GroupSpread& spread : made.groups) {
    if (spread.group.by == "choice" && has_usual_separator(made, spread.group)) {
      groups.push_back(spread.group);
    }
  }
  if (groups.size() < 2) return {};
  std::vector<const RelationAnswers*> common;
  for (const RelationAnswers& relation : made.answers.relations) {
    const bool whole = ranges::all_of(
        groups, [&](const Setting& group) { return !variants_of(relation, group).empty(); });
    if (whole) common.push_back(&relation);
  }
  std::vector<GroupSpread> spreads;
  if (common.empty()) return spreads;
  for (const Setting& group : groups) spreads.push_back(group_spread(common, group));
  return spreads;
}

/// Compares answers by choice with guessing. Each combination of a setting and a draw of shots
/// counts as one query form. Nullopt if there are no answers by choice.
[[nodiscard]] inline std::optional<ChanceTest> chance_test(const ManyShotFindings& run) {
  std::vector<Setting> settings;
  std::vector<GuessedAnswers> ways;
  for (const RelationAnswers& relation : run.answers.relations) {
    const auto chances = run.chance_by_fact.find(relation.relation.code);
    if (chances == run.chance_by_fact.end()) continue;
    for (std::size_t s = 0; s < relation.settings.size(); ++s) {
      if (relation.settings[s].by != "choice") continue;
      const auto place =
          static_cast<std::size_t>(ranges::find(settings, relation.settings[s]) - settings.begin());
      if (place == settings.size()) {
        settings.push_back(relation.settings[s]);
        ways.emplace_back();
      }
      for (std::size_t f = 0; f < relation.facts(); ++f) {
        const auto chance = chances->second.find(relation.relation.facts[f].instance);
        if (chance == chances->second.end()) continue;
        ways[place].right += relation.row(f)[s].accuracy();
        ways[place].probabilities.push_back(chance->second);
      }
    }
  }
  return chance_test(ways);
}

[[nodiscard]] inline ManyShotResults many_shot_results(ManyShotFindings run,
                                                       const Bootstrap& bootstrap) {
  ManyShotResults made{std::move(run), {}, {}, {}, {}, {}, {}};
  for (const ScoredInjection& scored : made.scored_injections) {
    made.injections.push_back(
        injection_results(scored.design, scored.log_probabilities, bootstrap));
  }
  made.groups = accuracy_spreads(made.answers);
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
  if (auto warning = chance_warning(chance_test(made))) {
    made.remarks.push_back(std::move(*warning));
  }
  made.side_by_side = detail::groups_side_by_side(made);
  for (const GroupSpread& spread : made.groups) {
    const Setting& group = spread.group;
    if (group.by != "choice") continue;
    const bool most = ranges::none_of(made.groups, [&](const GroupSpread& other) {
      return other.group.by == group.by && other.group.method == group.method &&
             other.group.separator == group.separator && other.group.shots > group.shots;
    });
    if (!most) continue;
    made.at_k.emplace_back(group, accuracy_at_k(made.answers.relations, group));
    std::vector<GroupSpread> points = shots_curve(made.answers, group);
    if (group.method != "ic" || points.size() < 2) continue;
    const auto enough = shots_for_share(points);
    made.curves.push_back({group, std::move(points), enough});
  }
  return made;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
