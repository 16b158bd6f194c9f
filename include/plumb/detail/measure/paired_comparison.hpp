// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does one model know more than another, fact by fact?
//
// Compares every pair of models on the relations, variants and facts that both have. A fact may be
// used under several variants (templates, or seeds of the shots). It then counts as known to a
// model if the model knows it under more than half of the variants that both models have. A fact
// for which the best score is tied is not known. The tests in measure/paired_tests.hpp are run on
// all shared facts pooled together and within each relation. Holm's adjustment is applied jointly
// to the overall tests of all pairs, and separately to the relation tests of all pairs.
//
// There are two differences in accuracy (first minus second): the difference over all shared facts,
// in which a relation with many facts counts more, and the mean of the relations' differences.
// Their intervals are percentiles over resampled relations, each drawn with all its facts, because
// facts of one relation are more alike than facts of different relations (a cluster bootstrap,
// Davison & Hinkley 1997, section 3.8). If there is only one shared relation, and for the
// difference within one relation, facts are resampled instead; Estimate::method shows which.
// McNemar's p does not take relations into account.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/binomial_table.hpp"
#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/accuracy_spread.hpp"
#include "plumb/detail/measure/paired_tests.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/measure/subsumption.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The comparison of a pair of models over some facts.
struct PairedTest {
  PairedCounts counts;
  /// The first model's accuracy minus the second's, in [−1, 1]; its count is the number of facts.
  Estimate difference;
  /// McNemar's p, unadjusted and adjusted across all pairs of models; missing if there are no
  /// facts.
  double p = no_number;
  double p_holm = no_number;
  /// The number of facts for which both models gave the same answer (compared as text) under the
  /// first variant that both have; nullopt for answers by generation.
  std::optional<std::size_t> same_answers;

  [[nodiscard]] double same_answer() const {
    return same_answers ? counts.share(*same_answers) : no_number;
  }
};

struct PairedComparison {
  /// Indices of the models.
  std::size_t first = 0;
  std::size_t second = 0;
  /// The test over all facts that both models were asked about; it contains no numbers if the
  /// models share no facts.
  PairedTest overall{};
  /// The tests of the relations that both models have, by relation code.
  std::vector<std::pair<std::string, PairedTest>> relations{};
  /// Each model's unweighted mean accuracy over the relations, and the difference between the two.
  std::array<double, 2> mean_accuracy{no_number, no_number};
  Estimate mean_difference{};
  /// The difference between the accuracies that leaderboards show, in which each fact contributes
  /// its mean over the shared variants. `mean_drop` is the mean over relations, and `overall_drop`
  /// is over all facts. If there is only one variant, these equal the differences above.
  Estimate mean_drop{}, overall_drop{};
};

/// First minus second for each fact (1 if known, else 0), averaged over the shared variants.
[[nodiscard]] inline std::vector<double> fact_differences(const MatchedRelation& relation) {
  std::vector<double> differences(relation.facts);
  for (const auto& right : relation.right) {
    for (std::size_t i = 0; i < relation.facts; ++i) {
      differences[i] += static_cast<double>(right[i] & 1U) -
                        static_cast<double>(static_cast<std::size_t>(right[i]) >> 1U);
    }
  }
  for (double& one : differences) one /= static_cast<double>(relation.right.size());
  return differences;
}

/// Whether each of the two models knows a fact under more than half of the shared variants.
[[nodiscard]] inline std::pair<bool, bool> known_by_most(const MatchedRelation& relation,
                                                         std::size_t fact) {
  std::array<std::size_t, 2> known{};
  for (const auto& right : relation.right) {
    known[0] += right[fact] & 1U;
    known[1] += static_cast<std::size_t>(right[fact]) >> 1U;
  }
  const std::size_t variants = relation.right.size();
  return {2 * known[0] > variants, 2 * known[1] > variants};
}

/// The index, within a row, of the setting with this variant; the relation must have that setting.
inline std::size_t place_of_variant(const RelationAnswers& table, const Setting& group,
                                    std::size_t variant) {
  const auto found = ranges::find_if(table.settings, [&](const Setting& setting) {
    return setting.variant == variant && setting.group() == group.group();
  });
  return static_cast<std::size_t>(found - table.settings.begin());
}

/// Bootstrap draws of (first only − second only) / facts, resampled over facts. The number of
/// discordant facts among the n facts of a draw is binomial, and so is the number of discordant
/// facts that only the first model knows.
[[nodiscard]] inline std::vector<double> resampled_facts(const PairedCounts& counts,
                                                         const Bootstrap& bootstrap,
                                                         const std::string& name) {
  std::vector<double> draws(bootstrap.resamples);
  const std::size_t n = counts.facts(), discordant = counts.only_first + counts.only_second;
  if (discordant == 0) return draws;
  const BinomialTable drawn(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(discordant),
                            static_cast<std::uint32_t>(n));
  RandomStream random(bootstrap.seed, "paired facts/" + name);
  for (double& draw : draws) {
    const std::size_t apart = drawn(random);
    std::size_t first = 0;
    for (std::size_t i = 0; i < apart; ++i) first += random.below(discordant) < counts.only_first;
    draw = (2 * static_cast<double>(first) - static_cast<double>(apart)) / static_cast<double>(n);
  }
  return draws;
}

/// A percentile interval whose method states what was resampled.
inline Estimate interval_of(double value, std::vector<double> draws, std::size_t count,
                            const char* method) {
  Estimate estimate = percentile_interval(value, std::move(draws), count);
  if (estimate.has_interval()) estimate.method = method;
  return estimate;
}

/// The paired test of one relation; `ours` and `theirs` are the two tables that were matched.
[[nodiscard]] inline PairedTest paired_test(const MatchedRelation& relation,
                                            const RelationAnswers& ours,
                                            const RelationAnswers& theirs, const Setting& group) {
  PairedTest test;
  if (group.by == "choice") test.same_answers = 0;
  const std::size_t mine = place_of_variant(ours, group, relation.variants.front());
  const std::size_t yours = place_of_variant(theirs, group, relation.variants.front());
  for (std::size_t i = 0; i < relation.facts; ++i) {
    const auto [first, second] = known_by_most(relation, i);
    test.counts.add(first, second);
    if (!test.same_answers) continue;
    const auto& [our_place, their_place] = relation.places[i];
    *test.same_answers +=
        answer_text(ours, our_place, mine) == answer_text(theirs, their_place, yours);
  }
  test.p = mcnemar_exact_p(test.counts.only_first, test.counts.only_second);
  return test;
}

/// The comparison of one pair, without the adjusted p. Throws the same errors as match_answers.
[[nodiscard]] inline PairedComparison paired_comparison(const std::vector<ModelAnswers>& models,
                                                        std::size_t first, std::size_t second,
                                                        const Setting& group,
                                                        const Bootstrap& bootstrap) {
  constexpr const char *of_facts = "bootstrap of facts", *of_relations = "bootstrap of relations";
  const MatchedAnswers matched = match_answers(models[first], models[second], group);
  PairedComparison made{.first = first, .second = second};
  if (matched.relations.empty()) return made;
  if (group.by == "choice") made.overall.same_answers = 0;
  made.mean_accuracy = {0, 0};
  const double relations = static_cast<double>(matched.relations.size());
  PairedCounts& all = made.overall.counts;
  for (const MatchedRelation& relation : matched.relations) {
    PairedTest test =
        detail::paired_test(relation, *find_relation(models[first].relations, relation.code),
                            *find_relation(models[second].relations, relation.code), group);
    test.difference = detail::interval_of(
        test.counts.difference(), detail::resampled_facts(test.counts, bootstrap, relation.code),
        relation.facts, of_facts);
    all += test.counts;
    if (test.same_answers) *made.overall.same_answers += *test.same_answers;
    made.mean_accuracy[0] += test.counts.first_accuracy() / relations;
    made.mean_accuracy[1] += test.counts.second_accuracy() / relations;
    made.relations.emplace_back(relation.code, std::move(test));
  }
  made.overall.p = mcnemar_exact_p(all.only_first, all.only_second);
  const bool is_single = ranges::all_of(matched.relations, [](const MatchedRelation& relation) {
    return relation.right.size() == 1;
  });
  if (made.relations.size() == 1) {
    made.overall.difference = made.mean_difference = made.relations.front().second.difference;
    made.mean_drop = made.overall_drop =
        is_single ? made.mean_difference
                  : bootstrap_mean({{fact_differences(matched.relations.front()), 1}}, bootstrap,
                                   "paired drop");
    return made;
  }
  double mean = 0;
  for (const auto& [code, test] : made.relations) mean += test.counts.difference() / relations;
  std::vector<double> draws(bootstrap.resamples), mean_draws(bootstrap.resamples);
  RandomStream random(bootstrap.seed, "paired relations");
  for (std::size_t r = 0; r < bootstrap.resamples; ++r) {
    PairedCounts drawn;
    for (std::size_t i = 0; i < made.relations.size(); ++i) {
      const PairedCounts& counts =
          made.relations[random.below(made.relations.size())].second.counts;
      drawn += counts;
      mean_draws[r] += counts.difference() / relations;
    }
    draws[r] = drawn.difference();
  }
  made.overall.difference =
      detail::interval_of(all.difference(), std::move(draws), all.facts(), of_relations);
  made.mean_difference =
      detail::interval_of(mean, std::move(mean_draws), all.facts(), of_relations);
  if (is_single) {
    made.mean_drop = made.mean_difference;
    made.overall_drop = made.overall.difference;
    return made;
  }
  std::vector<double> sums;  // the sum of the differences over each relation's facts
  for (const MatchedRelation& relation : matched.relations) {
    const std::vector<double> differences = fact_differences(relation);
    sums.push_back(std::accumulate(differences.begin(), differences.end(), 0.0));
  }
  const auto facts_of = [&](std::size_t r) {
    return static_cast<double>(matched.relations[r].facts);
  };
  double sum = 0, mean_drop = 0, facts = 0;
  for (std::size_t r = 0; r < sums.size(); ++r) {
    sum += sums[r];
    facts += facts_of(r);
    mean_drop += sums[r] / facts_of(r) / relations;
  }
  std::vector<double> overall_drops(bootstrap.resamples), mean_drops(bootstrap.resamples);
  RandomStream again(bootstrap.seed, "paired relations");
  for (std::size_t b = 0; b < bootstrap.resamples; ++b) {
    double drawn = 0, of = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t r = again.below(sums.size());
      drawn += sums[r];
      of += facts_of(r);
      mean_drops[b] += sums[r] / facts_of(r) / relations;
    }
    overall_drops[b] = drawn / of;
  }
  made.overall_drop =
      detail::interval_of(sum / facts, std::move(overall_drops), all.facts(), of_relations);
  made.mean_drop = detail::interval_of(mean_drop, std::move(mean_drops), all.facts(), of_relations);
  return made;
}

/// Compares every pair of models; the first model of a pair is the one named earlier. Throws the
/// same errors as match_answers.
[[nodiscard]] inline std::vector<PairedComparison> paired_comparisons(
    const std::vector<ModelAnswers>& models, const Setting& group, const Bootstrap& bootstrap) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (std::size_t j = i + 1; j < models.size(); ++j) pairs.emplace_back(i, j);
  }
  std::vector<PairedComparison> made(pairs.size());
  parallel_for(pairs.size(), [&](std::size_t i) {
    made[i] = paired_comparison(models, pairs[i].first, pairs[i].second, group, bootstrap);
  });
  std::vector<double> overall, by_relation;
  for (const PairedComparison& pair : made) {
    overall.push_back(pair.overall.p);
    for (const auto& [code, test] : pair.relations) by_relation.push_back(test.p);
  }
  const std::vector<double> adjusted = holm(overall), adjusted_by_relation = holm(by_relation);
  std::size_t at = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].overall.p_holm = adjusted[i];
    for (auto& [code, test] : made[i].relations) test.p_holm = adjusted_by_relation[at++];
  }
  return made;
}

/// A difference is significant if its adjusted p is below this value.
inline constexpr double significance_level = 0.05;

/// Each model's rank: 1 plus the number of models that have a higher accuracy and differ from it
/// with an adjusted p below 0.05, so that indistinguishable models share a rank. `accuracy`
/// contains one value per model; NaN means that a model has no accuracy and therefore no rank.
[[nodiscard]] inline std::vector<std::optional<std::size_t>> shared_ranks(
    const std::vector<double>& accuracy, const std::vector<PairedComparison>& pairs) {
  std::vector<std::optional<std::size_t>> ranks(accuracy.size());
  for (std::size_t m = 0; m < accuracy.size(); ++m) {
    if (!std::isnan(accuracy[m])) ranks[m] = 1;
  }
  for (const PairedComparison& pair : pairs) {
    if (!(pair.overall.p_holm < significance_level)) continue;
    const auto beats = [&](std::size_t better, std::size_t worse) {
      if (accuracy[better] > accuracy[worse]) ++*ranks[worse];
    };
    beats(pair.first, pair.second);
    beats(pair.second, pair.first);
  }
  return ranks;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
