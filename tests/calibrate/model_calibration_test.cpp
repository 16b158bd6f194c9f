// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/model_calibration.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/predictions.hpp"

using namespace plumb::detail;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(model_calibration)

BOOST_AUTO_TEST_CASE(estimates_stand_by_metric) {
  const std::vector<std::size_t> strata{40};
  const Resamples resamples(strata, {.seed = 1, .resamples = 50}, "test");
  const Calibration made =
      calibration_of(test::tied_judgements(40, 11, "estimates"), 20, resamples);
  const MetricEstimates all = estimates_of(made);
  for (std::size_t i = 0; i < calibration_metric_count; ++i) {
    const auto metric = static_cast<CalibrationMetric>(i);
    BOOST_TEST(estimate_of(all, metric).value == made.point[metric]);
    BOOST_TEST(estimate_of(all, metric).low == made[metric].low);
    BOOST_TEST(estimate_of(all, metric).high == made[metric].high);
  }
  BOOST_TEST(estimate_of(all, ace).value != estimate_of(all, brier).value);
}

BOOST_AUTO_TEST_CASE(a_missing_number_has_no_facts_behind_it) {
  const std::vector<std::size_t> strata{5};
  const Resamples resamples(strata, {}, "test");
  const MetricEstimates few =
      estimates_of(calibration_of(std::vector<Judgement>(5, {0.5, true}), 20, resamples));
  BOOST_TEST(estimate_of(few, ace).count == 0U);
  // NaN fails any check of ACE against a limit.
  BOOST_TEST(std::isnan(estimate_of(few, ace).value));
  BOOST_TEST(estimate_of(few, auroc).count == 0U);
  BOOST_TEST(estimate_of(few, brier).count == 5U);
}

BOOST_AUTO_TEST_CASE(an_estimator_is_found_by_its_name) {
  ModelCalibration model;
  BOOST_TEST(model.estimator("base") == nullptr);
  model.estimators.resize(2);
  model.estimators[0].name = "base";
  model.estimators[1].name = "margin";
  BOOST_TEST(model.estimator("margin") == &model.estimators[1]);
  BOOST_TEST(model.estimator("marg") == nullptr);
}

BOOST_AUTO_TEST_CASE(estimators_of_several_models_are_listed_once) {
  std::vector<ModelCalibration> models(3);
  for (const char* name : {"base", "margin"}) models[1].estimators.emplace_back().name = name;
  for (const char* name : {"base", "average_min"}) models[2].estimators.emplace_back().name = name;
  BOOST_TEST(estimator_names(models) ==
             (std::vector<std::string>{"base", "margin", "average_min"}));
  BOOST_TEST(estimator_names({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
