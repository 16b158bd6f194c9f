// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each option by all templates together, each by its weight?
//
//   ℓ(y | x) = Σ_t w_t ℓ_t(y | x) / Σ_t w_t
// over the templates t that have a weight w_t and were scored. Source: Jiang et al. 2020 (LPAQA),
// "How Can We Know What Language Models Know?", equation for the prompt ensemble; their weights come
// from training, and equal weights make the plain mean over prompts. They normalise ℓ_t by a softmax
// over the vocabulary, as a score of one masked token; here ℓ_t is whatever the probe scored an
// option by. Unlike a vote (aggregator.hpp) this needs every option's score under every template.
// Non-goal: learning the weights.

#include <cstddef>
#include <span>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Adds the scores of one fact's options up, template by template. Not thread-safe; one for each
/// fact.
class WeightedLikelihood {
 public:
  /// One template's scores, log-likelihoods in nats, one for each option; `weight` is at least 0. A
  /// template that weighs nothing changes nothing. Throws an internal error when the number of
  /// options is not that of the templates before.
  void add(std::span<const double> scores, double weight) {
    if (!(weight > 0)) return;
    if (sums_.empty()) sums_.assign(scores.size(), 0.0);
    if (sums_.size() != scores.size()) {
      throw internal_error({}, "templates of one fact were scored with different options");
    }
    for (std::size_t i = 0; i < scores.size(); ++i) sums_[i] += weight * scores[i];
    weight_ += weight;
  }

  /// Weighted means in nats, by option; empty where no template weighs anything.
  [[nodiscard]] std::vector<double> scores() const {
    std::vector<double> means = sums_;
    for (double& mean : means) mean /= weight_;
    return means;
  }

 private:
  std::vector<double> sums_;
  double weight_ = 0;
};

/// What a template weighs in a relation's list of weights: nothing where it is not in it.
[[nodiscard]] inline double weight_of(std::span<const double> weights, std::size_t template_index) {
  return template_index < weights.size() ? weights[template_index] : 0.0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
