// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/held_out.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/near.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::near;
using test::random_model;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(held_out_suite)

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t bins = 20;

HeldOutRecalibration recalibrated(const ScoredModel& model) {
  const auto& relations = model.predictions.relations;
  return recalibrate_held_out(model, strata_of(relations), all_estimators(relations), bins,
                              {.seed = 1, .resamples = 30});
}

/// The judgements and facts of a model with `per_relation` facts per relation, each split into a
/// fitting half and a held-out half.
struct Halves {
  std::vector<Judgement> fitted, held_out;  // Base
  std::vector<ScoredFact> fitted_facts, held_out_facts;

  Halves(const ScoredModel& model, std::size_t per_relation) {
    const auto& relations = model.predictions.relations;
    const std::vector<bool> fitting = fitting_half(strata_of(relations), 1);
    for (std::size_t i = 0; i < fitting.size(); ++i) {
      const std::size_t r = i / per_relation;
      const std::size_t f = i % per_relation;
      const FactPredictions fact{relations[r], f};
      (fitting[i] ? fitted : held_out).push_back(Base{}(fact));
      (fitting[i] ? fitted_facts : held_out_facts)
          .push_back({std::span(model.base[r].scores).subspan(f * 5, 5), fact.answer()});
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_estimators_the_paper_compares_models_by_are_recalibrated) {
  const HeldOutRecalibration made = recalibrated(random_model({.facts = 61}));
  Names rows;
  for (const RecalibrationResult& r : made.results) rows.push_back(r.estimator + " " + r.map);
  BOOST_TEST(rows == (Names{"base none", "base temperature", "base isotonic", "margin none",
                            "margin temperature", "margin isotonic", "average_vote2 none",
                            "average_vote2 isotonic", "average_min none", "average_min isotonic"}));
  BOOST_TEST(made.facts == 3 * 31U);
  BOOST_TEST(made.remarks.empty());
}

BOOST_AUTO_TEST_CASE(maps_are_measured_on_the_half_they_were_not_fitted_on) {
  const ScoredModel model = random_model({.facts = 61});
  const HeldOutRecalibration made = recalibrated(model);
  Halves halves(model, 61);
  BOOST_REQUIRE(made.results.size() == 10U);
  const RecalibrationResult& plain = made.results[0];
  const RecalibrationResult& scaled = made.results[1];
  const MetricValues before = SortedJudgements(halves.held_out, bins).metrics();
  BOOST_TEST(near(estimate_of(plain.metrics, ace).value, before[ace]));
  BOOST_TEST(estimate_of(plain.metrics, ace).count == 93U);
  BOOST_TEST(plain.temperature == 1.0);
  const double temperature = fit_temperature(halves.fitted_facts);
  BOOST_TEST(near(scaled.temperature, temperature));
  std::vector<Judgement> expected;
  for (const ScoredFact& fact : halves.held_out_facts) {
    const Prediction best = predict(fact.scores, fact.answer);
    expected.push_back({softmax(fact.scores, temperature)[best.option], best.correct});
  }
  const MetricValues after = SortedJudgements(expected, bins).metrics();
  BOOST_TEST(near(estimate_of(scaled.metrics, ace).value, after[ace]));
  BOOST_TEST(near(estimate_of(scaled.metrics, accuracy).value,
                  estimate_of(plain.metrics, accuracy).value));
  const IsotonicMap map(halves.fitted);
  for (Judgement& judgement : halves.held_out) judgement.confidence = map(judgement.confidence);
  BOOST_TEST(near(estimate_of(made.results[2].metrics, brier).value,
                  SortedJudgements(halves.held_out, bins).metrics()[brier]));
}

BOOST_AUTO_TEST_CASE(the_halves_name_every_fact_once_by_its_place_in_the_dataset) {
  ScoredModel model = random_model({.facts = 21});
  auto& relations = model.predictions.relations;
  for (RelationPredictions& one : relations) {
    for (std::size_t f = 0; f < 21; ++f) one.relation.facts[f].instance = 5 + 3 * f;
  }
  const HeldOutRecalibration made = recalibrated(model);
  const std::vector<bool> fitting = fitting_half(strata_of(relations), 1);
  BOOST_REQUIRE(made.halves.size() == 3U);
  for (std::size_t r = 0; r < 3; ++r) {
    BOOST_TEST(made.halves[r].relation == relations[r].relation.code);
    std::vector<std::size_t> fitted, held_out;
    for (std::size_t f = 0; f < 21; ++f) {
      (fitting[r * 21 + f] ? fitted : held_out).push_back(5 + 3 * f);
    }
    BOOST_TEST(fitted.size() == 10U);
    BOOST_TEST(made.halves[r].fitted == fitted);
    BOOST_TEST(made.halves[r].held_out == held_out);
  }
}

// All answers in the fitting half are right, so the fitted map is 1 everywhere. In the held-out
// half, the paraphrases never agree.
BOOST_AUTO_TEST_CASE(an_answer_that_was_not_given_stays_without_confidence) {
  ScoredModel model = random_model({.facts = 20});
  auto& relations = model.predictions.relations;
  const std::vector<bool> fitting = fitting_half(strata_of(relations), 1);
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    for (std::size_t t = 0; t < 3; ++t) {
      Prediction& cell = relations[i / 20].cells[i % 20 * 3 + t];
      cell.option = fitting[i] ? relations[i / 20].relation.facts[i % 20].answer : t;
      cell.correct = fitting[i];
    }
  }
  const HeldOutRecalibration made = recalibrated(model);
  BOOST_REQUIRE(made.results.size() == 10U);
  BOOST_TEST(made.results[2].estimator + " " + made.results[2].map == "base isotonic");
  BOOST_TEST(estimate_of(made.results[2].metrics, mean_confidence).value == 1.0);
  BOOST_TEST(made.results[7].estimator + " " + made.results[7].map == "average_vote2 isotonic");
  BOOST_TEST(estimate_of(made.results[7].metrics, mean_confidence).value == 0.0);
}

BOOST_AUTO_TEST_CASE(only_the_given_estimators_are_recalibrated) {
  const ScoredModel model = random_model({.facts = 41});
  const auto made = recalibrate_held_out(model, strata_of(model.predictions.relations),
                                         {named(Average(MaxConfidence{})), named(Margin{})}, bins,
                                         {.seed = 1, .resamples = 30});
  BOOST_REQUIRE(made.results.size() == 3U);
  for (const RecalibrationResult& r : made.results) BOOST_TEST(r.estimator == "margin");
}

BOOST_AUTO_TEST_CASE(a_temperature_at_the_end_of_its_range_is_remarked_on) {
  ScoredModel model = random_model({.facts = 20});
  BOOST_TEST(recalibrated(model).remarks.empty());
  for (BaseScores& base : model.base) base.scores.assign(base.scores.size(), -1);
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t f = 0; f < 20; ++f) {
      model.base[r].scores[f * 5 + model.predictions.relations[r].relation.facts[f].answer] = 0;
    }
  }
  BOOST_TEST(recalibrated(model).remarks == Names{"The fitted temperature is at the limit of its "
                                                  "range; the best one lies outside the range."});
}

BOOST_AUTO_TEST_CASE(fewer_held_out_facts_than_bins_leave_out_ace_with_a_remark) {
  const HeldOutRecalibration made = recalibrated(random_model({.facts = 13}));
  BOOST_TEST(made.facts == 3 * 7U);
  BOOST_TEST(estimate_of(made.results.at(0).metrics, ace).count == 21U);
  const HeldOutRecalibration few = recalibrated(random_model({.facts = 12}));
  BOOST_TEST(few.facts == 3 * 6U);
  BOOST_TEST(few.remarks == Names{"ACE after recalibration is left out: 18 held-out facts "
                                  "cannot fill 20 bins; set `bins` to 18 or less."});
  BOOST_TEST(estimate_of(few.results.at(0).metrics, ace).count == 0U);
  BOOST_TEST(estimate_of(few.results.at(0).metrics, brier).count == 18U);
}

BOOST_AUTO_TEST_CASE(a_single_fact_fills_no_bins_however_few) {
  BOOST_TEST(too_few_for_bins("ACE is", 1, "fact", 20) ==
             "ACE is left out: 1 fact cannot fill 20 bins.");
  BOOST_TEST(too_few_for_bins("ACE is", 2, "fact", 20) ==
             "ACE is left out: 2 facts cannot fill 20 bins; set `bins` to 2 or less.");
}

BOOST_AUTO_TEST_CASE(a_relation_of_two_facts_is_needed) {
  const HeldOutRecalibration made = recalibrated(random_model({.relations = 5, .facts = 1}));
  BOOST_TEST(made.results.empty());
  BOOST_TEST(made.facts == 5U);
  BOOST_TEST(made.halves.empty());
  BOOST_TEST(made.remarks ==
             Names{"Recalibration is left out: no relation has at least two facts."});
  BOOST_TEST(recalibrated(random_model({.relations = 1, .facts = 2})).results.size() == 10U);
}

BOOST_AUTO_TEST_SUITE_END()
