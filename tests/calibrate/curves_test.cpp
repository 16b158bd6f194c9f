// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/calibrate/curves.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "plumb/detail/calibrate/calibration_metrics.hpp"
#include "support/predictions.hpp"

using namespace plumb::detail;
using test::tied_judgements;

BOOST_AUTO_TEST_SUITE(curves)

namespace {

bool near(double a, double b) {
  return std::abs(a - b) < 1e-8;
}

using Counts = std::vector<std::size_t>;

}  // namespace

// Expected values from scikit-learn 1.9: calibration_curve(y, c, n_bins=4, strategy="quantile").
BOOST_AUTO_TEST_CASE(a_calibration_curve_is_scikit_learns) {
  const std::vector<double> c{.05, .1, .1, .2, .35, .35, .35, .5, .62, .8, .8, .97};
  const std::vector<int> y{0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1};
  std::vector<Judgement> twelve;
  for (std::size_t i = c.size(); i-- > 0;) twelve.push_back({c[i], y[i] == 1});
  const double predicted[] = {0.08333333, 0.3125, 0.56, 0.85666667};
  const std::size_t right[] = {1, 1, 1, 3};
  const std::size_t count[] = {3, 4, 2, 3};
  const auto curve = calibration_curve(twelve, 4);
  BOOST_REQUIRE(curve.size() == 4U);
  for (std::size_t b = 0; b < 4; ++b) {
    BOOST_TEST(near(curve[b].confidence, predicted[b]));
    const Estimate expected = wilson(right[b], count[b]);
    BOOST_TEST(curve[b].accuracy.value == expected.value);
    BOOST_TEST(curve[b].accuracy.low == expected.low);
    BOOST_TEST(curve[b].accuracy.high == expected.high);
    BOOST_TEST(curve[b].accuracy.count == count[b]);
  }
}

BOOST_AUTO_TEST_CASE(ace_is_the_mean_gap_of_the_curve) {
  for (int round = 0; round < 20; ++round) {
    const auto judgements =
        tied_judgements(40, 3 + static_cast<std::size_t>(round), std::to_string(round));
    const auto curve = calibration_curve(judgements, 15);
    double gaps = 0;
    std::size_t facts = 0;
    for (const CurvePoint& point : curve) {
      gaps += std::abs(point.accuracy.value - point.confidence);
      facts += point.accuracy.count;
    }
    const double ace = SortedJudgements(judgements, 15).metrics()[CalibrationMetric::ace];
    BOOST_TEST(std::abs(gaps / static_cast<double>(curve.size()) - ace) < 1e-12);
    BOOST_TEST(facts == 40U);
  }
}

BOOST_AUTO_TEST_CASE(ties_leave_fewer_points_than_bins) {
  const auto constant = calibration_curve(std::vector<Judgement>(30, {0.25, true}), 20);
  BOOST_REQUIRE(constant.size() == 1U);
  BOOST_TEST(constant[0].confidence == 0.25);
  BOOST_TEST(constant[0].accuracy.value == 1.0);
  const auto two = calibration_curve(std::vector<Judgement>{{0.5, true}, {0.75, false}}, 20);
  BOOST_REQUIRE(two.size() == 2U);
  BOOST_TEST(two[0].confidence == 0.5);
  BOOST_TEST(two[1].accuracy.count == 1U);
  BOOST_TEST(calibration_curve({}, 20).empty());
}

BOOST_AUTO_TEST_CASE(a_histogram_counts_every_answer_once) {
  const std::vector<Judgement> edges{{0, false}, {0.25, true}, {0.26, true}, {0.75, true},
                                     {1, false}, {1, true},    {0.5, true}};
  BOOST_TEST(confidence_histogram(edges, 4) == (Counts{2, 2, 1, 2}));
  BOOST_TEST(confidence_histogram(edges, 1) == Counts{7});
  BOOST_TEST(confidence_histogram({}, 3) == (Counts{0, 0, 0}));
  const Counts many = confidence_histogram(tied_judgements(500, 33, "histogram"), 20);
  BOOST_TEST(std::accumulate(many.begin(), many.end(), std::size_t{0}) == 500U);
}

// A confidence that equals the threshold is kept.
BOOST_AUTO_TEST_CASE(rejection_keeps_what_is_at_least_as_sure_as_the_threshold) {
  const std::vector<Judgement> five{
      {0.1, false}, {0.3, true}, {0.3, false}, {0.6, true}, {0.9, true}};
  const RejectionPoint point = reject_below(five, 0.3);
  BOOST_TEST(point.threshold == 0.3);
  BOOST_TEST(near(point.rejected, 0.2));
  BOOST_TEST(point.accuracy.value == 0.75);
  BOOST_TEST(point.accuracy.count == 4U);
  BOOST_TEST(point.accuracy.low == wilson(3, 4).low);
  const auto curve = rejection_curve(five);
  BOOST_REQUIRE(curve.size() == 9U);
  const double thresholds[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  const std::size_t kept[] = {5, 4, 4, 2, 2, 2, 1, 1, 1};
  const std::size_t right[] = {3, 3, 3, 2, 2, 2, 1, 1, 1};
  for (std::size_t i = 0; i < 9; ++i) {
    BOOST_TEST(curve[i].threshold == thresholds[i]);
    BOOST_TEST(curve[i].accuracy.count == kept[i]);
    BOOST_TEST(curve[i].accuracy.value ==
               static_cast<double>(right[i]) / static_cast<double>(kept[i]));
    BOOST_TEST(near(curve[i].rejected, 1 - static_cast<double>(kept[i]) / 5));
  }
}

BOOST_AUTO_TEST_CASE(threshold_zero_rejects_failed_votes_alone) {
  const std::vector<Judgement> four{
      {0, false, false}, {0, true, true}, {0.5, true, true}, {0, false, false}};
  const RejectionPoint point = reject_below(four, 0);
  BOOST_TEST(point.rejected == 0.5);
  BOOST_TEST(point.accuracy.value == 1.0);
  BOOST_TEST(point.accuracy.count == 2U);
  BOOST_TEST(reject_below(four, 0.1).rejected == 0.75);
}

BOOST_AUTO_TEST_CASE(where_nothing_is_kept_there_is_no_accuracy) {
  const RejectionPoint point = reject_below(std::vector<Judgement>{{0.2, true}}, 0.5);
  BOOST_TEST(point.rejected == 1.0);
  BOOST_TEST(point.accuracy.count == 0U);
  BOOST_TEST(rejection_curve({}).back().accuracy.count == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
