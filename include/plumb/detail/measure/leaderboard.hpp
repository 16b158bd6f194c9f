// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which model knows the most, which relation is known best, and do models agree on which relations
// are known best?
//
// Models are ordered by their mean accuracy over the relations that all models have, and relations
// by their mean over the models that have them. Each mean comes with the sample standard deviation
// of the values it averages. The agreement between two models is Pearson's r of their accuracies
// over the relations that both have. The agreement of two families is the mean of r over pairs that
// consist of one model from each,
//   r(F, G) = mean { r(f, g) : f ∈ F, g ∈ G, f ≠ g },
// The agreement of a family with itself is the mean over its distinct pairs. A fine-tuned model is
// compared with its base model in terms of the facts that each knows, paired by question. In this
// comparison, a tie for the best score is treated as not known; leaderboards count it as 1/n
// (measure/ties.hpp). Source: "Towards Reliable Latent Knowledge Estimation in LLMs", Tables 7 to
// 10, Figures 6 and 14.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/measure/correlation.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/measure/subsumption.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The accuracies by model and relation under one group of settings.
struct AccuracyTable {
  Setting group;
  std::vector<std::string> models;
  /// Codes of the relations that any model has under the group, in order of appearance.
  std::vector<std::string> relations;
  /// The number of distinct facts across all models, for each relation.
  std::vector<std::size_t> facts;
  /// [model][relation]; count 0 if a model lacks the relation.
  std::vector<std::vector<AccuracySpread>> cells;
  /// Indices of the relations that all models have, in ascending order.
  std::vector<std::size_t> shared;
};

[[nodiscard]] inline AccuracyTable accuracy_table(const std::vector<ModelAnswers>& models,
                                                  const Setting& group) {
  AccuracyTable table{group, {}, {}, {}, {}, {}};
  std::vector<std::set<std::size_t>> instances;
  for (const ModelAnswers& model : models) {
    table.models.push_back(model.name);
    auto& row = table.cells.emplace_back(table.relations.size());
    for (const RelationAnswers& relation : model.relations) {
      GroupSpread spread = group_spread({&relation}, group);
      if (spread.relations.empty()) continue;
      const auto found = ranges::find(table.relations, relation.relation.code);
      const auto place = static_cast<std::size_t>(found - table.relations.begin());
      if (found == table.relations.end()) {
        table.relations.push_back(relation.relation.code);
        instances.emplace_back();
        row.emplace_back();
      }
      row[place] = std::move(spread.relations.front().second);
      for (const Fact& fact : relation.relation.facts) instances[place].insert(fact.instance);
    }
  }
  for (auto& row : table.cells) row.resize(table.relations.size());
  for (std::size_t r = 0; r < table.relations.size(); ++r) {
    table.facts.push_back(instances[r].size());
    const auto has = [r](const auto& row) { return row[r].accuracy.count > 0; };
    if (ranges::all_of(table.cells, has)) table.shared.push_back(r);
  }
  return table;
}

/// A model's row in Table 7.
struct ModelStanding {
  std::size_t model = 0;
  /// The model's accuracy over the relations that all models have.
  GroupSpread spread;
};

/// Models from best to worst. Models that tie keep the given order, and models without a value come
/// last. `table` must have been computed from these models.
[[nodiscard]] inline std::vector<ModelStanding> model_standings(
    const std::vector<ModelAnswers>& models, const AccuracyTable& table) {
  std::vector<ModelStanding> standings;
  for (std::size_t m = 0; m < models.size(); ++m) {
    std::vector<const RelationAnswers*> relations;
    for (const std::size_t r : table.shared) {
      relations.push_back(&*find_relation(models[m].relations, table.relations[r]));
    }
    standings.push_back({m, group_spread(relations, table.group)});
  }
  ranges::stable_sort(standings, std::greater{}, [](const ModelStanding& standing) {
    return or_lowest(standing.spread.overall.accuracy.value);
  });
  return standings;
}

/// A relation's row in Table 8.
struct RelationStanding {
  std::size_t relation = 0;
  /// The mean over the models that have the relation. Wilson's interval is computed with the number
  /// of distinct facts as the number of trials, which makes the interval conservative if models
  /// differ.
  Estimate accuracy;
  /// The sample standard deviation over the models; nullopt for fewer than two models.
  std::optional<double> sd;
  std::size_t models = 0;
  /// The accuracy if the first of several tied options is taken as the answer. Equals `accuracy` if
  /// there are no ties.
  Estimate accuracy_first_wins{};
  /// Ties among all models' answers.
  TieCount ties{};
};

/// Relations from best to least known; those that tie keep the table's order.
[[nodiscard]] inline std::vector<RelationStanding> relation_standings(const AccuracyTable& table) {
  std::vector<RelationStanding> standings;
  for (std::size_t r = 0; r < table.relations.size(); ++r) {
    std::vector<double> accuracies;
    double sum_first_wins = 0;
    TieCount ties;
    for (const auto& row : table.cells) {
      if (row[r].accuracy.count == 0) continue;
      accuracies.push_back(row[r].accuracy.value);
      sum_first_wins += row[r].accuracy_first_wins.value;
      ties += row[r].ties;
    }
    const double sum = std::accumulate(accuracies.begin(), accuracies.end(), 0.0);
    const auto mean = [&](double of) {
      return wilson_share((std::min)(1.0, of / static_cast<double>(accuracies.size())),
                          table.facts[r]);
    };
    standings.push_back(
        {r, mean(sum), sample_sd(accuracies), accuracies.size(), mean(sum_first_wins), ties});
  }
  ranges::stable_sort(standings, std::greater{},
                      [](const RelationStanding& s) { return or_lowest(s.accuracy.value); });
  return standings;
}

/// Table 9: a model's best and worst relations, as indices into the table. Each list is ordered
/// from better to worse.
struct ExtremeRelations {
  std::vector<std::size_t> top;
  std::vector<std::size_t> bottom;
};

/// Each list contains at most `count` of the relations that the model has; relations that tie keep
/// the table's order. With fewer than 2 · `count` relations, each list has at most half of them, so
/// that no relation is in both.
[[nodiscard]] inline ExtremeRelations extreme_relations(const AccuracyTable& table,
                                                        std::size_t model, std::size_t count = 3) {
  std::vector<std::size_t> order;
  for (std::size_t r = 0; r < table.relations.size(); ++r) {
    if (table.cells[model][r].accuracy.count > 0) order.push_back(r);
  }
  ranges::stable_sort(order, std::greater{},
                      [&](std::size_t r) { return table.cells[model][r].accuracy.value; });
  const auto some = static_cast<std::ptrdiff_t>((std::min)(count, order.size() / 2));
  return {{order.begin(), order.begin() + some}, {order.end() - some, order.end()}};
}

/// [model][model]: Pearson's r of the two models' accuracies over the relations that both have; its
/// count is the number of those relations. Missing for fewer than three relations, or if a model's
/// accuracies are all equal.
[[nodiscard]] inline std::vector<std::vector<Estimate>> model_correlations(
    const AccuracyTable& table) {
  const std::size_t n = table.models.size();
  std::vector<std::vector<Estimate>> r(n, std::vector<Estimate>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      std::vector<double> x, y;
      for (std::size_t k = 0; k < table.relations.size(); ++k) {
        const Estimate& one = table.cells[i][k].accuracy;
        const Estimate& other = table.cells[j][k].accuracy;
        if (one.count == 0 || other.count == 0) continue;
        x.push_back(one.value);
        y.push_back(other.value);
      }
      r[i][j] = r[j][i] = pearson(x, y);
    }
  }
  return r;
}

/// A mean of correlations. It has no interval, because pairs that share a model are not
/// independent.
struct MeanCorrelation {
  double value = no_number;
  /// The number of pairs that the mean is taken over; if it is 0, there is no mean.
  std::size_t pairs = 0;

  void add(double r) {
    const double before = pairs == 0 ? 0 : value * static_cast<double>(pairs);
    value = (before + r) / static_cast<double>(++pairs);
  }
};

struct FamilyCorrelations {
  /// In the order in which their first models appear.
  std::vector<std::string> families;
  /// [family][family].
  std::vector<std::vector<MeanCorrelation>> means;
};

/// `correlations` are the correlations between the models. `family` contains each model's family,
/// or an empty string. A family with only one model has no agreement within the family. Pairs
/// without a correlation are skipped.
[[nodiscard]] inline FamilyCorrelations family_correlations(
    const std::vector<std::vector<Estimate>>& correlations,
    const std::vector<std::string>& family) {
  FamilyCorrelations made;
  std::vector<std::size_t> place(family.size());  // index of each model's family
  for (std::size_t m = 0; m < family.size(); ++m) {
    if (family[m].empty()) continue;
    const auto found = ranges::find(made.families, family[m]);
    place[m] = static_cast<std::size_t>(found - made.families.begin());
    if (found == made.families.end()) made.families.push_back(family[m]);
  }
  const std::size_t n = made.families.size();
  made.means.assign(n, std::vector<MeanCorrelation>(n));
  for (std::size_t i = 0; i < family.size(); ++i) {
    for (std::size_t j = i + 1; j < family.size(); ++j) {
      if (family[i].empty() || family[j].empty() || correlations[i][j].count == 0) continue;
      const double r = correlations[i][j].value;
      made.means[place[i]][place[j]].add(r);
      if (place[i] != place[j]) made.means[place[j]][place[i]].add(r);
    }
  }
  return made;
}

/// A row of Table 10, computed from the relations, variants and facts that both models have.
struct TunedComparison {
  std::size_t base = 0;
  std::size_t tuned = 0;
  /// Proportions of known facts, as means over relations (measure/clustered_share.hpp). The
  /// difference is tuned minus base, in [−1, 1], bootstrapped over facts within relations.
  Estimate base_accuracy;
  Estimate tuned_accuracy;
  Estimate difference;
  /// η(tuned|base), the proportion of the facts known to the tuned model that the base model also
  /// knows; and the reverse.
  Subsumption tuned_given_base;
  Subsumption base_given_tuned;
};

/// `base` and `tuned` are indices into `models`. Throws the same errors as match_answers.
[[nodiscard]] inline TunedComparison compare_tuned(const std::vector<ModelAnswers>& models,
                                                   std::size_t base, std::size_t tuned,
                                                   const Setting& group,
                                                   const Bootstrap& bootstrap) {
  const MatchedAnswers matched = match_answers(models[base], models[tuned], group);
  const Resamples resamples(facts_by_relation(matched), bootstrap, "subsumption");
  SubsumptionPair rates = subsumption(matched, resamples);
  const auto strata_of = [&](auto value) {
    std::vector<Stratum> strata;
    for (const MatchedRelation& relation : matched.relations) {
      Stratum& stratum = strata.emplace_back();
      stratum.weight = 1 / static_cast<double>(matched.relations.size());
      stratum.values.resize(relation.facts);
      for (const auto& right : relation.right) {
        for (std::size_t i = 0; i < right.size(); ++i) {
          stratum.values[i] += value(right[i]) / static_cast<double>(relation.right.size());
        }
      }
    }
    return strata;
  };
  const auto known = [&](unsigned model) {
    return clustered_share(
        strata_of([model](unsigned right) { return right & model ? 1.0 : 0.0; }));
  };
  const auto gained = [](unsigned right) { return right == 2 ? 1.0 : right == 1 ? -1.0 : 0.0; };
  return {
      base,
      tuned,
      known(1),
      known(2),
      bootstrap_mean(strata_of(gained), bootstrap, "mean over relations/" + setting_name(group)),
      std::move(rates.other_given_one),
      std::move(rates.one_given_other)};
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
