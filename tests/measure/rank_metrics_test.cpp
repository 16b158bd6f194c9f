// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/rank_metrics.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(rank_metrics_suite)

namespace {

using Ranks = std::vector<QueryRank>;

constexpr Bootstrap bootstrap{.seed = 3, .resamples = 200};
constexpr Ties all_ties[] = {Ties::optimistic, Ties::realistic, Ties::pessimistic};

/// Three queries with 11 candidates each, at ranks 1, 3 and 8.
const Ranks three{{{0, 0}, 11}, {{2, 0}, 11}, {{7, 0}, 11}};

RankMetrics metrics_of(const Ranks& ranks, Ties ties = Ties::realistic) {
  return rank_metrics(ranks, ties, bootstrap, "test");
}

}  // namespace

BOOST_AUTO_TEST_CASE(means_are_those_computed_by_hand) {
  const RankMetrics metrics = metrics_of(three);
  BOOST_TEST(metrics.queries == 3U);
  BOOST_TEST(metrics.tied == 0U);
  BOOST_TEST(metrics.undecided == 0U);
  BOOST_TEST(near(metrics.mean_rank.value, 4));
  BOOST_TEST(near(metrics.mean_reciprocal_rank.value, (1 + 1.0 / 3 + 1.0 / 8) / 3));
  // The mean rank of random guessing is 6.
  BOOST_TEST(near(metrics.adjusted_mean_rank_index.value, 1 - 3.0 / 5));
  for (const Estimate& e :
       {metrics.mean_rank, metrics.mean_reciprocal_rank, metrics.adjusted_mean_rank_index}) {
    BOOST_TEST(e.count == 3U);
    BOOST_TEST(e.method == "bootstrap");
  }
}

BOOST_AUTO_TEST_CASE(hits_are_shares_with_wilsons_interval) {
  const RankMetrics metrics = metrics_of(three);
  for (const auto& [k, hits] : {std::pair{1U, 1U}, {3U, 2U}, {10U, 3U}}) {
    const Estimate expected = wilson(hits, 3);
    BOOST_TEST(metrics.hit_at(k).value == expected.value);
    BOOST_TEST(metrics.hit_at(k).low == expected.low);
    BOOST_TEST(metrics.hit_at(k).high == expected.high);
    BOOST_TEST(metrics.hit_at(k).count == 3U);
    BOOST_TEST(metrics.hit_at(k).method == "wilson");
  }
}

BOOST_AUTO_TEST_CASE(a_level_above_the_number_of_candidates_has_no_hits) {
  BOOST_TEST(metrics_of(three).hit_at(100).count == 0U);  // there are only 11 candidates
  BOOST_TEST(hits_at(three, Ties::realistic, 11).value == 1.0);
  BOOST_TEST(hits_at(three, Ties::realistic, 12).count == 0U);
  // One query with enough candidates suffices, because the number of candidates varies between the
  // filtered queries of one graph.
  const Ranks mixed{{{0, 0}, 9}, {{9, 0}, 10}};
  BOOST_TEST(hits_at(mixed, Ties::realistic, 10).value == 1.0);
  BOOST_TEST(hits_at(mixed, Ties::realistic, 9).value == 0.5);
  BOOST_TEST(hits_at(mixed, Ties::realistic, 11).count == 0U);
}

BOOST_AUTO_TEST_CASE(ties_are_counted_and_ranked_by_policy) {
  // The optimistic ranks are 1 and 3, the pessimistic ones 4 and 3, the realistic ones 2.5 and 3.
  const Ranks ranks{{{0, 3}, 5}, {{2, 0}, 5}};
  const double mean_ranks[] = {2, 2.75, 3.5};
  const double reciprocal[] = {(1 + 1.0 / 3) / 2, (0.4 + 1.0 / 3) / 2, (0.25 + 1.0 / 3) / 2};
  // The answer to the first query may be at position 1, 2, 3 or 4; one of these positions is a hit
  // at 1, and three are hits at 3.
  const double first[] = {0.5, 0.125, 0};
  const double third[] = {1, 0.875, 0.5};
  for (std::size_t i = 0; i < 3; ++i) {
    const RankMetrics metrics = metrics_of(ranks, all_ties[i]);
    BOOST_TEST(metrics.tied == 1U);
    BOOST_TEST(near(metrics.mean_rank.value, mean_ranks[i]));
    BOOST_TEST(near(metrics.mean_reciprocal_rank.value, reciprocal[i]));
    BOOST_TEST(near(metrics.adjusted_mean_rank_index.value, 1 - (mean_ranks[i] - 1) / 2));
    BOOST_TEST(metrics.hit_at(1).value == first[i]);
    BOOST_TEST(metrics.hit_at(3).value == third[i]);
  }
}

// The tie covers positions 3 and 4, so it counts as half a hit at 3. The mean rank of 3.5 is not
// used.
BOOST_AUTO_TEST_CASE(a_tie_across_k_counts_the_share_of_its_places) {
  const Ranks ranks{{{2, 1}, 5}};
  const double at_three[] = {1, 0.5, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(hits_at(ranks, all_ties[i], 2).value == 0.0);
    BOOST_TEST(hits_at(ranks, all_ties[i], 3).value == at_three[i]);
    BOOST_TEST(hits_at(ranks, all_ties[i], 4).value == 1.0);
  }
  const Estimate half = hits_at(ranks, Ties::realistic, 3);
  BOOST_TEST(half.low == wilson_share(0.5, 1).low);
  BOOST_TEST(half.high == wilson_share(0.5, 1).high);
}

// Hits are counted in the same way for closed sets and for rankings.
BOOST_AUTO_TEST_CASE(all_levels_equal_is_guessing_at_every_k) {
  for (const std::size_t n : {2U, 6U, 20U}) {
    const Ranks ranks{{{0, n - 1}, n}};
    for (std::size_t k = 1; k <= n; ++k) {
      BOOST_TEST(near(hits_at(ranks, Ties::realistic, k).value,
                      static_cast<double>(k) / static_cast<double>(n)));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_index_is_one_at_best_zero_for_guessing_and_minus_one_at_worst) {
  const auto index = [](const Ranks& ranks) {
    return metrics_of(ranks).adjusted_mean_rank_index.value;
  };
  BOOST_TEST(index({{{0, 0}, 9}, {{0, 0}, 101}}) == 1.0);
  BOOST_TEST(index({{{4, 0}, 9}, {{50, 0}, 101}}) == 0.0);
  // If all candidates are tied, the index is the same as for random guessing.
  BOOST_TEST(index({{{0, 8}, 9}, {{0, 100}, 101}}) == 0.0);
  BOOST_TEST(index({{{8, 0}, 9}, {{100, 0}, 101}}) == -1.0);
  // E[MR − 1] is averaged over the queries: (4 + 50) / 2.
  BOOST_TEST(near(index({{{8, 0}, 9}, {{0, 0}, 101}}), 1 - 4.0 / 27));
}

BOOST_AUTO_TEST_CASE(a_single_candidate_has_no_index) {
  const RankMetrics metrics = metrics_of({{{0, 0}, 1}});
  BOOST_TEST(metrics.adjusted_mean_rank_index.count == 0U);
  BOOST_TEST(metrics.mean_rank.value == 1.0);
  BOOST_TEST(metrics.hit_at(1).value == 1.0);
  BOOST_TEST(metrics.hit_at(3).count == 0U);
}

BOOST_AUTO_TEST_CASE(no_queries_have_no_numbers) {
  const RankMetrics metrics = metrics_of({});
  BOOST_TEST(metrics.queries == 0U);
  BOOST_TEST(metrics.mean_rank.count == 0U);
  BOOST_TEST(metrics.mean_reciprocal_rank.count == 0U);
  BOOST_TEST(metrics.adjusted_mean_rank_index.count == 0U);
  for (const std::size_t k : hit_levels) BOOST_TEST(!metrics.hit_at(k).exists());
}

BOOST_AUTO_TEST_CASE(an_undecided_query_leaves_only_what_it_cannot_change) {
  // The second query's rank is between 3 and 8.
  const Ranks ranks{{{0, 0}, 200}, {{2, 0}, 200, 5}};
  const RankMetrics metrics = metrics_of(ranks);
  BOOST_TEST(metrics.undecided == 1U);
  BOOST_TEST(metrics.mean_rank.count == 0U);
  BOOST_TEST(metrics.mean_reciprocal_rank.count == 0U);
  BOOST_TEST(metrics.adjusted_mean_rank_index.count == 0U);
  BOOST_TEST(metrics.hit_at(1).value == 0.5);
  BOOST_TEST(metrics.hit_at(3).count == 0U);
  BOOST_TEST(metrics.hit_at(10).value == 1.0);
  BOOST_TEST(metrics.hit_at(100).value == 1.0);
  BOOST_TEST(hits_at(ranks, Ties::realistic, 2).value == 0.5);
  for (const std::size_t k : {3U, 4U, 7U}) {
    BOOST_TEST(hits_at(ranks, Ties::realistic, k).count == 0U);
  }
  BOOST_TEST(hits_at(ranks, Ties::realistic, 8).value == 1.0);
}

// A number is reported only if it is the same for every rank that is possible given the undecided
// candidates.
BOOST_AUTO_TEST_CASE(hits_are_given_just_when_all_outcomes_agree) {
  RandomStream random(6, "undecided");
  for (int round = 0; round < 300; ++round) {
    Ranks ranks(1 + random.below(4));
    for (QueryRank& query : ranks) {
      query = {{random.below(5), random.below(2)}, 12, random.below(3) == 0 ? random.below(4) : 0};
    }
    for (std::size_t k = 1; k <= 10; ++k) {
      std::size_t least = 0, most = 0;
      for (const QueryRank& query : ranks) {
        const std::size_t place = 1 + query.rank.above + query.rank.equal;
        most += place <= k ? 1U : 0U;
        least += place + query.undecided <= k ? 1U : 0U;
      }
      const Estimate hits = hits_at(ranks, Ties::pessimistic, k);
      BOOST_TEST(hits.count == (least == most ? ranks.size() : 0U));
      if (least == most) BOOST_TEST(hits.value == wilson(most, ranks.size()).value);
    }
  }
}

BOOST_AUTO_TEST_CASE(intervals_are_the_bootstraps_over_queries) {
  RandomStream random(2, "ranks");
  Ranks ranks(30);
  Stratum places, reciprocals;
  for (QueryRank& query : ranks) {
    query = {{random.below(100), 0}, 101};
    places.values.push_back(query.rank.realistic());
    reciprocals.values.push_back(1 / query.rank.realistic());
  }
  const RankMetrics metrics = metrics_of(ranks);
  const Estimate mean = bootstrap_mean({places}, bootstrap, "test/mean_rank");
  BOOST_TEST(mean.low < mean.high);
  BOOST_TEST(metrics.mean_rank.low == mean.low);
  BOOST_TEST(metrics.mean_rank.high == mean.high);
  const Estimate reciprocal = bootstrap_mean({reciprocals}, bootstrap, "test/mrr");
  BOOST_TEST(metrics.mean_reciprocal_rank.low == reciprocal.low);
  BOOST_TEST(metrics.mean_reciprocal_rank.high == reciprocal.high);
  // The index falls as the mean rank rises; random guessing has a mean rank of 51.
  const Estimate& index = metrics.adjusted_mean_rank_index;
  BOOST_TEST(near(index.low, 1 - (mean.high - 1) / 50));
  BOOST_TEST(near(index.high, 1 - (mean.low - 1) / 50));
  BOOST_TEST((index.low < index.value && index.value < index.high));
}

BOOST_AUTO_TEST_CASE(the_name_and_the_seed_draw_the_intervals) {
  Ranks ranks;
  for (std::size_t i = 0; i < 40; ++i) ranks.push_back({{i * i % 37, 0}, 40});
  const auto low = [&](std::uint64_t seed, const char* name) {
    return rank_metrics(ranks, Ties::realistic, {.seed = seed, .resamples = 200}, name)
        .mean_rank.low;
  };
  BOOST_TEST(low(1, "a") == low(1, "a"));
  BOOST_TEST(low(1, "a") != low(2, "a"));
  BOOST_TEST(low(1, "a") != low(1, "b"));
}

BOOST_AUTO_TEST_CASE(the_order_of_queries_changes_no_number) {
  RandomStream random(31, "queries");
  for (int round = 0; round < 30; ++round) {
    Ranks ranks(1 + random.below(40));
    for (QueryRank& one : ranks) {
      one.candidates = 1 + random.below(200);
      one.rank.above = random.below(one.candidates);
      one.rank.equal = random.below(one.candidates - one.rank.above);
    }
    Ranks others = ranks;
    random.shuffle(others);
    for (const Ties ties : all_ties) {
      const RankMetrics a = metrics_of(ranks, ties), b = metrics_of(others, ties);
      BOOST_TEST(b.queries == a.queries);
      BOOST_TEST(b.tied == a.tied);
      BOOST_TEST(std::abs(b.mean_rank.value - a.mean_rank.value) < 1e-9);
      BOOST_TEST(near(b.mean_reciprocal_rank.value, a.mean_reciprocal_rank.value));
      BOOST_TEST(near(b.adjusted_mean_rank_index.value, a.adjusted_mean_rank_index.value));
      for (const std::size_t k : hit_levels) {
        BOOST_TEST(b.hit_at(k).count == a.hit_at(k).count);
        if (!a.hit_at(k).exists()) continue;
        BOOST_TEST(near(b.hit_at(k).value, a.hit_at(k).value));
        BOOST_TEST(near(b.hit_at(k).low, a.hit_at(k).low));
        BOOST_TEST(near(b.hit_at(k).high, a.hit_at(k).high));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
