// SPDX-License-Identifier: Apache-2.0

#include "plumb/aggregator.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/probe.hpp"
#include "support/given_answers.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::answers_of_capitals;

BOOST_AUTO_TEST_SUITE(aggregator_door_suite)

BOOST_AUTO_TEST_CASE(templates_vote_and_the_surest_may_decide) {
  // For France, two templates answer Paris, and the most confident one answers Seoul. For Korea,
  // all answers differ.
  const Answers answers = answers_of_capitals({"[X], [Y]", "[Y], [X]", "[Y]: [X]"},
                                              {-1, -2, -1, -2, -9, -1, -1, -3, -2, -1, -1, -1});
  const auto voted = aggregate(answers);
  BOOST_REQUIRE(voted.size() == 1U);
  BOOST_TEST(voted[0][0].option.value() == 0U);
  BOOST_TEST(voted[0][0].agreeing == 2U);
  // Each option has one vote, and the tied template does not vote.
  BOOST_TEST(!voted[0][1].option.has_value());
  BOOST_TEST(aggregate(answers, MaxConfidence())[0][0].option.value() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
