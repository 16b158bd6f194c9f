// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/row_sums.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/kernel_tables.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(row_sums)

// The sizes include fewer numbers than lanes, whole blocks, and slightly more than a whole number
// of blocks.
BOOST_AUTO_TEST_CASE(sums_of_powers_are_those_of_doubles) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(1, 3);
  for (const std::size_t size : {1U, 3U, 37U, 1024U, 5000U}) {
    std::vector<float> row(size);
    double sum = 0;
    for (float& x : row) {
      x = normal(random);
      sum += std::exp(static_cast<double>(x) - 15);
    }
    test::with_each<RowKernels>([&](const RowKernels& set) {
      BOOST_TEST(std::abs(set.exp_sum(row.data(), size, 15) / sum - 1) < 1e-6);
    });
  }
}

BOOST_AUTO_TEST_CASE(the_highest_is_found_in_every_lane_and_nan_is_kept) {
  test::with_each<RowKernels>([](const RowKernels& set) {
    for (std::size_t size = 1; size < 50; ++size) {
      for (std::size_t at = 0; at < size; ++at) {
        std::vector<float> row(size, -3.0F);
        row[at] = -2;
        BOOST_TEST(set.highest(row.data(), size) == -2);
        row[at] = std::numeric_limits<float>::quiet_NaN();
        BOOST_TEST(std::isnan(set.highest(row.data(), size)));
      }
    }
    const std::vector<float> least(5, -std::numeric_limits<float>::infinity());
    BOOST_TEST(set.highest(least.data(), 5) == least[0]);
  });
}

BOOST_AUTO_TEST_CASE(what_is_impossible_adds_nothing) {
  std::vector<float> row(20, -std::numeric_limits<float>::infinity());
  row[3] = 1;
  test::with_each<RowKernels>(
      [&](const RowKernels& set) { BOOST_TEST(set.exp_sum(row.data(), row.size(), 1) == 1); });
}

BOOST_AUTO_TEST_SUITE_END()
