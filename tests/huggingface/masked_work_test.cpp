// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/huggingface/masked_work.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(masked_work)

namespace {

std::vector<std::uint32_t> at(const MaskedWork& work, std::size_t place) {
  const auto queries = work.queries_at(place);
  return {queries.begin(), queries.end()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_queries_share_a_place) {
  const std::vector<MaskedQuery> queries{
      {{5, 6, 7}, 2}, {{9, 9}, 0}, {{5, 6, 7}, 0}, {{5, 6, 7}, 2}, {{5, 6, 8}, 2}};
  const MaskedWork work(queries);
  BOOST_TEST_REQUIRE(work.sequences().size() == 3U);
  BOOST_TEST(work.sequences()[0].sequence.size() == 2U);  // the shortest sequence comes first
  BOOST_TEST(work.sequences()[1].places == (std::vector<std::uint32_t>{0, 2}));
  BOOST_TEST(work.sequences()[2].sequence[2] == 8);
  BOOST_TEST(work.places() == 4U);
  BOOST_TEST(at(work, 0) == std::vector<std::uint32_t>{1});
  BOOST_TEST(at(work, 1) == std::vector<std::uint32_t>{2});
  BOOST_TEST(at(work, 2) == (std::vector<std::uint32_t>{0, 3}));
  BOOST_TEST(at(work, 3) == std::vector<std::uint32_t>{4});
}

BOOST_AUTO_TEST_CASE(no_queries_are_no_work) {
  const MaskedWork work({});
  BOOST_TEST(work.places() == 0U);
  BOOST_TEST(work.sequences().empty());
}

BOOST_AUTO_TEST_SUITE_END()
