// SPDX-License-Identifier: Apache-2.0
#pragma once

// For which k is Hit@k measured?
//
// Closed sets, entity rankings and masked models all measure Hit@k at the same values of k, so
// `hit_at(10)` is Hit@10 for each of them. measure/rank.hpp defines what counts as a hit.

#include <array>
#include <cstddef>
#include <string>

#include "plumb/detail/core/error.hpp"
#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/core/text_list.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// The values of k that are measured; tables show some of them. DEER's program reports Hit@2,
/// Hit@11 and Hit@101 as hits at 1, 10 and 100.
inline constexpr std::array<std::size_t, 8> hit_levels{1, 2, 3, 5, 10, 11, 100, 101};

/// Hit rates by k. A k without a hit rate has an estimate without a value. Thread-safe to read.
class HitRates {
 public:
  /// Throws a user error if k is not among `hit_levels`.
  [[nodiscard]] const Estimate& at(std::size_t k) const { return rates_[place_of(k)]; }
  [[nodiscard]] Estimate& at(std::size_t k) { return rates_[place_of(k)]; }

 private:
  static std::size_t place_of(std::size_t k) {
    const auto found = ranges::find(hit_levels, k);
    if (found != hit_levels.end()) return static_cast<std::size_t>(found - hit_levels.begin());
    throw user_error(
        {.field = "k"}, "Hit@" + std::to_string(k) + " is not measured",
        "use one of " + text_list(hit_levels, [](std::size_t one) { return std::to_string(one); }));
  }

  std::array<Estimate, hit_levels.size()> rates_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
