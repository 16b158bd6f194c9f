// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/rank/filtered_ranks.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(filtered_ranks_suite)

namespace {

// Cosines with the query (1, 0): 1, 0.8, 0.6, 0.6, 0, -1.
const std::vector<float> entities{1, 0, /**/ 4, 3, /**/ 3, 4, /**/ 3, -4, /**/ 0, 1, /**/ -1, 0};
const std::vector<float> queries{5, 0};

CosineRanker ranker() {
  return CosineRanker(VectorRows(entities.data(), 6, 2));
}

QueryRank filtered(std::uint32_t gold, const std::vector<std::uint32_t>& known) {
  const std::vector<RankQuestion> questions{{0, gold}};
  const std::vector<std::vector<std::uint32_t>> lists{known};
  return filtered_ranks(ranker(), VectorRows(queries.data(), 1, 2), questions, lists).at(0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_known_entities_a_rank_is_raw) {
  const QueryRank made = filtered(2, {});
  BOOST_TEST((made.rank == Rank{2, 1}));
  BOOST_TEST(made.candidates == 6U);
  BOOST_TEST(made.undecided == 0U);
}

BOOST_AUTO_TEST_CASE(known_entities_neither_stand_above_nor_are_candidates) {
  BOOST_TEST((filtered(2, {0}).rank == Rank{1, 1}));     // one is above
  BOOST_TEST((filtered(2, {3}).rank == Rank{2, 0}));     // one is equal
  BOOST_TEST((filtered(2, {4, 5}).rank == Rank{2, 1}));  // two are below
  BOOST_TEST((filtered(2, {0, 1, 3}).rank == Rank{0, 0}));
  BOOST_TEST(filtered(2, {4, 5}).candidates == 4U);
}

BOOST_AUTO_TEST_CASE(gold_stays_and_nothing_is_left_out_twice) {
  const QueryRank made = filtered(2, {0, 2, 0});
  BOOST_TEST((made.rank == Rank{1, 1}));
  BOOST_TEST(made.candidates == 5U);
}

// Computed by hand: rank 1 of 5 candidates and rank 2 of 6; E[MR − 1] = (4/2 + 5/2) / 2 = 2.25.
BOOST_AUTO_TEST_CASE(what_comes_of_it_is_measured) {
  const std::vector<RankQuestion> questions{{0, 1}, {0, 1}};
  const std::vector<std::vector<std::uint32_t>> known{{0}, {}};
  const auto ranks = filtered_ranks(ranker(), VectorRows(queries.data(), 1, 2), questions, known);
  const RankMetrics metrics = rank_metrics(ranks, Ties::realistic, {}, "test");
  BOOST_TEST(metrics.mean_reciprocal_rank.value == 0.75, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(metrics.hit_at(1).value == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(metrics.adjusted_mean_rank_index.value == 1 - 0.5 / 2.25,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(lists_are_parallel_to_questions_and_name_entities_that_are_there) {
  const std::vector<RankQuestion> questions{{0, 1}};
  BOOST_CHECK_EXCEPTION(
      (void)filtered_ranks(ranker(), VectorRows(queries.data(), 1, 2), questions, {}), Error,
      says(Fault::user, "known: has 0 lists for 1 questions"));
  BOOST_CHECK_EXCEPTION((void)filtered(2, {6}), Error,
                        says(Fault::user, "known: list 0 has row 6 of"));
}

BOOST_AUTO_TEST_SUITE_END()
