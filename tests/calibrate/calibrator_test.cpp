// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/calibrator.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/predictions.hpp"
#include "support/threads.hpp"

using namespace plumb::detail;
using test::near;
using test::says;
using test::tied_judgements;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(calibrator)

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

Draws draws_of(double value, std::vector<double> draws) {
  return {value, std::move(draws), 7};
}

Resamples resamples_of(std::vector<std::size_t> strata, std::size_t resamples = 100) {
  return {strata, {.seed = 2, .resamples = resamples}, "test"};
}

}  // namespace

// The median is 3, the 2.5% quantile is 1 + 0.1 and the 97.5% quantile is 5 − 0.1 (numpy's linear
// quantiles). Because the estimate is 4, all three values are shifted by 1.
BOOST_AUTO_TEST_CASE(an_interval_is_the_middle_of_the_draws_moved_to_the_estimate) {
  const Estimate e = draws_of(4, {5, 3, 1, 2, 4}).estimate();
  BOOST_TEST(e.value == 4.0);
  BOOST_TEST(near(e.low, 2.1));
  BOOST_TEST(near(e.high, 5.9));
  BOOST_TEST(e.count == 7U);
  BOOST_TEST(e.method == "centred bootstrap");
}

BOOST_AUTO_TEST_CASE(an_interval_is_cut_to_what_the_number_can_be) {
  const Estimate e = draws_of(4, {5, 3, 1, 2, 4}).within(2.5, 4.25).estimate();
  BOOST_TEST(e.low == 2.5);
  BOOST_TEST(e.value == 4.0);
  BOOST_TEST(e.high == 4.25);
}

BOOST_AUTO_TEST_CASE(what_is_no_number_stays_out) {
  BOOST_TEST(draws_of(none, {1, 2, 3}).estimate().count == 0U);
  BOOST_TEST(draws_of(infinite, {1, 2, 3}).estimate().count == 0U);
  const Estimate e = draws_of(4, {5, none, 3, 1, infinite, 2, 4, none}).estimate();
  BOOST_TEST(near(e.low, 2.1));
  BOOST_TEST(near(e.high, 5.9));
  for (const Estimate& point : {draws_of(4, {}).estimate(), draws_of(4, {none, none}).estimate()}) {
    BOOST_TEST(point.value == 4.0);
    BOOST_TEST(!point.has_interval());
    BOOST_TEST(point.count == 7U);
  }
}

BOOST_AUTO_TEST_CASE(several_numbers_combine_draw_by_draw) {
  const auto difference = [](double a, double b) { return a - b; };
  const Draws made = combine(difference, draws_of(5, {5, 6, none}), draws_of(3, {4, 2, 1}));
  BOOST_TEST(made.value == 2.0);
  BOOST_TEST(made.count == 7U);
  BOOST_REQUIRE(made.draws.size() == 3U);
  BOOST_TEST(made.draws[0] == 1.0);
  BOOST_TEST(made.draws[1] == 4.0);
  BOOST_TEST(std::isnan(made.draws[2]));
  const Draws doubled = combine([](double a) { return 2 * a; }, draws_of(5, {5, 6}));
  BOOST_TEST(doubled.draws[1] == 12.0);
  // A number minus itself is zero in every resample.
  const Draws same = draws_of(5, {1, 9, 4});
  BOOST_TEST(combine(difference, same, same).estimate().value == 0.0);
  BOOST_TEST(!combine(difference, same, same).estimate().has_interval());
  BOOST_TEST(combine(difference, same, draws_of(none, {1, 2, 3})).estimate().count == 0U);
}

BOOST_AUTO_TEST_CASE(metrics_of_a_resample_equal_those_of_the_expanded_list) {
  const auto judgements = tied_judgements(45, 9, "calibration");
  const Resamples resamples = resamples_of({20, 25}, 20);
  const Calibration made = calibration_of(judgements, 10, resamples);
  BOOST_TEST(made.count == 45U);
  BOOST_REQUIRE(made.resampled.size() == 20U);
  for (std::size_t r = 0; r < 20; ++r) {
    std::vector<Judgement> list;
    for (std::size_t i = 0; i < 45; ++i) {
      list.insert(list.end(), resamples.counts(r)[i], judgements[i]);
    }
    const MetricValues expected = SortedJudgements(list, 10).metrics();
    for (const auto metric : {accuracy, ace, ece, brier, auroc, aurc}) {
      BOOST_TEST(near(made.resampled[r][metric], expected[metric]));
      BOOST_TEST(made.draws(metric).draws[r] == made.resampled[r][metric]);
    }
  }
}

// Of 25 confident answers, all but one are right. Without clipping, the upper end of the accuracy
// would exceed 1, and the lower end of ACE would be below 0.
BOOST_AUTO_TEST_CASE(intervals_hold_the_estimate_and_stay_in_the_metrics_range) {
  std::vector<Judgement> judgements(25, {0.97, true});
  judgements[3].correct = false;
  judgements[4].confidence = 0.9;
  for (const auto& list : {judgements, tied_judgements(25, 5, "range")}) {
    const Calibration made = calibration_of(list, 20, resamples_of({25}));
    for (std::size_t i = 0; i < calibration_metric_count; ++i) {
      const auto metric = static_cast<CalibrationMetric>(i);
      const Estimate e = made[metric];
      BOOST_TEST(e.count == 25U);
      BOOST_TEST((e.low <= e.value && e.value <= e.high), declared_metrics[i].key);
      const bool bounded = metric != brier_within_bin && metric != brier_skill;
      if (bounded) BOOST_TEST(e.low >= 0, declared_metrics[i].key);
      if (bounded && metric != log_loss) BOOST_TEST(e.high <= 1, declared_metrics[i].key);
    }
    BOOST_TEST(made[brier].low < made[brier].high);
    BOOST_TEST(made[brier_uncertainty].high <= 0.25);
  }
}

// Half of the answers, at confidence 0.1, are right: the log loss is (ln 10 − ln 0.9) / 2 = 1.2.
// Log loss has no upper bound.
BOOST_AUTO_TEST_CASE(a_log_loss_may_pass_one) {
  std::vector<Judgement> judgements(40, {0.1, true});
  for (std::size_t i = 0; i < 20; ++i) judgements[i].correct = false;
  const Estimate e = calibration_of(judgements, 20, resamples_of({40}))[log_loss];
  BOOST_TEST(near(e.value, (std::log(10.0) - std::log(0.9)) / 2));
  BOOST_TEST(e.high > 1.25);
}

// A single fact, or a set of identical facts, does not show how much other facts would vary.
// Accuracy is a proportion of facts, so it has an interval even here.
BOOST_AUTO_TEST_CASE(facts_that_agree_give_no_interval_but_of_accuracy) {
  for (const std::size_t facts : {1U, 30U}) {
    const std::vector<Judgement> alike(facts, {0.25, true});
    const Calibration made = calibration_of(alike, 20, resamples_of({facts}));
    BOOST_TEST(made[accuracy].low == wilson(facts, facts).low);
    BOOST_TEST(made[accuracy].high == 1.0);
    BOOST_TEST(made[accuracy].method == "wilson");
    for (const auto metric : {mean_confidence, ece, brier, log_loss}) {
      BOOST_TEST(made[metric].count == facts);
      BOOST_TEST(!made[metric].has_interval());
    }
  }
}

// No resample contains an answer of the other kind (wrong or right), so the resamples cannot show
// how large the calibration errors could be.
BOOST_AUTO_TEST_CASE(errors_of_answers_that_are_all_right_or_all_wrong_have_no_interval) {
  for (const bool correct : {false, true}) {
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < 40; ++i) {
      judgements.push_back({static_cast<double>(i) / 50, correct});
    }
    const Calibration made = calibration_of(judgements, 20, resamples_of({40}));
    BOOST_TEST(made[mean_confidence].has_interval());
    for (const auto metric : {ace, ece, mce, brier, log_loss}) {
      BOOST_TEST(made[metric].value == made.point[metric]);
      BOOST_TEST(made[metric].count == 40U);
      BOOST_TEST(!made[metric].has_interval());
    }
    judgements[7].correct = !correct;
    BOOST_TEST(calibration_of(judgements, 20, resamples_of({40}))[brier].has_interval());
  }
}

BOOST_AUTO_TEST_CASE(nothing_but_numbers_leaves_as_an_estimate) {
  const std::vector<std::vector<Judgement>> lists{
      {},
      {{0.5, true}},
      std::vector<Judgement>(30, {0.25, true}),
      std::vector<Judgement>(30, {0, false, false}),
      {{0.0, true}, {1.0, false}, {1.0, true}},
      tied_judgements(30, 3, "numbers"),
  };
  for (const auto& list : lists) {
    const Calibration made = calibration_of(list, 20, resamples_of({list.size()}));
    for (std::size_t i = 0; i < calibration_metric_count; ++i) {
      const Estimate e = made[static_cast<CalibrationMetric>(i)];
      const bool numbers =
          e.exists()
              ? std::isfinite(e.value) &&
                    (!e.has_interval() || (std::isfinite(e.low) && std::isfinite(e.high)))
              : e.count == 0 && std::isnan(e.value) && std::isnan(e.low) && std::isnan(e.high);
      BOOST_TEST(numbers, declared_metrics[i].key);
      BOOST_TEST((e.count > 0) == std::isfinite(made.point.values[i]));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_changes_no_byte) {
  const auto judgements = tied_judgements(300, 40, "threads");
  std::vector<std::vector<MetricValues>> made;
  for (const int threads : {1, 2}) {
    const test::Threads scope(threads);
    made.push_back(calibration_of(judgements, 20, resamples_of({100, 200}, 200)).resampled);
  }
  BOOST_REQUIRE(made[0].size() == 200U);
  BOOST_TEST(std::memcmp(made[0].data(), made[1].data(), 200 * sizeof(MetricValues)) == 0);
}

BOOST_AUTO_TEST_CASE(a_calibrator_judges_relation_by_relation) {
  const auto model = test::random_model({.facts = 8, .markers = {"possibly"}});
  const auto& relations = model.predictions.relations;
  BOOST_TEST(strata_of(relations) == (std::vector<std::size_t>{8, 8, 8}));
  const Calibrator margin{Margin{}};
  BOOST_TEST(margin.estimator().name() == "margin");
  const auto judgements = margin.judge(relations);
  BOOST_REQUIRE(judgements.size() == 24U);
  for (std::size_t i = 0; i < 24; ++i) {
    const Prediction& cell = relations[i / 8].cells[(i % 8) * 4];
    BOOST_TEST(judgements[i].confidence == cell.margin);
    BOOST_TEST(judgements[i].correct == cell.correct);
  }
  const Resamples resamples = resamples_of({8, 8, 8});
  const Calibration made = Calibrator(Margin{}, 6).calibrate(relations, resamples);
  const Calibration expected = calibration_of(judgements, 6, resamples);
  BOOST_TEST(made[ace].value == expected[ace].value);
  BOOST_TEST(made[ace].low == expected[ace].low);
  // The default is twenty bins: 24 facts are enough for an ACE, but 16 are not.
  BOOST_TEST(margin.calibrate(relations, resamples)[ace].count == 24U);
  const std::span two(relations.data(), 2);
  BOOST_TEST(margin.calibrate(two, resamples_of({8, 8}))[ace].count == 0U);
}

BOOST_AUTO_TEST_CASE(a_relation_that_cannot_be_judged_is_refused_by_name) {
  auto relations = test::random_model({.paraphrases = 2}).predictions.relations;
  relations.push_back(test::answered("P17", {{0, {{0, 0.5}}}}));
  BOOST_CHECK_EXCEPTION(Calibrator(Average(Vote{})).judge(relations), Error,
                        says(Fault::user, "P17: average_vote2 needs at least two paraphrases"));
  BOOST_CHECK_EXCEPTION(Calibrator(Marked("0%")).judge(relations), Error,
                        says(Fault::user, "r0: has no template with the marker '0%'"));
  struct Nowhere {
    [[nodiscard]] Judgement operator()(const FactPredictions&) const {
      return {std::nan(""), true};
    }
    [[nodiscard]] std::string name() const { return "nowhere"; }
    void check(const RelationPredictions&) const {}
  };
  BOOST_CHECK_EXCEPTION(
      Calibrator(Nowhere{}).judge(relations), Error,
      says(Fault::user, "nowhere gave the confidence nan, which is not in [0, 1]; fix the"));
  BOOST_TEST(Calibrator(Base{}).judge(relations).size() == 3 * 12 + 1U);
}

BOOST_AUTO_TEST_CASE(bins_and_resamples_must_fit) {
  const std::vector<Judgement> judgements(4, Judgement{0.5, true});
  BOOST_CHECK_EXCEPTION((void)calibration_of(judgements, 0, resamples_of({4})), Error,
                        says(Fault::user, "bins: is 0"));
  BOOST_CHECK_EXCEPTION(
      (void)calibration_of(judgements, 2, resamples_of({2, 3})), Error,
      says(Fault::user, "resamples: have 5 items, but the number of judgements is 4"));
}

BOOST_AUTO_TEST_SUITE_END()
