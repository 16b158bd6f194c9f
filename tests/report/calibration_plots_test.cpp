// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_plots.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::around;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::metric_of;
using test::small_calibration;
using test::small_estimator;

BOOST_AUTO_TEST_SUITE(calibration_plots)

BOOST_AUTO_TEST_CASE(a_curve_is_a_point_for_each_bin) {
  const EstimatorResult made = small_estimator("base", 0.1);
  const ChartSeries with = curve_series(made, "x", true);
  BOOST_TEST(with.name == "x");
  BOOST_REQUIRE(with.points.size() == 2U);
  BOOST_TEST(with.points[0].x == 0.3);
  BOOST_TEST(with.points[0].y == 0.25);
  BOOST_TEST(with.points[1].x == 0.75);
  BOOST_TEST(with.points[1].y == 0.5);
  BOOST_TEST(with.points[1].interval->first == 0.498);
  BOOST_TEST(with.points[1].interval->second == 0.502);
  const ChartSeries without = curve_series(made, "", false);
  BOOST_TEST(without.points.size() == 2U);
  BOOST_TEST(!without.points[0].interval);
}

// A curve chart is 252 by 222 between its axes, which start at (62, 12): (0.75, 0.5) is drawn at
// (251, 123), with a whisker of 0.444 to either side.
BOOST_AUTO_TEST_CASE(each_estimator_has_a_curve_with_its_histogram) {
  const std::string curves = curve_charts(small_calibration(), 4);
  BOOST_TEST(test::markup_fault(curves) == "");
  BOOST_TEST(curves.starts_with("<h2>Calibration curves</h2>"));
  BOOST_TEST(holds(curves, "in 4 equal-count bins"));
  BOOST_TEST(count_of(curves, "<figure") == 6U);
  BOOST_TEST(count_of(curves, "class=\"diagonal\"") == 6U);
  BOOST_TEST(count_of(curves, "<rect class=\"histogram\"") == 6U * 4U);
  BOOST_TEST(count_of(curves, "<circle cx=\"251.0\" cy=\"123.0\"") == 6U);
  BOOST_TEST(holds(curves, "y1=\"123.4\" y2=\"122.6\""));
  BOOST_TEST(in_order(curves, {"<h3><bdi>Margin</bdi> <span class=\"dim\">ACE 0.320</span></h3>",
                               "aria-label=\"Calibration of Margin\""}));
  BOOST_TEST(count_of(curves, "</span> *</h3>") == 1U);  // the one with few distinct values
}

BOOST_AUTO_TEST_CASE(undefined_calibration_error_is_omitted_from_its_curve) {
  ModelCalibration model = small_calibration();
  metric_of(model.estimators[0], CalibrationMetric::ace) = {};
  const std::string curves = curve_charts(model, 4);
  BOOST_TEST(holds(curves, "<h3><bdi>Base</bdi></h3>"));
  BOOST_TEST(count_of(curves, ">ACE ") == 5U);
}

BOOST_AUTO_TEST_CASE(a_threshold_that_rejects_everything_has_no_point) {
  const ChartSeries series = rejection_series(small_estimator("margin", 0.1));
  BOOST_TEST(series.name == "Margin");
  BOOST_REQUIRE(series.points.size() == 1U);
  BOOST_TEST(series.points[0].x == 0.125);
  BOOST_TEST(series.points[0].y == around(0.1 + 0.031).value);
  BOOST_TEST(series.points[0].interval->first == around(0.1 + 0.031).low);
  BOOST_TEST(series.points[0].interval->second == around(0.1 + 0.031).high);
}

// The charts are 442 by 322. A threshold that rejects all answers is not drawn.
BOOST_AUTO_TEST_CASE(rejection_is_drawn_for_the_headline_estimators_and_for_votes) {
  ModelCalibration model = small_calibration();
  const std::string html = rejection_charts(model, false);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(html.starts_with("<h2>Rejecting answers with low confidence</h2>"));
  BOOST_TEST(count_of(html, "<figure") == 2U);
  const std::string thresholds = between(html, "<figure", "</figure>");
  BOOST_TEST(count_of(thresholds, "<g class=\"series") == 4U);
  BOOST_TEST(count_of(thresholds, "<circle") == 1U + 1U);  // its point and the one in the legend
  BOOST_TEST(
      holds(thresholds, "<circle cx=\"117.2\" cy=\"291.8\""));  // 0.125 (117.25, a tie), 0.131
  const std::string votes = html.substr(html.rfind("<figure"));
  BOOST_TEST(holds(votes, ">≥ 2</text>"));
  BOOST_TEST(holds(votes, "<circle cx=\"84.1\" cy=\"162.7\""));  // 0.05, 1 − 0.532
  BOOST_TEST(holds(votes, "M84.1 291.5m"));                      // base: 1 − 0.132
  model.estimators.resize(2);
  BOOST_TEST(count_of(rejection_charts(model, false), "<figure") == 1U);
}

BOOST_AUTO_TEST_CASE(estimators_asked_for_are_drawn_up_to_four) {
  ModelCalibration model = small_calibration();
  model.estimators.clear();
  for (const char* name : {"average_max", "possibly", "0%", "25%", "50%"}) {
    model.estimators.push_back(small_estimator(name, 0.1));
  }
  const auto drawn = [&](bool chosen) {
    return count_of(between(rejection_charts(model, chosen), "<figure", "</figure>"),
                    "<g class=\"series");
  };
  BOOST_TEST(drawn(true) == 4U);
  BOOST_TEST(drawn(false) == 0U);
}

BOOST_AUTO_TEST_CASE(the_curve_of_the_base_template_stands_with_those_of_the_strongest_markers) {
  ModelCalibration model = small_calibration();
  BOOST_TEST(marker_chart(model) == "");  // 25% is not among the strongest
  model.estimators.push_back(small_estimator("100%", 0.2));
  const std::string one = marker_chart(model);
  BOOST_TEST(test::markup_fault(one) == "");
  BOOST_TEST(count_of(one, "<g class=\"series") == 2U);
  BOOST_TEST(count_of(one, "class=\"diagonal\"") == 1U);
  BOOST_TEST(!holds(one, "class=\"whisker\""));
  BOOST_TEST(in_order(one, {">Base<", ">“100%”<"}));
  model.estimators.push_back(small_estimator("possibly", 0.2));
  const std::string two = marker_chart(model);
  BOOST_TEST(count_of(two, "<g class=\"series") == 3U);
  BOOST_TEST(in_order(two, {">Base<", ">“possibly”<", ">“100%”<"}));
}

// The chart is 622 by 322 for 0 to 4 options, so 2 options are in the middle; their mean confidence
// is 0.881.
BOOST_AUTO_TEST_CASE(confidence_accuracy_and_error_are_drawn_by_the_number_of_options) {
  ModelCalibration model = small_calibration();
  const std::string chart = option_chart(model);
  BOOST_TEST(test::markup_fault(chart) == "");
  BOOST_TEST(count_of(chart, "<g class=\"series") == 3U);
  BOOST_TEST(holds(chart, "<circle cx=\"373.0\" cy=\"50.3\""));
  BOOST_TEST(count_of(chart, "class=\"whisker\"") == 5U);  // one ACE is missing
  model.option_counts[0].ace = {};
  const std::string two = option_chart(model);
  BOOST_TEST(count_of(two, "<g class=\"series") == 2U);
  BOOST_TEST(!holds(two, ">ACE<"));
}

BOOST_AUTO_TEST_SUITE_END()
