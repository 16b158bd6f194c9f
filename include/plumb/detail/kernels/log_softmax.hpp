// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the log-probability of a token, given a row of logits?
//
//   log P(t) = x_t − log Σ_v exp(x_v)
// The sum runs over tens of thousands of floats for each token of every statement. It is therefore
// computed in float within short blocks, many numbers at a time, and the sums of the blocks are
// added in double. The result is within 1e-6 nats of the sum in double (tested), far below the
// error of F32 weights.

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/token.hpp"
#include "plumb/detail/kernels/row_kernels.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// log Σ exp over a row of logits, each of which is finite or minus infinity (a probability of
/// zero). Returns minus infinity for an empty row, and NaN if the row contains NaN.
[[nodiscard]] inline double log_sum_exp(std::span<const float> logits) {
  if (logits.empty()) return -std::numeric_limits<double>::infinity();
  const float highest = row_kernels().highest(logits.data(), logits.size());
  if (!std::isfinite(highest)) return static_cast<double>(highest);
  return static_cast<double>(highest) +
         std::log(row_kernels().exp_sum(logits.data(), logits.size(), highest));
}

/// log P(token) for a row whose log_sum_exp is `normalizer`. Throws a user error if the row has no
/// logit for the token.
[[nodiscard]] inline double log_probability(std::span<const float> logits, TokenId token,
                                            double normalizer) {
  check_in_vocabulary(token, logits.size());
  return static_cast<double>(logits[static_cast<std::size_t>(token)]) - normalizer;
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
