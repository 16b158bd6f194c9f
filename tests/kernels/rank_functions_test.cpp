// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/rank_functions.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(rank_functions)

BOOST_AUTO_TEST_CASE(the_table_is_of_this_file_s_width) {
  BOOST_TEST(rank_kernels_here.panel_width == panel_width);
  BOOST_TEST(rank_kernels_here.needs == needs_here);
}

BOOST_AUTO_TEST_SUITE_END()
