// SPDX-License-Identifier: Apache-2.0
#pragma once

// How do confidence, accuracy and calibration depend on the number of options?
//
// For each fact of a 1:1 relation, k candidates are sampled, always including the answer, and the
// softmax is computed over these k. The mean over three seeded samplings is reported. Within each
// sampling, smaller sets are subsets of larger ones. Nothing is scored again. Source: Kissling et
// al., section 5.4 and Figure 5.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/aggregate/scored_model.hpp"
#include "plumb/detail/calibrate/calibrator.hpp"
#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct OptionCountPoint {
  std::size_t options = 0;
  std::size_t facts = 0;
  Estimate confidence;
  Estimate accuracy;
  Estimate ace;
};

inline constexpr std::size_t option_samplings = 3;

/// 2, 3, 4, 5, then every fifth number, and the largest.
[[nodiscard]] inline std::vector<std::size_t> option_counts(std::size_t most) {
  std::vector<std::size_t> counts;
  for (std::size_t k = 2; k < most; k += k < 5 ? 1 : 5) counts.push_back(k);
  if (most >= 2) counts.push_back(most);
  return counts;
}

/// The options in sampling order: the answer, then the others at random.
inline std::vector<std::size_t> sampled_options(const Relation& relation, const Fact& fact,
                                                std::uint64_t seed, std::size_t sampling) {
  std::vector<std::size_t> order(relation.options.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::swap(order[0], order[fact.answer]);
  RandomStream random(seed, "options/" + relation.code + "/" + std::to_string(fact.instance) + "/" +
                                std::to_string(sampling));
  random.shuffle(std::span(order).subspan(1));
  return order;
}

/// The points for each count up to the number of options of the smallest 1:1 relation; empty if
/// there is no 1:1 relation. Relations whose facts have their own choices are excluded.
[[nodiscard]] inline std::vector<OptionCountPoint> option_count_curve(const ScoredModel& model,
                                                                      std::size_t bins,
                                                                      const Bootstrap& bootstrap) {
  std::vector<std::size_t> chosen, strata;
  std::size_t most = 0;
  const auto& relations = model.predictions.relations;
  for (std::size_t r = 0; r < relations.size(); ++r) {
    if (!is_one_to_one(relations[r].relation) || relations[r].facts() == 0) continue;
    if (!relations[r].relation.facts.front().choices.empty()) continue;
    if (!model.base[r].has_all_options()) continue;
    const std::size_t options = relations[r].relation.options.size();
    most = chosen.empty() ? options : (std::min)(most, options);
    chosen.push_back(r);
    strata.push_back(relations[r].facts());
  }
  const std::vector<std::size_t> counts = option_counts(most);
  if (chosen.empty() || counts.empty()) return {};
  const Resamples resamples(strata, bootstrap, "bootstrap/options");
  std::vector<std::array<std::vector<Judgement>, option_samplings>> judged(counts.size());
  std::vector<double> subset;
  for (const std::size_t r : chosen) {
    const Relation& relation = relations[r].relation;
    for (std::size_t f = 0; f < relation.facts.size(); ++f) {
      const std::span<const double> scores = model.base[r].of(relation, f);
      for (std::size_t sampling = 0; sampling < option_samplings; ++sampling) {
        const auto order =
            detail::sampled_options(relation, relation.facts[f], bootstrap.seed, sampling);
        for (std::size_t c = 0; c < counts.size(); ++c) {
          std::vector<std::size_t> taken(order.begin(),
                                         order.begin() + static_cast<std::ptrdiff_t>(counts[c]));
          ranges::sort(taken);
          subset.clear();
          for (const std::size_t option : taken) subset.push_back(scores[option]);
          const auto answer = ranges::lower_bound(taken, relation.facts[f].answer);
          const Prediction made = predict(subset, static_cast<std::size_t>(answer - taken.begin()));
          judged[c][sampling].push_back({made.confidence, made.correct});
        }
      }
    }
  }
  std::vector<OptionCountPoint> curve;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    std::vector<Calibration> samplings;
    for (const auto& judgements : judged[c]) {
      samplings.push_back(calibration_of(judgements, bins, resamples));
    }
    const auto mean = [&](CalibrationMetric metric) {
      const auto of = [](auto... values) { return (values + ...) / sizeof...(values); };
      return combine(of, samplings[0].draws(metric), samplings[1].draws(metric),
                     samplings[2].draws(metric))
          .within(0, 1)
          .estimate();
    };
    using enum CalibrationMetric;
    const std::size_t facts = judged[c][0].size();
    double right = 0;
    for (const Calibration& made : samplings) {
      right += made.point[accuracy] / static_cast<double>(samplings.size());
    }
    curve.push_back(
        {counts[c], facts, mean(mean_confidence), wilson_share(right, facts), mean(ace)});
  }
  return curve;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
