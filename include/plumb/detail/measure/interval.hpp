// SPDX-License-Identifier: Apache-2.0
#pragma once

// An estimate: a number with its 95% interval.
//
// A proportion of independent facts gets Wilson's score interval
//   (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n),  z = 1.959964
// which stays inside [0, 1] and is reliable for few facts. A proportion over clusters of facts gets
// the same interval, computed from the effective number of facts (clustered_share.hpp). The mean of
// other numbers gets a percentile bootstrap interval. The bootstrap is seeded by the estimate's
// name, so that it does not depend on other computations. Values are resampled within strata,
// because relations are part of the design and are not sampled. Sources: Wilson 1927; Efron &
// Tibshirani 1993, chapter 13.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Represents a missing number. Comparisons with it are false, so it never reaches a threshold.
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// A number with its 95% interval and the number of facts from which it is computed. If there is no
/// number, as for ACE with fewer facts than bins, the count is 0 and the other members are
/// `no_number`.
struct Estimate {
  double value = no_number;
  double low = no_number;
  double high = no_number;
  std::size_t count = 0;
  /// "wilson", "clustered wilson" (measure/clustered_share.hpp), "bootstrap" (percentiles),
  /// "bootstrap of relations" or "bootstrap of facts" (measure/paired_comparison.hpp), "centred
  /// bootstrap" (calibrate/calibrator.hpp), "fisher", or "none" for a number without an interval.
  std::string method{};

  /// Whether the number exists.
  [[nodiscard]] bool exists() const noexcept { return count > 0 && !std::isnan(value); }
  /// Whether the interval exists. If it does not, both of its ends are NaN.
  [[nodiscard]] bool has_interval() const noexcept {
    return exists() && !std::isnan(low) && !std::isnan(high);
  }
  /// The ends of the interval; nullopt if there is none.
  [[nodiscard]] std::optional<std::pair<double, double>> interval() const {
    if (!has_interval()) return std::nullopt;
    return std::pair{low, high};
  }
};

/// A number without an interval, for cases in which the available facts do not show how much the
/// number would vary.
[[nodiscard]] inline Estimate without_interval(double value, std::size_t count) {
  return {value, no_number, no_number, count, "none"};
}

/// The sort key for a row's number when rows are sorted best first. A missing number becomes the
/// lowest value, so that rows without a number come last.
[[nodiscard]] inline double or_lowest(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

/// The z of a 95% interval.
inline constexpr double normal_95 = 1.959963984540054;

/// Wilson's interval for the proportion `share` of `trials` trials, a number that need not be
/// whole; `count` is the number of facts.
inline Estimate wilson_of(double share, double trials, std::size_t count, const char* method) {
  constexpr double z = normal_95;
  const double centre = (share + z * z / (2 * trials)) / (1 + z * z / trials);
  const double half =
      z * std::sqrt((std::max)(0.0, share * (1 - share)) / trials + z * z / (4 * trials * trials)) /
      (1 + z * z / trials);
  // At 0 and 1, one end is the proportion itself; rounding must not move it.
  return {share, share <= 0 ? 0.0 : centre - half, share >= 1 ? 1.0 : centre + half, count, method};
}

/// Wilson's interval for a proportion of `count` independent facts. The proportion need not
/// correspond to a whole number of facts, because a fact may be answered correctly under only some
/// of its templates.
[[nodiscard]] inline Estimate wilson_share(double share, std::size_t count) {
  if (count == 0) return {};
  return detail::wilson_of(share, static_cast<double>(count), count, "wilson");
}

/// Wilson's interval for `successes` out of `count`.
[[nodiscard]] inline Estimate wilson(std::size_t successes, std::size_t count) {
  if (count == 0) return {};
  return wilson_share(static_cast<double>(successes) / static_cast<double>(count), count);
}

/// Values that are resampled only among themselves. The estimate is Σ weight · mean(values).
struct Stratum {
  std::vector<double> values;
  double weight = 1;
};

struct Bootstrap {
  std::uint64_t seed = 0;
  std::size_t resamples = 1000;
};

/// Linear-interpolation quantile of sorted values (numpy's default). `values` must not be empty.
[[nodiscard]] inline double quantile(std::span<const double> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = (std::min)(below + 1, sorted.size() - 1);
  const double fraction = place - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

/// Whether the two numbers differ at most by a rounding error.
[[nodiscard]] inline bool no_spread(double low, double high) {
  return high - low <= 1e-12 * (std::max)({1.0, std::abs(low), std::abs(high)});
}

/// The estimate `value` with the middle 95% of its bootstrap draws. There is no interval if there
/// are no draws, or if both ends are equal (no_spread): facts that agree do not show how much other
/// facts would differ.
[[nodiscard]] inline Estimate percentile_interval(double value, std::vector<double> draws,
                                                  std::size_t count) {
  if (draws.empty()) return without_interval(value, count);
  ranges::sort(draws);
  const double low = quantile(draws, 0.025), high = quantile(draws, 0.975);
  if (no_spread(low, high)) return without_interval(value, count);
  return {value, low, high, count, "bootstrap"};
}

/// The weighted sum of the strata's means with its percentile interval. Weights are not normalised;
/// there must be no empty strata.
[[nodiscard]] inline Estimate bootstrap_mean(const std::vector<Stratum>& strata,
                                             const Bootstrap& options, const std::string& name) {
  double value = 0;
  std::size_t count = 0;
  const auto mean = [](const std::vector<double>& values, auto pick) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[pick(i)];
    return sum / static_cast<double>(values.size());
  };
  for (const Stratum& stratum : strata) {
    value += stratum.weight * mean(stratum.values, [](std::size_t i) { return i; });
    count += stratum.values.size();
  }
  if (count == 0) return {};
  RandomStream random(options.seed, "bootstrap/" + name);
  std::vector<double> draws(options.resamples);
  for (double& draw : draws) {
    for (const Stratum& stratum : strata) {
      const std::size_t n = stratum.values.size();
      draw += stratum.weight * mean(stratum.values, [&](std::size_t) { return random.below(n); });
    }
  }
  return percentile_interval(value, std::move(draws), count);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
