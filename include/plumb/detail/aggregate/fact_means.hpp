// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mean over facts, with its interval.
//
// The mean is over facts, not over relations. Proportions use Wilson's interval with the effective
// number of facts (measure/clustered_share.hpp). Other numbers use a percentile bootstrap of the
// facts within their relations (measure/resamples.hpp). Means with the same number of facts in each
// relation share their resamples, which are drawn only once.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Values for a subset of the facts, relation by relation.
struct FactValues {
  std::vector<double> values;
  /// The number of values in each relation.
  std::vector<std::size_t> strata;

  void begin_relation() { strata.push_back(0); }
  /// Adds the value of a fact of the latest relation; begin_relation must have been called.
  void add(double value) {
    values.push_back(value);
    ++strata.back();
  }
};

/// The mean of values in [0, 1] (1 or 0, or a proportion of a fact's prompts), in which each fact
/// counts once, with the interval of measure/clustered_share.hpp. Contains no number if there are
/// no facts.
[[nodiscard]] inline Estimate share_of(const FactValues& facts) {
  std::vector<Stratum> strata;
  auto value = facts.values.begin();
  for (const std::size_t size : facts.strata) {
    const auto end = value + static_cast<std::ptrdiff_t>(size);
    if (size > 0) {
      strata.push_back(
          {{value, end}, static_cast<double>(size) / static_cast<double>(facts.values.size())});
    }
    value = end;
  }
  return clustered_share(strata);
}

/// Means of numbers that are not proportions. Not thread-safe.
class FactMeans {
 public:
  /// `name` seeds the resamples' random streams.
  FactMeans(const Bootstrap& bootstrap, std::string name)
      : bootstrap_(bootstrap), name_(std::move(name)) {}

  /// The mean and its interval; contains no number if there are no facts.
  [[nodiscard]] Estimate operator()(const FactValues& facts) {
    if (facts.values.empty()) return {};
    if (facts.strata != strata_) {
      resamples_ = Resamples(facts.strata, bootstrap_, name_);
      strata_ = facts.strata;
    }
    return resampled_mean(facts.values, resamples_);
  }

 private:
  Bootstrap bootstrap_;
  std::string name_;
  std::vector<std::size_t> strata_;
  Resamples resamples_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
