// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/answer_rank.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>
#include <vector>

#include "plumb/detail/core/random.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(answer_rank)

BOOST_AUTO_TEST_CASE(the_best_answer_has_rank_one) {
  const AnswerRank rank = rank_answer(std::vector<double>{-3.0, -1.0, -2.0}, 1);
  BOOST_TEST(rank.first_is_answer);
  BOOST_TEST(rank.prediction == 1U);
  BOOST_TEST(rank.above == 0U);
  BOOST_TEST(rank.equal == 0U);
  BOOST_TEST(rank.equal_best == 0U);
  BOOST_TEST(rank.realistic() == 1.0);
}

BOOST_AUTO_TEST_CASE(a_worse_answer_stands_behind_all_that_score_above_it) {
  const AnswerRank rank = rank_answer(std::vector<double>{-3.0, -1.0, -2.0}, 0);
  BOOST_TEST(!rank.first_is_answer);
  BOOST_TEST(rank.prediction == 1U);
  BOOST_TEST(rank.optimistic() == 3.0);
  BOOST_TEST(rank.pessimistic() == 3.0);
}

BOOST_AUTO_TEST_CASE(of_equal_best_candidates_the_first_is_the_prediction) {
  const std::vector<double> scores{-5.0, -1.0, -1.0, -1.0};
  const AnswerRank first = rank_answer(scores, 1);
  const AnswerRank last = rank_answer(scores, 3);
  BOOST_TEST(first.first_is_answer);
  BOOST_TEST(!last.first_is_answer);
  for (const AnswerRank& rank : {first, last}) {
    BOOST_TEST(rank.prediction == 1U);
    BOOST_TEST(rank.equal_best == 2U);
    BOOST_TEST(rank.equal == 2U);
    BOOST_TEST(rank.optimistic() == 1.0);
    BOOST_TEST(rank.pessimistic() == 3.0);
    BOOST_TEST(rank.realistic() == 2.0);
  }
}

BOOST_AUTO_TEST_CASE(equals_of_a_best_that_is_overtaken_are_forgotten) {
  const AnswerRank rank = rank_answer(std::vector<double>{-2.0, -2.0, -1.0}, 0);
  BOOST_TEST(rank.equal_best == 0U);
  BOOST_TEST(rank.equal == 1U);
  BOOST_TEST(rank.realistic() == 2.5);
}

BOOST_AUTO_TEST_CASE(a_single_candidate_is_right) {
  const AnswerRank rank = rank_answer(std::vector<double>{-7.0}, 0);
  BOOST_TEST(rank.first_is_answer);
  BOOST_TEST(rank.realistic() == 1.0);
}

BOOST_AUTO_TEST_CASE(impossible_candidates_tie_behind_possible_ones) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const AnswerRank rank = rank_answer(std::vector<double>{never, never, -900.0}, 1);
  BOOST_TEST(rank.prediction == 2U);
  BOOST_TEST(rank.optimistic() == 2.0);
  BOOST_TEST(rank.pessimistic() == 3.0);
}

// The oracle sorts the scores and looks up the answer's score from both ends.
BOOST_AUTO_TEST_CASE(ranks_agree_with_sorting_when_many_scores_tie) {
  RandomStream random(1, "answer ranks");
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> scores(1 + random.below(8));
    for (double& score : scores) score = -static_cast<double>(random.below(4));
    const std::size_t answer = random.below(scores.size());
    std::vector<double> sorted = scores;
    std::ranges::sort(sorted, std::greater<>());
    const auto [first, last] =
        std::equal_range(sorted.begin(), sorted.end(), scores[answer], std::greater<>());
    const auto best = std::ranges::count(sorted, sorted.front());

    const AnswerRank rank = rank_answer(scores, answer);
    BOOST_TEST(rank.optimistic() == static_cast<double>(first - sorted.begin() + 1));
    BOOST_TEST(rank.pessimistic() == static_cast<double>(last - sorted.begin()));
    BOOST_TEST(rank.realistic() == (rank.optimistic() + rank.pessimistic()) / 2);
    const auto prediction = std::ranges::max_element(scores) - scores.begin();
    BOOST_TEST(rank.prediction == static_cast<std::size_t>(prediction));
    BOOST_TEST(rank.equal_best == static_cast<std::size_t>(best - 1));
    BOOST_TEST(rank.first_is_answer == (rank.prediction == answer));
    const bool among = scores[answer] == sorted.front();
    BOOST_TEST(rank.expected_accuracy() == (among ? 1 / static_cast<double>(best) : 0.0));
    BOOST_TEST(rank.known() == (among && best == 1));
    BOOST_TEST((rank.tie() == BestTie::none) == (best == 1));
    BOOST_TEST((rank.tie() == BestTie::without_answer) == (best > 1 && !among));
    BOOST_TEST((rank.tie() == BestTie::answer_first) == (best > 1 && rank.prediction == answer));
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_candidates_changes_no_rank) {
  RandomStream random(23, "candidates");
  std::size_t ties = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<double> scores(1 + random.below(9));
    for (double& score : scores) score = -static_cast<double>(random.below(4));
    const std::size_t answer = random.below(scores.size());
    const AnswerRank rank = rank_answer(scores, answer);
    std::vector<std::size_t> order(scores.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    std::vector<double> others;
    for (const std::size_t i : order) others.push_back(scores[i]);
    const auto place = static_cast<std::size_t>(std::ranges::find(order, answer) - order.begin());
    const AnswerRank other = rank_answer(others, place);
    BOOST_TEST(other.above == rank.above);
    BOOST_TEST(other.equal == rank.equal);
    BOOST_TEST(other.equal_best == rank.equal_best);
    BOOST_TEST(others[other.prediction] == scores[rank.prediction]);
    BOOST_TEST(other.expected_accuracy() == rank.expected_accuracy());
    BOOST_TEST(other.known() == rank.known());
    // The order of options only affects which of the tied options comes first.
    if (rank.tie() == BestTie::none) {
      BOOST_TEST(other.first_is_answer == rank.first_is_answer);
      BOOST_TEST(order[other.prediction] == rank.prediction);
    }
    ties += rank.tie() == BestTie::none ? 0U : 1U;
  }
  BOOST_TEST(ties > 50U);
  BOOST_TEST(ties < 250U);
}

BOOST_AUTO_TEST_SUITE_END()
