// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/tile_products.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;
using plumb::detail::panel_width;
using plumb::detail::tile_rows;

BOOST_AUTO_TEST_SUITE(tile_products_suite)

namespace {

std::vector<std::int16_t> random_numbers(std::size_t count, RandomStream& random) {
  std::vector<std::int16_t> numbers(count);
  for (auto& number : numbers) {
    number = static_cast<std::int16_t>(static_cast<int>(random.below(2001)) - 1000);
  }
  return numbers;
}

std::vector<Pair> pairs_of(const std::vector<std::int16_t>& numbers) {
  std::vector<Pair> pairs(numbers.size() / 2);
  std::memcpy(pairs.data(), numbers.data(), numbers.size() * sizeof(std::int16_t));
  return pairs;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_is_multiplied_with_every_column) {
  RandomStream random(0, "tile");
  for (const std::size_t pairs : {1U, 7U, 64U}) {
    std::vector<std::vector<std::int16_t>> rows, columns;
    std::vector<std::vector<Pair>> packed;
    std::array<const Pair*, tile_rows> row;
    for (std::size_t r = 0; r < tile_rows; ++r) {
      rows.push_back(random_numbers(2 * pairs, random));
      packed.push_back(pairs_of(rows[r]));
    }
    for (std::size_t r = 0; r < tile_rows; ++r) row[r] = packed[r].data();
    ColumnPanel panel(pairs);
    for (std::size_t c = 0; c < panel_width; ++c) {
      columns.push_back(random_numbers(2 * pairs, random));
      panel.set(c, pairs_of(columns[c]).data());
    }
    const std::size_t stride = panel_width + 5;
    std::vector<std::int32_t> products(tile_rows * stride, -77);
    tile_products(row.data(), panel.data(), pairs, products.data(), stride);
    for (std::size_t r = 0; r < tile_rows; ++r) {
      for (std::size_t c = 0; c < stride; ++c) {
        int expected = c < panel_width ? 0 : -77;  // what lies between the rows stays
        for (std::size_t i = 0; c < panel_width && i < 2 * pairs; ++i) {
          expected += rows[r][i] * columns[c][i];
        }
        BOOST_TEST(products[r * stride + c] == expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_largest_numbers_do_not_overflow) {
  const std::vector<Pair> most = pairs_of({32767, -32767});
  std::array<const Pair*, tile_rows> row;
  row.fill(most.data());
  ColumnPanel panel(1);
  panel.set(0, most.data());
  std::array<std::int32_t, tile_rows * panel_width> products;
  tile_products(row.data(), panel.data(), 1, products.data(), panel_width);
  BOOST_TEST(products[0] == 2 * 32767 * 32767);
}

BOOST_AUTO_TEST_CASE(columns_that_are_not_set_are_zero) {
  const std::vector<Pair> ones = pairs_of({1, 1, 1, 1, 1, 1}),
                          threes = pairs_of({3, 3, 3, 3, 3, 3});
  ColumnPanel panel(3);
  panel.set(1, threes.data());
  std::array<const Pair*, tile_rows> row;
  row.fill(ones.data());
  std::array<std::int32_t, tile_rows * panel_width> products;
  tile_products(row.data(), panel.data(), 3, products.data(), panel_width);
  for (std::size_t i = 0; i < products.size(); ++i) {
    BOOST_TEST(products[i] == (i % panel_width == 1 ? 18 : 0));
  }
}

BOOST_AUTO_TEST_CASE(a_single_lane_is_seen) {
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    Lanes lanes = {};
    BOOST_TEST(!any(lanes));
    BOOST_TEST(!any_by_words(lanes));
    lanes[lane] = -1;
    BOOST_TEST(any(lanes));
    BOOST_TEST(any_by_words(lanes));
  }
}

// What machines without the instructions compute.
BOOST_AUTO_TEST_CASE(halves_have_the_products_of_the_instructions) {
  RandomStream random(1, "halves");
  for (int round = 0; round < 50; ++round) {
    const auto lanes_of = [&] {
      const auto numbers = pairs_of(random_numbers(2 * lane_count, random));
      return load(numbers.data());
    };
    const Lanes sum = lanes_of(), a = lanes_of(), b = lanes_of();
    const Lanes whole = add_products(sum, a, b);
    const Lanes halves = add_products_by_halves(sum, a, b);
    for (std::size_t lane = 0; lane < lane_count; ++lane) {
      BOOST_TEST(whole[lane] == halves[lane]);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
