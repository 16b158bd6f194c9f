// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/calibration_data.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(calibration_data)

BOOST_AUTO_TEST_CASE(estimators_and_reductions_have_names_for_people) {
  const std::vector<std::pair<std::string, std::string>> labels{
      {"base", "Base"},
      {"margin", "Margin"},
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
