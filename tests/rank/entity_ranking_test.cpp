// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/entity_ranking.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(entity_ranking)

BOOST_AUTO_TEST_CASE(entities_are_all_rows_or_those_that_are_chosen) {
  const std::vector<float> numbers{0, 1, 10, 11, 20, 21, 30, 31};
  const VectorRows rows(numbers.data(), 4, 2);
  const EntityVectors all = rows;
  BOOST_TEST(all.size() == 4U);
  BOOST_TEST(all.dimension() == 2U);
  BOOST_TEST(all.file.empty());
  BOOST_TEST(all.place(2) == 2U);
  BOOST_TEST(*all.row(2) == 20);
  const EntityVectors some(rows, "v.npy", std::vector<std::uint32_t>{3, 0, 3});
  BOOST_TEST(some.size() == 3U);
  BOOST_TEST(*some.row(0) == 30);
  BOOST_TEST(*some.row(1) == 0);
  // A selection can be narrowed to a smaller selection.
  const std::vector<std::uint32_t> of{1, 2};
  const EntityVectors fewer = some.narrowed(of);
  BOOST_TEST(fewer.file == "v.npy");
  BOOST_TEST((*fewer.chosen == std::vector<std::uint32_t>{0, 3}));
  BOOST_TEST((*all.narrowed(of).chosen == of));
  BOOST_TEST(EntityVectors(rows, "", std::vector<std::uint32_t>{}).size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
