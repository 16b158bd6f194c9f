// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/pearson_p_value.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(significance)

namespace {

bool near(double value, double expected) {
  return std::abs(value - expected) < 1e-10 * expected;
}

/// ∫ (1 − x²)^((n−4)/2) dx by Simpson's rule; the integrand is the density of r if there is no
/// correlation. The substitution x = sin u yields cosⁿ⁻³ u, which is smooth up to the endpoints.
double mass(std::size_t n, double from, double to) {
  // enough steps even for 200 pairs, whose tail halves within less than 1/100 of the range
  constexpr int steps = 40000;
  const double low = std::asin(from), step = (std::asin(to) - low) / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::pow(std::cos(low + step * i), static_cast<double>(n) - 3);
  }
  return sum * step / 3;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fewer_than_three_pairs_have_none) {
  for (const std::size_t n : {0U, 1U, 2U}) {
    BOOST_TEST(!p_value(0.5, n).has_value());
    BOOST_TEST(!p_value(1.0, n).has_value());
  }
  BOOST_TEST(p_value(0.5, 3).has_value());
}

BOOST_AUTO_TEST_CASE(no_correlation_is_certain_to_be_exceeded) {
  for (const std::size_t n : {3U, 4U, 10U, 1000U}) BOOST_TEST(near(p_value(0, n).value(), 1));
}

// A perfect correlation has no p, even if rounding makes |r| slightly less than 1, by about the
// resolution of a double.
BOOST_AUTO_TEST_CASE(a_straight_line_has_none) {
  for (const double r : {1.0, -1.0, 1 - 1e-15, -1 + 3e-16}) {
    for (const std::size_t n : {3U, 4U, 11U, 1000U}) BOOST_TEST(!p_value(r, n).has_value());
  }
  BOOST_TEST(p_value(1 - 1e-9, 4).value() < 1e-8);
}

// e^−(10^6 · ln 2) is far below the smallest double, but p must still be positive.
BOOST_AUTO_TEST_CASE(no_p_is_zero) {
  BOOST_TEST(p_value(0.87, 1000000).value() > 0.0);
  BOOST_TEST(p_value(0.87, 1000000).value() < smallest_shown_p);
}

// The density of r is (1 − x²)^((n−4)/2). Its tail areas involve an arcsine for 3 pairs, are linear
// for 4, and are polynomials for all even n.
BOOST_AUTO_TEST_CASE(few_pairs_have_closed_forms) {
  for (const double r : {0.01, 0.2, 0.5, 0.75, 0.99}) {
    BOOST_TEST(near(p_value(r, 3).value(), 1 - 2 / std::numbers::pi * std::asin(r)));
    BOOST_TEST(near(p_value(r, 4).value(), 1 - r));
    BOOST_TEST(near(p_value(r, 6).value(), 1 - (3 * r - r * r * r) / 2));
    const double r3 = r * r * r;
    BOOST_TEST(near(p_value(r, 8).value(), 1 - (15 * r - 10 * r3 + 3 * r3 * r * r) / 8));
  }
}

BOOST_AUTO_TEST_CASE(both_signs_have_the_same) {
  for (const double r : {0.1, 0.5, 0.9}) {
    for (const std::size_t n : {3U, 7U, 50U}) {
      BOOST_TEST(p_value(-r, n).value() == p_value(r, n).value());
    }
  }
}

BOOST_AUTO_TEST_CASE(any_number_of_pairs_has_the_tails_of_its_density) {
  for (const std::size_t n : {3U, 5U, 7U, 11U, 18U, 40U, 200U}) {
    for (const double r : {0.001, 0.1, 0.3, 0.6, 0.8}) {
      BOOST_TEST(near(p_value(r, n).value(), mass(n, r, 1) / mass(n, 0, 1)));
    }
  }
}

// The expected values are from scipy: 2 * scipy.stats.t.sf(t, n - 2).
BOOST_AUTO_TEST_CASE(scipy_gives_the_same) {
  struct {
    double r;
    std::size_t n;
    double p;
  } const published[] = {{0.5, 10, 0.14111328125},
                         {0.8, 5, 0.10408803866182799},
                         {-0.7, 25, 9.810847593144091e-05},
                         {0.1, 1000, 0.0015441161074010912},
                         {0.03, 40000, 1.959090578506426e-09},
                         {0.95, 200, 4.859126293460762e-102}};
  for (const auto& [r, n, p] : published) BOOST_TEST(near(p_value(r, n).value(), p));
}

BOOST_AUTO_TEST_CASE(more_pairs_and_stronger_correlations_are_less_by_chance) {
  for (std::size_t n = 3; n < 60; ++n) {
    BOOST_TEST(p_value(0.4, n + 1).value() < p_value(0.4, n).value());
    BOOST_TEST(p_value(0.5, n).value() < p_value(0.4, n).value());
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_number_has_none) {
  BOOST_TEST(!p_value(std::nan(""), 10).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
