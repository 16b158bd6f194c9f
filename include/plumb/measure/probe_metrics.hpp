// SPDX-License-Identifier: Apache-2.0
#pragma once

// How well does the model know the facts, by relation, domain, cardinality and over all?
//
//   accuracy   share of facts whose best-scored option is the right one; a tie of n for the best, the
//              right option among them, counts 1/n (measure/rank.hpp)
//   accuracy (first wins)   the same where the first of a tie is the answer, as in lm-pub-quiz
//   Hit@k      share of facts whose right option is among the k best, a tie counting the share of its
//              orders in which it is; there is none where no relation of the group has k options, and
//              one with fewer always hits
//   mean rank, mean reciprocal rank   of the right option, realistic ranks
// A group's number is a plain mean over its facts ("weighted": each fact counts once) but for two:
// the unweighted overall, which is the mean over relations, and a domain's divided-support
// accuracies, which count a fact 1/d times when its relation has d domains, as lm-pub-quiz
// accumulates domains. A fact with several templates counts once, with the mean over them. Shares
// of facts have Wilson's interval with the facts as trials, which is on the wide side where
// templates differ, and over relations of their own weight that of measure/clustered_share.hpp; the
// other numbers are bootstrapped over facts.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumb/core/over.hpp"
#include "plumb/data/dataset.hpp"
#include "plumb/measure/answer_rank.hpp"
#include "plumb/measure/clustered_share.hpp"
#include "plumb/measure/interval.hpp"

namespace plumb {

inline constexpr std::array<std::size_t, 4> hit_levels{1, 3, 5, 10};

/// A relation's facts in file order, each with its rank under every template that was scored.
struct RelationRanks {
  std::string code;
  std::vector<std::string> domains;
  bool one_to_one = false;
  std::size_t options = 0;
  /// Template indices, ascending; ranks[fact][i] belongs to templates[i].
  std::vector<std::size_t> templates;
  std::vector<std::vector<AnswerRank>> ranks;
  /// The right option of each fact; empty where only ranks are known.
  std::vector<std::size_t> answers{};
};

/// The numbers of one group of facts.
struct GroupMetrics {
  std::size_t relations = 0;
  std::size_t facts = 0;
  Estimate accuracy;
  Estimate accuracy_first_wins;
  std::array<Estimate, hit_levels.size()>
      hits;  // by hit_levels; count 0 where no relation has k options
  Estimate mean_rank;
  Estimate mean_reciprocal_rank;
  /// Rows (fact × template) where the best score is shared, and where the answer's is.
  TieCount ties_for_best;
  std::size_t ties_with_answer = 0;
};

enum class Weighting { facts, relations, divided_support };

namespace detail {

/// The estimate of one number over a group, `of(rank)` a value for each row.
template <class Of>
Estimate estimate(const std::vector<const RelationRanks*>& group, bool proportion,
                  Weighting weighting, const Bootstrap& bootstrap, const std::string& name, Of of) {
  std::vector<Stratum> strata;
  double total = 0;
  for (const RelationRanks* relation : group) {
    if (relation->ranks.empty()) continue;
    Stratum& stratum = strata.emplace_back();
    for (const auto& rows : relation->ranks) {
      double sum = 0;
      for (const AnswerRank& rank : rows) sum += of(rank);
      stratum.values.push_back(sum / static_cast<double>(rows.size()));
    }
    const double facts = static_cast<double>(stratum.values.size());
    const double domains = static_cast<double>(std::max<std::size_t>(1, relation->domains.size()));
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

}  // namespace detail

[[nodiscard]] inline Estimate accuracy_of(const std::vector<const RelationRanks*>& group,
                                          Weighting weighting, const Bootstrap& bootstrap,
                                          const std::string& name) {
  return detail::estimate(group, true, weighting, bootstrap, name + "/accuracy",
                          [](const AnswerRank& rank) { return rank.expected_accuracy(); });
}

/// The same where the first of a tie is the answer; without ties it is the same number.
[[nodiscard]] inline Estimate accuracy_first_wins_of(const std::vector<const RelationRanks*>& group,
                                                     Weighting weighting,
                                                     const Bootstrap& bootstrap,
                                                     const std::string& name) {
  return detail::estimate(group, true, weighting, bootstrap, name + "/accuracy",
                          [](const AnswerRank& rank) { return rank.first_is_answer ? 1.0 : 0.0; });
}

/// All numbers of a group of relations. `name` seeds the bootstrap.
[[nodiscard]] inline GroupMetrics group_metrics(const std::vector<const RelationRanks*>& group,
                                                Weighting weighting, const Bootstrap& bootstrap,
                                                const std::string& name) {
  GroupMetrics metrics;
  std::size_t most_options = 0;
  for (const RelationRanks* relation : group) {
    most_options = std::max(most_options, relation->options);
    ++metrics.relations;
    metrics.facts += relation->ranks.size();
    for (const auto& rows : relation->ranks) {
      for (const AnswerRank& rank : rows) {
        metrics.ties_for_best.add(rank.tie() != BestTie::none);
        metrics.ties_with_answer += rank.equal > 0 ? 1U : 0U;
      }
    }
  }
  const auto over = [&](bool proportion, const std::string& what, auto of) {
    return detail::estimate(group, proportion, weighting, bootstrap, name + "/" + what, of);
  };
  metrics.accuracy = accuracy_of(group, weighting, bootstrap, name);
  metrics.accuracy_first_wins = accuracy_first_wins_of(group, weighting, bootstrap, name);
  for (std::size_t i = 0; i < hit_levels.size(); ++i) {
    if (hit_levels[i] > most_options) continue;
    const std::size_t k = hit_levels[i];
    metrics.hits[i] = over(true, "hits@" + std::to_string(k),
                           [k](const AnswerRank& r) { return r.expected_hit(k); });
  }
  metrics.mean_rank = over(false, "mean_rank", [](const AnswerRank& r) { return r.realistic(); });
  metrics.mean_reciprocal_rank =
      over(false, "mean_reciprocal_rank", [](const AnswerRank& r) { return 1 / r.realistic(); });
  return metrics;
}

/// The relations that were scored under the template, with its ranks alone.
[[nodiscard]] inline std::vector<RelationRanks> only_template(const std::vector<RelationRanks>& all,
                                                              std::size_t template_index) {
  std::vector<RelationRanks> chosen;
  for (const RelationRanks& relation : all) {
    const auto found = over::find(relation.templates, template_index);
    if (found == relation.templates.end()) continue;
    const auto place = static_cast<std::size_t>(found - relation.templates.begin());
    RelationRanks& one = chosen.emplace_back(RelationRanks{relation.code,
                                                           relation.domains,
                                                           relation.one_to_one,
                                                           relation.options,
                                                           {template_index},
                                                           {},
                                                           relation.answers});
    for (const auto& rows : relation.ranks) one.ranks.push_back({rows[place]});
  }
  return chosen;
}

/// A domain's numbers, and its accuracies as lm-pub-quiz accumulates them.
struct DomainMetrics {
  GroupMetrics metrics;
  Estimate divided_support;
  Estimate divided_support_first_wins;
};

/// Every grouping of a set of ranks.
struct ProbeMetrics {
  GroupMetrics overall;
  GroupMetrics overall_unweighted;
  /// In the order of the run.
  std::vector<std::pair<std::string, GroupMetrics>> relations;
  /// By name.
  std::map<std::string, DomainMetrics> domains;
  /// "1:1" and "N:1".
  std::map<std::string, GroupMetrics> cardinality;
};

[[nodiscard]] inline ProbeMetrics probe_metrics(const std::vector<RelationRanks>& relations,
                                                const Bootstrap& bootstrap,
                                                const std::string& name) {
  ProbeMetrics metrics;
  std::vector<const RelationRanks*> all;
  std::map<std::string, std::vector<const RelationRanks*>> domains;
  std::map<std::string, std::vector<const RelationRanks*>> cardinality;
  for (const RelationRanks& relation : relations) {
    all.push_back(&relation);
    for (const std::string& domain : relation.domains) domains[domain].push_back(&relation);
    cardinality[relation.one_to_one ? "1:1" : "N:1"].push_back(&relation);
    metrics.relations.emplace_back(relation.code,
                                   group_metrics({&relation}, Weighting::facts, bootstrap,
                                                 name + "/relation/" + relation.code));
  }
  metrics.overall = group_metrics(all, Weighting::facts, bootstrap, name + "/overall");
  metrics.overall_unweighted =
      group_metrics(all, Weighting::relations, bootstrap, name + "/overall_unweighted");
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

/// The template indices any relation was scored under, ascending.
[[nodiscard]] inline std::vector<std::size_t> scored_templates(
    const std::vector<RelationRanks>& all) {
  std::vector<std::size_t> templates;
  for (const RelationRanks& relation : all) {
    templates.insert(templates.end(), relation.templates.begin(), relation.templates.end());
  }
  over::sort_distinct(templates);
  return templates;
}

}  // namespace plumb
