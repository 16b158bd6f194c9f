// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/server/server_dialect.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(server_dialect_suite)

BOOST_AUTO_TEST_CASE(ids_are_written_as_json) {
  BOOST_TEST(json_ids({}) == "[]");
  BOOST_TEST(json_ids(std::vector<TokenId>{5}) == "[5]");
  BOOST_TEST(json_ids(std::vector<TokenId>{5, 0, 123456}) == "[5,0,123456]");
}

BOOST_AUTO_TEST_CASE(a_forced_token_takes_more_steps_if_tokens_are_unreported) {
  ServerTally tally;
  BOOST_TEST(tally.steps_per_forced_token() == 1.0);
  tally.tokens_forced = 10;
  BOOST_TEST(tally.steps_per_forced_token() == 1.0);
  tally.tokens_unreported = 5;
  BOOST_TEST(tally.steps_per_forced_token() == 2.0);
}

BOOST_AUTO_TEST_CASE(an_incomplete_number_of_computed_tokens_is_not_reported) {
  ServerTally tally;
  tally.tokens_computed = 12;
  BOOST_TEST(tally.known_tokens_computed() == 12U);
  tally.computed_is_unknown = true;
  BOOST_TEST(tally.known_tokens_computed() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
