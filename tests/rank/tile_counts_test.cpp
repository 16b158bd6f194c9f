// SPDX-License-Identifier: Apache-2.0
#include "plumb/rank/tile_counts.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <set>
#include <utility>
#include <vector>

using namespace plumb;
using detail::panel_width;
using detail::tile_rows;

namespace {

/// A tile whose cosine of row r and lane c is `cosines[r][c]`, with inverse lengths of two.
struct Made {
  explicit Made(std::size_t of_rows) : rows(of_rows) { inverse.fill(2); }
  void set(std::size_t row, std::size_t lane, float cosine) {
    products[row * panel_width + lane] = cosine / 2;
  }
  void count(const detail::Thresholds& thresholds) {
    const detail::Tile tile{100, rows, 0, products.data(), inverse.data()};
    detail::count_tile(
        tile, thresholds, above,
        [&](std::uint32_t question, std::size_t entity) {
          undecided.insert({question, entity});
        },
        found);
  }
  std::size_t rows;
  std::array<float, tile_rows * panel_width> products{};
  std::array<float, tile_rows> inverse{};
  detail::Counts above;
  std::set<std::pair<std::uint32_t, std::size_t>> undecided;
  std::vector<std::pair<std::uint32_t, Rank>> found;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tile_counts)

BOOST_AUTO_TEST_CASE(cosines_are_above_below_or_left_undecided) {
  for (const std::size_t lane : {std::size_t{0}, detail::lane_count, panel_width - 1}) {
    Made made(4);
    detail::Thresholds thresholds;
    thresholds.add(lane, 7, 0.5F, 0.25F);
    made.set(0, lane, 0.75F);
    made.set(1, lane, 0.5F);   // not above the upper threshold
    made.set(2, lane, 0.25F);  // not below the lower one
    made.set(3, lane, 0.125F);
    made.count(thresholds);
    BOOST_TEST(made.above.of(lane) == 1U);
    const std::set<std::pair<std::uint32_t, std::size_t>> expected{{7, 101}, {7, 102}};
    BOOST_TEST((made.undecided == expected));
    BOOST_TEST(made.found.empty());
  }
}

BOOST_AUTO_TEST_CASE(rows_behind_the_last_are_not_counted) {
  Made made(1);
  detail::Thresholds thresholds;
  thresholds.add(3, 0, 0.5F, 0.25F);
  for (std::size_t r = 0; r < tile_rows; ++r) made.set(r, 3, 0.75F);
  made.count(thresholds);
  BOOST_TEST(made.above.of(3) == 1U);
}

BOOST_AUTO_TEST_CASE(lanes_without_a_question_count_nothing) {
  Made made(tile_rows);
  for (std::size_t i = 0; i < made.products.size(); ++i) made.products[i] = 0.45F;
  made.count(detail::Thresholds());
  for (std::size_t lane = 0; lane < panel_width; ++lane) BOOST_TEST(made.above.of(lane) == 0U);
  BOOST_TEST(made.undecided.empty());
}

BOOST_AUTO_TEST_CASE(further_questions_of_a_query_have_their_own_thresholds) {
  Made made(3);
  detail::Thresholds thresholds;
  thresholds.add(2, 7, 0.5F, 0.25F);
  thresholds.add(2, 8, 0.125F, 0.0625F);
  made.set(0, 2, 0.375F);
  made.set(1, 2, 0.09375F);
  made.count(thresholds);
  BOOST_TEST(made.above.of(2) == 0U);
  BOOST_REQUIRE(made.found.size() == 1U);
  BOOST_TEST(made.found[0].first == 8U);
  BOOST_TEST((made.found[0].second == Rank{1, 0}));
  const std::set<std::pair<std::uint32_t, std::size_t>> expected{{7, 100}, {8, 101}};
  BOOST_TEST((made.undecided == expected));
}

BOOST_AUTO_TEST_CASE(counts_add_up_over_tiles) {
  Made made(tile_rows);
  detail::Thresholds thresholds;
  thresholds.add(5, 0, 0.5F, 0.25F);
  for (std::size_t r = 0; r < tile_rows; ++r) made.set(r, 5, 0.75F);
  for (int tile = 0; tile < 3; ++tile) made.count(thresholds);
  BOOST_TEST(made.above.of(5) == 3 * tile_rows);
}

BOOST_AUTO_TEST_SUITE_END()
