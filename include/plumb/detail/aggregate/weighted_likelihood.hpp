// SPDX-License-Identifier: Apache-2.0
#pragma once

// How likely is each option under all templates together, if each template has a weight?
//
//   ℓ(y | x) = Σ_t w_t ℓ_t(y | x) / Σ_t w_t
// The sums are over the templates t that have a weight w_t and were scored. Source: Jiang et al.
// 2020 (LPAQA), "How Can We Know What Language Models Know?", the equation for the prompt ensemble.
// The paper's weights come from training; equal weights result in the plain mean over prompts. The
// paper's ℓ_t is the log-softmax over the vocabulary for one masked token; here, ℓ_t is the score
// that the probe assigned to an option, regardless of its reduction. In contrast to a vote
// (aggregator.hpp), this needs every option's score under every template. Non-goal: learning the
// weights.

#include <cstddef>
#include <span>
#include <vector>

#include "plumb/detail/core/error.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Adds up the scores of one fact's options, template by template. Use a new object for each fact.
/// Not thread-safe.
class WeightedLikelihood {
 public:
  /// Adds one template's scores: log-likelihoods in nats, one for each option. `weight` must be at
  /// least 0; a template with weight 0 has no effect. Throws an internal error if the number of
  /// options differs from the number for earlier templates.
  void add(std::span<const double> scores, double weight) {
    if (!(weight > 0)) return;
    if (sums_.empty()) sums_.assign(scores.size(), 0.0);
    if (sums_.size() != scores.size()) {
      throw internal_error({}, "templates of one fact were scored with different options");
    }
    for (std::size_t i = 0; i < scores.size(); ++i) sums_[i] += weight * scores[i];
    weight_ += weight;
  }

  /// Weighted means in nats, by option; empty if no template has a weight above 0.
  [[nodiscard]] std::vector<double> scores() const {
    std::vector<double> means = sums_;
    for (double& mean : means) mean /= weight_;
    return means;
  }

 private:
  std::vector<double> sums_;
  double weight_ = 0;
};

/// A template's weight in a relation's list of weights; 0 if it is not in the list.
[[nodiscard]] inline double weight_of(std::span<const double> weights, std::size_t template_index) {
  return template_index < weights.size() ? weights[template_index] : 0.0;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
