// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/hit_rates.hpp"

#include <boost/test/unit_test.hpp>

#include "plumb/detail/aggregate/mask_ranks.hpp"
#include "plumb/detail/measure/probe_metrics.hpp"
#include "plumb/detail/measure/rank_metrics.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(hit_rates)

BOOST_AUTO_TEST_CASE(a_k_has_its_own_number_and_no_other) {
  HitRates rates;
  rates.at(5) = wilson(1, 2);
  rates.at(10) = wilson(2, 2);
  BOOST_TEST(rates.at(5).value == 0.5);
  BOOST_TEST(rates.at(10).value == 1.0);
  for (const std::size_t k : {1U, 2U, 3U, 11U, 100U, 101U}) BOOST_TEST(!rates.at(k).exists());
}

BOOST_AUTO_TEST_CASE(a_k_that_is_not_measured_is_refused) {
  for (const std::size_t k : {0U, 4U, 7U, 1000U}) {
    BOOST_CHECK_EXCEPTION(static_cast<void>(HitRates{}.at(k)), Error,
                          says(Fault::user, "Hit@" + std::to_string(k) + " is not measured"));
  }
}

// hit_at(10) reads a different element for each kind: hits[3] for a closed set, hits[2] for a
// ranking, hits[1] for a masked model.
BOOST_AUTO_TEST_CASE(the_same_k_is_asked_of_every_kind_of_numbers) {
  GroupMetrics group;
  RankMetrics ranks;
  TokenRankMetrics tokens;
  group.hits.at(10) = ranks.hits.at(10) = tokens.hits.at(10) = wilson(3, 4);
  BOOST_TEST(group.hit_at(10).value == 0.75);
  BOOST_TEST(ranks.hit_at(10).value == 0.75);
  BOOST_TEST(tokens.hit_at(10).value == 0.75);
}

BOOST_AUTO_TEST_SUITE_END()
