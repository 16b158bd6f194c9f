// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(calibration_columns)

// The headings are in the same order as the metrics.
BOOST_AUTO_TEST_CASE(each_metric_has_its_own_heading) {
  using enum CalibrationMetric;
  const auto heading = [](CalibrationMetric metric) {
    return metric_column<EstimatorResult>(metric).heading;
  };
  BOOST_TEST(heading(accuracy) == "accuracy");
  BOOST_TEST(heading(mean_confidence) == "confidence");
  BOOST_TEST(heading(ace) == "ACE");
  BOOST_TEST(heading(ece) == "ECE");
  BOOST_TEST(heading(mce) == "MCE");
  BOOST_TEST(heading(brier) == "Brier");
  BOOST_TEST(heading(brier_reliability) == "reliability");
  BOOST_TEST(heading(brier_resolution) == "resolution");
  BOOST_TEST(heading(brier_uncertainty) == "uncertainty");
  BOOST_TEST(heading(brier_within_bin) == "within bin");
  BOOST_TEST(heading(brier_skill) == "skill");
  BOOST_TEST(heading(log_loss) == "log loss");
  BOOST_TEST(heading(auroc) == "AUROC");
  BOOST_TEST(heading(aurc) == "AURC");
}

BOOST_AUTO_TEST_CASE(a_marker_is_green_where_it_helps_and_red_where_it_harms) {
  const auto colour = [](const char* key, double low, double high) {
    const auto columns = marker_numbers();
    const auto column = ranges::find(columns, key, &Column<MarkerEffect>::key);
    return column->colour({(low + high) / 2, low, high, 9, "bootstrap"});
  };
  BOOST_TEST(colour("accuracy", 0.1, 0.2) == "h1");
  BOOST_TEST(colour("accuracy", -0.2, -0.1) == "h3");
  for (const char* error : {"ace", "brier"}) {
    BOOST_TEST(colour(error, 0.1, 0.2) == "h3");
    BOOST_TEST(colour(error, -0.2, -0.1) == "h1");
    BOOST_TEST(colour(error, -0.1, 0.2) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
