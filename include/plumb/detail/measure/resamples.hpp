// SPDX-License-Identifier: Apache-2.0
#pragma once

// How often does each fact appear in each bootstrap resample?
//
// Resamples are drawn once and shared by every number that is computed from the same facts, so that
// differences between estimators or models are paired. Resampling is within strata (relations),
// because relations are part of the design. Resample r depends only on (seed, name, r), not on the
// number of threads.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plumb/detail/core/parallel.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Thread-safe once constructed.
class Resamples {
 public:
  /// Creates empty resamples, without items.
  Resamples() = default;
  /// `strata` contains the number of facts in each stratum, in order.
  Resamples(std::span<const std::size_t> strata, const Bootstrap& options, const std::string& name)
      : resamples_(options.resamples) {
    for (const std::size_t size : strata) items_ += size;
    row_ = items_;
    auto made = std::make_shared<std::vector<std::uint16_t>>(resamples_ * items_);
    parallel_for(resamples_, [&](std::size_t r) {
      RandomStream random(options.seed, name + "/" + std::to_string(r));
      std::uint16_t* stratum = made->data() + r * items_;
      for (const std::size_t size : strata) {
        for (std::size_t i = 0; i < size; ++i) ++stratum[random.below(size)];
        stratum += size;
      }
    });
    counts_ = std::move(made);
  }

  /// The same resamples restricted to some of the items: whole strata, each given as (first item,
  /// number of items). If the strata are adjacent, the result shares memory with the original;
  /// otherwise, the strata are copied.
  [[nodiscard]] Resamples part(std::span<const std::pair<std::size_t, std::size_t>> ranges) const {
    Resamples chosen;
    chosen.resamples_ = resamples_;
    bool side_by_side = true;
    for (const auto& [first, count] : ranges) {
      side_by_side = side_by_side && first == ranges.front().first + chosen.items_;
      chosen.items_ += count;
    }
    if (side_by_side && !ranges.empty()) {
      chosen.counts_ = counts_;
      chosen.first_ = first_ + ranges.front().first;
      chosen.row_ = row_;
      return chosen;
    }
    auto made = std::make_shared<std::vector<std::uint16_t>>();
    made->reserve(resamples_ * chosen.items_);
    for (std::size_t r = 0; r < resamples_; ++r) {
      for (const auto& [first, count] : ranges) {
        const auto from = counts(r).subspan(first, count);
        made->insert(made->end(), from.begin(), from.end());
      }
    }
    chosen.counts_ = std::move(made);
    chosen.row_ = chosen.items_;
    return chosen;
  }

  [[nodiscard]] std::size_t size() const noexcept { return resamples_; }
  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  /// The number of times each item appears in resample r; the numbers sum to items().
  [[nodiscard]] std::span<const std::uint16_t> counts(std::size_t r) const {
    if (items_ == 0) return {};
    return std::span(*counts_).subspan(r * row_ + first_, items_);
  }

 private:
  std::size_t resamples_ = 0;
  std::size_t items_ = 0;
  /// The counts for all facts, two bytes per fact and resample; row r begins at r · row_.
  std::shared_ptr<const std::vector<std::uint16_t>> counts_;
  std::size_t row_ = 0, first_ = 0;
};

/// A mean, and the mean of each resample.
struct ResampledMean {
  double value = 0;
  std::vector<double> draws;
};

/// The means of `values`, which contain one value for each item; there must be at least one item.
[[nodiscard]] inline ResampledMean mean_by_resample(std::span<const double> values,
                                                    const Resamples& resamples) {
  const double n = static_cast<double>(values.size());
  ResampledMean made{0, std::vector<double>(resamples.size())};
  for (const double value : values) made.value += value;
  made.value /= n;
  for (std::size_t r = 0; r < made.draws.size(); ++r) {
    const auto counts = resamples.counts(r);
    for (std::size_t i = 0; i < values.size(); ++i) made.draws[r] += counts[i] * values[i];
    made.draws[r] /= n;
  }
  return made;
}

/// The mean of `values`, one for each item, with its percentile interval.
[[nodiscard]] inline Estimate resampled_mean(std::span<const double> values,
                                             const Resamples& resamples) {
  if (values.empty()) return {};
  ResampledMean mean = mean_by_resample(values, resamples);
  return percentile_interval(mean.value, std::move(mean.draws), values.size());
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
