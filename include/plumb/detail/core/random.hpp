// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random numbers that are the same on every platform, so that runs are reproducible.
//
// Each stream has a name. The same (seed, name) always produces the same numbers, regardless of
// which streams were used before, in which order or on which thread. The C++ standard specifies the
// output of std::mt19937_64 but not of the standard distributions, so the draws are implemented
// here.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "plumb/detail/core/hash.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Not thread-safe; give each thread its own stream.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) : engine_(mix(seed, name)) {}

  /// A uniform integer in [0, n), without bias; requires 0 < n < 2^32. Source: Lemire 2019,
  /// multiply and reject.
  std::size_t below(std::size_t n) {
    const std::uint64_t range = n;
    std::uint64_t product = (engine_() >> 32) * range;
    if ((product & 0xFFFFFFFFU) < range) {
      const std::uint64_t reject = (std::uint64_t{1} << 32) % range;
      while ((product & 0xFFFFFFFFU) < reject) product = (engine_() >> 32) * range;
    }
    return static_cast<std::size_t>(product >> 32);
  }

  /// Draws `count` of the values (by default all) without replacement and moves them to the front,
  /// in the order drawn (Fisher and Yates). With a larger `count`, the first draws are the same.
  template <class Values>
  void shuffle(Values&& values, std::size_t count = static_cast<std::size_t>(-1)) {
    for (std::size_t i = 0; i < (std::min)(count, values.size()); ++i) {
      std::swap(values[i], values[i + below(values.size() - i)]);
    }
  }

  /// Uniform in [0, 1), 53 random bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

 private:
  // The finaliser of SplitMix64, so that similar seeds give unrelated engine states.
  static std::uint64_t mix(std::uint64_t seed, std::string_view name) {
    std::uint64_t z = seed + fnv1a(name) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::mt19937_64 engine_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
