// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/interval.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(interval)

namespace {

constexpr double z = 1.959963984540054;

std::vector<double> uniform_numbers(std::size_t count, const char* name) {
  RandomStream random(42, name);
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform();
  return values;
}

}  // namespace

// The expected intervals come from Newcombe 1998, table I, method 3, and have the four decimals
// printed there.
BOOST_AUTO_TEST_CASE(wilson_gives_the_published_intervals) {
  struct {
    std::size_t successes, count;
    double low, high;
  } const published[] = {{81, 263, 0.2553, 0.3662},
                         {15, 148, 0.0624, 0.1605},
                         {0, 20, 0.0000, 0.1611},
                         {1, 29, 0.0061, 0.1718}};
  for (const auto& row : published) {
    const Estimate estimate = wilson(row.successes, row.count);
    BOOST_TEST(std::abs(estimate.low - row.low) < 5e-5);
    BOOST_TEST(std::abs(estimate.high - row.high) < 5e-5);
    BOOST_TEST(estimate.count == row.count);
    BOOST_TEST(estimate.method == "wilson");
  }
}

// The expected values come from R: prop.test(10, 20, correct = FALSE).
BOOST_AUTO_TEST_CASE(ten_of_twenty_is_between_thirty_and_seventy_percent) {
  const Estimate estimate = wilson(10, 20);
  BOOST_TEST(estimate.value == 0.5);
  BOOST_TEST(std::abs(estimate.low - 0.2992980) < 1e-7);
  BOOST_TEST(std::abs(estimate.high - 0.7007020) < 1e-7);
}

// At the ends, the score test statistic is exactly z: (p̂ − p)² = z² p (1 − p) / n.
BOOST_AUTO_TEST_CASE(both_ends_solve_wilsons_quadratic) {
  for (std::size_t n = 1; n <= 40; ++n) {
    for (std::size_t k = 0; k <= n; ++k) {
      const Estimate e = wilson(k, n);
      const double trials = static_cast<double>(n);
      const double share = static_cast<double>(k) / trials;
      for (const double p : {e.low, e.high}) {
        const double distance = (share - p) * (share - p) - z * z * p * (1 - p) / trials;
        BOOST_TEST(std::abs(distance) < 1e-14);
      }
      BOOST_TEST(e.value == share);
      BOOST_TEST((0 <= e.low && e.low <= share && share <= e.high && e.high <= 1));
      BOOST_TEST(e.low < e.high);  // a finite number of facts never gives certainty
    }
  }
}

BOOST_AUTO_TEST_CASE(none_and_all_touch_zero_and_one_exactly) {
  BOOST_TEST(wilson(0, 7).low == 0.0);
  BOOST_TEST(wilson(7, 7).high == 1.0);
}

BOOST_AUTO_TEST_CASE(no_facts_give_no_number) {
  for (const Estimate& none :
       {Estimate{}, wilson(0, 0), wilson_share(0, 0), bootstrap_mean({}, {}, "x")}) {
    BOOST_TEST(none.count == 0U);
    BOOST_TEST(!none.exists());
    // An empty estimate passes no threshold, whether it is a minimum or a maximum.
    for (const double number : {none.value, none.low, none.high}) {
      BOOST_TEST(!(number <= 0.1));
      BOOST_TEST(!(number >= 0.0));
    }
  }
  BOOST_TEST(wilson(0, 7).exists());
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_sorted_last) {
  BOOST_TEST(or_lowest(-3.5) == -3.5);
  BOOST_TEST(or_lowest(Estimate{}.value) < or_lowest(-1e300));
}

// Computed by hand from numpy.quantile's definition: position q (n − 1), with linear interpolation.
BOOST_AUTO_TEST_CASE(quantiles_are_numpys_linear_ones) {
  const std::vector<double> four{1, 2, 3, 4};
  BOOST_TEST(quantile(four, 0.25) == 1.75);
  BOOST_TEST(quantile(four, 0.5) == 2.5);
  BOOST_TEST(quantile(four, 0.0) == 1.0);
  BOOST_TEST(quantile(four, 1.0) == 4.0);
  const std::vector<double> five{15, 20, 35, 40, 50};
  BOOST_TEST(std::abs(quantile(five, 0.4) - 29.0) < 1e-12);
  BOOST_TEST(quantile(five, 0.75) == 40.0);
  BOOST_TEST(quantile(std::vector<double>{7.0}, 0.975) == 7.0);
}

// For the draws 0, 1, …, 40 in any order, the ends are at positions 0.025 · 40 and 0.975 · 40. The
// estimate has the value passed in.
BOOST_AUTO_TEST_CASE(an_interval_is_the_middle_95_percent_of_the_draws) {
  std::vector<double> draws(41);
  for (std::size_t i = 0; i < 41; ++i) draws[i] = static_cast<double>(i * 7 % 41);
  const Estimate e = percentile_interval(99, draws, 12);
  BOOST_TEST(e.value == 99.0);
  BOOST_TEST(std::abs(e.low - 1) < 1e-12);
  BOOST_TEST(std::abs(e.high - 39) < 1e-12);
  BOOST_TEST(e.count == 12U);
  BOOST_TEST(e.method == "bootstrap");
}

BOOST_AUTO_TEST_CASE(without_draws_there_is_no_interval) {
  const Estimate e = percentile_interval(-0.5, {}, 3);
  BOOST_TEST(e.value == -0.5);
  BOOST_TEST(e.count == 3U);
  BOOST_TEST(!e.has_interval());
  BOOST_TEST(!e.interval().has_value());
  BOOST_TEST(e.method == "none");
}

BOOST_AUTO_TEST_CASE(a_bootstrap_is_repeated_by_its_seed_and_name) {
  const std::vector<Stratum> strata{{uniform_numbers(20, "values"), 1.0}};
  const Estimate once = bootstrap_mean(strata, {.seed = 3}, "accuracy");
  // Other computations in between do not change the result.
  const Estimate other_name = bootstrap_mean(strata, {.seed = 3}, "mean_rank");
  const Estimate other_seed = bootstrap_mean(strata, {.seed = 4}, "accuracy");
  const Estimate again = bootstrap_mean(strata, {.seed = 3}, "accuracy");
  BOOST_TEST(again.low == once.low);
  BOOST_TEST(again.high == once.high);
  BOOST_TEST(other_name.low != once.low);
  BOOST_TEST(other_seed.low != once.low);
  BOOST_TEST(other_name.value == once.value);
  BOOST_TEST(once.method == "bootstrap");
}

BOOST_AUTO_TEST_CASE(an_interval_is_its_two_ends) {
  const Estimate e = wilson(10, 20);
  BOOST_TEST(e.has_interval());
  BOOST_CHECK(e.interval() == std::pair(e.low, e.high));
  BOOST_TEST(!Estimate{}.has_interval());
}

// Sums of three 0.1s depend on the order of addition; such differences do not count as spread.
BOOST_AUTO_TEST_CASE(equal_values_give_no_interval) {
  const Estimate e = bootstrap_mean({{{0.1, 0.1, 0.1}, 0.3}, {{0.7, 0.7}, 0.7}}, {}, "x");
  BOOST_TEST(std::abs(e.value - 0.52) < 1e-15);
  BOOST_TEST(!e.has_interval());
  BOOST_TEST(e.count == 5U);
}

// The two strata have different values but are constant, so there is no spread within them. Pooled
// resampling would find a spread.
BOOST_AUTO_TEST_CASE(strata_are_resampled_within_themselves) {
  const Estimate e = bootstrap_mean({{{0, 0, 0, 0}, 0.5}, {{1, 1, 1, 1}, 0.5}}, {}, "x");
  BOOST_TEST(e.value == 0.5);
  BOOST_TEST(!e.has_interval());
}

BOOST_AUTO_TEST_CASE(strata_count_by_their_weight_and_not_by_their_size) {
  const std::vector<double> zeros(9, 0.0);
  BOOST_TEST(bootstrap_mean({{{1.0}, 0.5}, {zeros, 0.5}}, {}, "x").value == 0.5);
  BOOST_TEST(bootstrap_mean({{{1.0}, 0.1}, {zeros, 0.9}}, {}, "x").value == 0.1);
}

BOOST_AUTO_TEST_CASE(no_resamples_leave_the_value_alone) {
  const Estimate e = bootstrap_mean({{{0, 1}, 1}}, {.seed = 0, .resamples = 0}, "x");
  BOOST_TEST(e.value == 0.5);
  BOOST_TEST(!e.has_interval());
}

// By the central limit theorem, the width for a hundred zeros and a hundred ones is 2 z √(0.25 /
// 200) = 0.1386. With 5000 resamples, the width is within 6% of this.
BOOST_AUTO_TEST_CASE(the_width_is_the_normal_one_for_many_values) {
  std::vector<double> values(200, 0.0);
  for (std::size_t i = 0; i < 100; ++i) values[i] = 1.0;
  const Estimate e = bootstrap_mean({{values, 1}}, {.seed = 1, .resamples = 5000}, "width");
  const double expected = 2 * z * std::sqrt(0.25 / 200);
  BOOST_TEST(std::abs((e.high - e.low) / expected - 1) < 0.06);
}

// Each sample has 40 uniform numbers with mean 0.5. About 94% of the 500 intervals must contain
// this mean; three standard errors of this proportion are 0.03.
BOOST_AUTO_TEST_CASE(about_ninety_five_percent_of_intervals_hold_the_truth) {
  int held = 0;
  for (int sample = 0; sample < 500; ++sample) {
    const std::string name = "sample " + std::to_string(sample);
    const Estimate e = bootstrap_mean({{uniform_numbers(40, name.c_str()), 1}},
                                      {.seed = 5, .resamples = 300}, name);
    held += e.low <= 0.5 && 0.5 <= e.high ? 1 : 0;
  }
  BOOST_TEST(held >= 455);
  BOOST_TEST(held <= 490);
}

BOOST_AUTO_TEST_SUITE_END()
