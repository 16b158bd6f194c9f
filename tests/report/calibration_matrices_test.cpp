// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_matrices.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::around;
using test::count_of;
using test::holds;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_matrices_suite)

namespace {

/// Two models, the second of which is masked. The ACEs of their marked templates are 0.062 and
/// 0.162.
CalibrationResults two_models() {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[1].markers[0].ace = around(0.162, 33);
  return results;
}

}  // namespace

BOOST_AUTO_TEST_CASE(models_stand_above_the_means_of_all_and_of_each_kind) {
  const std::vector<MarkerRow> rows = marker_rows(two_models());
  std::vector<std::string> names;
  for (const MarkerRow& row : rows) names.push_back(row.name);
  BOOST_TEST(
      (names == std::vector<std::string>{"gpt", "bert", "mean of 2 models",
                                         "mean of 1 causal model", "mean of 1 masked model"}));
  BOOST_TEST(rows[1].effect("25%", &MarkerEffect::ace).value == 0.162);
  BOOST_TEST(std::abs(rows[2].effect("25%", &MarkerEffect::ace).value - 0.112) < 1e-12);
  BOOST_TEST(!rows[2].effect("75%", &MarkerEffect::ace).exists());
}

BOOST_AUTO_TEST_CASE(matrix_has_a_column_per_marker_and_colours_improvements) {
  const std::vector<MarkerRow> rows = marker_rows(two_models());
  const auto columns = marker_matrix_columns(rows, &MarkerEffect::ace, true);
  BOOST_TEST_REQUIRE(columns.size() == 2U);
  BOOST_TEST(columns[1].heading == "“25%”");
  BOOST_TEST(columns[1].colour(around(-0.1)) == "h1");
  BOOST_TEST(columns[1].colour(around(0.1)) == "h3");
  BOOST_TEST(columns[1].colour(around(0.001)) == "");  // the interval contains 0
  BOOST_TEST(marker_matrix_columns(rows, &MarkerEffect::accuracy, false)[1].colour(around(0.1)) ==
             "h1");
}

BOOST_AUTO_TEST_CASE(the_page_has_markers_reductions_votes_and_option_counts) {
  CalibrationResults results = two_models();
  for (ModelCalibration& model : results.models) {
    model.estimators.push_back(test::small_estimator("average_vote3", 0.55));
    model.option_counts.push_back({5, 21, around(0.5, 21), around(0.4, 21), around(0.2, 21)});
  }
  const std::string html = CalibrationMatrices(results).html();
  BOOST_TEST(test::markup_fault(html) == "");
  for (const char* part :
       {"Effect of epistemic markers on each model", "Reductions, averaged over models",
        "mean of 1 masked model", "Accuracy where failed votes are rejected",
        "Number of options, by model"}) {
    BOOST_TEST(holds(html, part), part);
  }
  BOOST_TEST(count_of(html, "<svg class=\"chart xy\"") == 4U);
}

// The label of a mean counts only the models for which the number exists.
BOOST_AUTO_TEST_CASE(mean_over_one_model_is_labelled_as_such) {
  CalibrationResults results = small_results({"gpt", "opt", "xl"});
  results.masked = {false, false, false};
  results.models[0].markers.clear();
  results.models[1].markers.clear();
  const std::vector<MarkerRow> rows = marker_rows(results);
  BOOST_TEST_REQUIRE(rows.size() == 2U);
  BOOST_TEST(rows[1].name == "mean of 1 model");
}

BOOST_AUTO_TEST_CASE(what_no_model_has_is_not_shown) {
  CalibrationResults results = two_models();
  for (ModelCalibration& model : results.models) {
    model.markers.clear();
    model.reductions.clear();
    model.option_counts.clear();
  }
  BOOST_TEST(CalibrationMatrices(results).html() == "");
}

BOOST_AUTO_TEST_SUITE_END()
