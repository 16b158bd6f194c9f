// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the interval of a proportion if facts come in clusters?
//
// The estimate is p = Σ w_s x̄_s over strata s (relations) with n_s facts each. A fact's value is
// in [0, 1]: 1 or 0, or the proportion of its prompts that are answered correctly. The interval is
// Wilson's (measure/interval.hpp), with the number of facts at which a plain proportion would have
// the same variance (the effective sample size of survey statistics):
//   n* = p (1 − p) / V,   V = Σ w_s² v_s / n_s.
// v_s is the variance of the values in stratum s. It is estimated with k = z² additional facts of
// mean p, so that a stratum whose facts all agree is not treated as certain. The result is divided
// by the factor by which these additional facts would shrink the variance if all strata were alike.
// If there is a single stratum and all values are 0 or 1, n* = n and the interval is Wilson's. If p
// is 0 or 1, n* = 1 / Σ w_s² / n_s. The interval therefore has a positive width whenever there is
// at least one fact. Sources: Wilson 1927; Kish 1965, section 8.2; Korn & Graubard
// 1998. `bash benchmarks/interval_coverage.sh` measures how often the interval contains the true
// proportion.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The k in the opening comment: the number of facts that Wilson's interval itself adds.
inline constexpr double facts_of_the_mean = normal_95 * normal_95;

/// The v_s in the opening comment. `shared` is Σ w² / n over all strata.
inline double variance_in(const Stratum& stratum, double p, double shared) {
  const double n = static_cast<double>(stratum.values.size());
  double sum = facts_of_the_mean * p, squares = sum;  // the two sums are equal if all values are 0
                                                      // or 1
  for (const double value : stratum.values) {
    sum += value;
    squares += value * value;
  }
  const double all = n + facts_of_the_mean;
  const double mean = sum / all;
  const double taken = n * n / (all * all) * ((1 - 2 * stratum.weight) / n + shared);
  return (std::max)(0.0, squares / all - mean * mean) / (1 - taken);
}

/// The proportion and its interval, for values in [0, 1]. The weights must sum to 1, and there must
/// be no empty strata. Has no value if there are no strata.
[[nodiscard]] inline Estimate clustered_share(const std::vector<Stratum>& strata) {
  double value = 0, shared = 0;
  std::size_t count = 0;
  for (const Stratum& stratum : strata) {
    const double n = static_cast<double>(stratum.values.size());
    value +=
        stratum.weight * (std::accumulate(stratum.values.begin(), stratum.values.end(), 0.0) / n);
    shared += stratum.weight * stratum.weight / n;
    count += stratum.values.size();
  }
  if (count == 0) return {};
  double trials = 1 / shared;
  constexpr double rounding = 1e-12;
  if (value > rounding && value < 1 - rounding) {
    double variance = 0;
    for (const Stratum& stratum : strata) {
      variance += stratum.weight * stratum.weight * detail::variance_in(stratum, value, shared) /
                  static_cast<double>(stratum.values.size());
    }
    trials = value * (1 - value) / variance;
  }
  return detail::wilson_of(value, trials, count, "clustered wilson");
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
