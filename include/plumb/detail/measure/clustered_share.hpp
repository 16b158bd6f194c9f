// SPDX-License-Identifier: Apache-2.0
#pragma once

// How sure is a share whose facts stand in clusters?
//
// The estimate is p = Σ w_s x̄_s over strata s (relations) of n_s facts; a fact's value is in [0, 1]: 1
// or 0, or the share of its prompts that are right. Its interval is Wilson's (measure/interval.hpp) with
// the number of facts that a plain share of the same variance would have (the effective sample size of
// survey statistics):
//   n* = p (1 − p) / V,   V = Σ w_s² v_s / n_s.
// v_s is the variance of the values in s, estimated together with k = z² facts of the mean p, so that a
// stratum whose facts all agree is not taken for certain, and divided by what that takes from it where
// all strata are alike. Where the values are 0 and 1 in one stratum, n* = n, and it is Wilson's
// interval; where p is 0 or 1, n* = 1 / Σ w_s² / n_s. So it has a width wherever there is a fact.
// Sources: Wilson 1927; Kish 1965, section 8.2; Korn & Graubard 1998. `bash
// benchmarks/interval_coverage.sh` shows how often it holds the true share.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// k above: as many as Wilson's interval adds itself.
inline constexpr double facts_of_the_mean = normal_95 * normal_95;

/// v_s above. `shared` is Σ w² / n over all strata.
inline double variance_in(const Stratum& stratum, double p, double shared) {
  const double n = static_cast<double>(stratum.values.size());
  double sum = facts_of_the_mean * p, squares = sum;  // of 0 and 1 the two are the same
  for (const double value : stratum.values) {
    sum += value;
    squares += value * value;
  }
  const double all = n + facts_of_the_mean;
  const double mean = sum / all;
  const double taken = n * n / (all * all) * ((1 - 2 * stratum.weight) / n + shared);
  return (std::max)(0.0, squares / all - mean * mean) / (1 - taken);
}

/// Of values in [0, 1]; the weights sum to 1, empty strata must have been left out. No number without
/// a stratum.
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
