// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/distinct_inputs.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(distinct_inputs_suite)

BOOST_AUTO_TEST_CASE(equal_inputs_have_one_place_in_the_order_in_which_they_came) {
  DistinctInputs inputs;
  BOOST_TEST(inputs.insert({{1, 2}, 0}) == 0U);
  BOOST_TEST(inputs.insert({{1, 2}, 1}) == 1U);  // another position in the same sequence
  BOOST_TEST(inputs.insert({{1, 2, 0}, 0}) == 2U);
  BOOST_TEST(inputs.insert({{1, 2}, 1}) == 1U);
  BOOST_TEST(inputs.size() == 3U);
  BOOST_TEST((inputs.queries()[2] == MaskedQuery{{1, 2, 0}, 0}));
  BOOST_TEST(inputs.contains({{1, 2}, 0}));
  BOOST_TEST(!inputs.contains({{2, 1}, 0}));
  inputs.clear();
  BOOST_TEST(inputs.size() == 0U);
  BOOST_TEST(!inputs.contains({{1, 2}, 0}));
}

BOOST_AUTO_TEST_SUITE_END()
