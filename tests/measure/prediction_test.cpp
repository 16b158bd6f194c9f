// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/prediction.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "plumb/detail/core/random.hpp"
#include "support/near.hpp"

using namespace plumb::detail;
using test::near;

BOOST_AUTO_TEST_SUITE(prediction)

namespace {

/// Log-likelihoods whose softmax is proportional to `weights`.
std::vector<double> logs(std::vector<double> weights) {
  for (double& weight : weights) weight = std::log(weight);
  return weights;
}

void check_near(const std::vector<double>& values, const std::vector<double>& expected) {
  BOOST_REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) BOOST_TEST(near(values[i], expected[i]));
}

}  // namespace

BOOST_AUTO_TEST_CASE(probabilities_are_shares_of_the_exponentials) {
  check_near(softmax(logs({1, 5, 2})), {0.125, 0.625, 0.25});
  check_near(softmax(std::vector<double>{-3.5}), {1.0});
}

// The scores are the logs of weights: exp(log(w) / T) = w^(1/T).
BOOST_AUTO_TEST_CASE(a_temperature_divides_the_scores) {
  check_near(softmax(logs({1, 4, 9}), 2), {1.0 / 6, 2.0 / 6, 3.0 / 6});
  check_near(softmax(logs({1, 2, 3}), 0.5), {1.0 / 14, 4.0 / 14, 9.0 / 14});
}

BOOST_AUTO_TEST_CASE(probabilities_hold_for_scores_of_any_size) {
  check_near(softmax(std::vector<double>{-5000 - std::log(3.0), -5000}), {0.25, 0.75});
  check_near(softmax(std::vector<double>{-1e6, 0, -1e6}), {0, 1, 0});
  check_near(softmax(std::vector<double>{800, 800}), {0.5, 0.5});
}

// p = (1, 5, 2) / 8. The Brier score is (1 + 25 + 36) / 64 for answer 2 and (1 + 9 + 4) / 64 for
// answer 1.
BOOST_AUTO_TEST_CASE(the_likeliest_option_is_the_answer) {
  const Prediction wrong = predict(logs({1, 5, 2}), 2);
  BOOST_TEST(wrong.option == 1U);
  BOOST_TEST(!wrong.correct);
  BOOST_TEST(near(wrong.confidence, 0.625));
  BOOST_TEST(near(wrong.margin, 0.375));
  BOOST_TEST(near(wrong.one_hot_brier, 62.0 / 64));
  BOOST_TEST((wrong.rank == Rank{.above = 1, .equal = 0}));
  const Prediction right = predict(logs({1, 5, 2}), 1);
  BOOST_TEST(right.rank.known());
  BOOST_TEST(right.correct);
  BOOST_TEST(near(right.confidence, 0.625));
  BOOST_TEST(near(right.one_hot_brier, 14.0 / 64));
}

BOOST_AUTO_TEST_CASE(a_temperature_changes_the_confidence_and_not_the_answer) {
  const Prediction cool = predict(logs({1, 4, 9}), 0, 2);
  BOOST_TEST(cool.option == 2U);
  BOOST_TEST(near(cool.confidence, 3.0 / 6));
  BOOST_TEST(near(cool.margin, 1.0 / 6));
  BOOST_TEST(near(cool.one_hot_brier, (25.0 + 4 + 9) / 36));
}

// The second-best option may come anywhere before or after the best one.
BOOST_AUTO_TEST_CASE(the_margin_is_the_lead_over_the_second_in_any_order) {
  std::vector<double> weights{1, 2, 4, 9};
  do {
    const Prediction made = predict(logs(weights), 0);
    BOOST_TEST(weights[made.option] == 9.0);
    BOOST_TEST(near(made.confidence, 9.0 / 16));
    BOOST_TEST(near(made.margin, 5.0 / 16));
  } while (std::ranges::next_permutation(weights).found);
}

BOOST_AUTO_TEST_CASE(the_first_of_equals_is_the_answer_without_a_margin) {
  const std::vector<double> tied{-7, -2, -4, -2};
  const Prediction made = predict(tied, 1);
  BOOST_TEST(made.option == 1U);
  BOOST_TEST(made.margin == 0.0);
  BOOST_TEST((made.tie == BestTie::answer_first));
  BOOST_TEST((predict(tied, 3).tie == BestTie::with_answer));
  BOOST_TEST((predict(tied, 0).tie == BestTie::without_answer));
  BOOST_TEST((predict(std::vector<double>{-1, -2, -2}, 1).tie == BestTie::none));
}

BOOST_AUTO_TEST_CASE(a_tie_is_not_known_and_counts_its_share) {
  const std::vector<double> tied{-7, -2, -4, -2};
  for (std::size_t answer = 0; answer < 4; ++answer) {
    const Prediction made = predict(tied, answer);
    BOOST_TEST(!made.correct);
    BOOST_TEST(made.is_tie());
    BOOST_TEST(made.tied_options == 2U);
    BOOST_TEST(made.accuracy() == (answer % 2 == 1 ? 0.5 : 0.0));
    BOOST_TEST(made.accuracy_first_wins() == (answer == 1 ? 1.0 : 0.0));
  }
  for (std::size_t answer = 0; answer < 5; ++answer) {
    const Prediction made = predict(std::vector<double>(5, -3.5), answer);
    BOOST_TEST(!made.correct);
    BOOST_TEST(made.accuracy() == 0.2);
    BOOST_TEST(made.accuracy_first_wins() == (answer == 0 ? 1.0 : 0.0));
  }
  const Prediction alone = predict(std::vector<double>{-2, -1}, 1);
  BOOST_TEST(alone.correct);
  BOOST_TEST(alone.accuracy() == 1.0);
  BOOST_TEST(alone.accuracy_first_wins() == 1.0);
}

BOOST_AUTO_TEST_CASE(one_option_is_certain) {
  const Prediction made = predict(std::vector<double>{-40}, 0);
  BOOST_TEST(made.option == 0U);
  BOOST_TEST(made.correct);
  BOOST_TEST(made.confidence == 1.0);
  BOOST_TEST(made.margin == 1.0);
  BOOST_TEST(made.one_hot_brier == 0.0);
}

BOOST_AUTO_TEST_CASE(the_bounds_are_reached) {
  for (std::size_t k = 2; k <= 30; ++k) {
    const Prediction unsure = predict(std::vector<double>(k, -3.0), k - 1);
    BOOST_TEST(unsure.confidence == 1 / static_cast<double>(k));
    BOOST_TEST(unsure.margin == 0.0);
    std::vector<double> scores(k, -1e5);
    scores[k / 2] = 0;
    const Prediction sure = predict(scores, 0);
    BOOST_TEST(sure.confidence == 1.0);
    BOOST_TEST(sure.margin == 1.0);
    BOOST_TEST(sure.one_hot_brier == 2.0);
    BOOST_TEST(predict(scores, k / 2).one_hot_brier == 0.0);
  }
}

// The oracle sorts the probabilities and sums the squares exactly as in the definitions.
BOOST_AUTO_TEST_CASE(random_predictions_follow_the_definitions) {
  RandomStream random(11, "predictions");
  for (int round = 0; round < 300; ++round) {
    std::vector<double> scores(2 + random.below(6));
    for (double& score : scores) score = -4 * random.uniform();
    const std::size_t answer = random.below(scores.size());
    const double temperature = 0.25 + 3 * random.uniform();
    std::vector<double> p;
    double sum = 0;
    for (const double score : scores) sum += p.emplace_back(std::exp(score / temperature));
    double brier = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] /= sum;
      brier += (p[i] - (i == answer)) * (p[i] - (i == answer));
    }
    const Prediction made = predict(scores, answer, temperature);
    BOOST_TEST(made.correct == (scores[answer] == std::ranges::max(scores)));
    BOOST_TEST(near(made.one_hot_brier, brier));
    BOOST_TEST(near(p[made.option], std::ranges::max(p)));
    std::ranges::sort(p, std::greater());
    BOOST_TEST(near(made.confidence, p[0]));
    BOOST_TEST(near(made.margin, p[0] - p[1]));
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_options_changes_no_number) {
  RandomStream random(29, "options");
  for (int round = 0; round < 300; ++round) {
    std::vector<double> scores(1 + random.below(9));
    for (double& score : scores) score = -0.5 * static_cast<double>(random.below(20));
    const std::size_t answer = random.below(scores.size());
    std::vector<std::size_t> order(scores.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    std::vector<double> others;
    for (const std::size_t i : order) others.push_back(scores[i]);
    const auto place = static_cast<std::size_t>(std::ranges::find(order, answer) - order.begin());
    const Prediction made = predict(scores, answer), other = predict(others, place);
    BOOST_TEST(other.correct == made.correct);
    BOOST_TEST(other.accuracy() == made.accuracy());
    BOOST_TEST(other.tied_options == made.tied_options);
    BOOST_TEST(near(other.confidence, made.confidence));
    BOOST_TEST(near(other.margin, made.margin));
    BOOST_TEST(near(other.one_hot_brier, made.one_hot_brier));
    if (!made.is_tie()) BOOST_TEST(order[other.option] == made.option);
  }
}

BOOST_AUTO_TEST_SUITE_END()
