// SPDX-License-Identifier: Apache-2.0
#pragma once

// How accurate is a model with a given setting, and how much does its accuracy vary across
// variants?
//
// The settings of a group differ only in the variant (the seed of the shots, or the template). The
// group's accuracy on a relation is the mean of the variants' accuracies. Its spread is the sample
// standard deviation of these accuracies
//   s = √(Σ (a_v − ā)² / (V − 1)).
// The group's accuracy across relations is the unweighted mean of the relations' accuracies.
// Accuracy@K is the accuracy of the answers whose probability among the choices is above K; it is
// not a top-k accuracy. If n choices tie for the best score and the right one is among them, the
// answer counts as 1/n in all of these numbers (measure/ties.hpp). Source: "Towards Reliable Latent
// Knowledge Estimation in LLMs", sections 3 and 4, appendix D (its text filters by > K, and its
// formula by ≥ K; we follow the text).

#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/relation_answers.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A group's display name: "ic/50", "template", "ic/50/generation". An unusual pair separator is
/// appended in quotes. Different groups have different names.
[[nodiscard]] inline std::string setting_name(const Setting& group) {
  std::string name = group.method;
  if (group.method == "ic") name += "/" + std::to_string(group.shots);
  if (group.by != "choice") name += "/" + group.by;
  const char* usual = group.varies_by_template() ? "" : " ";
  if (group.separator != usual) name += "/\"" + group.separator + "\"";
  return name;
}

/// The groups of settings that appear in any relation with at least one fact, in order of
/// appearance, each with variant 0.
[[nodiscard]] inline std::vector<Setting> groups_of(const ModelAnswers& model) {
  std::vector<Setting> groups;
  for (const RelationAnswers& relation : model.relations) {
    if (relation.facts() == 0) continue;
    for (const Setting& setting : relation.settings) {
      const auto same = [&](const Setting& group) { return group.group() == setting.group(); };
      if (ranges::any_of(groups, same)) continue;
      groups.push_back(setting);
      groups.back().variant = 0;
    }
  }
  return groups;
}

/// A relation's answers under a group of settings, in ascending order of variant; `group.variant`
/// is ignored.
[[nodiscard]] inline std::vector<AnswersView> variants_of(const RelationAnswers& relation,
                                                          const Setting& group) {
  std::vector<AnswersView> variants;
  for (std::size_t place = 0; place < relation.settings.size(); ++place) {
    if (relation.settings[place].group() != group.group()) continue;
    variants.push_back(AnswersView::of_setting(relation, place));
  }
  ranges::sort(variants, {}, [](const AnswersView& made) { return made.setting().variant; });
  return variants;
}

std::vector<AnswersView> variants_of(RelationAnswers&& relation, const Setting& group) = delete;

/// √(Σ (x − x̄)² / (n − 1)); nullopt for fewer than two values.
[[nodiscard]] inline std::optional<double> sample_sd(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

struct AccuracySpread {
  /// A proportion in [0, 1]. Its count is the number of facts, each counted once regardless of the
  /// number of variants.
  Estimate accuracy;
  /// The sample standard deviation over the variants; nullopt for fewer than two variants.
  std::optional<double> sd;
  std::size_t variants = 0;
  /// The accuracy if the first of several tied options is taken as the answer. Equals `accuracy` if
  /// there are no ties.
  Estimate accuracy_first_wins{};
  /// The ties among all answers (facts × variants).
  TieCount ties{};
};

/// The accuracies of a group, for each relation and across relations.
struct GroupSpread {
  /// The `variant` of this setting has no meaning.
  Setting group;
  /// The results by relation code, in the model's order, for the relations that have the group and
  /// at least one fact. Wilson's interval is computed with the number of facts as the number of
  /// trials, which makes the interval conservative if variants differ.
  std::vector<std::pair<std::string, AccuracySpread>> relations;
  /// The unweighted mean over these relations, with the interval of measure/clustered_share.hpp.
  /// The SD is the standard deviation of this mean across the variants that all these relations
  /// share.
  AccuracySpread overall;
  /// Sample SD of the relations' accuracies.
  std::optional<double> sd_over_relations;
};

inline double accuracy_of(const AnswersView& made) {
  double right = 0;
  for (std::size_t fact = 0; fact < made.facts(); ++fact) right += made.answer(fact).accuracy();
  return right / static_cast<double>(made.facts());
}

/// The mean of one value per answer, over variants and facts. Each fact's mean is stored in
/// `stratum`.
inline double mean_over(const std::vector<AnswersView>& variants, std::size_t facts,
                        double (Prediction::*value)() const, Stratum& stratum) {
  double sum = 0;
  stratum.values.resize(facts);
  for (const AnswersView& made : variants) {
    for (std::size_t fact = 0; fact < facts; ++fact) {
      const double of = (made.answer(fact).*value)();
      stratum.values[fact] += of / static_cast<double>(variants.size());
      sum += of;
    }
  }
  return sum / static_cast<double>(facts * variants.size());
}

/// An iterator to the answers under a variant, or the end iterator.
inline auto find_variant(const std::vector<AnswersView>& list, std::size_t variant) {
  return ranges::find(list, variant,
                      [](const AnswersView& made) { return made.setting().variant; });
}

/// The variants that are in every list.
inline std::vector<std::size_t> common_variants(
    const std::vector<std::vector<AnswersView>>& lists) {
  std::vector<std::size_t> common;
  if (lists.empty()) return common;
  for (const AnswersView& made : lists.front()) {
    const std::size_t variant = made.setting().variant;
    const bool everywhere = ranges::all_of(
        lists, [&](const auto& list) { return find_variant(list, variant) != list.end(); });
    if (everywhere) common.push_back(variant);
  }
  return common;
}

/// The spread of a group across the relations that include it; its numbers are missing if no
/// relation includes it.
[[nodiscard]] inline GroupSpread group_spread(const std::vector<const RelationAnswers*>& relations,
                                              const Setting& group) {
  GroupSpread spread{group, {}, {}, {}};
  std::vector<Stratum> strata, first_wins;
  std::vector<std::vector<AnswersView>> lists;
  std::vector<double> accuracies;
  for (const RelationAnswers* relation : relations) {
    auto variants = variants_of(*relation, group);
    if (variants.empty() || relation->facts() == 0) continue;
    const std::size_t facts = relation->facts();
    std::vector<double> by_variant;
    TieCount ties;
    for (const AnswersView& made : variants) {
      by_variant.push_back(detail::accuracy_of(made));
      for (std::size_t fact = 0; fact < facts; ++fact) ties.add(made.answer(fact).is_tie());
    }
    const double share =
        detail::mean_over(variants, facts, &Prediction::accuracy, strata.emplace_back());
    const double share_first_wins = detail::mean_over(
        variants, facts, &Prediction::accuracy_first_wins, first_wins.emplace_back());
    accuracies.push_back(share);
    spread.relations.emplace_back(
        relation->relation.code,
        AccuracySpread{wilson_share(share, facts), sample_sd(by_variant), variants.size(),
                       wilson_share(share_first_wins, facts), ties});
    spread.overall.ties += ties;
    lists.push_back(std::move(variants));
  }
  const auto mean_of = [&](std::vector<Stratum>& over, Estimate AccuracySpread::*one) {
    // With a single relation, the mean is that relation's accuracy, including its interval.
    if (over.size() == 1) return spread.relations.front().second.*one;
    for (Stratum& stratum : over) stratum.weight = 1 / static_cast<double>(over.size());
    return clustered_share(over);
  };
  spread.overall.accuracy = mean_of(strata, &AccuracySpread::accuracy);
  spread.overall.accuracy_first_wins = mean_of(first_wins, &AccuracySpread::accuracy_first_wins);
  spread.sd_over_relations = sample_sd(accuracies);
  std::vector<double> means;
  for (const std::size_t variant : detail::common_variants(lists)) {
    double& mean = means.emplace_back();
    for (const auto& list : lists) {
      mean += detail::accuracy_of(*detail::find_variant(list, variant)) /
              static_cast<double>(lists.size());
    }
  }
  spread.overall.sd = sample_sd(means);
  spread.overall.variants = means.size();
  return spread;
}

/// The spreads of all groups of a model, each across the relations that include the group.
[[nodiscard]] inline std::vector<GroupSpread> accuracy_spreads(const ModelAnswers& model) {
  std::vector<const RelationAnswers*> relations;
  for (const RelationAnswers& relation : model.relations) relations.push_back(&relation);
  std::vector<GroupSpread> spreads;
  for (const Setting& group : groups_of(model)) {
    spreads.push_back(group_spread(relations, group));
  }
  return spreads;
}

/// Accuracy by number of shots: the groups that differ from `like` only in the number of shots and
/// the variant, in ascending order of shots. The curve covers only the relations that have all of
/// these groups, so that all points are computed from the same relations. Empty if there are no
/// such groups. If no relation has all of them, the points have no values.
[[nodiscard]] inline std::vector<GroupSpread> shots_curve(const ModelAnswers& model,
                                                          const Setting& like) {
  std::vector<Setting> groups = groups_of(model);
  std::erase_if(groups, [&](Setting group) {
    group.shots = like.shots;
    return group.group() != like.group();
  });
  ranges::sort(groups, {}, &Setting::shots);
  std::vector<const RelationAnswers*> relations;
  for (const RelationAnswers& relation : model.relations) {
    const bool whole = ranges::all_of(
        groups, [&](const Setting& group) { return !variants_of(relation, group).empty(); });
    if (whole) relations.push_back(&relation);
  }
  std::vector<GroupSpread> curve;
  for (const Setting& group : groups) curve.push_back(group_spread(relations, group));
  return curve;
}

/// The smallest number of shots at which a curve's mean accuracy reaches `share` times the accuracy
/// at the largest number of shots. Nullopt if the curve is empty or if that accuracy is 0.
[[nodiscard]] inline std::optional<std::size_t> shots_for_share(
    const std::vector<GroupSpread>& curve, double share = 0.95) {
  if (curve.empty()) return std::nullopt;
  const Estimate& most = curve.back().overall.accuracy;
  if (most.count == 0 || most.value <= 0) return std::nullopt;
  const auto reaches = [&](const GroupSpread& point) {
    return point.overall.accuracy.value >= share * most.value - 1e-12;  // tolerates rounding
  };
  return ranges::find_if(curve, reaches)->group.shots;
}

struct AccuracyAtK {
  double threshold = 0;
  /// Accuracy of the answers above the threshold, pooled over all variants. Its count is the number
  /// of distinct facts with such an answer, which is also the number of trials of Wilson's
  /// interval.
  Estimate accuracy;
  /// The number of answers (facts × variants) above the threshold.
  std::size_t answers = 0;
};

/// The accuracies for K = 0, 0.05, … 0.95, over the pooled facts of the relations. Empty for
/// answers that were not selected from choices, because they have no confidence.
[[nodiscard]] inline std::vector<AccuracyAtK> accuracy_at_k(
    std::span<const RelationAnswers> relations, const Setting& group) {
  std::vector<AccuracyAtK> levels;
  if (group.by != "choice") return levels;
  for (std::size_t step = 0; step < 20; ++step) {
    AccuracyAtK& level = levels.emplace_back();
    level.threshold = static_cast<double>(step) / 20;
    std::size_t facts = 0;
    double right = 0;
    for (const RelationAnswers& relation : relations) {
      std::set<std::size_t> remaining;
      for (const AnswersView& made : variants_of(relation, group)) {
        for (std::size_t fact = 0; fact < made.facts(); ++fact) {
          if (!(made.answer(fact).confidence > level.threshold)) continue;
          remaining.insert(fact);
          ++level.answers;
          right += made.answer(fact).accuracy();
        }
      }
      facts += remaining.size();
    }
    if (level.answers == 0) continue;
    level.accuracy = wilson_share(right / static_cast<double>(level.answers), facts);
  }
  return levels;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
