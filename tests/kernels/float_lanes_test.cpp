// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/float_lanes.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "plumb/detail/kernels/row_functions.hpp"

// Tests the vector width for which this file is compiled.
BOOST_AUTO_TEST_SUITE(float_lanes_of_rows)

using namespace plumb::detail;

BOOST_AUTO_TEST_CASE(powers_are_within_2e7) {
  double worst = 0;
  for (float x = -86.9F; x < 87.9F; x += 0.0037F) {
    FloatLanes lanes = FloatLanes{} + x;
    const auto exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(static_cast<double>(exp_lanes(lanes)[0]) / exact - 1));
  }
  BOOST_TEST(worst < 2e-7);
  BOOST_TEST(exp_lanes(FloatLanes{})[0] == 1.0F);
  BOOST_TEST(exp_lanes(FloatLanes{} - 1e30F)[0] < 1e-37F);
  BOOST_TEST(std::isfinite(exp_lanes(FloatLanes{} + 1e30F)[0]));
}

BOOST_AUTO_TEST_CASE(erf_is_within_4e7) {
  double worst = 0;
  for (float x = -7; x < 7; x += 0.00031F) {
    const float is = erf_lanes(FloatLanes{} + x)[0];
    worst = std::max(worst, std::abs(static_cast<double>(is) - std::erf(static_cast<double>(x))));
  }
  BOOST_TEST(worst < 4e-7);
}

BOOST_AUTO_TEST_CASE(the_last_numbers_of_a_row_are_taken_by_themselves) {
  const std::vector<float> row{1, 2, 3};
  const FloatLanes lanes = load_some(row.data(), 2, 0, -7);
  BOOST_TEST(lanes[0] == 1);
  BOOST_TEST(lanes[1] == 2);
  BOOST_TEST(lanes[float_lanes - 1] == -7);
  std::vector<float> to{9, 9, 9};
  store_some(to.data(), 2, 0, lanes);
  BOOST_TEST((to == std::vector<float>{1, 2, 9}));
  BOOST_TEST(most_of_lanes(lanes) == 2);
}

BOOST_AUTO_TEST_SUITE_END()
