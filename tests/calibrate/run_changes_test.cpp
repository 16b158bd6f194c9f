// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/run_changes.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(run_changes)

namespace {

RunChanges changes(std::size_t facts) {
  RunChanges made;
  for (std::size_t i = 0; i < facts; ++i) {
    FactChange fact;
    // The first run is right half of the time, with confidence 0.5. The second run is right equally
    // often, but with confidence 0.9.
    const bool right = i % 2 == 0;
    fact.first = {0.5, right};
    fact.second = {0.9, right};
    made.facts.push_back(fact);
  }
  made.relations = {facts / 2, facts - facts / 2};
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(without_facts_there_is_no_number) {
  BOOST_TEST(!calibration_rise({}, CalibrationMetric::brier, 20, {}).exists());
  BOOST_TEST(std::isnan(RunChanges().mean_moved()));
}

// In the sample, with one bin, ACE rises from 0 to 0.4, and the Brier score from 0.25 to (0.01 +
// 0.81) / 2.
BOOST_AUTO_TEST_CASE(a_rise_is_the_second_run_minus_the_first) {
  const RunChanges made = changes(40);
  const Estimate ace = calibration_rise(made, CalibrationMetric::ace, 1, {});
  BOOST_TEST(std::abs(ace.value - 0.4) < 1e-12);
  const Estimate brier = calibration_rise(made, CalibrationMetric::brier, 1, {});
  BOOST_TEST(std::abs(brier.value - 0.16) < 1e-12);
  BOOST_TEST(brier.has_interval());
  BOOST_TEST(brier.low < 0.16);
  BOOST_TEST(brier.high > 0.16);
  BOOST_TEST(brier.count == 40U);
}

// Both runs use the same resamples, so the difference between two equal runs is constant and has no
// spread.
BOOST_AUTO_TEST_CASE(equal_runs_differ_by_nothing) {
  RunChanges made = changes(30);
  for (FactChange& fact : made.facts) fact.second = fact.first;
  const Estimate rise = calibration_rise(made, CalibrationMetric::brier, 5, {});
  BOOST_TEST(rise.value == 0.0);
  BOOST_TEST(!rise.has_interval());
}

BOOST_AUTO_TEST_SUITE_END()
