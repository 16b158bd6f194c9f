// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/tile_counts.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(tile_counts)

namespace {

struct Counted {
  std::size_t above;
  std::set<std::size_t> undecided;
};

Counted count(const std::vector<std::int32_t>& products, std::size_t columns, Undecided range) {
  Counted made{0, {}};
  std::vector<std::uint32_t> scratch(columns + 1);
  made.above = count_above(products.data(), columns, range, scratch, [&](std::size_t column) {
    BOOST_TEST(made.undecided.insert(column).second);  // each column is visited once
  });
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(products_are_above_below_or_left_undecided_in_every_lane) {
  const std::size_t panel_width = rank_kernels().panel_width;
  for (std::size_t at = 0; at + 4 <= 2 * panel_width; ++at) {
    std::vector<std::int32_t> products(2 * panel_width, -1000);
    products[at] = 51;      // above the range
    products[at + 1] = 50;  // the range includes its ends
    products[at + 2] = 25;
    products[at + 3] = 24;  // below
    const Counted made = count(products, products.size(), {25, 50});
    BOOST_TEST(made.above == 1U);
    BOOST_TEST((made.undecided == std::set<std::size_t>{at + 1, at + 2}));
  }
}

// Products after the last column would be counted if the code read them.
BOOST_AUTO_TEST_CASE(only_columns_that_are_there_are_counted) {
  const std::size_t panel_width = rank_kernels().panel_width;
  const std::vector<std::int32_t> products(panel_width + 1, 51);
  for (std::size_t columns = 0; columns <= panel_width; ++columns) {
    BOOST_TEST(count(products, columns, {25, 50}).above == columns);
    BOOST_TEST(count(products, columns, {25, 51}).undecided.size() == columns);
  }
}

BOOST_AUTO_TEST_CASE(ranges_end_at_32_bits) {
  BOOST_TEST(clamped(1e12) == std::numeric_limits<std::int32_t>::max());
  BOOST_TEST(clamped(-1e12) == -std::numeric_limits<std::int32_t>::max());
  BOOST_TEST(clamped(-7) == -7);
}

BOOST_AUTO_TEST_CASE(a_tile_scales_its_products_to_cosines) {
  const std::vector<std::int32_t> products{0, 0, 0, 0, 600, -300};
  const std::vector<ShortDirection> queries{{1, 0}, {20, 2}};
  const Tile tile{0, 2, 0, 2, 4, products.data(), queries.data(), {100, 5}};
  BOOST_TEST(tile.cosine(1, 0) == 0.3);
  BOOST_TEST(tile.cosine(1, 1) == -0.15);
  // (20 + 2) · 5 + 2 · 100 + 1, divided by 20 · 100.
  BOOST_TEST(tile.bound(1) == 311.0 / 2000);
  const Undecided range = tile.undecided(1, 0.2);
  BOOST_TEST(range.least == 400 - 311);
  BOOST_TEST(range.most == 400 + 311);
}

BOOST_AUTO_TEST_SUITE_END()
