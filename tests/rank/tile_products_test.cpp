// SPDX-License-Identifier: Apache-2.0
#include "plumb/rank/tile_products.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "plumb/core/random.hpp"

using namespace plumb;

namespace {

std::vector<float> random_numbers(std::size_t count, RandomStream& random) {
  std::vector<float> numbers(count);
  for (float& number : numbers) number = static_cast<float>(random.uniform() - 0.5);
  return numbers;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tile_products_suite)

BOOST_AUTO_TEST_CASE(every_row_is_multiplied_with_every_column) {
  RandomStream random(0, "tile");
  for (const std::size_t dimension : {1U, 7U, 64U}) {
    std::vector<std::vector<float>> rows, columns;
    std::array<const float*, detail::tile_rows> row;
    for (std::size_t r = 0; r < detail::tile_rows; ++r) {
      rows.push_back(random_numbers(dimension, random));
    }
    for (std::size_t r = 0; r < detail::tile_rows; ++r) row[r] = rows[r].data();
    detail::ColumnPanel panel(dimension);
    for (std::size_t c = 0; c < detail::panel_width; ++c) {
      columns.push_back(random_numbers(dimension, random));
      panel.set(c, columns[c].data(), 2);
    }
    std::array<float, detail::tile_rows * detail::panel_width> products;
    detail::tile_products(row.data(), panel.data(), dimension, products.data());
    for (std::size_t r = 0; r < detail::tile_rows; ++r) {
      for (std::size_t c = 0; c < detail::panel_width; ++c) {
        double expected = 0;
        for (std::size_t i = 0; i < dimension; ++i) expected += 2.0 * rows[r][i] * columns[c][i];
        BOOST_TEST(std::abs(products[r * detail::panel_width + c] - expected) < 1e-5);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(columns_that_are_not_set_are_zero) {
  const std::vector<float> ones(5, 1.0F);
  detail::ColumnPanel panel(5);
  panel.set(1, ones.data(), 3);
  std::array<const float*, detail::tile_rows> row;
  row.fill(ones.data());
  std::array<float, detail::tile_rows * detail::panel_width> products;
  detail::tile_products(row.data(), panel.data(), 5, products.data());
  for (std::size_t i = 0; i < products.size(); ++i) {
    BOOST_TEST(products[i] == (i % detail::panel_width == 1 ? 15.0F : 0.0F));
  }
}

BOOST_AUTO_TEST_CASE(a_single_lane_is_seen) {
  for (std::size_t lane = 0; lane < detail::lane_count; ++lane) {
    detail::LaneCounts lanes = {};
    BOOST_TEST(!detail::any(lanes));
    lanes[lane] = -1;
    BOOST_TEST(detail::any(lanes));
  }
}

BOOST_AUTO_TEST_SUITE_END()
