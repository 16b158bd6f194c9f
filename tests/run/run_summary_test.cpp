// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/run_summary.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(run_summary)

BOOST_AUTO_TEST_CASE(a_cost_comes_back_as_it_was) {
  const ScoringCost causal{10, 400, 90, 160, 0, 0}, masked{10, 400, 90, 160, 30, 20};
  for (const ScoringCost& cost : {causal, masked}) {
    const ScoringCost read = cost_of_json(cost_json(cost));
    BOOST_TEST(read.statements == cost.statements);
    BOOST_TEST(read.tokens_one_by_one == cost.tokens_one_by_one);
    BOOST_TEST(read.tree_nodes == cost.tree_nodes);
    BOOST_TEST(read.tokens_fed == cost.tokens_fed);
    BOOST_TEST(read.masked_inputs == cost.masked_inputs);
    BOOST_TEST(read.masked_inputs_computed == cost.masked_inputs_computed);
  }
  BOOST_TEST(!cost_json(causal).contains("masked_inputs"));
  BOOST_TEST(cost_json(masked).at("masked_inputs") == 30);
  BOOST_TEST(cost_json(causal).at("tree_nodes") == 90);
}

BOOST_AUTO_TEST_SUITE_END()
