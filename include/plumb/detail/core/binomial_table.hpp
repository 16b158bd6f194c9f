// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many of n independent trials succeed?
//
// Draws from Binomial(n, a/b) by inversion of its distribution function, which is tabulated once.
// Each draw uses one uniform number and finds its entry through a guide table (Chen & Asau 1974) in
// about one step. std::binomial_distribution is not used because its results differ between
// standard libraries. Here the weights are computed from the mode's weight by
//   w(k+1) / w(k) = (n − k) a / ((k + 1) (b − a)),
// and no product is added to anything. Therefore no compiler can fuse a multiplication with an
// addition, and the table is bitwise identical on every IEEE machine. Accuracy: with up to a
// million trials, the tabulated function is within 1e-12 of the exact one everywhere. Outcomes
// whose probability is below 2^-53 times the probability of the most likely outcome are never
// drawn.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "plumb/detail/core/ranges.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// Thread-safe once constructed.
class BinomialTable {
 public:
  /// Each trial succeeds with probability right / total. Requires right ≤ total and total > 0.
  BinomialTable(std::uint32_t trials, std::uint32_t right, std::uint32_t total) {
    const std::uint64_t a = right;
    const std::uint64_t b = total - right;
    const std::uint64_t n = trials;
    const std::uint64_t mode = a == 0 ? 0 : b == 0 ? n : (n + 1) * a / total;
    constexpr double negligible = 0x1.0p-53;
    const auto quotient = [](double weight, std::uint64_t above, std::uint64_t under) {
      return weight * static_cast<double>(above) / static_cast<double>(under);
    };
    double weight = 1;
    at_most_.push_back(weight);
    for (std::uint64_t k = mode; k > 0 && b > 0; --k) {
      weight = quotient(weight, k * b, (n - k + 1) * a);
      if (weight < negligible) break;
      at_most_.push_back(weight);
    }
    ranges::reverse(at_most_);
    first_ = mode + 1 - at_most_.size();
    weight = 1;
    for (std::uint64_t k = mode; k < n && a > 0; ++k) {
      weight = quotient(weight, (n - k) * a, (k + 1) * b);
      if (weight < negligible) break;
      at_most_.push_back(weight);
    }
    double sum = 0;
    for (double& entry : at_most_) entry = sum += entry;
    for (double& entry : at_most_) entry /= sum;
    guide_.resize(std::bit_ceil(at_most_.size()));
    std::uint32_t entry = 0;
    for (std::size_t i = 0; i < guide_.size(); ++i) {
      while (at_most_[entry] * static_cast<double>(guide_.size()) <= static_cast<double>(i)) {
        ++entry;
      }
      guide_[i] = entry;
    }
  }

  /// Draws the number of successes in all trials.
  std::size_t operator()(RandomStream& random) const {
    const double u = random.uniform();
    std::size_t entry = guide_[static_cast<std::size_t>(u * static_cast<double>(guide_.size()))];
    while (at_most_[entry] <= u) ++entry;  // the last entry is 1
    return static_cast<std::size_t>(first_) + entry;
  }

  /// P(successes ≤ k), as tabulated.
  [[nodiscard]] double at_most(std::size_t k) const {
    if (k < first_) return 0;
    return at_most_[(std::min)(k - static_cast<std::size_t>(first_), at_most_.size() - 1)];
  }

 private:
  /// The number of successes that the first entry represents.
  std::uint64_t first_ = 0;
  /// P(successes ≤ first + i).
  std::vector<double> at_most_;
  /// For each value of the uniform number's leading bits, the first entry that can match.
  std::vector<std::uint32_t> guide_;
};

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
