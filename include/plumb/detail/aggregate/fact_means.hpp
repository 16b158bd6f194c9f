// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is the mean of something over facts, with its interval?
//
// The mean over facts, not over relations. Shares have Wilson's interval with the facts' effective
// number (measure/clustered_share.hpp); other numbers a percentile bootstrap of the facts within their
// relations (measure/resamples.hpp), where means over equally many facts of each relation share their
// resamples, so that drawing is paid for once.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/measure/clustered_share.hpp"
#include "plumb/detail/measure/resamples.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// A value for each of some facts, relation by relation.
struct FactValues {
  std::vector<double> values;
  /// How many of them each relation has.
  std::vector<std::size_t> strata;

  void begin_relation() { strata.push_back(0); }
  /// Of a fact of the latest relation, which must have begun.
  void add(double value) {
    values.push_back(value);
    ++strata.back();
  }
};

/// The mean of values in [0, 1] (1 or 0, or a share of a fact's prompts), each fact once, with the
/// interval of measure/clustered_share.hpp. No number without a fact.
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

/// Of numbers that are no shares. Not thread-safe.
class FactMeans {
 public:
  /// `name` is that of the resamples' streams.
  FactMeans(const Bootstrap& bootstrap, std::string name)
      : bootstrap_(bootstrap), name_(std::move(name)) {}

  /// No number without a fact.
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
