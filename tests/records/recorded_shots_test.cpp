// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/recorded_shots.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(recorded_shots)

BOOST_AUTO_TEST_CASE(lists_are_equal_by_all_that_they_hold) {
  const RecordedShotList one{"3-random", "P36", 1, {{"P36", "Q1", "Norway", "Oslo", 1}}};
  RecordedShotList other = one;
  BOOST_TEST((one == other));
  other.shots[0].template_index.reset();
  BOOST_TEST(!(one == other));
}

BOOST_AUTO_TEST_SUITE_END()
