// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/network_kernels.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(network_kernels_of_a_program)

BOOST_AUTO_TEST_CASE(one_that_the_machine_has_is_run) {
  BOOST_TEST(machine_has(network_kernels().needs));
  BOOST_TEST(&network_kernels() == &kernels<NetworkKernels>());
}

BOOST_AUTO_TEST_SUITE_END()
