// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/axis_ticks.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(axis_ticks)

namespace {

using Texts = std::vector<std::string>;

Texts texts(const std::vector<AxisTick>& ticks) {
  Texts made;
  for (const AxisTick& tick : ticks) made.push_back(tick.text);
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(linear_ticks_are_multiples_of_a_round_step_within_the_range) {
  BOOST_TEST((texts(linear_ticks({0, 1})) == Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  BOOST_TEST((texts(linear_ticks({-0.1, 0.1})) == Texts{"-0.10", "-0.05", "0.00", "0.05", "0.10"}));
  BOOST_TEST((texts(linear_ticks({3, 60})) == Texts{"10", "20", "30", "40", "50", "60"}));
  BOOST_TEST(linear_ticks({3, 60})[1].at == 20);
}

BOOST_AUTO_TEST_CASE(logarithmic_ticks_are_the_numbers_themselves) {
  BOOST_TEST(
      (texts(log_ticks({-1, 1.5})) == Texts{"0.1", "0.2", "0.5", "1", "2", "5", "10", "20"}));
  BOOST_TEST(std::abs(log_ticks({0, 1})[1].at - 0.30103) < 1e-5);  // log10 2
}

BOOST_AUTO_TEST_CASE(many_decades_have_fewer_ticks) {
  BOOST_TEST((texts(log_ticks({0, 4})) == Texts{"1", "10", "100", "1000", "10000"}));
  BOOST_TEST((texts(log_ticks({0, 9})) == Texts{"1", "100", "10000", "1000000", "100000000"}));
}

BOOST_AUTO_TEST_SUITE_END()
