// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/option_count.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::near;
using test::random_model;

BOOST_AUTO_TEST_SUITE(option_count)

namespace {

using Counts = std::vector<std::size_t>;

/// A 1:1 relation with `options` facts. Fact i's answer is option i, with weight `answer`; the
/// other options have weight `other`.
ScoredModel weighted(std::size_t options, double answer, double other) {
  ScoredModel model =
      random_model({.relations = 1, .facts = options, .options = options, .one_to_one = true});
  for (std::size_t f = 0; f < options; ++f) {
    for (std::size_t o = 0; o < options; ++o) {
      model.base[0].scores[f * options + o] = std::log(o == f ? answer : other);
    }
  }
  return model;
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_are_dense_where_calibration_changes_most) {
  BOOST_TEST(option_counts(60) == (Counts{2, 3, 4, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60}));
  BOOST_TEST(option_counts(12) == (Counts{2, 3, 4, 5, 10, 12}));
  BOOST_TEST(option_counts(10) == (Counts{2, 3, 4, 5, 10}));
  BOOST_TEST(option_counts(6) == (Counts{2, 3, 4, 5, 6}));
  BOOST_TEST(option_counts(3) == (Counts{2, 3}));
  BOOST_TEST(option_counts(2) == Counts{2});
  BOOST_TEST(option_counts(1).empty());
  BOOST_TEST(option_counts(0).empty());
}

// Whichever options are sampled, an answer with weight 3 among k − 1 others with weight 1 is right
// with confidence 3 / (3 + k − 1); the remainder is the error.
BOOST_AUTO_TEST_CASE(a_better_answer_is_right_with_its_share_of_the_weights) {
  const auto curve = option_count_curve(weighted(25, 3, 1), 20, {.resamples = 20});
  BOOST_REQUIRE(curve.size() == option_counts(25).size());
  for (const OptionCountPoint& point : curve) {
    const double share = 3 / (2 + static_cast<double>(point.options));
    BOOST_TEST(near(point.confidence.value, share));
    BOOST_TEST(point.accuracy.value == 1.0);
    BOOST_TEST(near(point.ace.value, 1 - share));
    BOOST_TEST(point.facts == 25U);
    BOOST_TEST(point.ace.count == 25U);
  }
}

// A right option with weight ½ loses: the chosen option is wrong, with confidence 1 / (½ + k − 1).
BOOST_AUTO_TEST_CASE(the_answer_is_kept_in_every_sampling) {
  for (const auto& point : option_count_curve(weighted(21, 0.5, 1), 20, {.resamples = 20})) {
    const double share = 1 / (static_cast<double>(point.options) - 0.5);
    BOOST_TEST(near(point.confidence.value, share));
    BOOST_TEST(point.accuracy.value == 0.0);
    BOOST_TEST(near(point.ace.value, share));
  }
}

// All weights are equal. Neither the fact whose answer is the first option nor the one whose answer
// is the last is known, for any number of options.
BOOST_AUTO_TEST_CASE(ties_are_not_known_as_with_all_options) {
  ScoredModel model = weighted(20, 1, 1);
  auto& facts = model.predictions.relations[0].relation.facts;
  facts = {facts.front(), facts.back()};
  for (const auto& point : option_count_curve(model, 20, {.resamples = 10})) {
    BOOST_TEST(point.accuracy.value == 0.0);
    BOOST_TEST(near(point.confidence.value, 1 / static_cast<double>(point.options)));
    BOOST_TEST(point.ace.count == 0U);  // two facts are too few for twenty bins
    BOOST_TEST(point.facts == 2U);
  }
}

BOOST_AUTO_TEST_CASE(with_all_options_it_is_the_base_template_itself) {
  const auto model = random_model({.relations = 2, .facts = 30, .options = 30, .one_to_one = true});
  std::vector<Judgement> base = Calibrator(Base{}).judge(model.predictions.relations);
  const MetricValues expected = SortedJudgements(base, 10).metrics();
  const OptionCountPoint all = option_count_curve(model, 10, {.resamples = 10}).back();
  BOOST_TEST(all.options == 30U);
  BOOST_TEST(all.facts == 60U);
  BOOST_TEST(near(all.confidence.value, expected[CalibrationMetric::mean_confidence]));
  BOOST_TEST(near(all.accuracy.value, expected[CalibrationMetric::accuracy]));
  BOOST_TEST(near(all.ace.value, expected[CalibrationMetric::ace]));
}

// Smaller sets are subsets of larger ones, so an answer that wins among more options also wins
// among fewer.
BOOST_AUTO_TEST_CASE(more_options_make_no_fact_right) {
  const auto model = random_model({.relations = 3, .facts = 40, .options = 40, .one_to_one = true});
  const auto curve = option_count_curve(model, 20, {.seed = 3, .resamples = 10});
  for (std::size_t i = 1; i < curve.size(); ++i) {
    BOOST_TEST(curve[i].accuracy.value <= curve[i - 1].accuracy.value);
    BOOST_TEST(curve[i].confidence.value < curve[i - 1].confidence.value);
  }
  BOOST_TEST(curve.back().accuracy.value < curve.front().accuracy.value);
}

BOOST_AUTO_TEST_CASE(only_one_to_one_relations_with_shared_options_take_part) {
  ScoredModel model =
      random_model({.relations = 4, .facts = 12, .options = 12, .one_to_one = true});
  auto& relations = model.predictions.relations;
  const auto facts = [&] { return option_count_curve(model, 5, {.resamples = 5}).at(0).facts; };
  BOOST_TEST(facts() == 48U);
  relations[1].relation.cardinality = Cardinality::many_to_one;
  BOOST_TEST(facts() == 36U);
  for (Fact& fact : relations[3].relation.facts) fact.choices.resize(12);
  BOOST_TEST(facts() == 24U);
  relations[0].relation.facts.clear();
  BOOST_TEST(facts() == 12U);
  relations[2].relation.cardinality = Cardinality::many_to_one;
  BOOST_TEST(option_count_curve(model, 5, {}).empty());
  BOOST_TEST(option_count_curve({}, 5, {}).empty());
}

BOOST_AUTO_TEST_CASE(the_smallest_relation_bounds_the_counts) {
  ScoredModel model = random_model({.relations = 1, .facts = 9, .options = 30, .one_to_one = true});
  const ScoredModel small =
      random_model({.relations = 1, .facts = 7, .options = 7, .one_to_one = true}, "small");
  model.predictions.relations.push_back(small.predictions.relations[0]);
  model.base.push_back(small.base[0]);
  const auto curve = option_count_curve(model, 5, {.resamples = 5});
  BOOST_TEST(curve.size() == option_counts(7).size());
  BOOST_TEST(curve.back().options == 7U);
  BOOST_TEST(curve.back().facts == 16U);
}

BOOST_AUTO_TEST_CASE(samplings_follow_the_seed) {
  const auto model = random_model({.facts = 25, .options = 25, .one_to_one = true});
  const auto confidence = [&](std::uint64_t seed) {
    return option_count_curve(model, 5, {.seed = seed, .resamples = 5})[2].confidence.value;
  };
  BOOST_TEST(confidence(1) == confidence(1));
  BOOST_TEST(confidence(1) != confidence(2));
}

// In 3000 orders of eight options, each of the seven other options is second 3000 / 7 times, ± 4
// standard deviations.
BOOST_AUTO_TEST_CASE(an_order_begins_with_the_answer_and_is_otherwise_uniform) {
  Relation relation;
  relation.code = "r";
  relation.options.resize(8);
  Counts second(8), last(8);
  std::set<Counts> orders;
  for (std::size_t instance = 0; instance < 1000; ++instance) {
    Fact fact;
    fact.answer = 5;
    fact.instance = instance;
    for (std::size_t sampling = 0; sampling < option_samplings; ++sampling) {
      Counts order = sampled_options(relation, fact, 4, sampling);
      BOOST_TEST(order.front() == 5U);
      ++second[order[1]];
      ++last[order[7]];
      orders.insert(order);
      std::ranges::sort(order);
      BOOST_TEST(order == (Counts{0, 1, 2, 3, 4, 5, 6, 7}));
    }
  }
  const double expected = 3000.0 / 7;
  const double margin = 4 * std::sqrt(expected * 6 / 7);
  for (const std::size_t option : {0U, 1U, 2U, 3U, 4U, 6U, 7U}) {
    BOOST_TEST(std::abs(static_cast<double>(second[option]) - expected) < margin);
    BOOST_TEST(std::abs(static_cast<double>(last[option]) - expected) < margin);
  }
  BOOST_TEST(second[5] == 0U);
  // Many of the 7! = 5040 possible orders occur, so the samplings differ from one another.
  BOOST_TEST(orders.size() > 1500U);
}

BOOST_AUTO_TEST_SUITE_END()
