// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/rank_kernels.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(rank_kernels_of_a_program)

BOOST_AUTO_TEST_CASE(one_that_the_machine_has_is_run) {
  BOOST_TEST(machine_has(rank_kernels().needs));
  BOOST_TEST(&rank_kernels() == &kernels<RankKernels>());
}

BOOST_AUTO_TEST_SUITE_END()
