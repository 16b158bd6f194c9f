// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/shard.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(shard)

BOOST_AUTO_TEST_CASE(a_shard_is_read_and_written_by_place_and_count) {
  Shard shard;
  BOOST_TEST(!shard.is_part());
  BOOST_TEST(shard.word().empty());
  BOOST_TEST(shard.json().is_null());
  shard.read("2/8", "shard");
  BOOST_TEST(shard.is_part());
  BOOST_TEST(shard.index == 1U);
  BOOST_TEST(shard.count == 8U);
  BOOST_TEST(shard.word() == "2/8");
  BOOST_TEST((shard.json() == Json{{"index", 2}, {"count", 8}}));
  shard.read("1/1", "shard");  // the whole
  BOOST_TEST(!shard.is_part());
}

BOOST_AUTO_TEST_CASE(what_is_no_shard_is_refused_with_its_word) {
  for (const std::string word :
       {"", "2", "/", "0/4", "5/4", "1/0", "-1/4", "a/4", "1/4/2", "1/ 4", "1/100001"}) {
    Shard shard;
    BOOST_CHECK_EXCEPTION(
        shard.read(word, "shard"), Error,
        says(Fault::user, "'" + word + "' is not a shard; use 1/4 for the first of four"));
    BOOST_TEST((shard == Shard()));
  }
}

BOOST_AUTO_TEST_CASE(each_pack_goes_to_the_first_of_those_that_have_least) {
  PackAssigner dealer(3);
  const std::vector<std::uint64_t> weights{5, 1, 1, 2, 0, 1, 9};
  // Before each pack, the shard sums are 0 0 0; 5 0 0; 5 1 0; 5 1 1; 5 3 1; 5 3 2; 5 3 3.
  const std::vector<std::size_t> hands{0, 1, 2, 1, 2, 2, 1};
  for (std::size_t i = 0; i < weights.size(); ++i) BOOST_TEST(dealer.deal(weights[i]) == hands[i]);
}

BOOST_AUTO_TEST_CASE(no_hand_is_heavier_than_another_by_more_than_the_heaviest_pack) {
  PackAssigner dealer(7);
  std::vector<std::uint64_t> sums(7, 0);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t weight = 1 + i * i % 97;
    sums[dealer.deal(weight)] += weight;
  }
  const auto [least, most] = std::ranges::minmax(sums);
  BOOST_TEST(most - least <= 97U);
}

BOOST_AUTO_TEST_SUITE_END()
