// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which confidence estimators do these results allow?
//
// The list for tables: Base, Margin, Average and Consistency under every policy, Weighted if
// templates have weights, Sampled if generated answers were sampled, and each marker. `named` turns
// a user's own estimator into an entry of such a list.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A type-erased estimator, so that a list can contain estimators of different types.
struct NamedEstimator {
  std::string name;
  std::function<std::vector<Judgement>(std::span<const RelationPredictions>)> judge;
  /// Throws a user error for a relation that it cannot judge.
  std::function<void(const RelationPredictions&)> check;
  bool discrete = false;
};

template <ConfidenceEstimator Estimator>
NamedEstimator named(Estimator estimator, bool discrete = false) {
  const std::string name = estimator.name();
  return {name,
          [calibrator = Calibrator(estimator)](std::span<const RelationPredictions> relations) {
            return calibrator.judge(relations);
          },
          [estimator](const RelationPredictions& relation) { (estimator.check)(relation); },
          discrete};
}

/// Markers that occur in any relation: verbal ones first, then numerical ones by their number.
[[nodiscard]] inline std::vector<std::string> markers_of(
    const std::vector<RelationPredictions>& relations) {
  std::vector<std::pair<std::pair<TemplateKind, int>, std::string>> found;
  for (const RelationPredictions& relation : relations) {
    for (std::size_t t = relation.paraphrases; t < relation.roles.size(); ++t) {
      const TemplateRole& role = relation.roles[t];
      int number = 0;
      for (const char c : role.marker) {
        if (c >= '0' && c <= '9') number = number * 10 + (c - '0');
      }
      if (role.marker == verbalized_markers[1]) number = 1;  // possibly before certainly
      const std::pair entry{std::pair{role.kind, number}, role.marker};
      if (ranges::find(found, entry) == found.end()) found.push_back(entry);
    }
  }
  ranges::sort(found);
  std::vector<std::string> markers;
  for (const auto& [order, marker] : found) markers.push_back(marker);
  return markers;
}

/// Every estimator, in the order used in tables. The number of votes needed to win ranges from 2 to
/// the smallest number of paraphrases of any relation; numbers above six are skipped, except for
/// this smallest number.
[[nodiscard]] inline std::vector<NamedEstimator> all_estimators(
    const std::vector<RelationPredictions>& relations) {
  std::size_t fewest = relations.empty() ? 0 : relations.front().paraphrases;
  for (const auto& relation : relations) fewest = (std::min)(fewest, relation.paraphrases);
  fewest = std::max<std::size_t>(fewest, 2);
  std::vector<NamedEstimator> all{named(Base{}), named(Margin{})};
  const auto votes = [&](auto add) {
    for (std::size_t k = 2; k <= fewest; ++k) {
      if (k <= 6 || k == fewest) add(Vote{k});
    }
  };
  votes([&](Vote vote) { all.push_back(named(Average(vote))); });
  all.push_back(named(Average(MinConfidence{})));
  all.push_back(named(Average(MaxConfidence{})));
  if (ranges::any_of(relations, [](const auto& one) { return !one.weighted.empty(); })) {
    all.push_back(named(Weighted{}));
  }
  if (ranges::any_of(relations, [](const auto& one) { return !one.sampled.empty(); })) {
    all.push_back(named(Sampled{}));
  }
  votes([&](Vote vote) { all.push_back(named(Consistency(vote), true)); });
  all.push_back(named(Consistency(MinConfidence{}), true));
  all.push_back(named(Consistency(MaxConfidence{}), true));
  for (const std::string& marker : markers_of(relations)) all.push_back(named(Marked(marker)));
  return all;
}

/// The requested estimators, or all if `wanted` is empty. An estimator that cannot be computed is
/// omitted with a remark, or causes a user error if it was requested by name.
[[nodiscard]] inline std::vector<NamedEstimator> chosen_estimators(
    const std::vector<RelationPredictions>& relations, const std::vector<std::string>& wanted,
    std::vector<std::string>& remarks) {
  std::vector<NamedEstimator> chosen;
  for (NamedEstimator& estimator : all_estimators(relations)) {
    const bool named = ranges::find(wanted, estimator.name) != wanted.end();
    if (!wanted.empty() && !named) continue;
    try {
      for (const RelationPredictions& relation : relations) (estimator.check)(relation);
    } catch (const Error& error) {
      if (named || error.fault() != Fault::user) throw;
      const bool several = estimator.name.find('_') != std::string::npos;
      const std::string remark =
          several ? "Average and Consistency are left out: they need at least two paraphrases in "
                    "every relation."
          : estimator.name == "weighted"
              ? "Weighted is left out: not every relation has weighted templates."
          : estimator.name == "sampled" ? "Sampled is left out: not every fact has sampled answers."
          : estimator.name == "margin"
              ? "Margin is left out: answers without a closed set have no other options."
              : "Marker “" + estimator.name +
                    "” is left out of the estimators: not every relation has it. The marker "
                    "effects cover the relations that do.";
      if (ranges::find(remarks, remark) == remarks.end()) remarks.push_back(remark);
      continue;
    }
    chosen.push_back(std::move(estimator));
  }
  for (const std::string& name : wanted) {
    if (ranges::find(chosen, name, &NamedEstimator::name) != chosen.end()) continue;
    throw user_error({.setting = "estimators"},
                     "'" + name + "' is not an estimator of these results",
                     "choose from " + text_list(chosen_estimators(relations, {}, remarks),
                                                &NamedEstimator::name));
  }
  return chosen;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
