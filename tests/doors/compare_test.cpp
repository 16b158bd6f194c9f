// SPDX-License-Identifier: Apache-2.0

#include "plumb/compare.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/probe.hpp"
#include "plumb/tensors.hpp"
#include "support/given_answers.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::answers_of_capitals;

BOOST_AUTO_TEST_SUITE(compare_door_suite)

BOOST_AUTO_TEST_CASE(a_number_seeds_the_interval) {
  Answers one, other;
  for (int i = 0; i < 6; ++i) {
    Answers::Table known = test::capital_table({"[X], [Y]"}, {-1, -2, -3, -2});
    known.relation.code += std::to_string(i);
    one.tables.push_back(known);
    known.log_likelihoods = {-1, -2, -3, i < 3 ? -4.0 : -2.0};
    other.tables.push_back(known);
  }
  const AnswerComparison made = compare(one, other);
  BOOST_TEST(made.accuracy.difference.value == 0.25);
  BOOST_TEST(made.accuracy.difference.has_interval());
  BOOST_TEST(compare(one, other).accuracy.difference.low == made.accuracy.difference.low);
  BOOST_TEST(compare(one, other, {.seed = 7, .resamples = 10}).accuracy.difference.value == 0.25);
}

BOOST_AUTO_TEST_SUITE_END()
