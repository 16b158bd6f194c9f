// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/kernels/tile_products.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/kernel_tables.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(tile_products_suite)

namespace {

std::vector<std::int16_t> random_numbers(std::size_t count, RandomStream& random) {
  std::vector<std::int16_t> numbers(count);
  for (auto& number : numbers) {
    number = static_cast<std::int16_t>(static_cast<int>(random.below(2001)) - 1000);
  }
  return numbers;
}

std::vector<ShortPair> pairs_of(const std::vector<std::int16_t>& numbers) {
  std::vector<ShortPair> pairs(numbers.size() / 2);
  std::memcpy(pairs.data(), numbers.data(), numbers.size() * sizeof(std::int16_t));
  return pairs;
}

/// A panel's columns, stored as [pairs][panel_width].
struct Panel {
  explicit Panel(const RankKernels& set, std::size_t pairs)
      : width(set.panel_width), numbers(pairs * width) {}
  void set_column(std::size_t c, const std::vector<ShortPair>& column) {
    for (std::size_t i = 0; i < column.size(); ++i) numbers[i * width + c] = column[i];
  }
  std::size_t width;
  std::vector<ShortPair> numbers;
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_row_is_multiplied_with_every_column) {
  test::with_each<RankKernels>([](const RankKernels& set) {
    const std::size_t tile_rows = set.tile_rows, panel_width = set.panel_width;
    RandomStream random(0, "tile");
    for (const std::size_t pairs : {1U, 7U, 64U}) {
      std::vector<std::vector<std::int16_t>> rows, columns;
      std::vector<std::vector<ShortPair>> packed;
      std::array<const ShortPair*, most_tile_rows> row{};
      for (std::size_t r = 0; r < tile_rows; ++r) {
        rows.push_back(random_numbers(2 * pairs, random));
        packed.push_back(pairs_of(rows[r]));
      }
      for (std::size_t r = 0; r < tile_rows; ++r) row[r] = packed[r].data();
      Panel panel(set, pairs);
      for (std::size_t c = 0; c < panel_width; ++c) {
        columns.push_back(random_numbers(2 * pairs, random));
        panel.set_column(c, pairs_of(columns[c]));
      }
      const std::size_t stride = panel_width + 5;
      std::vector<std::int32_t> products(tile_rows * stride, -77);
      set.tile_products(row.data(), panel.numbers.data(), pairs, products.data(), stride);
      for (std::size_t r = 0; r < tile_rows; ++r) {
        for (std::size_t c = 0; c < stride; ++c) {
          int expected = c < panel_width ? 0 : -77;  // the numbers between rows are unchanged
          for (std::size_t i = 0; c < panel_width && i < 2 * pairs; ++i) {
            expected += rows[r][i] * columns[c][i];
          }
          BOOST_TEST(products[r * stride + c] == expected);
        }
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(the_largest_numbers_do_not_overflow) {
  test::with_each<RankKernels>([](const RankKernels& set) {
    const std::size_t tile_rows = set.tile_rows, panel_width = set.panel_width;
    const std::vector<ShortPair> most = pairs_of({32767, -32767});
    std::array<const ShortPair*, most_tile_rows> row{};
    row.fill(most.data());
    Panel panel(set, 1);
    panel.set_column(0, most);
    std::vector<std::int32_t> products(tile_rows * panel_width);
    set.tile_products(row.data(), panel.numbers.data(), 1, products.data(), panel_width);
    BOOST_TEST(products[0] == 2 * 32767 * 32767);
  });
}

BOOST_AUTO_TEST_CASE(columns_that_are_not_set_are_zero) {
  test::with_each<RankKernels>([](const RankKernels& set) {
    const std::size_t tile_rows = set.tile_rows, panel_width = set.panel_width;
    const std::vector<ShortPair> ones = pairs_of({1, 1, 1, 1, 1, 1}),
                                 threes = pairs_of({3, 3, 3, 3, 3, 3});
    Panel panel(set, 3);
    panel.set_column(1, threes);
    std::array<const ShortPair*, most_tile_rows> row{};
    row.fill(ones.data());
    std::vector<std::int32_t> products(tile_rows * panel_width);
    set.tile_products(row.data(), panel.numbers.data(), 3, products.data(), panel_width);
    for (std::size_t i = 0; i < products.size(); ++i) {
      BOOST_TEST(products[i] == (i % panel_width == 1 ? 18 : 0));
    }
  });
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

// Tests the fallback for machines without these instructions.
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

BOOST_AUTO_TEST_CASE(products_are_above_below_or_undecided_in_every_lane) {
  test::with_each<RankKernels>([](const RankKernels& set) {
    const std::size_t columns = 2 * set.panel_width + 3;
    for (std::size_t at = 0; at + 4 <= columns; ++at) {
      std::vector<std::int32_t> products(columns, -1000);
      products[at] = 51;      // above the range
      products[at + 1] = 50;  // the ends of the range are included
      products[at + 2] = 25;
      products[at + 3] = 24;  // below the range
      std::vector<std::uint32_t> undecided(columns);
      std::size_t found = 99;
      BOOST_TEST(set.count_above(products.data(), columns, 25, 50, undecided.data(), found) == 1U);
      BOOST_TEST_REQUIRE(found == 2U);
      BOOST_TEST(undecided[0] == at + 1);
      BOOST_TEST(undecided[1] == at + 2);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
