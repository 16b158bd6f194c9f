// SPDX-License-Identifier: Apache-2.0
#pragma once

// How well does the model know a fact with several correct options?
//
// Let n of the K options be correct, and let p = softmax(ℓ) for log-likelihoods ℓ:
//   precision at n   share of the n best-scored options that are right; options that share a score
//                    count by the share of their orders
//   all above        whether each right option scores above every wrong one
//   set above        whether Σ_right p exceeds p of the best wrong option: compares the probability
//                    of the whole set with that of the best wrong option
//   lead             log Σ_right p − log max_wrong p, in nats
//   Brier            Σ_k (p_k − y_k)², y_k = 1/n for the right options and 0 for the others,
//                    in [0, 2]; with one right option it is that option's one-hot Brier score
// If no option is wrong, there is nothing to distinguish: precision, all above and set above are 1,
// and there is no lead.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/measure/interval.hpp"
#include "plumb/detail/measure/prediction.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct AnswerSetScore {
  double precision = 0;
  bool all_above = false;
  bool set_above = false;
  /// Has no value if no option is wrong.
  double lead = no_number;
  double brier = 0;
};

/// `scores` are finite log-likelihoods; `right` contains the distinct indices of the correct
/// options; there must be at least one.
[[nodiscard]] inline AnswerSetScore score_answer_set(std::span<const double> scores,
                                                     std::span<const std::size_t> right) {
  const std::vector<double> p = softmax(scores);
  std::vector<bool> is_right(scores.size(), false);
  for (const std::size_t option : right) is_right[option] = true;
  const double n = static_cast<double>(right.size());
  AnswerSetScore made;
  double best_right = -std::numeric_limits<double>::infinity();
  double worst_right = std::numeric_limits<double>::infinity();
  double best_wrong = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double wanted = is_right[k] ? 1 / n : 0;
    made.brier += (p[k] - wanted) * (p[k] - wanted);
    if (is_right[k]) {
      best_right = (std::max)(best_right, scores[k]);
      worst_right = (std::min)(worst_right, scores[k]);
    } else {
      best_wrong = (std::max)(best_wrong, scores[k]);
    }
  }
  made.all_above = worst_right > best_wrong;
  // Computed from scores, because probabilities may underflow in double precision.
  double set = 0;
  for (const std::size_t option : right) set += std::exp(scores[option] - best_right);
  const bool some_wrong = right.size() < scores.size();
  if (some_wrong) made.lead = best_right + std::log(set) - best_wrong;
  made.set_above = !some_wrong || made.lead > 0;
  // The score of the n-th best option. All options above this score count fully; options with
  // exactly this score count fractionally.
  std::vector<double> sorted(scores.begin(), scores.end());
  const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(right.size() - 1);
  std::nth_element(sorted.begin(), nth, sorted.end(), [](double a, double b) { return a > b; });
  std::size_t above = 0, at = 0, right_above = 0, right_at = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (scores[k] < *nth) continue;
    (scores[k] > *nth ? above : at) += 1;
    if (is_right[k]) (scores[k] > *nth ? right_above : right_at) += 1;
  }
  const double share = (n - static_cast<double>(above)) / static_cast<double>(at);
  made.precision = (static_cast<double>(right_above) + share * static_cast<double>(right_at)) / n;
  return made;
}

/// The scores of one relation's facts, by fact and template.
using AnswerSetScores = std::vector<std::vector<AnswerSetScore>>;

/// Means over facts. A fact with several templates counts once, with its mean over them.
struct AnswerSetMeans {
  std::size_t facts = 0;
  Estimate precision, all_above, set_above, lead, brier;
};

/// The means over the facts of all relations; each fact counts once. The mean lead is taken over
/// the facts that have a lead; its count is the number of these facts. The intervals of proportions
/// are computed as in measure/clustered_share.hpp. For the intervals of the mean lead and the mean
/// Brier score, facts are resampled within relations, seeded by `name`.
[[nodiscard]] inline AnswerSetMeans answer_set_means(std::span<const AnswerSetScores> relations,
                                                     const Bootstrap& bootstrap,
                                                     const std::string& name) {
  AnswerSetMeans means;
  for (const AnswerSetScores& facts : relations) means.facts += facts.size();
  const auto strata_of = [&](auto of) {
    std::vector<Stratum> strata;
    std::size_t counted = 0;
    for (const AnswerSetScores& facts : relations) {
      if (facts.empty()) continue;
      Stratum& stratum = strata.emplace_back();
      for (const std::vector<AnswerSetScore>& scores : facts) {
        double sum = 0;
        for (const AnswerSetScore& score : scores) sum += of(score);
        const double mean = sum / static_cast<double>(scores.size());
        if (!std::isnan(mean)) stratum.values.push_back(mean);
      }
      counted += stratum.values.size();
      if (stratum.values.empty()) strata.pop_back();
    }
    for (Stratum& stratum : strata) {
      stratum.weight = static_cast<double>(stratum.values.size()) / static_cast<double>(counted);
    }
    return strata;
  };
  const auto share = [&](auto of) { return clustered_share(strata_of(of)); };
  const auto mean = [&](const char* what, auto of) {
    return bootstrap_mean(strata_of(of), bootstrap, name + "/" + what);
  };
  means.precision = share([](const AnswerSetScore& s) { return s.precision; });
  means.all_above = share([](const AnswerSetScore& s) { return s.all_above ? 1.0 : 0.0; });
  means.set_above = share([](const AnswerSetScore& s) { return s.set_above ? 1.0 : 0.0; });
  means.lead = mean("lead", [](const AnswerSetScore& s) { return s.lead; });
  means.brier = mean("brier", [](const AnswerSetScore& s) { return s.brier; });
  return means;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
