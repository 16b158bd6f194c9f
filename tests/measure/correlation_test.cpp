// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/correlation.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(correlation)

namespace {

using List = std::vector<double>;

constexpr double z = 1.959963984540054;

List mapped(List list, double factor, double shift) {
  for (double& value : list) value = factor * value + shift;
  return list;
}

// The two lists from the help page of R's cor.test (Hollander & Wolfe 1973, page 187 f.).
const List lightness{44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1};
const List panel{2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8};

}  // namespace

// In R, cor.test(x, y) prints 0.5711816 and [-0.1497426, 0.8955795].
BOOST_AUTO_TEST_CASE(the_tuna_of_r_have_its_correlation_and_interval) {
  const Estimate e = pearson(lightness, panel);
  BOOST_TEST(std::abs(e.value - 0.5711816) < 5e-8);
  BOOST_TEST(std::abs(e.low - -0.1497426) < 5e-8);
  BOOST_TEST(std::abs(e.high - 0.8955795) < 5e-8);
  BOOST_TEST(e.count == 9U);
  BOOST_TEST(e.method == "fisher");
}

// Σ(x−x̄)(y−ȳ) = 2 + 2 + 0 + 0 + 4, and both sums of squares are 10. Because artanh 0.8 = ½ ln 9,
// each end is (u − 1) / (u + 1) with u = 9 exp(∓2 z / √2).
BOOST_AUTO_TEST_CASE(five_pairs_go_together_as_computed_by_hand) {
  const Estimate e = pearson(List{1, 2, 3, 4, 5}, List{2, 1, 4, 3, 5});
  const auto end = [](double sign) {
    const double u = 9 * std::exp(sign * 2 * z / std::sqrt(2.0));
    return (u - 1) / (u + 1);
  };
  BOOST_TEST(near(e.value, 0.8));
  BOOST_TEST(near(e.low, end(-1)));
  BOOST_TEST(near(e.high, end(1)));
}

// At r = 0 with four pairs, the interval is ±tanh(z).
BOOST_AUTO_TEST_CASE(lists_that_have_nothing_to_do_with_one_another_have_zero) {
  const Estimate e = pearson(List{-1, 1, -1, 1}, List{-1, -1, 1, 1});
  BOOST_TEST(e.value == 0.0);
  BOOST_TEST(near(e.low, -std::tanh(z)));
  BOOST_TEST(near(e.high, std::tanh(z)));
}

BOOST_AUTO_TEST_CASE(a_straight_line_is_one_and_has_no_interval) {
  const List x{1, 2, 3, 4, 5};
  for (const double slope : {2.0, -2.0}) {
    const Estimate e = pearson(x, mapped(x, slope, 1));
    BOOST_TEST(e.value == slope / 2);
    BOOST_TEST(!e.has_interval());
    BOOST_TEST(e.count == 5U);
  }
}

BOOST_AUTO_TEST_CASE(rounding_never_leaves_the_bounds) {
  RandomStream random(9, "lines");
  for (int round = 0; round < 500; ++round) {
    List x(4 + random.below(6));
    for (double& value : x) value = random.uniform();
    const Estimate e = pearson(x, mapped(x, random.uniform() + 0.1, random.uniform()));
    BOOST_TEST(e.value <= 1.0);
    BOOST_TEST(e.value > 1 - 1e-12);
    BOOST_TEST(!e.has_interval());  // an interval of [1, 1] would only result from rounding
  }
}

BOOST_AUTO_TEST_CASE(correlation_of_three_pairs_has_no_interval) {
  // Σ(x−x̄)(y−ȳ) = 1, and the sums of squares are 2 and 2.
  const Estimate e = pearson(List{1, 2, 3}, List{1, 3, 2});
  BOOST_TEST(near(e.value, 0.5));
  BOOST_TEST(!e.has_interval());
  BOOST_TEST(e.method == "none");
  BOOST_TEST(e.count == 3U);
  // With one more pair, the interval is defined.
  BOOST_TEST(pearson(List{1, 2, 3, 4}, List{1, 3, 2, 5}).has_interval());
}

BOOST_AUTO_TEST_CASE(too_few_pairs_or_a_constant_list_have_no_number) {
  BOOST_TEST(pearson({}, {}).count == 0U);
  BOOST_TEST(std::isnan(pearson({}, {}).value));
  BOOST_TEST(pearson(List{1, 2}, List{1, 2}).count == 0U);
  const List varied{1, 2, 4, 8}, constant(4, 5.0);
  BOOST_TEST(pearson(constant, varied).count == 0U);
  BOOST_TEST(pearson(varied, constant).count == 0U);
  BOOST_TEST(pearson(constant, constant).count == 0U);
  // In floating point, the sum of ten 0.1s is not exactly 1.
  BOOST_TEST(pearson(List(10, 0.1), List(10, 0.7)).count == 0U);
}

BOOST_AUTO_TEST_CASE(units_do_not_matter_and_a_minus_mirrors) {
  const Estimate e = pearson(lightness, panel);
  for (const Estimate& same :
       {pearson(panel, lightness), pearson(mapped(lightness, 1e-6, 20), mapped(panel, 300, -1)),
        pearson(mapped(lightness, -1, 0), mapped(panel, -2, 0))}) {
    BOOST_TEST(std::abs(same.value - e.value) < 1e-8);
    BOOST_TEST(std::abs(same.low - e.low) < 1e-8);
    BOOST_TEST(std::abs(same.high - e.high) < 1e-8);
  }
  const Estimate mirrored = pearson(lightness, mapped(panel, -1, 7));
  BOOST_TEST(near(mirrored.value, -e.value));
  BOOST_TEST(near(mirrored.low, -e.high));
  BOOST_TEST(near(mirrored.high, -e.low));
}

BOOST_AUTO_TEST_SUITE_END()
