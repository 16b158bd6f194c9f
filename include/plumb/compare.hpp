// SPDX-License-Identifier: Apache-2.0
#pragma once

// Does a model still know the facts that another model, or the same model with another kernel,
// knows?
//
//   const plumb::AnswerComparison apart = plumb::compare(reference, quantised);
//   apart.worst_nats, apart.lost, apart.accuracy.difference
//
// Run: examples/hold_a_kernel.cpp.

#include <cstddef>
#include <cstdint>

#include "plumb/detail/aggregate/answer_comparison.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

struct CompareOptions {
  /// Seed of the bootstrap over facts.
  std::uint64_t seed = 0;
  std::size_t resamples = 1000;
};

/// Compares two sets of answers to the same facts: the worst and the mean difference in
/// log-likelihood, the location of the worst difference, the changed answers, the facts that the
/// second set lost or gained relative to the first, and the paired difference in accuracy (first
/// minus second) with its interval. Throws a user error if the two sets were scored differently, if
/// a fact has different candidates in the two, or if they share no facts.
[[nodiscard]] inline AnswerComparison compare(const Answers& first, const Answers& second,
                                              const CompareOptions& options = {}) {
  return compare_pair(first, second, {options.seed, options.resamples});
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail

namespace plumb {

using detail::AnswerComparison;
using detail::compare;
using detail::CompareOptions;

}  // namespace plumb
