// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/draw_spread.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(draw_spread_suite)

// Computed by hand: the deviations are −0.1, 0 and 0.1.
BOOST_AUTO_TEST_CASE(the_spread_is_over_accuracies) {
  const std::array<double, 3> accuracies{0.5, 0.4, 0.6};
  const DrawSpread made = draw_spread("a, b, c", accuracies);
  BOOST_TEST(made.draws == 3U);
  BOOST_TEST(std::abs(made.mean - 0.5) < 1e-12);
  BOOST_TEST(std::abs(made.sd - 0.1) < 1e-12);
  BOOST_TEST(made.least == 0.4);
  BOOST_TEST(made.most == 0.6);
}

BOOST_AUTO_TEST_SUITE_END()
