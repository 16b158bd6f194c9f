// SPDX-License-Identifier: Apache-2.0
#pragma once

// How does calibration depend on accuracy and on the training objective across several models?
//
// Calibration tends to improve with accuracy (Kissling et al., section 5.3), so their correlation
// is reported. Causal and masked models are compared in pairs of similar accuracy. The two closest
// models are paired first; each model is used once, and pairs with too large a gap are not allowed.
// The domain in which a pair's models are closest is also reported. Source: section 6, Tables 2 and
// 5. The paper does not explain how its pairs were found; this rule finds the same pairs. If there
// is exactly one causal and one masked model, they form a pair regardless of their gap. Accuracies
// are means over paraphrases.

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plumb/detail/calibrate/calibration_study.hpp"
#include "plumb/detail/calibrate/model_calibration.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/correlation.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Indices into the two lists that are matched.
struct ModelPair {
  std::size_t causal = 0;
  std::size_t masked = 0;
};

/// The largest allowed gap in accuracy when there are several models; the paper's pairs are closer.
inline constexpr double largest_gap_of_pairs = 0.02;

/// Pairs in ascending order of their gap in accuracy (fractions in [0, 1]); ties go to lower
/// indices.
[[nodiscard]] inline std::vector<ModelPair> match_by_accuracy(
    std::span<const double> causal, std::span<const double> masked,
    double largest_gap = largest_gap_of_pairs) {
  std::vector<std::tuple<double, std::size_t, std::size_t>> gaps;
  for (std::size_t c = 0; c < causal.size(); ++c) {
    for (std::size_t m = 0; m < masked.size(); ++m) {
      const double gap = std::abs(causal[c] - masked[m]);
      if (gap <= largest_gap) gaps.emplace_back(gap, c, m);
    }
  }
  ranges::sort(gaps);
  std::vector<ModelPair> pairs;
  for (const auto& gap : gaps) {
    const ModelPair next{std::get<1>(gap), std::get<2>(gap)};
    const bool taken = ranges::any_of(pairs, [&](const ModelPair& made) {
      return made.causal == next.causal || made.masked == next.masked;
    });
    if (!taken) pairs.push_back(next);
  }
  return pairs;
}

/// The domain with the smallest gap among those in both maps (name → accuracy); if gaps are equal,
/// the first by name. Empty if the maps share no domain.
[[nodiscard]] inline std::string closest_domain(const std::map<std::string, double>& one,
                                                const std::map<std::string, double>& other) {
  std::string closest;
  double smallest = 0;
  for (const auto& [domain, accuracy] : one) {
    const auto found = other.find(domain);
    if (found == other.end()) continue;
    const double gap = std::abs(accuracy - found->second);
    if (closest.empty() || gap < smallest) {
      closest = domain;
      smallest = gap;
    }
  }
  return closest;
}

/// One causal and one masked model of similar accuracy; indices into the models.
struct MatchedModels {
  std::size_t causal = 0;
  std::size_t masked = 0;
  /// The domain in which the two are closest; empty if no domains are known.
  std::string domain;
};

/// By how much the second model's errors exceed the first model's, over the same resamples of the
/// facts that both answered. Models are given as indices.
struct CalibrationDifference {
  std::size_t first = 0;
  std::size_t second = 0;
  std::string estimator;
  /// Second minus first, with paired intervals.
  Estimate ace, brier;
};

struct ModelComparison {
  /// For each estimator, Pearson's r between ACE and accuracy over the models that have the
  /// estimator.
  std::vector<std::pair<std::string, Estimate>> correlation;
  std::vector<MatchedModels> pairs;
  /// Differences between models that answered the same facts.
  std::vector<CalibrationDifference> differences;
};

/// The estimators whose differences between models are shown, if the models have them.
inline constexpr std::array<const char*, 3> compared_estimators{"base", "margin", "average_min"};

/// The differences for each pair of models that answered the same facts.
[[nodiscard]] inline std::vector<CalibrationDifference> calibration_differences(
    const std::vector<ModelCalibration>& models) {
  std::vector<CalibrationDifference> made;
  const auto rise = [](const Draws& first, const Draws& second) {
    return combine([](double a, double b) { return b - a; }, first, second)
        .within(-1, 1)
        .estimate();
  };
  for (std::size_t a = 0; a < models.size(); ++a) {
    for (std::size_t b = a + 1; b < models.size(); ++b) {
      if (models[a].facts_hash != models[b].facts_hash) continue;
      for (const char* name : compared_estimators) {
        const EstimatorResult* first = models[a].estimator(name);
        const EstimatorResult* second = models[b].estimator(name);
        if (first == nullptr || second == nullptr) continue;
        made.push_back(
            {a, b, name, rise(first->ace, second->ace), rise(first->brier, second->brier)});
      }
    }
  }
  return made;
}

/// `masked[i]` is true if models[i] is a masked model.
[[nodiscard]] inline ModelComparison compare_models(const std::vector<ModelCalibration>& models,
                                                    const std::vector<bool>& masked) {
  ModelComparison comparison;
  for (const std::string& name : estimator_names(models)) {
    std::vector<double> accuracy, error;
    for (const ModelCalibration& model : models) {
      const EstimatorResult* made = model.estimator(name);
      if (made == nullptr || estimate_of(made->metrics, CalibrationMetric::ace).count == 0)
        continue;
      accuracy.push_back(model.paraphrase_accuracy.value);
      error.push_back(estimate_of(made->metrics, CalibrationMetric::ace).value);
    }
    const Estimate r = pearson(accuracy, error);
    if (r.count > 0) comparison.correlation.emplace_back(name, r);
  }
  comparison.differences = calibration_differences(models);
  std::array<std::vector<std::size_t>, 2> kinds;
  std::array<std::vector<double>, 2> accuracies;
  for (std::size_t i = 0; i < models.size(); ++i) {
    kinds[masked[i] ? 1 : 0].push_back(i);
    accuracies[masked[i] ? 1 : 0].push_back(models[i].paraphrase_accuracy.value);
  }
  const auto domains = [](const ModelCalibration& model) {
    std::map<std::string, double> values;
    for (const auto& [name, accuracy] : model.domain_accuracy) {
      if (accuracy.exists()) values[name] = accuracy.value;
    }
    return values;
  };
  const bool only_two = kinds[0].size() == 1 && kinds[1].size() == 1;
  for (const auto& [c, m] :
       match_by_accuracy(accuracies[0], accuracies[1], only_two ? 1 : largest_gap_of_pairs)) {
    const std::size_t causal = kinds[0][c];
    const std::size_t other = kinds[1][m];
    comparison.pairs.push_back(
        {causal, other, closest_domain(domains(models[causal]), domains(models[other]))});
  }
  return comparison;
}

/// Means over models, with equal weight for each model. The numbers have no interval, since models
/// are not a sample; the count of each number is the number of models that have it.
struct KindMeans {
  /// "all", "causal" or "masked".
  std::string kind;
  std::size_t models = 0;
  /// Every marker and every reduction that any of the models has.
  std::vector<MarkerEffect> markers{};
  std::vector<ReductionResult> reductions{};
};

/// The mean of a number over the rows of several models.
template <class Row>
[[nodiscard]] Estimate mean_over_models(const std::vector<const Row*>& rows,
                                        Estimate Row::*number) {
  double sum = 0;
  std::size_t count = 0;
  for (const Row* row : rows) {
    if (!(row->*number).exists()) continue;
    sum += (row->*number).value;
    ++count;
  }
  return count == 0 ? Estimate{} : without_interval(sum / static_cast<double>(count), count);
}

/// The means over all models and, if there are both causal and masked models, over each of these
/// two kinds. Source: Kissling et al., Figures 6, 8 and 11.
[[nodiscard]] inline std::vector<KindMeans> means_by_kind(
    const std::vector<ModelCalibration>& models, const std::vector<bool>& masked) {
  const auto of = [&](const std::string& kind, auto is_in) {
    KindMeans made{kind};
    std::vector<std::pair<std::string, std::vector<const MarkerEffect*>>> markers;
    std::vector<std::pair<Scoring, std::vector<const ReductionResult*>>> reductions;
    const auto add = [](auto& lists, const auto& key, const auto& row) {
      auto known = ranges::find_if(lists, [&](const auto& list) { return list.first == key; });
      if (known == lists.end()) known = lists.insert(lists.end(), {key, {}});
      known->second.push_back(&row);
    };
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (!is_in(i)) continue;
      ++made.models;
      for (const MarkerEffect& one : models[i].markers) add(markers, one.marker, one);
      for (const ReductionResult& one : models[i].reductions) add(reductions, one.scoring, one);
    }
    for (const auto& [marker, rows] : markers) {
      made.markers.push_back({marker, 0, mean_over_models(rows, &MarkerEffect::accuracy),
                              mean_over_models(rows, &MarkerEffect::ace),
                              mean_over_models(rows, &MarkerEffect::brier)});
    }
    for (const auto& [scoring, rows] : reductions) {
      made.reductions.push_back({scoring, mean_over_models(rows, &ReductionResult::accuracy),
                                 mean_over_models(rows, &ReductionResult::ace),
                                 mean_over_models(rows, &ReductionResult::harmonic_mean)});
    }
    return made;
  };
  std::vector<KindMeans> all{of("all", [](std::size_t) { return true; })};
  KindMeans causal = of("causal", [&](std::size_t i) { return !masked[i]; });
  KindMeans other = of("masked", [&](std::size_t i) { return bool(masked[i]); });
  if (causal.models > 0 && other.models > 0) {
    all.push_back(std::move(causal));
    all.push_back(std::move(other));
  }
  return all;
}

/// All calibration results for one or more models.
struct CalibrationResults {
  std::vector<ModelCalibration> models;
  /// Parallel to the models: whether each model is a masked language model.
  std::vector<bool> masked;
  ModelComparison comparison;
  StudyOptions options;
  /// Remarks that concern all models together.
  std::vector<std::string> remarks{};
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
