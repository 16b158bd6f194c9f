// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/injection_results.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_injection.hpp"

using namespace plumb::detail;
using test::says;
using test::small_injection_design;
using test::small_injection_scores;
using test::small_injections;

BOOST_AUTO_TEST_SUITE(injection_results_suite)

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

void close(const Estimate& estimate, double value, std::size_t count) {
  BOOST_TEST(estimate.count == count);
  BOOST_TEST(std::abs(estimate.value - value) < 1e-12, estimate.value << " is not " << value);
}

}  // namespace

BOOST_AUTO_TEST_CASE(means_are_of_probabilities_by_kind) {
  const InjectionResults results = small_injections();
  BOOST_TEST(results.relation == "birth");
  BOOST_TEST(results.highlight == 8U);
  BOOST_REQUIRE(results.panels.size() == 5U);
  const InjectionPanelResult& correct = results.panels[0];
  close(correct.correct, 0.5, 10);
  BOOST_TEST(correct.injected.count == 0U);
  BOOST_TEST(correct.after_injected.count == 0U);
  // Positions 0, 1, 5, 6 and 9 are correct, with the probabilities 0.05, 0.05, 0.45, 0.55 and 0.95.
  // Positions 4 and 8 follow an injected pair, with the probabilities 0.225 and 0.425.
  const InjectionPanelResult& spread = results.panels[1];
  close(spread.correct, 2.05 / 5, 5);
  close(spread.after_injected, 0.325, 2);
  close(spread.injected, 0.01, 3);
  BOOST_TEST(spread.correct.low < spread.correct.value);
  BOOST_TEST(spread.correct.high > spread.correct.value);
  BOOST_TEST(spread.correct.method == "bootstrap");
  BOOST_TEST(spread.after_injected.low >= 0.225 - 1e-12);
  BOOST_TEST(spread.after_injected.high <= 0.425 + 1e-12);
  // Positions 0, 1, 2, 3, 8 and 9 are correct, with the probabilities 0.05, 0.05, 0.15, 0.25, 0.75
  // and 0.95. Position 7 follows an injected pair, with the probability 0.375.
  close(results.panels[4].correct, 2.2 / 6, 6);
  close(results.panels[4].after_injected, 0.375, 1);
}

BOOST_AUTO_TEST_CASE(the_change_is_that_of_the_same_pairs) {
  const InjectionResults results = small_injections();
  BOOST_TEST(results.panels[0].correct_change.count == 0U);
  BOOST_TEST(results.panels[0].after_injected_change.count == 0U);
  close(results.panels[1].correct_change, -0.3 / 5, 5);  // positions 1, 5 and 6 lost 0.1
  close(results.panels[1].after_injected_change, -0.325, 2);
  close(results.panels[2].correct_change, -0.4 / 6, 6);  // positions 1, 2, 3 and 8 lost 0.1
  close(results.panels[2].after_injected_change, -0.375, 1);
}

BOOST_AUTO_TEST_CASE(no_probability_is_zero_and_rounding_is_forgiven) {
  const InjectionDesign design = small_injection_design();
  auto logs = small_injection_scores(design);
  for (double& log : logs[1]) log = none;
  logs[2][0] = 1e-6;
  const InjectionResults results = injection_results(design, logs);
  close(results.panels[1].correct, 0, 5);
  for (const double bad : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
    logs[2][0] = bad;
    BOOST_CHECK_EXCEPTION((void)injection_results(design, logs), Error,
                          says(Fault::internal, "'unknown, block' is not a log-probability"));
  }
}

BOOST_AUTO_TEST_CASE(scores_are_as_many_as_pairs) {
  const InjectionDesign design = small_injection_design();
  auto logs = small_injection_scores(design);
  logs[3].pop_back();
  BOOST_CHECK_EXCEPTION(
      (void)injection_results(design, logs), Error,
      says(Fault::internal, "panel 'incorrect, spread' has 9 scores for 10 pairs"));
  logs.pop_back();
  BOOST_CHECK_EXCEPTION((void)injection_results(design, logs), Error,
                        says(Fault::internal, "birth: an injection panel has no scores"));
}

BOOST_AUTO_TEST_CASE(the_bootstraps_seed_decides_the_intervals) {
  const InjectionDesign design = small_injection_design();
  const auto logs = small_injection_scores(design);
  const Estimate one = injection_results(design, logs, {1, 200}).panels[0].correct,
                 same = injection_results(design, logs, {1, 200}).panels[0].correct,
                 other = injection_results(design, logs, {2, 200}).panels[0].correct;
  BOOST_TEST(one.low == same.low);
  BOOST_TEST(one.low != other.low);
}

BOOST_AUTO_TEST_SUITE_END()
