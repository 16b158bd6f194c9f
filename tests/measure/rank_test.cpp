// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/rank.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <functional>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(rank)

BOOST_AUTO_TEST_CASE(ranks_start_at_one) {
  const Rank best;
  BOOST_TEST(best.optimistic() == 1.0);
  BOOST_TEST(best.realistic() == 1.0);
  BOOST_TEST(best.pessimistic() == 1.0);
}

BOOST_AUTO_TEST_CASE(without_ties_all_three_are_the_place) {
  const Rank rank{.above = 6, .equal = 0};
  BOOST_TEST(rank.optimistic() == 7.0);
  BOOST_TEST(rank.realistic() == 7.0);
  BOOST_TEST(rank.pessimistic() == 7.0);
}

BOOST_AUTO_TEST_CASE(with_ties_the_realistic_one_is_between_the_others) {
  const Rank two{.above = 2, .equal = 1};
  BOOST_TEST(two.optimistic() == 3.0);
  BOOST_TEST(two.realistic() == 3.5);
  BOOST_TEST(two.pessimistic() == 4.0);
  const Rank all{.above = 0, .equal = 40942};
  BOOST_TEST(all.optimistic() == 1.0);
  BOOST_TEST(all.realistic() == 20472.0);
  BOOST_TEST(all.pessimistic() == 40943.0);
}

// Across all orders that a tie allows, each position among the tied candidates is equally likely.
// The oracle sorts the candidates, numbers them 1, 2, … and averages the numbers of tied
// candidates.
BOOST_AUTO_TEST_CASE(the_three_ranks_are_the_first_the_mean_and_the_last_place_of_a_sort) {
  RandomStream random(4, "ranks");
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> scores(1 + random.below(12));
    for (std::size_t& score : scores) score = random.below(4);
    const std::size_t gold = random.below(scores.size());
    Rank rank;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      rank.above += scores[i] > scores[gold] ? 1U : 0U;
      rank.equal += i != gold && scores[i] == scores[gold] ? 1U : 0U;
    }
    std::vector<std::size_t> sorted = scores;
    std::ranges::sort(sorted, std::ranges::greater());
    std::vector<double> places;
    double sum = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != scores[gold]) continue;
      places.push_back(static_cast<double>(i + 1));
      sum += places.back();
    }
    BOOST_TEST(rank.optimistic() == places.front());
    BOOST_TEST(rank.pessimistic() == places.back());
    BOOST_TEST(rank.realistic() == sum / static_cast<double>(places.size()));
  }
}

BOOST_AUTO_TEST_CASE(ranks_are_the_same_when_both_counts_are) {
  BOOST_CHECK((Rank{1, 2} == Rank{1, 2}));
  BOOST_CHECK((Rank{1, 2} != Rank{2, 1}));
  BOOST_CHECK((Rank{1, 2} != Rank{1, 3}));
}

// Two candidates rank above three tied ones. For each of the tied candidates, one of its three
// positions is a hit at 3, two are hits at 4, and all are hits at 5.
BOOST_AUTO_TEST_CASE(a_hit_counts_the_share_of_the_places_a_tie_allows) {
  const Rank rank{.above = 2, .equal = 2};
  BOOST_TEST(rank.expected_hit(1) == 0.0);
  BOOST_TEST(rank.expected_hit(2) == 0.0);
  BOOST_TEST(rank.expected_hit(3) == 1.0 / 3);
  BOOST_TEST(rank.expected_hit(4) == 2.0 / 3);
  BOOST_TEST(rank.expected_hit(5) == 1.0);
  BOOST_TEST(rank.expected_hit(100) == 1.0);
  BOOST_TEST(Rank{}.expected_hit(1) == 1.0);
  BOOST_TEST((Rank{3, 0}.expected_hit(3)) == 0.0);
  BOOST_TEST((Rank{3, 0}.expected_hit(4)) == 1.0);
}

// The candidate may be at position 3, 4 or 5.
BOOST_AUTO_TEST_CASE(the_optimist_and_the_pessimist_ask_for_their_own_rank) {
  const Rank rank{.above = 2, .equal = 2};
  for (const std::size_t k : {1U, 2U, 3U, 4U, 5U, 6U}) {
    BOOST_TEST(rank.hit(k, Ties::optimistic) == (k >= 3 ? 1.0 : 0.0));
    BOOST_TEST(rank.hit(k, Ties::pessimistic) == (k >= 5 ? 1.0 : 0.0));
    BOOST_TEST(rank.hit(k, Ties::realistic) == rank.expected_hit(k));
  }
  BOOST_TEST(rank.by(Ties::optimistic) == 3.0);
  BOOST_TEST(rank.by(Ties::realistic) == 4.0);
  BOOST_TEST(rank.by(Ties::pessimistic) == 5.0);
}

BOOST_AUTO_TEST_CASE(accuracy_is_the_first_hit_and_only_a_lone_best_is_known) {
  BOOST_TEST(Rank{}.expected_accuracy() == 1.0);
  BOOST_TEST(Rank{}.known());
  BOOST_TEST((Rank{0, 3}.expected_accuracy()) == 0.25);
  BOOST_TEST(!(Rank{0, 3}.known()));
  BOOST_TEST((Rank{1, 0}.expected_accuracy()) == 0.0);
  BOOST_TEST(!(Rank{1, 0}.known()));
}

BOOST_AUTO_TEST_SUITE_END()
