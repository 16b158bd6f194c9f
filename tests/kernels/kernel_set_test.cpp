// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/kernel_set.hpp"

#include <boost/test/unit_test.hpp>

#include "support/kernel_sets.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(kernel_set)

BOOST_AUTO_TEST_CASE(every_set_fits_the_memory_that_callers_have) {
  test::with_each_set([](const KernelSet& set) {
    BOOST_TEST(set.product_rows <= most_product_rows);
    BOOST_TEST(set.product_width() <= most_product_width);
    BOOST_TEST(set.product_width() == set.lanes * set.product_lanes);
    BOOST_TEST(set.tile_rows <= most_tile_rows);
  });
}

BOOST_AUTO_TEST_SUITE_END()
