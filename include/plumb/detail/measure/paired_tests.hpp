// SPDX-License-Identifier: Apache-2.0
#pragma once

// Do two models differ on the same facts, or is the difference due to chance?
//
// Each fact is known to both models, to one of them or to neither. Facts that only one model knows
// are discordant: only the first model knows b of them, and only the second knows c.
//   McNemar's exact test: if the models were alike, b would be Binomial(b + c, 1/2);
//     p = min(1, 2 P(X ≤ min(b, c))), two-sided.
//   Cohen's g = b / (b + c) − 1/2, in [−1/2, 1/2]: the difference among discordant facts.
//   Cohen's κ = (a − e) / (1 − e), where a is the proportion of facts on which the models agree
//     (both know the fact or neither does) and e is the proportion expected if they knew facts
//     independently of each other. Holm's adjustment of m tests: the i-th smallest p becomes the
//     largest (m − j + 1) p_j over
//     j ≤ i, at most 1. It bounds the probability of any false finding, regardless of how the tests
//     depend on each other.
// McNemar's test treats facts as independent. Sources: McNemar 1947; Holm 1979; Cohen 1960 (κ);
// Cohen 1988, chapter 5 (g, which is small from 0.05, medium from 0.15, large from 0.25).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "plumb/detail/core/ranges.hpp"
#include "plumb/detail/measure/interval.hpp"

namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail {

/// How many facts two models know, as a two-by-two table.
struct PairedCounts {
  std::size_t both = 0;
  std::size_t only_first = 0;
  std::size_t only_second = 0;
  std::size_t neither = 0;

  void add(bool first, bool second) {
    ++(first ? (second ? both : only_first) : (second ? only_second : neither));
  }
  PairedCounts& operator+=(const PairedCounts& other) {
    both += other.both;
    only_first += other.only_first;
    only_second += other.only_second;
    neither += other.neither;
    return *this;
  }
  [[nodiscard]] std::size_t facts() const noexcept {
    return both + only_first + only_second + neither;
  }
  /// The count as a proportion of the facts; `no_number` if there are no facts.
  [[nodiscard]] double share(std::size_t count) const noexcept {
    return facts() == 0 ? no_number : static_cast<double>(count) / static_cast<double>(facts());
  }
  [[nodiscard]] double first_accuracy() const noexcept { return share(both + only_first); }
  [[nodiscard]] double second_accuracy() const noexcept { return share(both + only_second); }
  /// First minus second: the difference between the accuracies, in [−1, 1].
  [[nodiscard]] double difference() const noexcept {
    return facts() == 0 ? no_number
                        : (static_cast<double>(only_first) - static_cast<double>(only_second)) /
                              static_cast<double>(facts());
  }
  /// The proportion of facts that both models know or neither knows.
  [[nodiscard]] double agreement() const noexcept { return share(both + neither); }

  friend bool operator==(const PairedCounts&, const PairedCounts&) = default;
};

/// The two-sided p of `first` and `second` discordant facts; 1 if there are none. The binomial
/// weights are computed from the weight of the most probable value by w(k − 1) / w(k) = k / (n − k
/// + 1), using only products and sums of positive numbers. The result is within 1e-10 of p for
/// 100,000 facts. If p is below the smallest double, the result is 0.
[[nodiscard]] inline double mcnemar_exact_p(std::size_t first, std::size_t second) {
  const std::size_t n = first + second, fewest = (std::min)(first, second);
  // p is also 1 if the counts differ by one, because each side then has half of the total weight.
  if (first == second || n == 2 * fewest + 1) return 1;
  constexpr double negligible = 0x1.0p-70;
  const auto below = [n](std::size_t k) {
    return static_cast<double>(k) / static_cast<double>(n - k + 1);
  };
  const std::size_t mode = n / 2;
  double weight = 1;
  double all = n % 2 == 0 ? 1 : 2;  // an odd n has two most probable values
  for (std::size_t k = mode; k > 0 && weight > negligible; --k) all += 2 * (weight *= below(k));
  // The weight of `fewest` relative to that of the most probable value, stored as mantissa and
  // exponent because it may underflow.
  double mantissa = 1;
  int exponent = 0;
  for (std::size_t k = mode; k > fewest; --k) {
    int shift = 0;
    mantissa = std::frexp(mantissa * below(k), &shift);
    exponent += shift;
  }
  double tail = 1;
  weight = 1;
  for (std::size_t k = fewest; k > 0 && weight > negligible; --k) tail += weight *= below(k);
  return (std::min)(1.0, std::ldexp(2 * tail * mantissa / all, exponent));
}

/// The adjusted p of each test, parallel to `p`. NaN means that there is no test, and stays NaN.
[[nodiscard]] inline std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return std::isnan(p[i]); });
  ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size(), no_number);
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = (std::max)(largest, static_cast<double>(order.size() - i) * p[order[i]]);
    adjusted[order[i]] = (std::min)(1.0, largest);
  }
  return adjusted;
}

/// Above 0 if the first model knows more; `no_number` if there are no discordant facts.
[[nodiscard]] inline double cohens_g(const PairedCounts& counts) {
  const std::size_t discordant = counts.only_first + counts.only_second;
  if (discordant == 0) return no_number;
  return static_cast<double>(counts.only_first) / static_cast<double>(discordant) - 0.5;
}

/// Returns `no_number` if both models know every fact or both know none, because agreement is then
/// certain.
[[nodiscard]] inline double cohens_kappa(const PairedCounts& counts) {
  const std::size_t n = counts.facts(), first = counts.both + counts.only_first,
                    second = counts.both + counts.only_second;
  if (n == 0 || (first == n && second == n) || (first == 0 && second == 0)) return no_number;
  const double one = counts.first_accuracy(), other = counts.second_accuracy();
  const double expected = one * other + (1 - one) * (1 - other);
  return (counts.agreement() - expected) / (1 - expected);
}

}  // namespace plumb::inline PLUMB_VERSION_NAMESPACE::detail
