// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/vector_needs.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(vector_needs)

// This file is compiled for the x86-64 or ARM baseline.
BOOST_AUTO_TEST_CASE(they_follow_the_flags_of_a_file) {
  BOOST_TEST(needs_here == 0U);
  const std::string width = width_here;
  BOOST_TEST((width == "v2" || width == "neon"));
}

BOOST_AUTO_TEST_SUITE_END()
