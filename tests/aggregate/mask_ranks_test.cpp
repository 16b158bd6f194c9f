// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/mask_ranks.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(mask_ranks_suite)

namespace {

const auto close = boost::test_tools::tolerance(1e-12);

/// The first relation has a fact with ranks 1 and 4 and a fact with rank 21; the second has one
/// fact with two prompts, one without a rank and one tied at rank 2.
PromptList<TrueTokenRank> small_ranks() {
  PromptList<TrueTokenRank> list;
  list.begin_relation();
  list.begin_fact();
  list.add({Rank{0, 0}, Rank{0, 0}});
  list.add({Rank{3, 0}, std::nullopt});
  list.begin_fact();
  list.add({Rank{20, 0}, Rank{1, 0}});
  list.begin_relation();
  list.begin_fact();
  list.add({std::nullopt, std::nullopt});
  list.add({Rank{1, 1}, std::nullopt});
  return list;
}

}  // namespace

// Worked out by hand. A tie for ranks 2 and 3 has rank 2.5, so its reciprocal rank is 1 / 2.5.
BOOST_AUTO_TEST_CASE(shares_of_prompts_are_averaged_over_facts) {
  const auto made = token_rank_metrics(small_ranks(), &TrueTokenRank::whole, {.resamples = 50});
  BOOST_TEST(made.prompts == 4U);
  BOOST_TEST(made.without_rank == 1U);
  BOOST_TEST(made.hit_at(1).count == 3U);
  BOOST_TEST(made.hit_at(1).value == (0.5 + 0 + 0) / 3, close);
  BOOST_TEST(made.hit_at(10).value == (1.0 + 0 + 1) / 3, close);
  BOOST_TEST(made.hit_at(100).value == 1.0, close);
  BOOST_TEST(made.mean_reciprocal_rank.value == ((1 + 0.25) / 2 + 1.0 / 21 + 1 / 2.5) / 3, close);
}

BOOST_AUTO_TEST_CASE(facts_without_a_rank_are_left_out) {
  const auto made = token_rank_metrics(small_ranks(), &TrueTokenRank::common, {.resamples = 50});
  BOOST_TEST(made.prompts == 2U);
  BOOST_TEST(made.without_rank == 3U);
  BOOST_TEST(made.hit_at(1).count == 2U);
  BOOST_TEST(made.mean_reciprocal_rank.value == 0.75, close);
  const auto none = token_rank_metrics({}, &TrueTokenRank::whole, {});
  BOOST_TEST(none.prompts == 0U);
  BOOST_TEST(none.hit_at(1).count == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
