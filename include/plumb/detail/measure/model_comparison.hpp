// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do models that were asked about the same facts compare?
//
// Every number is computed for one group of settings that all the models have.

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
  /// The name of a group of settings (setting_name). If it is empty, shared_setting chooses a
  /// group.
  std::string setting{};
  /// Maps a model's name to its family; models may lack one.
  std::map<std::string, std::string> families{};
  /// Maps a model's name to its number of parameters; models may lack one.
  std::map<std::string, double> parameters{};
  /// The column by which facts are grouped, or "domain"; may be empty.
  std::string group_by{};
  /// Pairs of model names: a base model and a model that was fine-tuned from it.
  std::vector<std::pair<std::string, std::string>> pairs{};
  Bootstrap bootstrap{};
};

/// The models' accuracies under one setting that all of them have.
struct SettingAccuracies {
  Setting setting;
  /// The accuracy of each model over the relations that all models answered under the setting;
  /// missing if there are no such relations.
  std::vector<Estimate> accuracy;
};

/// A number that compares a model with the first model, and a description of that number.
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
  /// Ordered from best to worst.
  std::vector<ModelStanding> models;
  std::vector<RelationStanding> relations;
  /// The family of each model in the table; empty if it has none.
  std::vector<std::string> family;
  /// The number of parameters of each model in the table, if known.
  std::vector<std::optional<double>> parameters;
  /// All settings that all models have, if there are at least two.
  std::vector<SettingAccuracies> settings;
  /// Accuracies grouped by a column of the facts; contains no groups if no column was set.
  ColumnGroups groups;
  std::vector<std::vector<Estimate>> correlations;
  FamilyCorrelations families;
  /// [i][j] is η(i|j).
  std::vector<std::vector<Subsumption>> subsumption;
  std::vector<TunedComparison> pairs;
  /// Every pair of models, in the order in which the models were named.
  std::vector<PairedComparison> paired;
  /// The rank of each model in the table; nullopt for a model without an accuracy.
  std::vector<std::optional<std::size_t>> ranks;
  /// The facts that at least two models were asked about.
  std::vector<ComparedFact> facts;
  ComparedFactCounts fact_counts;
  /// Each model except the first, compared with the first: accuracy, likelihoods, calibration and
  /// facts. Empty if scores are not comparable.
  std::vector<ModelChanges> changes{};
  /// Spreads across runs that differ only in the seed of their shots.
  std::vector<DrawSpread> draws{};
  Bootstrap bootstrap;
  /// Remarks that must appear wherever the numbers are shown.
  std::vector<std::string> remarks;
};

/// The groups of settings that all models have, in the first model's order.
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

/// The accuracies of all models under each of several settings; empty if there is only one setting.
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

/// The group called `name`. If `name` is empty, a group that all models have is chosen: many-shot
/// learning ("ic") with the most shots, preferably with answers by choice rather than by generation
/// and with the usual separator. If no such group exists, the first of the first model's groups
/// that all models have is chosen. Throws a user error that lists the available groups if the
/// models share no such group.
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
    throw user_error({.setting = "setting"}, "'" + name + "' is not a setting that all models have",
                     "choose one that they share: " + text_list(shared, setting_name));
  }
  const auto rank = [](const Setting& group) {
    return group.method == "ic"
               ? std::tuple(true, group.shots, group.by == "choice", group.separator == " ")
               : std::tuple(false, std::size_t{0}, false, false);
  };
  return *ranges::max_element(shared, {}, rank);  // the first one if several are equal
}

/// Whether no two models have a relation in common.
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
                      " missing from at least one model: left out of the leaderboard of models.");
  }
  const auto any_left_out = [&](std::size_t LeftOut::*what) {
    return ranges::any_of(made.subsumption, [&](const std::vector<Subsumption>& row) {
      return ranges::any_of(row, [&](const Subsumption& rate) { return rate.left_out.*what > 0; });
    });
  };
  if (any_left_out(&LeftOut::facts)) {
    remarks.push_back(
        "The models were asked about different facts: each model's accuracies cover all its own "
        "facts; subsumption covers only the facts that both models have.");
  }
  if (any_left_out(&LeftOut::settings)) {
    remarks.push_back(
        "The models were run with different seeds or templates: each model's accuracies cover all "
        "its own seeds or templates; subsumption covers only those that both models have.");
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
        "Combinations of relation and variant in which a model knows nothing are left out of its "
        "subsumption: " +
        ignorant + ".");
  }
  std::string without;
  for (std::size_t m = 0; m < made.family.size() && !made.families.families.empty(); ++m) {
    if (made.family[m].empty()) add_to_list(without, table.models[m]);
  }
  if (!without.empty()) remarks.push_back("Models without a family: " + without + ".");
  return remarks;
}

/// Compares one or more models, whose names must be distinct. Throws a user error if the families
/// or pairs contain a name that no model has, or if the models share no relation. Also throws the
/// same errors as shared_setting and match_answers.
[[nodiscard]] inline Comparison compare_answers(const std::vector<ModelAnswers>& models,
                                                const ComparisonOptions& options) {
  const auto place = [&](const std::string& name, const char* setting) {
    const auto found = ranges::find(models, name, &ModelAnswers::name);
    if (found != models.end()) return static_cast<std::size_t>(found - models.begin());
    throw user_error({.setting = setting}, "'" + name + "' is not among the models",
                     "use one of " + text_list(models, &ModelAnswers::name));
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
    throw user_error({.field = "RUN"}, "the runs share no relation, so nothing can be compared",
                     "pass runs of the same dataset");
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

/// The models in heat-map order: families are ordered by their best model, and the models within a
/// family by accuracy. A model without a family is treated as a family of its own.
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
