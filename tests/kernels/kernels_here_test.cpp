// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/kernels_here.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(kernels_of_this_file)

// This file is compiled for any x86-64, or for ARM.
BOOST_AUTO_TEST_CASE(they_are_named_after_its_flags) {
  BOOST_TEST(kernels_here.lanes == float_lanes);
  BOOST_TEST(kernels_here.needs == 0U);
  const std::string width = kernels_here.width;
  BOOST_TEST((width == "v2" || width == "neon"));
}

BOOST_AUTO_TEST_SUITE_END()
