// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/recalibration.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plumb/detail/measure/prediction.hpp"
#include "support/near.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::near;
using test::tied_judgements;

BOOST_AUTO_TEST_SUITE(recalibration)

namespace {

using Scores = std::vector<double>;

/// Facts with the same scores and the given answers.
std::vector<ScoredFact> facts_of(const Scores& scores, const std::vector<std::size_t>& answers) {
  std::vector<ScoredFact> facts;
  for (const std::size_t answer : answers) facts.push_back({scores, answer});
  return facts;
}

double loss(const std::vector<ScoredFact>& facts, double temperature) {
  double sum = 0;
  for (const ScoredFact& fact : facts)
    sum -= std::log(softmax(fact.scores, temperature)[fact.answer]);
  return sum;
}

/// The isotonic value at a fitted confidence, written as a maximum of minima: the max over lower
/// ends a ≤ c of the min over upper ends b ≥ c of the mean correctness in [a, b].
double isotonic_by_definition(const std::vector<Judgement>& all, double c) {
  double highest = 0;
  for (const Judgement& from : all) {
    if (from.confidence > c) continue;
    double lowest = 1;
    for (const Judgement& to : all) {
      if (to.confidence < c) continue;
      double right = 0;
      double count = 0;
      for (const Judgement& one : all) {
        if (one.confidence < from.confidence || one.confidence > to.confidence) continue;
        right += one.correct ? 1 : 0;
        count += 1;
      }
      lowest = std::min(lowest, right / count);
    }
    highest = std::max(highest, lowest);
  }
  return highest;
}

}  // namespace

// The scores of two options differ by s, and a fraction q of the answers is right. The loss is
// minimal when 1 / (1 + e^(−s/T)) = q, so T = s / ln(q / (1 − q)).
BOOST_AUTO_TEST_CASE(a_temperature_makes_two_options_as_sure_as_they_are_right) {
  const Scores scores{std::log(9.0), 0};
  BOOST_TEST(near(fit_temperature(facts_of(scores, {0, 0, 0, 1})), 2, 2e-9 * 2));
  // With nine of ten right, T = ln 9 / ln 9 = 1; with 19 of 20, T is below 1 (sharper).
  std::vector<std::size_t> answers(20, 0);
  answers[7] = 1;
  BOOST_TEST(
      near(fit_temperature(facts_of(scores, answers)), std::log(9.0) / std::log(19.0), 2e-9));
  answers[8] = 1;
  BOOST_TEST(near(fit_temperature(facts_of(scores, answers)), 1, 2e-9));
}

BOOST_AUTO_TEST_CASE(a_temperature_stays_in_its_range) {
  const Scores scores{-10, -12};
  BOOST_TEST(near(fit_temperature(facts_of(scores, {0, 0})), 0.01, 1e-11));
  BOOST_TEST(near(fit_temperature(facts_of(scores, {1, 1})), 100, 1e-7));
  for (const std::vector<std::size_t>& answers : {std::vector<std::size_t>{0, 0}, {1, 1}, {0, 1}}) {
    BOOST_TEST(is_end_of_range(fit_temperature(facts_of(scores, answers))));
  }
  BOOST_TEST(!is_end_of_range(1));
  BOOST_TEST(near(fit_temperature(facts_of(scores, {0, 1})), 100, 1e-7));
  BOOST_TEST(fit_temperature({}) == 1.0);
  const double constant = fit_temperature(facts_of({-3, -3, -3}, {0, 2}));
  BOOST_TEST((constant >= 0.0099 && constant <= 100.01));
}

BOOST_AUTO_TEST_CASE(no_other_temperature_has_a_lower_loss) {
  for (const std::size_t seed : {1U, 2U, 3U}) {
    const auto model = test::random_model({.relations = 1, .facts = 80, .options = 6},
                                          std::to_string(seed) + "temperature");
    std::vector<ScoredFact> facts;
    for (std::size_t f = 0; f < 80; ++f) {
      facts.push_back({std::span(model.base[0].scores).subspan(f * 6, 6),
                       model.predictions.relations[0].relation.facts[f].answer});
    }
    const double best = fit_temperature(facts);
    BOOST_TEST((best > 0.1 && best < 50));
    for (const double factor : {0.5, 0.9, 0.999, 1.001, 1.1, 2.0}) {
      BOOST_TEST(loss(facts, best) < loss(facts, best * factor));
    }
  }
}

// Expected values from scikit-learn 1.9: IsotonicRegression(out_of_bounds="clip").fit(c,
// y).predict(at).
BOOST_AUTO_TEST_CASE(an_isotonic_map_is_scikit_learns) {
  const Scores c{.05, .1, .1, .2, .35, .35, .35, .5, .62, .8, .8, .97};
  const std::vector<int> y{0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1};
  std::vector<Judgement> twelve;
  for (std::size_t i = c.size(); i-- > 0;) twelve.push_back({c[i], y[i] == 1});
  const IsotonicMap map(twelve);
  const Scores at{0, .05, .1, .15, .2, .35, .4, .5, .6, .7, .8, .9, .97, 1};
  const double third = 1.0 / 3;
  const Scores expected{
      0,   0,   third, third, third, third, 0.38888888888888895, 0.5, 0.5, 0.7222222222222221,
      1.0, 1.0, 1.0,   1.0};
  for (std::size_t i = 0; i < at.size(); ++i) BOOST_TEST(near(map(at[i]), expected[i]));
}

BOOST_AUTO_TEST_CASE(an_isotonic_map_is_the_maximum_of_minimal_means) {
  for (int round = 0; round < 25; ++round) {
    const auto steps = static_cast<std::size_t>(1 + round);
    auto all = tied_judgements(30, steps, std::to_string(round) + "isotonic");
    for (Judgement& judgement : all) {
      // Correctness falls with confidence instead of rising.
      if (round % 2 == 1) judgement.correct = !judgement.correct;
    }
    const IsotonicMap map(all);
    double fitted = 0;
    double right = 0;
    for (const Judgement& judgement : all) {
      BOOST_TEST(
          near(map(judgement.confidence), isotonic_by_definition(all, judgement.confidence)));
      fitted += map(judgement.confidence);
      right += judgement.correct ? 1 : 0;
    }
    BOOST_TEST(near(fitted, right, 1e-10));  // least squares preserves the mean
    double last = 0;
    for (int i = -10; i <= 110; ++i) {
      const double value = map(i / 100.0);
      BOOST_TEST(value >= last);
      BOOST_TEST(value <= 1);
      last = value;
    }
  }
}

BOOST_AUTO_TEST_CASE(an_isotonic_map_is_linear_between_and_constant_beyond) {
  const IsotonicMap map(std::vector<Judgement>{{0.25, false}, {0.75, true}});
  BOOST_TEST(map(0.0) == 0.0);
  BOOST_TEST(map(0.25) == 0.0);
  BOOST_TEST(map(0.375) == 0.25);
  BOOST_TEST(map(0.75) == 1.0);
  BOOST_TEST(map(1.0) == 1.0);
  const IsotonicMap constant(std::vector<Judgement>{{0.5, true}, {0.5, false}, {0.5, true}});
  for (const double c : {0.0, 0.5, 1.0}) BOOST_TEST(near(constant(c), 2.0 / 3));
  const IsotonicMap one(std::vector<Judgement>{{0.5, true}});
  BOOST_TEST(one(0.1) == 1.0);
}

BOOST_AUTO_TEST_CASE(half_of_each_stratum_is_fitted_on) {
  const std::vector<std::size_t> strata{10, 1, 0, 7, 2};
  const std::vector<bool> fitting = fitting_half(strata, 3);
  BOOST_REQUIRE(fitting.size() == 20U);
  std::size_t first = 0;
  for (const std::size_t size : strata) {
    const auto from = fitting.begin() + static_cast<std::ptrdiff_t>(first);
    const auto chosen = std::count(from, from + static_cast<std::ptrdiff_t>(size), true);
    BOOST_TEST(static_cast<std::size_t>(chosen) == size / 2);
    first += size;
  }
  BOOST_TEST(fitting_half({}, 3).empty());
}

BOOST_AUTO_TEST_CASE(halves_follow_the_seed_and_favour_no_fact) {
  const std::vector<std::size_t> strata{6, 6};
  BOOST_CHECK(fitting_half(strata, 1) == fitting_half(strata, 1));
  std::vector<std::size_t> chosen(12);
  std::size_t alike = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto fitting = fitting_half(strata, seed);
    for (std::size_t i = 0; i < 12; ++i) chosen[i] += fitting[i] ? 1 : 0;
    alike += std::equal(fitting.begin(), fitting.begin() + 6, fitting.begin() + 6) ? 1 : 0;
  }
  // The counts follow Binomial(1000, ½) and Binomial(1000, 1/20); the bounds are four standard
  // deviations.
  for (const std::size_t count : chosen) BOOST_TEST((count > 436U && count < 564U));
  BOOST_TEST((alike > 22U && alike < 78U));
}

BOOST_AUTO_TEST_SUITE_END()
