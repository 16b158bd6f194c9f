// SPDX-License-Identifier: Apache-2.0

#include "plumb/calibrator.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "plumb/probe.hpp"
#include "support/given_answers.hpp"

using namespace plumb;
namespace test = plumb::detail::test;
using test::answers_of_capitals;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(calibrator_door_suite)

BOOST_AUTO_TEST_CASE(answers_are_judged_by_the_base_template) {
  // Worked out by hand: confidence e/(1+e) when right and e²/(1+e²) when wrong.
  const Answers answers =
      answers_of_capitals({"[X], [Y]", "[Y], [X]"}, {-1, -2, -9, -1, -1, -3, -1, -9});
  const double sure = 1 / (1 + std::exp(-1.0)), surer = 1 / (1 + std::exp(-2.0));
  const Calibration made = calibrate(answers, {.bins = 1});
  BOOST_TEST(made[accuracy].value == 0.5);
  BOOST_TEST(made[mean_confidence].value == (sure + surer) / 2,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(made[ace].value == std::abs((sure + surer) / 2 - 0.5),
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(made[brier].value == ((1 - sure) * (1 - sure) + surer * surer) / 2,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(any_estimator_will_do_and_another_template_may_be_the_base) {
  const Answers answers =
      answers_of_capitals({"[X], [Y]", "[Y], [X]"}, {-1, -2, -9, -1, -1, -3, -1, -9});
  BOOST_TEST(calibrate(answers, {.bins = 1, .base_template = 1})[accuracy].value == 0.0);
  const Calibration margin = calibrate(answers, Margin{}, {.bins = 1});
  BOOST_TEST(margin[mean_confidence].value <
             calibrate(answers, {.bins = 1})[mean_confidence].value);
  BOOST_TEST(calibrate(answers, Consistency<>{}, {.bins = 1}).count == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
