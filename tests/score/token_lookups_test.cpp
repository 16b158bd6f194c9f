// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/score/token_lookups.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(token_lookups)

namespace {

std::vector<TokenLookup> listed(const TokenLookups& lookups) {
  return {lookups.lookups().begin(), lookups.lookups().end()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_is_listed_once_and_answers_are_read_by_slot) {
  TokenLookups lookups;
  lookups.ask(7, 2);
  lookups.ask(3, 5);
  lookups.ask(7, 0);
  lookups.ask(7, 2);
  BOOST_TEST(lookups.size() == 4U);
  lookups.prepare();
  BOOST_TEST((listed(lookups) == std::vector<TokenLookup>{{3, 5}, {7, 0}, {7, 2}}));
  BOOST_TEST(lookups[1] == 0.0);  // not answered yet
  BOOST_REQUIRE(lookups.answers().size() == 3U);
  for (std::size_t i = 0; i < 3; ++i) lookups.answers()[i] = -1.0 - static_cast<double>(i);
  const std::vector<double> expected{-3, -1, -2, -3};
  for (std::size_t slot = 0; slot < 4; ++slot) BOOST_TEST(lookups[slot] == expected[slot]);
}

BOOST_AUTO_TEST_CASE(what_was_asked_in_order_stays_so) {
  TokenLookups lookups;
  lookups.ask(1, 4);
  lookups.ask(1, 9);
  lookups.ask(2, 0);
  lookups.prepare();
  BOOST_TEST((listed(lookups) == std::vector<TokenLookup>{{1, 4}, {1, 9}, {2, 0}}));
}

BOOST_AUTO_TEST_CASE(it_can_be_used_again) {
  TokenLookups lookups;
  lookups.ask(1, 0);
  lookups.prepare();
  lookups.answers()[0] = -5;
  lookups.clear();
  BOOST_TEST(lookups.size() == 0U);
  lookups.prepare();
  BOOST_TEST(lookups.lookups().empty());
  lookups.ask(2, 1);
  lookups.prepare();
  BOOST_TEST((listed(lookups) == std::vector<TokenLookup>{{2, 1}}));
  BOOST_TEST(lookups[0] == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
