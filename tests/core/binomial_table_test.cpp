// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/core/binomial_table.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(binomial_table)

namespace {

/// P(successes ≤ k) for each k, accumulated trial by trial.
std::vector<long double> trial_by_trial(std::size_t trials, long double p) {
  std::vector<long double> exactly(trials + 1);
  exactly[0] = 1;
  for (std::size_t trial = 1; trial <= trials; ++trial) {
    for (std::size_t k = trial; k > 0; --k) {
      exactly[k] = exactly[k] * (1 - p) + exactly[k - 1] * p;
    }
    exactly[0] *= 1 - p;
  }
  for (std::size_t k = 1; k <= trials; ++k) exactly[k] += exactly[k - 1];
  return exactly;
}

/// The largest difference between the table and the exact distribution.
double worst(std::uint32_t trials, std::uint32_t right, std::uint32_t total) {
  const BinomialTable table(trials, right, total);
  const auto expected =
      trial_by_trial(trials, static_cast<long double>(right) / static_cast<long double>(total));
  long double most = 0;
  for (std::size_t k = 0; k <= trials; ++k) {
    most = std::max(most, std::abs(expected[k] - static_cast<long double>(table.at_most(k))));
  }
  return static_cast<double>(most);
}

}  // namespace

BOOST_AUTO_TEST_CASE(four_coins_have_the_probabilities_of_pascals_triangle) {
  const BinomialTable coins(4, 1, 2);
  BOOST_TEST(coins.at_most(0) == 1.0 / 16);
  BOOST_TEST(coins.at_most(1) == 5.0 / 16);
  BOOST_TEST(coins.at_most(2) == 11.0 / 16);
  BOOST_TEST(coins.at_most(3) == 15.0 / 16);
  BOOST_TEST(coins.at_most(4) == 1.0);
  BOOST_TEST(coins.at_most(99) == 1.0);
}

BOOST_AUTO_TEST_CASE(the_distribution_is_that_of_trials_made_one_by_one) {
  for (const std::uint32_t trials : {1U, 2U, 7U, 60U}) {
    for (const auto& [right, total] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {1, 2}, {1, 100}, {99, 100}, {3, 7}}) {
      BOOST_TEST(worst(trials, right, total) < 1e-15 * (trials + 10));
    }
  }
  BOOST_TEST(worst(3000, 1, 100) < 1e-12);
  BOOST_TEST(worst(3000, 37, 100) < 1e-12);
  BOOST_TEST(worst(3000, 199, 200) < 1e-12);
}

// Computing trial by trial would take too long, so each probability is computed from the logarithms
// of gamma functions.
BOOST_AUTO_TEST_CASE(a_million_trials_are_as_exact) {
  const BinomialTable table(1'000'000, 1, 3);
  std::vector<long double> weights;
  long double sum = 0;
  for (long double k = 330'000; k <= 336'700; ++k) {
    const long double n = 1'000'000;
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(1 / 3.0L) + (n - k) * std::log(2 / 3.0L));
    weights.push_back(sum);
  }
  long double most = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double tabulated = table.at_most(330'000 + i);
    most = std::max(most, std::abs(weights[i] / sum - static_cast<long double>(tabulated)));
  }
  BOOST_TEST(static_cast<double>(most) < 1e-12);
}

BOOST_AUTO_TEST_CASE(what_is_certain_is_drawn) {
  RandomStream random(1, "x");
  for (int i = 0; i < 100; ++i) {
    BOOST_TEST(BinomialTable(0, 1, 2)(random) == 0U);
    BOOST_TEST(BinomialTable(9, 0, 5)(random) == 0U);
    BOOST_TEST(BinomialTable(9, 5, 5)(random) == 9U);
  }
  BOOST_TEST(BinomialTable(9, 5, 5).at_most(8) == 0.0);
  BOOST_TEST(BinomialTable(9, 5, 5).at_most(9) == 1.0);
}

// A draw is the first outcome whose cumulative probability exceeds the uniform number.
BOOST_AUTO_TEST_CASE(a_draw_inverts_the_distribution_at_the_streams_next_number) {
  for (const std::uint32_t trials : {1U, 5U, 33U, 1000U}) {
    for (const std::uint32_t right : {1U, 50U, 97U}) {
      const BinomialTable table(trials, right, 100);
      RandomStream random(7, "draws"), numbers(7, "draws");
      for (int i = 0; i < 2000; ++i) {
        const double u = numbers.uniform();
        std::size_t expected = 0;
        while (table.at_most(expected) <= u) ++expected;
        BOOST_REQUIRE(table(random) == expected);
      }
    }
  }
}

// For 40,000 draws, five standard errors are 0.0354 for a mean and 0.0125 for a proportion of one
// half.
BOOST_AUTO_TEST_CASE(draws_have_the_mean_and_the_spread_of_a_binomial) {
  const BinomialTable table(8, 1, 2);
  RandomStream random(3, "x");
  double mean = 0, square = 0, four = 0;
  for (int i = 0; i < 40'000; ++i) {
    const double drawn = static_cast<double>(table(random));
    mean += drawn / 40'000;
    square += (drawn - 4) * (drawn - 4) / 40'000;
    four += drawn == 4 ? 1 / 40'000.0 : 0;
  }
  BOOST_TEST(std::abs(mean - 4) < 0.0354);
  BOOST_TEST(std::abs(square - 2) < 0.075);
  BOOST_TEST(std::abs(four - 70.0 / 256) < 0.0125);
}

BOOST_AUTO_TEST_SUITE_END()
