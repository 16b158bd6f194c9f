// SPDX-License-Identifier: Apache-2.0
#pragma once

// How well does the model know the facts, by relation, domain, cardinality and overall?
//
//   accuracy   share of facts whose best-scored option is the right one; a tie of n for the best
//              that includes the right option counts 1/n (measure/rank.hpp)
//   accuracy (first wins)   the same, but the first of a tie is the answer, as in lm-pub-quiz
//   Hit@k      share of facts whose right option is among the k best; a tie counts as the share of
//              its orders in which it is. There is no number if no relation in the group has k
//              options; in a relation with fewer options, every fact is a hit
//   mean rank, mean reciprocal rank   of the right option, realistic ranks
// A group's number is a plain mean over its facts ("weighted": each fact counts once), with two
// exceptions. The unweighted overall number is the mean over relations. A domain's divided-support
// accuracies weight a fact by 1/d if its relation has d domains, as in lm-pub-quiz. A fact with
// several templates counts once, with its mean over the templates. Proportions of facts get Wilson
// intervals with the facts as trials, so the intervals are conservatively wide if the templates
// differ. Proportions over relations that have their own weights get the interval from
// measure/clustered_share.hpp. The other numbers are bootstrapped over facts.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/data/dataset.hpp"
#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/measure/hit_rates.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/prediction.hpp"
#include "plumb/detail/measure/relation_answers.hpp"
#include "plumb/detail/measure/ties.hpp"
#include "plumb/detail/prompt/question_setting.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The metrics of one group of facts.
struct GroupMetrics {
  std::size_t relations = 0;
  std::size_t facts = 0;
  Estimate accuracy;
  Estimate accuracy_first_wins;
  /// An estimate has no number if no relation has k options.
  HitRates hits{};
  Estimate mean_rank;
  Estimate mean_reciprocal_rank;
  /// The number of rows (fact × template) in which several options tie for the best score, and the
  /// number of rows in which another option has the same score as the right one.
  TieCount ties_for_best;
  std::size_t ties_with_answer = 0;

  /// `k` must be one of `hit_levels`.
  [[nodiscard]] const Estimate& hit_at(std::size_t k) const { return hits.at(k); }
};

enum class Weighting { facts, relations, divided_support };

/// Estimates one metric over a group; `of(answer)` returns an answer's value.
template <class Of>
Estimate estimate(const std::vector<AnswersView>& group, bool proportion, Weighting weighting,
                  const Bootstrap& bootstrap, const std::string& name, Of of) {
  std::vector<Stratum> strata;
  double total = 0;
  for (const AnswersView& asked : group) {
    if (asked.facts() == 0 || asked.size() == 0) continue;
    Stratum& stratum = strata.emplace_back();
    for (std::size_t fact = 0; fact < asked.facts(); ++fact) {
      double sum = 0;
      for (std::size_t i = 0; i < asked.size(); ++i) sum += of(asked.answer(fact, i));
      stratum.values.push_back(sum / static_cast<double>(asked.size()));
    }
    const double facts = static_cast<double>(stratum.values.size());
    const double domains =
        static_cast<double>(std::max<std::size_t>(1, asked.relation().domains.size()));
    stratum.weight = weighting == Weighting::relations ? 1
                     : weighting == Weighting::facts   ? facts
                                                       : facts / domains;
    total += stratum.weight;
  }
  if (proportion && weighting == Weighting::facts) {
    double sum = 0;
    std::size_t count = 0;
    for (const Stratum& stratum : strata) {
      for (const double value : stratum.values) sum += value;
      count += stratum.values.size();
    }
    return wilson_share(count == 0 ? 0 : sum / static_cast<double>(count), count);
  }
  for (Stratum& stratum : strata) stratum.weight /= total;
  if (proportion) return clustered_share(strata);
  return bootstrap_mean(strata, bootstrap, name);
}

[[nodiscard]] inline Estimate accuracy_of(const std::vector<AnswersView>& group,
                                          Weighting weighting, const Bootstrap& bootstrap,
                                          const std::string& name) {
  return detail::estimate(group, true, weighting, bootstrap, name + "/accuracy",
                          [](const Prediction& answer) { return answer.accuracy(); });
}

/// The accuracy if the first option of a tie is taken as the answer. Without ties, it equals the
/// accuracy.
[[nodiscard]] inline Estimate accuracy_first_wins_of(const std::vector<AnswersView>& group,
                                                     Weighting weighting,
                                                     const Bootstrap& bootstrap,
                                                     const std::string& name) {
  return detail::estimate(group, true, weighting, bootstrap, name + "/accuracy",
                          [](const Prediction& answer) { return answer.accuracy_first_wins(); });
}

/// All metrics of a group of relations. `name` seeds the bootstrap.
[[nodiscard]] inline GroupMetrics group_metrics(const std::vector<AnswersView>& group,
                                                Weighting weighting, const Bootstrap& bootstrap,
                                                const std::string& name) {
  GroupMetrics metrics;
  std::size_t most_options = 0;
  for (const AnswersView& asked : group) {
    most_options = (std::max)(most_options, asked.relation().options.size());
    ++metrics.relations;
    metrics.facts += asked.facts();
    for (std::size_t fact = 0; fact < asked.facts(); ++fact) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        metrics.ties_for_best.add(asked.answer(fact, i).is_tie());
        metrics.ties_with_answer += asked.answer(fact, i).rank.equal > 0 ? 1U : 0U;
      }
    }
  }
  const auto over = [&](bool proportion, const std::string& what, auto of) {
    return detail::estimate(group, proportion, weighting, bootstrap, name + "/" + what, of);
  };
  metrics.accuracy = accuracy_of(group, weighting, bootstrap, name);
  metrics.accuracy_first_wins = accuracy_first_wins_of(group, weighting, bootstrap, name);
  for (const std::size_t k : hit_levels) {
    if (k > most_options) continue;
    metrics.hits.at(k) = over(true, "hits@" + std::to_string(k),
                              [k](const Prediction& a) { return a.rank.expected_hit(k); });
  }
  metrics.mean_rank =
      over(false, "mean_rank", [](const Prediction& a) { return a.rank.realistic(); });
  metrics.mean_reciprocal_rank = over(false, "mean_reciprocal_rank",
                                      [](const Prediction& a) { return 1 / a.rank.realistic(); });
  return metrics;
}

/// Views of the relations' answers under all their templates. `Table` is RelationAnswers or a class
/// derived from it.
template <class Table>
[[nodiscard]] std::vector<AnswersView> under_all_templates(const std::vector<Table>& all) {
  std::vector<AnswersView> chosen;
  for (const Table& table : all) chosen.push_back(AnswersView::of_templates(table));
  return chosen;
}
template <class Table>
std::vector<AnswersView> under_all_templates(std::vector<Table>&& all) = delete;

/// The answers under one template, for the relations that use it.
[[nodiscard]] inline std::vector<AnswersView> under_template(
    const std::vector<RelationAnswers>& all, std::size_t template_index) {
  std::vector<AnswersView> chosen;
  for (const RelationAnswers& table : all) {
    const auto place = table.place_of_template(template_index);
    if (place) chosen.push_back(AnswersView::of_setting(table, *place));
  }
  return chosen;
}
std::vector<AnswersView> under_template(std::vector<RelationAnswers>&& all,
                                        std::size_t template_index) = delete;

/// Views of the combined answers across templates, for the relations whose templates have weights.
[[nodiscard]] inline std::vector<AnswersView> under_weighted_templates(
    const std::vector<RelationAnswers>& all) {
  std::vector<AnswersView> chosen;
  for (const RelationAnswers& table : all) {
    if (table.relation.template_weights.empty()) continue;
    chosen.push_back(AnswersView::of_weighted(table));
  }
  return chosen;
}
std::vector<AnswersView> under_weighted_templates(std::vector<RelationAnswers>&& all) = delete;

/// A domain's metrics, and its accuracies as lm-pub-quiz computes them for domains.
struct DomainMetrics {
  GroupMetrics metrics;
  Estimate divided_support;
  Estimate divided_support_first_wins;
};

/// The metrics of facts grouped by a column of their table.
struct ColumnMetrics {
  /// Empty if facts are not grouped.
  std::string column{};
  /// The metrics by value or by bin of values, in the order defined by column_groups.hpp.
  std::vector<std::pair<std::string, GroupMetrics>> values{};
  /// The number of facts that have no value.
  std::size_t without = 0;
};

/// The metrics for every grouping of a set of answers.
struct ProbeMetrics {
  GroupMetrics overall;
  GroupMetrics overall_unweighted;
  /// The metrics of each relation, in the order of the run.
  std::vector<std::pair<std::string, GroupMetrics>> relations;
  /// By name.
  std::map<std::string, DomainMetrics> domains;
  /// "1:1" and "N:1".
  std::map<std::string, GroupMetrics> cardinality;
  ColumnMetrics by_column{};
};

[[nodiscard]] inline ProbeMetrics probe_metrics(const std::vector<AnswersView>& relations,
                                                const Bootstrap& bootstrap,
                                                const std::string& name) {
  ProbeMetrics metrics;
  std::map<std::string, std::vector<AnswersView>> domains;
  std::map<std::string, std::vector<AnswersView>> cardinality;
  for (const AnswersView& asked : relations) {
    const Relation& relation = asked.relation();
    std::vector<std::string> of_relation = relation.domains;  // may be repeated
    ranges::sort_distinct(of_relation);
    for (const std::string& domain : of_relation) domains[domain].push_back(asked);
    cardinality[is_one_to_one(relation) ? "1:1" : "N:1"].push_back(asked);
    metrics.relations.emplace_back(
        relation.code,
        group_metrics({asked}, Weighting::facts, bootstrap, name + "/relation/" + relation.code));
  }
  metrics.overall = group_metrics(relations, Weighting::facts, bootstrap, name + "/overall");
  metrics.overall_unweighted =
      group_metrics(relations, Weighting::relations, bootstrap, name + "/overall_unweighted");
  for (const auto& [domain, group] : domains) {
    const std::string seed = name + "/domain/" + domain;
    metrics.domains[domain] = {
        group_metrics(group, Weighting::facts, bootstrap, seed),
        accuracy_of(group, Weighting::divided_support, bootstrap, seed + "/divided"),
        accuracy_first_wins_of(group, Weighting::divided_support, bootstrap, seed + "/divided")};
  }
  for (const auto& [kind, group] : cardinality) {
    metrics.cardinality[kind] =
        group_metrics(group, Weighting::facts, bootstrap, name + "/cardinality/" + kind);
  }
  return metrics;
}

/// The indices of the templates that any relation uses, in ascending order.
[[nodiscard]] inline std::vector<std::size_t> scored_templates(
    const std::vector<RelationAnswers>& all) {
  std::vector<std::size_t> templates;
  for (const RelationAnswers& table : all) {
    for (const Setting& setting : table.settings) {
      if (setting.method == "template") templates.push_back(setting.variant);
    }
  }
  ranges::sort_distinct(templates);
  return templates;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
