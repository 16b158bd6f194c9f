// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/unknown_answers.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/prompt/statement.hpp"
#include "plumb/detail/score/causal_scorer.hpp"
#include "plumb/detail/score/masked_scorer.hpp"
#include "support/small_run.hpp"
#include "support/word_mask_model.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(unknown_answers_suite)

// By hand: Paris and Nile have no token; Paris answers one fact and is a candidate of three, each under
// two templates, as is Nile of two.
BOOST_AUTO_TEST_CASE(facts_and_statements_are_counted_by_relation) {
  test::WordMaskModel model(std::vector<std::string>{"Seoul", "Cairo", "Rhine"});
  const MaskedScorer scorer(model, PseudoLikelihood::original);
  const Dataset dataset = test::small_dataset();
  const auto counts = unknown_answers(scorer, dataset, test::all_templates(), Statement{});
  BOOST_REQUIRE(counts.size() == 2U);
  BOOST_TEST(counts[0].facts == 1U);
  BOOST_TEST(counts[0].statements == 6U);
  BOOST_TEST(counts[1].facts == 1U);
  BOOST_TEST(counts[1].statements == 4U);
}

BOOST_AUTO_TEST_CASE(a_scorer_that_does_not_tell_has_no_counts) {
  NgramTreeModel model = test::small_model();
  const CausalScorer scorer(model);
  BOOST_TEST(unknown_answers(scorer, test::small_dataset(), {}, Statement{}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
