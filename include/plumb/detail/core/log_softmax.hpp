// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the log-probability of a token, given a row of logits?
//
//   log P(t) = x_t − log Σ_v exp(x_v)
// The sum runs over tens of thousands of floats for each token of every statement, so it is done in
// float with Eigen's vector exp and added up in double over short blocks: the result is within 1e-6
// nats of the sum in double (tested), far below what F32 weights leave undecided.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"

namespace plumb::detail {

/// log Σ exp over a row of finite logits (minus infinity counts as probability zero). Minus
/// infinity for an empty row; NaN when the row holds one.
[[nodiscard]] inline double log_sum_exp(std::span<const float> logits) {
  if (logits.empty()) return -std::numeric_limits<double>::infinity();
  using Row = Eigen::Map<const Eigen::ArrayXf>;
  constexpr std::size_t block = 1024;
  const Row all(logits.data(), static_cast<Eigen::Index>(logits.size()));
  const float highest = all.maxCoeff<Eigen::PropagateNaN>();
  if (!std::isfinite(highest)) return static_cast<double>(highest);
  double sum = 0;
  for (std::size_t at = 0; at < logits.size(); at += block) {
    const Row part(logits.data() + at,
                   static_cast<Eigen::Index>((std::min)(block, logits.size() - at)));
    sum += static_cast<double>((part - highest).exp().sum());
  }
  return static_cast<double>(highest) + std::log(sum);
}

/// log P(token) of a row whose log_sum_exp is `normalizer`. Throws a user error for a token that the
/// row has no logit of.
[[nodiscard]] inline double log_probability(std::span<const float> logits, TokenId token,
                                            double normalizer) {
  check_in_vocabulary(token, logits.size());
  return static_cast<double>(logits[static_cast<std::size_t>(token)]) - normalizer;
}

}  // namespace plumb::detail
