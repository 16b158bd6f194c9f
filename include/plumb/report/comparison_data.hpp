// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is a comparison of models made of, and how is it kept in metrics.json?
//
// Everything is about one group of settings that all the models have. Every number that is shown
// anywhere stands here with its count and its 95% interval, null for one that does not exist;
// standard deviations and means of correlations have none.

#include <cstddef>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/measure/leaderboard.hpp"
#include "plumb/report/metrics_json.hpp"
#include "plumb/report/text_table.hpp"

namespace plumb {

struct ComparisonOptions {
  /// A group's name (setting_name), or empty: see shared_setting.
  std::string setting{};
  /// Family of each model by the model's name; models may lack one.
  std::map<std::string, std::string> families{};
  /// Names of a base model and of one that was tuned from it.
  std::vector<std::pair<std::string, std::string>> pairs{};
  Bootstrap bootstrap{};
};

struct Comparison {
  AccuracyTable table;
  /// Best first.
  std::vector<ModelStanding> models;
  std::vector<RelationStanding> relations;
  /// Family of each of the table's models, empty for none.
  std::vector<std::string> family;
  std::vector<std::vector<Estimate>> correlations;
  FamilyCorrelations families;
  /// [i][j] is η(i|j).
  std::vector<std::vector<Subsumption>> subsumption;
  std::vector<TunedComparison> pairs;
  Bootstrap bootstrap;
  /// What must be said wherever the numbers are shown.
  std::vector<std::string> remarks;
};

/// The group of that name, or without a name that of many-shot learning ("ic") with the most shots
/// among those all models have, by choice rather than generation and with the usual separator if
/// there is one; else the first of the first model that all have. Throws a user error that lists
/// what there is when the models share no such group.
[[nodiscard]] inline Setting shared_setting(const std::vector<StudiedModel>& models,
                                            const std::string& name) {
  std::vector<Setting> shared;
  std::string known;
  for (const Setting& group : groups_of(models.front())) {
    const bool everywhere = over::all_of(models, [&](const StudiedModel& model) {
      return over::any_of(groups_of(model),
                          [&](const Setting& g) { return g.group() == group.group(); });
    });
    if (!everywhere) continue;
    shared.push_back(group);
    known += (known.empty() ? "" : ", ") + setting_name(group);
  }
  if (shared.empty()) {
    std::string has;
    for (const StudiedModel& model : models) {
      has += (has.empty() ? "" : "; ") + model.name + " has";
      const auto groups = groups_of(model);
      for (const Setting& group : groups) has += " " + setting_name(group);
      if (groups.empty()) has += " none";
    }
    throw user_error({}, "the models share no setting (" + has + ")",
                     "compare runs of the same kind");
  }
  if (!name.empty()) {
    const auto found =
        over::find(shared, name, [](const Setting& group) { return setting_name(group); });
    if (found != shared.end()) return *found;
    throw user_error({.setting = "setting"}, "'" + name + "' is not a setting all models have",
                     "they share " + known);
  }
  const auto rank = [](const Setting& group) {
    return group.method == "ic"
               ? std::tuple(true, group.shots, group.by == "choice", group.separator == " ")
               : std::tuple(false, std::size_t{0}, false, false);
  };
  return *over::max_element(shared, {}, rank);  // the first of equals
}

namespace detail {

inline std::vector<std::string> comparison_remarks(const Comparison& made) {
  std::vector<std::string> remarks;
  const AccuracyTable& table = made.table;
  if (const std::size_t lacking = table.relations.size() - table.shared.size(); lacking > 0) {
    remarks.push_back(counted(lacking, "relation") + " of " +
                      std::to_string(table.relations.size()) +
                      " that not every model has: left out of the leaderboard of models.");
  }
  const auto any_left_out = [&](std::size_t LeftOut::*what) {
    return over::any_of(made.subsumption | std::views::join,
                        [&](const Subsumption& rate) { return rate.left_out.*what > 0; });
  };
  if (any_left_out(&LeftOut::facts)) {
    remarks.push_back(
        "The models were asked different facts: accuracies are over each model's own, subsumption "
        "over those both have.");
  }
  if (any_left_out(&LeftOut::settings)) {
    remarks.push_back(
        "The models were asked under different seeds or templates: accuracies are over each "
        "model's own, subsumption over those both have.");
  }
  for (const ModelStanding& standing : made.models) {
    if (const auto warning = tie_warning(standing.spread.overall.ties)) {
      remarks.push_back(table.models[standing.model] + ": " + *warning);
    }
  }
  std::string ignorant;
  for (std::size_t i = 0; i < made.subsumption.size(); ++i) {
    const Subsumption& worst = *over::max_element(made.subsumption[i], {}, &Subsumption::empty);
    if (worst.empty == 0) continue;
    ignorant += (ignorant.empty() ? "" : ", ") + table.models[i] + " in " +
                std::to_string(worst.empty) + " of " + std::to_string(worst.empty + worst.cells);
  }
  if (!ignorant.empty()) {
    remarks.push_back(
        "Relations × variants in which a model knows nothing are skipped by its subsumption: " +
        ignorant + ".");
  }
  std::string without;
  for (std::size_t m = 0; m < made.family.size() && !made.families.families.empty(); ++m) {
    if (made.family[m].empty()) without += (without.empty() ? "" : ", ") + table.models[m];
  }
  if (!without.empty()) remarks.push_back("Without a family: " + without + ".");
  return remarks;
}

}  // namespace detail

/// Compares models of different names, at least one. Throws a user error for names in the families
/// or pairs that are no model's, and what shared_setting and match_answers throw.
[[nodiscard]] inline Comparison compare_studies(const std::vector<StudiedModel>& models,
                                                const ComparisonOptions& options) {
  const auto place = [&](const std::string& name, const char* setting) {
    const auto found = over::find(models, name, &StudiedModel::name);
    if (found != models.end()) return static_cast<std::size_t>(found - models.begin());
    std::string known;
    for (const StudiedModel& model : models) known += (known.empty() ? "" : ", ") + model.name;
    throw user_error({.setting = setting}, "'" + name + "' is not among the models",
                     "they are " + known);
  };
  Comparison made;
  made.bootstrap = options.bootstrap;
  made.family.resize(models.size());
  for (const auto& [name, family] : options.families) made.family[place(name, "families")] = family;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [base, tuned] : options.pairs) {
    pairs.emplace_back(place(base, "pairs"), place(tuned, "pairs"));
  }
  const Setting group = shared_setting(models, options.setting);
  made.table = accuracy_table(models, group);
  made.models = model_standings(models, made.table, options.bootstrap);
  made.relations = relation_standings(made.table);
  made.correlations = model_correlations(made.table);
  made.families = family_correlations(made.correlations, made.family);
  made.subsumption = subsumption_matrix(models, group, options.bootstrap);
  for (const auto& [base, tuned] : pairs) {
    made.pairs.push_back(compare_tuned(models, base, tuned, group, options.bootstrap));
  }
  made.remarks = detail::comparison_remarks(made);
  return made;
}

/// Whether any of the leaderboard's answers is a tie.
[[nodiscard]] inline bool has_ties(const Comparison& made) {
  return over::any_of(made.models, [](const ModelStanding& standing) {
    return standing.spread.overall.ties.tied > 0;
  });
}

/// The models as the heat map has them: families by their best model, then models by accuracy; one
/// without a family stands as a family of its own.
[[nodiscard]] inline std::vector<std::size_t> models_by_family(const Comparison& made) {
  std::vector<std::size_t> order;
  const auto placed = [&](std::size_t m) { return over::find(order, m) != order.end(); };
  for (const ModelStanding& first : made.models) {
    if (placed(first.model)) continue;
    order.push_back(first.model);
    if (made.family[first.model].empty()) continue;
    for (const ModelStanding& other : made.models) {
      if (placed(other.model) || made.family[other.model] != made.family[first.model]) continue;
      order.push_back(other.model);
    }
  }
  return order;
}

namespace detail {

inline Json to_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

inline Json to_json(const Subsumption& made) {
  return {{"rate", plumb::to_json(made.rate)},
          {"cells", made.cells},
          {"cells_without_knowledge", made.empty},
          {"left_out",
           {{"relations", made.left_out.relations},
            {"settings", made.left_out.settings},
            {"facts", made.left_out.facts}}}};
}

inline Json model_json(const Comparison& made, const ModelStanding& standing) {
  const AccuracyTable& table = made.table;
  const GroupSpread& spread = standing.spread;
  const auto codes = [&](const std::vector<std::size_t>& places) {
    Json list = Json::array();
    for (const std::size_t r : places) list.push_back(table.relations[r]);
    return list;
  };
  const auto [top, bottom] = extreme_relations(table, standing.model);
  const std::string& family = made.family[standing.model];
  Json json = {{"family", family.empty() ? Json() : Json(family)},
               {"accuracy", plumb::to_json(spread.overall.accuracy)},
               {"accuracy_first_wins", plumb::to_json(spread.overall.accuracy_first_wins)},
               {"relations_in_mean", spread.relations.size()},
               {"sd_over_relations", to_json(spread.sd_over_relations)},
               {"sd_over_variants", to_json(spread.overall.sd)},
               {"variants", spread.overall.variants},
               {"top", codes(top)},
               {"bottom", codes(bottom)}};
  put_ties(json, spread.overall.ties);
  json["relations"] = Json::object();
  for (std::size_t r = 0; r < table.relations.size(); ++r) {
    const AccuracySpread& cell = table.cells[standing.model][r];
    if (cell.accuracy.count == 0) continue;
    Json& one = json["relations"][table.relations[r]] = {
        {"accuracy", plumb::to_json(cell.accuracy)},
        {"accuracy_first_wins", plumb::to_json(cell.accuracy_first_wins)},
        {"sd_over_variants", to_json(cell.sd)},
        {"variants", cell.variants}};
    put_ties(one, cell.ties);
  }
  return json;
}

}  // namespace detail

/// Models and relations stand in the order of their leaderboards.
[[nodiscard]] inline Json to_json(const Comparison& made) {
  const AccuracyTable& table = made.table;
  Json json = {
      {"bootstrap", {{"seed", made.bootstrap.seed}, {"resamples", made.bootstrap.resamples}}},
      {"interval", 0.95},
      {"setting", setting_name(table.group)},
      {"remarks", made.remarks}};
  json["models"] = Json::object();
  for (const ModelStanding& standing : made.models) {
    json["models"][table.models[standing.model]] = detail::model_json(made, standing);
  }
  json["relations"] = Json::object();
  for (const RelationStanding& standing : made.relations) {
    Json& one = json["relations"][table.relations[standing.relation]] = {
        {"accuracy", to_json(standing.accuracy)},
        {"accuracy_first_wins", to_json(standing.accuracy_first_wins)},
        {"sd_over_models", detail::to_json(standing.sd)},
        {"models", standing.models}};
    put_ties(one, standing.ties);
  }
  json["correlation"] = Json::array();
  json["subsumption"] = Json::array();
  for (std::size_t i = 0; i < table.models.size(); ++i) {
    for (std::size_t j = 0; j < table.models.size(); ++j) {
      if (i == j) continue;
      Json entry = {{"of", table.models[i]}, {"given", table.models[j]}};
      entry.update(detail::to_json(made.subsumption[i][j]));
      json["subsumption"].push_back(entry);
      if (i > j) continue;
      json["correlation"].push_back({{"models", {table.models[i], table.models[j]}},
                                     {"r", to_json(made.correlations[i][j])}});
    }
  }
  json["family_correlation"] = Json::array();
  const FamilyCorrelations& families = made.families;
  for (std::size_t i = 0; i < families.families.size(); ++i) {
    for (std::size_t j = i; j < families.families.size(); ++j) {
      const MeanCorrelation& mean = families.means[i][j];
      json["family_correlation"].push_back(
          {{"families", {families.families[i], families.families[j]}},
           {"mean_r", mean.pairs == 0 ? Json() : Json(mean.value)},
           {"pairs", mean.pairs}});
    }
  }
  json["base_and_tuned"] = Json::array();
  for (const TunedComparison& pair : made.pairs) {
    json["base_and_tuned"].push_back(
        {{"base", table.models[pair.base]},
         {"tuned", table.models[pair.tuned]},
         {"base_accuracy", to_json(pair.base_accuracy)},
         {"tuned_accuracy", to_json(pair.tuned_accuracy)},
         {"difference", to_json(pair.difference)},
         {"tuned_given_base", detail::to_json(pair.tuned_given_base)},
         {"base_given_tuned", detail::to_json(pair.base_given_tuned)}});
  }
  return json;
}

}  // namespace plumb
