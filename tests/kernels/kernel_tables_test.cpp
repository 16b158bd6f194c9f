// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/kernel_tables.hpp"

#include <boost/test/unit_test.hpp>

#include "support/kernel_tables.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(kernel_tables)

BOOST_AUTO_TEST_CASE(every_table_fits_the_memory_that_callers_have) {
  test::with_each<NetworkKernels>([](const NetworkKernels& table) {
    BOOST_TEST(table.product_rows <= most_product_rows);
    BOOST_TEST(table.product_width() <= most_product_width);
    BOOST_TEST(table.product_width() == table.lanes * table.product_lanes);
  });
  test::with_each<RankKernels>(
      [](const RankKernels& table) { BOOST_TEST(table.tile_rows <= most_tile_rows); });
}

BOOST_AUTO_TEST_SUITE_END()
