// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do models compare that were asked the same?
//
// Everything is about one group of settings that all the models have.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/core/number_words.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/measure/column_groups.hpp"
#include "plumb/detail/measure/compared_facts.hpp"
#include "plumb/detail/measure/draw_spread.hpp"
#include "plumb/detail/measure/leaderboard.hpp"
#include "plumb/detail/measure/paired_comparison.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/measure/subsumption.hpp"
#include "plumb/detail/measure/ties.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct ComparisonOptions {
  /// A group's name (setting_name), or empty: see shared_setting.
  std::string setting{};
  /// Family of each model by the model's name; models may lack one.
  std::map<std::string, std::string> families{};
  /// Its number of parameters, in the same way.
  std::map<std::string, double> parameters{};
  /// A column of the facts' table that facts are grouped by, or "domain"; may be empty.
  std::string group_by{};
  /// Names of a base model and of one that was tuned from it.
  std::vector<std::pair<std::string, std::string>> pairs{};
  Bootstrap bootstrap{};
};

/// One setting that all models have.
struct SettingAccuracies {
  Setting setting;
  /// By model, over the relations that all have under it; no number without one.
  std::vector<Estimate> accuracy;
};

/// A number of one model against the first, and what it means.
struct ChangedValue {
  std::string key;
  std::string meaning;
  Estimate value;
};
struct ModelChanges {
  std::string model;
  std::vector<ChangedValue> values;
};

struct Comparison {
  AccuracyTable table;
  /// Best first.
  std::vector<ModelStanding> models;
  std::vector<RelationStanding> relations;
  /// Family of each of the table's models, empty for none.
  std::vector<std::string> family;
  /// Number of parameters of each of the table's models, where it is known.
  std::vector<std::optional<double>> parameters;
  /// All settings that all models have, where there are several.
  std::vector<SettingAccuracies> settings;
  /// By a column of the facts; without groups where none was named.
  ColumnGroups groups;
  std::vector<std::vector<Estimate>> correlations;
  FamilyCorrelations families;
  /// [i][j] is η(i|j).
  std::vector<std::vector<Subsumption>> subsumption;
  std::vector<TunedComparison> pairs;
  /// Every pair of models, in the order in which they were named.
  std::vector<PairedComparison> paired;
  /// Of each of the table's models; none for one without an accuracy.
  std::vector<std::optional<std::size_t>> ranks;
  /// What at least two models were asked.
  std::vector<ComparedFact> facts;
  ComparedFactCounts fact_counts;
  /// Each model but the first against it: accuracy, likelihoods, calibration and facts; nothing where scores do
  /// not compare.
  std::vector<ModelChanges> changes{};
  /// Of runs that differ in the seed of their shots alone.
  std::vector<DrawSpread> draws{};
  Bootstrap bootstrap;
  /// What must be said wherever the numbers are shown.
  std::vector<std::string> remarks;
};

/// The groups of settings that all models have, in the order of the first.
[[nodiscard]] inline std::vector<Setting> settings_of_all(const std::vector<ModelAnswers>& models) {
  std::vector<Setting> shared;
  for (const Setting& group : groups_of(models.front())) {
    const bool everywhere = ranges::all_of(models, [&](const ModelAnswers& model) {
      return ranges::any_of(groups_of(model),
                            [&](const Setting& g) { return g.group() == group.group(); });
    });
    if (everywhere) shared.push_back(group);
  }
  return shared;
}

/// The accuracies of all models under each of several settings; empty for a single one.
[[nodiscard]] inline std::vector<SettingAccuracies> accuracies_by_setting(
    const std::vector<ModelAnswers>& models) {
  const std::vector<Setting> shared = settings_of_all(models);
  std::vector<SettingAccuracies> made;
  if (shared.size() < 2) return made;
  for (const Setting& group : shared) {
    SettingAccuracies& one = made.emplace_back(SettingAccuracies{group, {}});
    one.accuracy.resize(models.size());
    for (const auto& [m, spread] : model_standings(models, accuracy_table(models, group))) {
      one.accuracy[m] = spread.overall.accuracy;
    }
  }
  return made;
}

/// The group of that name, or without a name that of many-shot learning ("ic") with the most shots
/// among those all models have, by choice rather than generation and with the usual separator if
/// there is one; else the first of the first model that all have. Throws a user error that lists
/// what there is when the models share no such group.
[[nodiscard]] inline Setting shared_setting(const std::vector<ModelAnswers>& models,
                                            const std::string& name) {
  const std::vector<Setting> shared = settings_of_all(models);
  if (shared.empty()) {
    std::string has;
    for (const ModelAnswers& model : models) {
      add_to_list(has, model.name + " has", "; ");
      const auto groups = groups_of(model);
      for (const Setting& group : groups) has += " " + setting_name(group);
      if (groups.empty()) has += " none";
    }
    throw user_error({}, "the models share no setting (" + has + ")",
                     "compare runs of the same kind");
  }
  if (!name.empty()) {
    const auto found =
        ranges::find(shared, name, [](const Setting& group) { return setting_name(group); });
    if (found != shared.end()) return *found;
    throw user_error({.setting = "setting"}, "'" + name + "' is not a setting all models have",
                     "they share " + text_list(shared, setting_name));
  }
  const auto rank = [](const Setting& group) {
    return group.method == "ic"
               ? std::tuple(true, group.shots, group.by == "choice", group.separator == " ")
               : std::tuple(false, std::size_t{0}, false, false);
  };
  return *ranges::max_element(shared, {}, rank);  // the first of equals
}

/// Whether no relation is one of two models'.
inline bool shares_nothing(const AccuracyTable& table) {
  for (std::size_t r = 0; r < table.relations.size(); ++r) {
    const auto has = [&](const std::vector<AccuracySpread>& row) {
      return row[r].accuracy.count > 0;
    };
    if (std::count_if(table.cells.begin(), table.cells.end(), has) > 1) return false;
  }
  return true;
}

inline std::vector<std::string> comparison_remarks(const Comparison& made) {
  std::vector<std::string> remarks;
  const AccuracyTable& table = made.table;
  if (const std::size_t lacking = table.relations.size() - table.shared.size(); lacking > 0) {
    remarks.push_back(counted(lacking, "relation") + " of " +
                      std::to_string(table.relations.size()) +
                      " that not every model has: left out of the leaderboard of models.");
  }
  const auto any_left_out = [&](std::size_t LeftOut::*what) {
    return ranges::any_of(made.subsumption, [&](const std::vector<Subsumption>& row) {
      return ranges::any_of(row, [&](const Subsumption& rate) { return rate.left_out.*what > 0; });
    });
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
    const Subsumption& worst = *ranges::max_element(made.subsumption[i], {}, &Subsumption::empty);
    if (worst.empty == 0) continue;
    add_to_list(ignorant, table.models[i] + " in " + std::to_string(worst.empty) + " of " +
                              std::to_string(worst.empty + worst.cells));
  }
  if (!ignorant.empty()) {
    remarks.push_back(
        "Relations × variants in which a model knows nothing are skipped by its subsumption: " +
        ignorant + ".");
  }
  std::string without;
  for (std::size_t m = 0; m < made.family.size() && !made.families.families.empty(); ++m) {
    if (made.family[m].empty()) add_to_list(without, table.models[m]);
  }
  if (!without.empty()) remarks.push_back("Without a family: " + without + ".");
  return remarks;
}

/// Compares models of different names, at least one. Throws a user error for names in the families
/// or pairs that are no model's, for models that share no relation, and what shared_setting and
/// match_answers throw.
[[nodiscard]] inline Comparison compare_answers(const std::vector<ModelAnswers>& models,
                                                const ComparisonOptions& options) {
  const auto place = [&](const std::string& name, const char* setting) {
    const auto found = ranges::find(models, name, &ModelAnswers::name);
    if (found != models.end()) return static_cast<std::size_t>(found - models.begin());
    throw user_error({.setting = setting}, "'" + name + "' is not among the models",
                     "they are " + text_list(models, &ModelAnswers::name));
  };
  Comparison made;
  made.bootstrap = options.bootstrap;
  made.family.resize(models.size());
  for (const auto& [name, family] : options.families) made.family[place(name, "families")] = family;
  made.parameters.resize(models.size());
  for (const auto& [name, count] : options.parameters) {
    made.parameters[place(name, "parameters")] = count;
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [base, tuned] : options.pairs) {
    pairs.emplace_back(place(base, "pairs"), place(tuned, "pairs"));
  }
  const Setting group = shared_setting(models, options.setting);
  made.table = accuracy_table(models, group);
  if (models.size() > 1 && detail::shares_nothing(made.table)) {
    throw user_error({.field = "RUN"}, "the runs share no relation, so that nothing compares",
                     "name runs of one dataset");
  }
  made.models = model_standings(models, made.table);
  made.settings = accuracies_by_setting(models);
  if (!options.group_by.empty()) made.groups = group_by_column(models, group, options.group_by);
  made.relations = relation_standings(made.table);
  made.correlations = model_correlations(made.table);
  made.families = family_correlations(made.correlations, made.family);
  made.subsumption = subsumption_matrix(models, group, options.bootstrap);
  for (const auto& [base, tuned] : pairs) {
    made.pairs.push_back(compare_tuned(models, base, tuned, group, options.bootstrap));
  }
  made.paired = paired_comparisons(models, group, options.bootstrap);
  std::vector<double> accuracy(models.size());
  for (const auto& [m, spread] : made.models) accuracy[m] = spread.overall.accuracy.value;
  made.ranks = shared_ranks(accuracy, made.paired);
  made.facts = compared_facts(models, group);
  made.fact_counts = count_compared(made.facts, models.size());
  made.remarks = detail::comparison_remarks(made);
  return made;
}

/// Whether any of the leaderboard's answers is a tie.
[[nodiscard]] inline bool has_ties(const Comparison& made) {
  return ranges::any_of(made.models, [](const ModelStanding& standing) {
    return standing.spread.overall.ties.tied > 0;
  });
}

/// The models as the heat map has them: families by their best model, then models by accuracy; one
/// without a family stands as a family of its own.
[[nodiscard]] inline std::vector<std::size_t> models_by_family(const Comparison& made) {
  std::vector<std::size_t> order;
  const auto placed = [&](std::size_t m) { return ranges::find(order, m) != order.end(); };
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

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
