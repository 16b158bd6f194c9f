// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_cells.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using plumb::detail::cell;
using enum CalibrationMetric;

BOOST_AUTO_TEST_SUITE(calibration_cells)

// The colours follow Kissling et al., Table 1. A value exactly at a threshold gets the colour of
// the worse range.
BOOST_AUTO_TEST_CASE(cells_are_coloured_in_the_steps_of_the_paper) {
  const std::vector<std::tuple<CalibrationMetric, double, std::string>> steps{
      {ace, 0, "h0"},      {ace, 0.0499, "h0"},   {ace, 0.05, "h1"},    {ace, 0.0999, "h1"},
      {ace, 0.1, "h2"},    {ace, 0.1999, "h2"},   {ace, 0.2, "h3"},     {ace, 1, "h3"},
      {ece, 0.0499, "h0"}, {ece, 0.1999, "h2"},   {brier, 0, "h0"},     {brier, 0.0999, "h0"},
      {brier, 0.1, "h1"},  {brier, 0.1999, "h1"}, {brier, 0.2, "h2"},   {brier, 0.2499, "h2"},
      {brier, 0.25, "h3"}, {brier, 1, "h3"},      {accuracy, 0.01, ""}, {mce, 0.01, ""},
      {auroc, 0.01, ""},   {log_loss, 0.3, ""},   {brier_skill, -2, ""}};
  for (const auto& [metric, value, expected] : steps) {
    BOOST_TEST(step(metric, value) == expected,
               declared_metrics[static_cast<std::size_t>(metric)].key << " of " << value);
  }
}

BOOST_AUTO_TEST_CASE(a_cell_has_its_number_for_sorting_and_its_interval_in_small_print) {
  BOOST_TEST(cell(Estimate{0.1234567, 0.1, 0.15, 9, ""}) ==
             "<td data-v=\"0.123457\">0.123<small>0.100–0.150</small></td>");
  BOOST_TEST(cell(Estimate{0.5, 0.4, 0.6, 9, ""}, "h1") ==
             "<td data-v=\"0.500000\" class=\"h1\">0.500<small>0.400–0.600</small></td>");
}

BOOST_AUTO_TEST_CASE(an_interval_below_zero_is_not_written_with_a_dash) {
  BOOST_TEST(cell(Estimate{-0.25, -0.5, 0.125, 9, ""}) ==
             "<td data-v=\"-0.250000\">-0.250<small>-0.500 to 0.125</small></td>");
  BOOST_TEST(test::holds(cell(Estimate{-0.25, -0.5, -0.125, 9, ""}), "-0.500 to -0.125"));
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_a_dash_that_sorts_below_all) {
  BOOST_TEST(cell(Estimate{}) == "<td data-v=\"-1\">–</td>");
  BOOST_TEST(cell(Estimate{}, "h3") == "<td data-v=\"-1\">–</td>");
  BOOST_TEST(cell(MetricEstimates{}, ace, true) == "<td data-v=\"-1\">–</td>");
}

BOOST_AUTO_TEST_CASE(a_cell_of_metrics_takes_its_metric_its_colour_and_the_mark_of_the_best) {
  const MetricEstimates metrics = test::numbered(0.05);  // ACE 0.07, Brier 0.1, MCE 0.09
  BOOST_TEST(cell(metrics, ace).starts_with("<td data-v=\"0.070000\" class=\"h1\">0.070<small>"));
  BOOST_TEST(cell(metrics, mce).starts_with("<td data-v=\"0.090000\">0.090<small>"));
  BOOST_TEST(cell(metrics, ace, true).starts_with("<td data-v=\"0.070000\" class=\"h1 best\">"));
}

// If no votes had failed, a Brier score of 0.1 would have the colour h1.
BOOST_AUTO_TEST_CASE(an_estimator_whose_votes_failed_has_a_mark_and_no_colour) {
  EstimatorResult made = test::small_estimator("average_vote4", 0.05);
  BOOST_TEST(!has_failed_votes(made));
  BOOST_TEST(cell(made, made.metrics, brier) == cell(made.metrics, brier));
  BOOST_TEST(estimator_marks(made) == "");
  made.failures = 1;
  const std::string marked = cell(made, made.metrics, brier, true);
  BOOST_TEST(marked == "<td data-v=\"0.100000\">0.100 †<small>0.098–0.102</small></td>");
  BOOST_TEST(cell(made, MetricEstimates{}, ace) == cell(Estimate{}));
  BOOST_TEST(estimator_marks(made) == " †");
  made.discrete = true;
  BOOST_TEST(estimator_marks(made) == " * †");
  BOOST_TEST(!has_failed_votes(MarkerEffect{}));  // it has no votes
}

BOOST_AUTO_TEST_CASE(a_whole_number_is_sorted_by_itself) {
  BOOST_TEST(number_cell(1234567) == "<td data-v=\"1234567\">1234567</td>");
}

BOOST_AUTO_TEST_CASE(estimators_and_reductions_have_names_for_people) {
  const std::vector<std::pair<std::string, std::string>> labels{
      {"base", "Base"},
      {"margin", "Margin"},
      {"weighted", "Weighted"},
      {"average_vote2", "Average, vote ≥ 2"},
      {"consistency_vote12", "Consistency, vote ≥ 12"},
      {"average_min", "Average, min"},
      {"consistency_max", "Consistency, max"},
      {"possibly", "“possibly”"},
      {"25%", "“25%”"},
      {"template 5", "“template 5”"}};
  for (const auto& [name, label] : labels) BOOST_TEST(estimator_label(name) == label);
  BOOST_TEST(scoring_label({Reduction::sum, Span::statement}) == "Sum");
  BOOST_TEST(scoring_label({Reduction::mean, Span::statement}) == "Mean");
  BOOST_TEST(scoring_label({Reduction::sum, Span::answer}) == "Sum (A)");
  BOOST_TEST(scoring_label({Reduction::mean, Span::answer}) == "Mean (A)");
}

BOOST_AUTO_TEST_SUITE_END()
