// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/clustered_share.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(clustered_share_intervals)

namespace {

/// P(X = k) for n trials with probability p.
double binomial(std::size_t n, std::size_t k, double p) {
  if (p == 0 || p == 1) return k == (p == 0 ? 0 : n) ? 1 : 0;
  const double trials = static_cast<double>(n), hits = static_cast<double>(k);
  return std::exp(std::lgamma(trials + 1) - std::lgamma(hits + 1) - std::lgamma(trials - hits + 1) +
                  hits * std::log(p) + (trials - hits) * std::log1p(-p));
}

bool holds(const Estimate& e, double p) {
  return e.low <= p + 1e-12 && p - 1e-12 <= e.high;
}

/// The probability that Wilson's interval for n facts contains p, summed over all outcomes.
double coverage(std::size_t n, double p) {
  double share = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    if (holds(wilson(k, n), p)) share += binomial(n, k, p);
  }
  return share;
}

/// `count` values, of which `right` are 1 and the rest 0.
std::vector<double> facts(std::size_t right, std::size_t count) {
  std::vector<double> values(count, 0.0);
  for (std::size_t i = 0; i < right; ++i) values[i] = 1;
  return values;
}

}  // namespace

BOOST_AUTO_TEST_CASE(facts_of_one_relation_have_wilsons_interval) {
  for (const std::size_t n : {1U, 5U, 30U}) {
    for (std::size_t right = 0; right <= n; ++right) {
      const Estimate made = clustered_share({{facts(right, n), 1}});
      const Estimate plain = wilson(right, n);
      BOOST_TEST(near(made.value, plain.value));
      BOOST_TEST(near(made.low, plain.low));
      BOOST_TEST(near(made.high, plain.high));
      BOOST_TEST(made.count == n);
    }
  }
}

// Two relations, each with weight 1/2, have 1 and 4 facts: Σ w²/n = 1/4 + 1/16, which corresponds
// to 3.2 trials. The upper end of Wilson's interval for 0 of n is z² / (n + z²).
BOOST_AUTO_TEST_CASE(at_0_and_1_the_trials_are_those_of_the_weights) {
  const double z2 = normal_95 * normal_95;
  const Estimate none = clustered_share({{{0}, 0.5}, {{0, 0, 0, 0}, 0.5}});
  BOOST_TEST(none.low == 0.0);
  BOOST_TEST(near(none.high, z2 / (3.2 + z2)));
  const Estimate all = clustered_share({{{1}, 0.5}, {{1, 1, 1, 1}, 0.5}});
  BOOST_TEST(all.high == 1.0);
  BOOST_TEST(near(all.low, 1 - z2 / (3.2 + z2)));
  BOOST_TEST(all.count == 5U);
  BOOST_TEST(all.method == "clustered wilson");
}

// Two relations have 10 facts each: all right in one, none in the other. With k = z² additional
// facts of mean 1/2, x̃ = (10 + k/2) / (10 + k). The variance v is x̃ (1 − x̃) divided by 1 − f² (0
// + 1/20), where f = 10 / (10 + k), because w = 1/2. Finally, V = 2 · 1/4 · v / 10.
BOOST_AUTO_TEST_CASE(relations_whose_facts_agree_are_not_taken_for_certain) {
  const double k = normal_95 * normal_95;
  const double mean = (10 + k / 2) / (10 + k), f = 10 / (10 + k);
  const double variance = mean * (1 - mean) / (1 - f * f / 20) / 20;
  const double trials = 0.25 / variance;
  const double half =
      normal_95 * std::sqrt(0.25 / trials + k / (4 * trials * trials)) / (1 + k / trials);
  const Estimate made = clustered_share({{facts(10, 10), 0.5}, {facts(0, 10), 0.5}});
  BOOST_TEST(near(made.value, 0.5));
  BOOST_TEST(near(made.low, 0.5 - half));
  BOOST_TEST(near(made.high, 0.5 + half));
  // The interval is narrower than the one for 20 independent facts, because relations are not
  // sampled.
  BOOST_TEST(made.high < wilson(10, 20).high);
}

// Values that are fractions of prompts vary less than zeros and ones.
BOOST_AUTO_TEST_CASE(prompt_shares_have_narrower_intervals_than_single_answers) {
  const std::vector<double> halves{0.5, 0.25, 0.75, 0.5, 0.5, 0.25, 0.75, 0.5};
  const Estimate made = clustered_share({{halves, 1}});
  BOOST_TEST(near(made.value, 0.5));
  BOOST_TEST(made.low > wilson(4, 8).low);
  BOOST_TEST(made.low < 0.5);
  // Even values without any spread have an interval of nonzero width.
  const Estimate alike = clustered_share({{{0.5, 0.5, 0.5}, 1}});
  BOOST_TEST(alike.low < 0.49);
  BOOST_TEST(alike.high > 0.51);
}

BOOST_AUTO_TEST_CASE(no_facts_are_no_share) {
  BOOST_TEST(clustered_share({}).count == 0U);
}

// The coverage is summed over all outcomes of the binomial. For 5 facts at p = 0.02, no set of
// outcomes that includes 0 reaches exactly 95%: {0} has 0.98^5 = 90.4%, and {0, 1} has 99.6%. At
// 0.5, all outcomes except the two extremes have a total probability of 1 − 2/32. At 0 and 1, only
// one outcome is possible, and its interval contains p.
BOOST_AUTO_TEST_CASE(wilsons_coverage_is_that_of_the_binomial) {
  BOOST_TEST(near(coverage(5, 0.02), 0.9039207968, 1e-10));
  BOOST_TEST(near(coverage(5, 0.5), 1 - 2.0 / 32, 1e-12));
  for (const std::size_t n : {5U, 30U, 300U}) {
    BOOST_TEST(coverage(n, 0) == 1.0);
    BOOST_TEST(coverage(n, 1) == 1.0);
  }
  // The intervals for 0, 1 and 2 of 30 contain 0.02; the one for 3 does not.
  BOOST_TEST(near(
      coverage(30, 0.02),
      std::pow(0.98, 30) + 30 * 0.02 * std::pow(0.98, 29) + 435 * 0.02 * 0.02 * std::pow(0.98, 28),
      1e-10));
  BOOST_TEST(std::abs(coverage(30, 0.5) - 0.95) < 0.01);
  BOOST_TEST(std::abs(coverage(300, 0.5) - 0.95) < 0.015);
}

// Six relations have five facts each and different difficulties, as in a mean over relations. The
// test is run with one prompt per fact and with four. With 2,000 draws, the standard error is 0.5%.
BOOST_AUTO_TEST_CASE(clustered_shares_hold_their_level) {
  RandomStream random(7, "coverage");
  constexpr std::array<double, 6> by_relation{0.35, 0.45, 0.5, 0.5, 0.55, 0.65};
  for (const std::size_t prompts : {1U, 4U}) {
    std::size_t held = 0;
    constexpr std::size_t draws = 2000;
    for (std::size_t i = 0; i < draws; ++i) {
      std::vector<Stratum> strata;
      for (const double p : by_relation) {
        Stratum& stratum = strata.emplace_back();
        stratum.weight = 1.0 / 6;
        for (std::size_t fact = 0; fact < 5; ++fact) {
          // About half of the facts have the same answer under all prompts.
          const bool alike = random.uniform() < 0.5;
          const bool known = random.uniform() < p;
          double right = 0;
          for (std::size_t j = 0; j < prompts; ++j) {
            right += (alike ? known : random.uniform() < p) ? 1 : 0;
          }
          stratum.values.push_back(right / static_cast<double>(prompts));
        }
      }
      held += holds(clustered_share(strata), 0.5) ? 1U : 0U;
    }
    const double share = static_cast<double>(held) / draws;
    BOOST_TEST(share > 0.94);
    BOOST_TEST(share < 0.985);
  }
}

BOOST_AUTO_TEST_SUITE_END()
