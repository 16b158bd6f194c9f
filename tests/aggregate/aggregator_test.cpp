// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/aggregator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/errors.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::answered;
using test::cells;

BOOST_AUTO_TEST_SUITE(aggregator)

namespace {

using Choice = std::optional<std::size_t>;

/// One paraphrase for each of these answers; the confidences do not matter.
std::vector<Prediction> answers(const std::vector<std::size_t>& options) {
  std::vector<std::pair<std::size_t, double>> given;
  for (const std::size_t option : options) given.emplace_back(option, 0.5);
  return cells(given);
}

/// A user-defined policy.
struct FirstAnswer {
  [[nodiscard]] Choice choose(std::span<const Prediction> paraphrases) const {
    return paraphrases.front().option;
  }
  [[nodiscard]] std::string name() const { return "first"; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_vote_is_won_by_the_most_frequent_answer_with_enough_votes) {
  const auto votes = answers({1, 2, 1, 3, 1});
  BOOST_CHECK(Vote{}.choose(votes) == Choice(1));
  BOOST_CHECK(Vote{3}.choose(votes) == Choice(1));
  BOOST_CHECK(Vote{4}.choose(votes) == Choice());
  BOOST_CHECK(Vote{2}.choose(answers({3, 0, 0, 2})) == Choice(0));
  BOOST_CHECK(Vote{5}.choose(answers({4, 4, 4, 4, 4})) == Choice(4));
  BOOST_CHECK(Vote{5}.choose(answers({4, 4, 4, 4, 3})) == Choice());
}

BOOST_AUTO_TEST_CASE(a_tie_for_the_most_votes_is_a_failure) {
  BOOST_CHECK(Vote{2}.choose(answers({1, 1, 2, 2, 3})) == Choice());
  BOOST_CHECK(Vote{2}.choose(answers({2, 1, 3, 1, 2})) == Choice());
  BOOST_CHECK(Vote{1}.choose(answers({0, 1, 2, 3, 4})) == Choice());
  // A tie below the maximum does not matter.
  BOOST_CHECK(Vote{2}.choose(answers({1, 2, 2, 1, 3, 3, 3})) == Choice(3));
}

BOOST_AUTO_TEST_CASE(one_paraphrase_is_no_plurality_and_is_its_own_least_and_most_sure) {
  const auto one = cells({{3, 0.4}});
  BOOST_CHECK(Vote{}.choose(one) == Choice());
  BOOST_CHECK(Vote{1}.choose(one) == Choice(3));
  BOOST_CHECK(MinConfidence{}.choose(one) == Choice(3));
  BOOST_CHECK(MaxConfidence{}.choose(one) == Choice(3));
}

BOOST_AUTO_TEST_CASE(min_and_max_take_the_extreme_confidence_and_of_equals_the_first) {
  const auto different = cells({{1, 0.5}, {2, 0.9}, {3, 0.2}, {4, 0.7}});
  BOOST_CHECK(MinConfidence{}.choose(different) == Choice(3));
  BOOST_CHECK(MaxConfidence{}.choose(different) == Choice(2));
  const auto tied = cells({{0, 0.5}, {1, 0.2}, {2, 0.9}, {3, 0.2}, {4, 0.9}});
  BOOST_CHECK(MinConfidence{}.choose(tied) == Choice(1));
  BOOST_CHECK(MaxConfidence{}.choose(tied) == Choice(2));
}

// The confidences are sums of powers of two, so the sums below are exact.
BOOST_AUTO_TEST_CASE(an_aggregate_counts_and_sums_those_that_gave_the_answer) {
  const auto made = cells({{1, 0.5}, {2, 0.875}, {1, 0.25}, {1, 0.125}, {2, 0.0625}});
  const Aggregate vote = Aggregator<Vote>(Vote{3})(made);
  BOOST_CHECK(vote.option == Choice(1));
  BOOST_TEST(vote.agreeing == 3U);
  BOOST_TEST(vote.confidence_sum == 0.875);
  const Aggregate least = Aggregator(MinConfidence{})(made);
  BOOST_CHECK(least.option == Choice(2));
  BOOST_TEST(least.agreeing == 2U);
  BOOST_TEST(least.confidence_sum == 0.9375);
  const Aggregate failed = Aggregator(Vote{4})(made);
  BOOST_CHECK(failed.option == Choice());
  BOOST_TEST(failed.agreeing == 0U);
  BOOST_TEST(failed.confidence_sum == 0.0);
}

BOOST_AUTO_TEST_CASE(an_aggregator_sees_paraphrases_only) {
  const auto relation = answered("r",
                                 {{0, {{0, 0.9}, {1, 0.8}, {1, 0.1}, {1, 0.1}}},
                                  {2, {{2, 0.3}, {2, 0.6}, {3, 0.9}, {3, 0.1}}}},
                                 {"possibly", "25%"});
  const auto votes = Aggregator(Vote{}).aggregate(relation);
  BOOST_REQUIRE(votes.size() == 2U);
  BOOST_CHECK(votes[0].option == Choice());
  BOOST_CHECK(votes[1].option == Choice(2));
  BOOST_TEST(votes[1].agreeing == 2U);
  const auto least = Aggregator(MinConfidence{}).aggregate(relation);
  BOOST_CHECK(least[0].option == Choice(1));
  BOOST_CHECK(least[1].option == Choice(2));
  BOOST_CHECK(Aggregator(MaxConfidence{}).aggregate(relation)[1].option == Choice(2));
  BOOST_TEST(Aggregator(Vote{}).aggregate(answered("none", {})).empty());
}

// The oracle follows the definitions: it counts every answer and looks for a strict maximum.
BOOST_AUTO_TEST_CASE(random_answers_aggregate_as_defined_in_any_order) {
  RandomStream random(1, "answers");
  std::set<bool> outcomes;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<std::size_t, double>> given(1 + random.below(9));
    for (auto& [option, confidence] : given) {
      option = random.below(4);
      confidence = static_cast<double>(1 + random.below(64)) / 64;
    }
    const std::size_t to_win = 1 + random.below(5);
    std::map<std::size_t, std::size_t> counts;
    std::map<std::size_t, double> sums;
    for (const auto& [option, confidence] : given) {
      ++counts[option];
      sums[option] += confidence;
    }
    Choice expected;
    for (const auto& [option, count] : counts) {
      const bool alone =
          std::ranges::all_of(counts, [&, &here = option, &most = count](const auto& other) {
            return other.first == here || other.second < most;
          });
      if (alone && count >= to_win) expected = option;
    }
    const Aggregate vote = Aggregator(Vote{to_win})(cells(given));
    BOOST_CHECK(vote.option == expected);
    BOOST_TEST(vote.agreeing == (expected ? counts[*expected] : 0U));
    BOOST_TEST(vote.confidence_sum == (expected ? sums[*expected] : 0.0));
    std::ranges::reverse(given);
    BOOST_CHECK(Vote{to_win}.choose(cells(given)) == expected);
    outcomes.insert(expected.has_value());
  }
  BOOST_TEST(outcomes.size() == 2U);  // some votes were won and some lost
}

BOOST_AUTO_TEST_CASE(policies_have_names_and_can_be_user_defined) {
  BOOST_TEST(Vote{}.name() == "vote2");
  BOOST_TEST(Vote{11}.name() == "vote11");
  BOOST_TEST(MinConfidence{}.name() == "min");
  BOOST_TEST(MaxConfidence{}.name() == "max");
  static_assert(AggregationPolicy<FirstAnswer> && !AggregationPolicy<int>);
  const Aggregator own{FirstAnswer{}};
  BOOST_TEST(own.policy().name() == "first");
  BOOST_TEST(own(cells({{4, 0.25}, {1, 0.5}, {4, 0.5}})).confidence_sum == 0.75);
}

BOOST_AUTO_TEST_CASE(a_policy_that_chooses_what_no_paraphrase_gave_is_refused) {
  struct Seventh {
    [[nodiscard]] Choice choose(std::span<const Prediction>) const { return 7; }
    [[nodiscard]] std::string name() const { return "seventh"; }
  };
  auto relation = answered("r", {{0, {{1, 0.5}}}});
  relation.relation.facts[0].subject = "Rome";
  const std::string words = "the aggregation seventh chose option 7, which no paraphrase predicted";
  BOOST_CHECK_EXCEPTION((void)Aggregator(Seventh{})(cells({{1, 0.5}})), Error,
                        test::says(Fault::user, words));
  BOOST_CHECK_EXCEPTION((void)Aggregator(Seventh{}).aggregate(relation), Error,
                        test::says(Fault::user, "r, 'Rome': " + words));
}

// Answer 1 has 3 of 4 votes. Without the tied vote, it has 2. After a second tie, answers 2 and 1
// have one vote each.
BOOST_AUTO_TEST_CASE(a_paraphrase_whose_best_score_is_shared_gives_no_answer) {
  auto votes = cells({{1, 0.2}, {2, 0.3}, {1, 0.25}, {1, 0.9}});
  test::make_tie(votes[3], 2);
  const Aggregate vote = Aggregator(Vote{2})(votes);
  BOOST_CHECK(vote.option == Choice(1));
  BOOST_TEST(vote.agreeing == 2U);
  BOOST_TEST(vote.confidence_sum == 0.2 + 0.25);
  BOOST_CHECK(Aggregator(Vote{3})(votes).option == Choice());
  BOOST_CHECK(Aggregator(MaxConfidence{})(votes).option == Choice(2));
  test::make_tie(votes[0], 4);
  BOOST_CHECK(Aggregator(MinConfidence{})(votes).option == Choice(1));
  BOOST_TEST(Aggregator(MinConfidence{})(votes).agreeing == 1U);
}

BOOST_AUTO_TEST_CASE(nothing_but_ties_is_no_answer) {
  auto level = cells({{0, 0.2}, {0, 0.2}, {0, 0.2}});
  for (Prediction& made : level) test::make_tie(made, 5, BestTie::answer_first);
  BOOST_CHECK(Aggregator(Vote{2})(level).option == Choice());
  BOOST_CHECK(Aggregator(MinConfidence{})(level).option == Choice());
  BOOST_CHECK(Aggregator(FirstAnswer{})(level).option == Choice());
  BOOST_TEST(Aggregator(Vote{2})(level).agreeing == 0U);
}

// All confidences differ, so the answer never depends on which of several equal confidences comes
// first.
BOOST_AUTO_TEST_CASE(the_order_of_paraphrases_and_facts_changes_no_answer) {
  RandomStream random(43, "paraphrases");
  for (int round = 0; round < 100; ++round) {
    std::vector<double> confidences(64);
    for (std::size_t i = 0; i < confidences.size(); ++i) {
      confidences[i] = static_cast<double>(i + 1) / 64;
    }
    random.shuffle(confidences);
    std::vector<std::vector<Prediction>> facts(1 + random.below(5));
    std::size_t next = 0;
    for (auto& fact : facts) {
      std::vector<std::pair<std::size_t, double>> given(1 + random.below(9));
      for (auto& [option, confidence] : given) {
        option = random.below(4);
        confidence = confidences[next++];
      }
      fact = cells(given);
    }
    std::vector<std::size_t> order(facts.size());
    for (std::size_t f = 0; f < order.size(); ++f) order[f] = f;
    random.shuffle(order);
    const auto check = [&](const auto& aggregator) {
      std::vector<Aggregate> before, after;
      for (const auto& fact : facts) before.push_back(aggregator(fact));
      for (const std::size_t f : order) {
        std::vector<Prediction> paraphrases = facts[f];
        random.shuffle(paraphrases);
        after.push_back(aggregator(paraphrases));
      }
      for (std::size_t f = 0; f < order.size(); ++f) {
        BOOST_CHECK(after[f].option == before[order[f]].option);
        BOOST_TEST(after[f].agreeing == before[order[f]].agreeing);
        BOOST_TEST(after[f].confidence_sum == before[order[f]].confidence_sum);
      }
    };
    check(Aggregator(Vote{1 + random.below(4)}));
    check(Aggregator(MinConfidence{}));
    check(Aggregator(MaxConfidence{}));
  }
}

BOOST_AUTO_TEST_SUITE_END()
