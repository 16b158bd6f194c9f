// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_comparison.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::around;
using test::between;
using test::count_of;
using test::holds;
using test::metric_of;
using test::row_of;
using test::section;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_comparison)

namespace {

std::string html_of(const CalibrationResults& results) {
  return ComparisonSections(results).html();
}

constexpr const char* ace_heading = "Adaptive calibration error by model";
constexpr const char* brier_heading = "Brier score by model";
constexpr const char* aggregation_heading = "Brier score of Average by aggregation";
constexpr const char* pairs_heading = "Causal and masked models of similar accuracy";

}  // namespace

BOOST_AUTO_TEST_CASE(each_model_has_a_row_with_its_kind_facts_and_accuracies) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[1].facts = 41;
  results.models[1].accuracy = around(0.551);
  results.models[1].paraphrase_accuracy = around(0.552);
  const std::string html = html_of(results);
  for (const char* heading : {ace_heading, brier_heading, aggregation_heading}) {
    const std::string table = section(html, heading);
    BOOST_TEST(count_of(table, "<tr><td>") == 2U);
    const std::string gpt = row_of(table, "gpt");
    BOOST_TEST(
        gpt.starts_with("<td>causal</td><td data-v=\"40\">40</td>"
                        "<td data-v=\"0.451000\">0.451<small>0.449–0.453</small></td>"
                        "<td data-v=\"0.452000\">"));
    const std::string bert = row_of(table, "bert");
    BOOST_TEST(
        bert.starts_with("<td>masked</td><td data-v=\"41\">41</td><td data-v=\"0.551000\">"));
    BOOST_TEST(holds(bert, "<td data-v=\"0.552000\">"));
  }
}

// In the order of the estimators, ACE is 0.12, 0.32, 0.52, 0.72, 0.02 and 0.67; each Brier score is
// 0.03 higher.
BOOST_AUTO_TEST_CASE(calibration_errors_are_shown_for_confidences_with_many_values) {
  const std::string html = html_of(small_results({"gpt", "bert"}));
  const std::string ace = section(html, ace_heading);
  BOOST_TEST(count_of(ace, "<th ") == 5U + 4U);
  for (const char* shown : {">Base<", ">Margin<", ">Average, vote ≥ 2<", ">Average, min<"}) {
    BOOST_TEST(holds(ace, shown));
  }
  for (const char* value : {"0.120000", "0.320000", "0.520000", "0.720000"}) {
    BOOST_TEST(count_of(row_of(ace, "gpt"), value) == 1U, value);
  }
  BOOST_TEST(!holds(ace, "Consistency, min<"));
  BOOST_TEST(!holds(ace, "0.020000"));
  const std::string brier = section(html, brier_heading);
  BOOST_TEST(count_of(brier, "<th ") == 5U + 5U);
  for (const char* value : {"0.150000", "0.350000", "0.550000", "0.750000", "0.050000"}) {
    BOOST_TEST(count_of(row_of(brier, "gpt"), value) == 1U, value);
  }
  // a marker is compared with Base in a different table
  BOOST_TEST(!holds(row_of(brier, "gpt"), "0.700000"));
  CalibrationResults asked = small_results({"gpt", "bert"});
  asked.options.estimators = {"possibly"};  // named explicitly, so it is shown
  BOOST_TEST(holds(row_of(section(html_of(asked), brier_heading), "gpt"), "0.7000"));
  const std::string aggregation = section(html, aggregation_heading);
  BOOST_TEST(count_of(aggregation, "<th ") == 5U + 2U);
  BOOST_TEST(holds(row_of(aggregation, "gpt"), "0.550000"));
  BOOST_TEST(holds(row_of(aggregation, "gpt"), "0.750000"));
}

BOOST_AUTO_TEST_CASE(the_best_estimator_of_each_model_is_marked) {
  CalibrationResults results = small_results({"gpt", "bert"});
  metric_of(results.models[1].estimators[1], CalibrationMetric::ace) = around(0.04);
  metric_of(results.models[1].estimators[0], CalibrationMetric::ace) = {};  // missing: not best
  const std::string table = section(html_of(results), ace_heading);
  const std::string gpt = row_of(table, "gpt");
  BOOST_TEST(count_of(gpt, "best") == 1U);
  BOOST_TEST(holds(gpt, "data-v=\"0.120000\" class=\"h2 best\""));
  const std::string bert = row_of(table, "bert");
  BOOST_TEST(count_of(bert, "best") == 1U);
  BOOST_TEST(holds(bert, "data-v=\"0.040000\" class=\"h0 best\""));
  BOOST_TEST(count_of(bert, "<td data-v=\"-1\">–</td>") == 1U);
}

BOOST_AUTO_TEST_CASE(curves_of_all_models_are_in_one_chart) {
  const std::string curves =
      section(html_of(small_results({"gpt", "bert"})), "Calibration curves of all models");
  const std::string base = between(curves, "<figure", "</figure>");
  BOOST_TEST(count_of(base, "<g class=\"series") == 2U);
  BOOST_TEST(holds(base, "gpt"));
  BOOST_TEST(holds(base, "bert"));
  BOOST_TEST(holds(curves, ">Margin<"));
  const std::string alone = html_of(small_results({"gpt"}));
  BOOST_TEST(!holds(alone, "Calibration curves of all models"));
}

// The estimator's Brier score of 0.01 would be the best, but four out of five of its votes failed.
BOOST_AUTO_TEST_CASE(an_estimator_whose_votes_failed_is_nobodys_best) {
  CalibrationResults results = small_results({"gpt", "bert"});
  EstimatorResult& votes = results.models[0].estimators[2];
  votes.failures = 32;
  metric_of(votes, CalibrationMetric::brier) = around(0.01);
  const std::string row = row_of(section(html_of(results), brier_heading), "gpt");
  BOOST_TEST(holds(row, "<td data-v=\"0.010000\">0.010 †<small>"));
  BOOST_TEST(count_of(row, "best") == 1U);
  BOOST_TEST(holds(row, "data-v=\"0.050000\" class=\"h0 best\""));  // Consistency, min
  votes.failures = 0;
  const std::string whole = row_of(section(html_of(results), brier_heading), "gpt");
  BOOST_TEST(holds(whole, "data-v=\"0.010000\" class=\"h0 best\""));
}

BOOST_AUTO_TEST_CASE(estimator_missing_from_a_model_is_shown_as_a_dash) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[0].estimators.erase(results.models[0].estimators.begin());
  const std::string table = section(html_of(results), ace_heading);
  BOOST_TEST(count_of(table, "<th ") == 5U + 4U);
  BOOST_TEST(count_of(row_of(table, "gpt"), "–</td>") == 1U);
  BOOST_TEST(count_of(row_of(table, "bert"), "–</td>") == 0U);
}

BOOST_AUTO_TEST_CASE(without_average_there_is_no_table_of_aggregations) {
  CalibrationResults results = small_results({"gpt", "bert"});
  for (ModelCalibration& model : results.models) model.estimators.resize(2);
  const std::string html = html_of(results);
  BOOST_TEST(!holds(html, aggregation_heading));
  BOOST_TEST(test::markup_fault(html) == "");
}

// The chart is 442 by 322 between its axes, which start at (62, 12). The accuracy axis ends at 1.15
// · 0.8 = 0.92 and the error axis at 1, so Base at (0.8, 0.5) is drawn at 62 + 442 · 0.8 / 0.92,
// halfway up.
BOOST_AUTO_TEST_CASE(each_model_is_a_point_of_error_against_accuracy) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[1].paraphrase_accuracy = around(0.8);
  metric_of(results.models[1].estimators[0], CalibrationMetric::ace) = {0.5, 0.4, 1, 40, ""};
  const std::string figure = between(html_of(results), "<figure", "</figure>");
  BOOST_TEST(count_of(figure, "<g class=\"series") == 4U);
  BOOST_TEST(count_of(between(figure, "<g class=\"series s0\">", "</g>"), "<circle") == 2U);
  BOOST_TEST(holds(figure, "<circle cx=\"446.3\" cy=\"173.0\""));
  BOOST_TEST(count_of(figure, "class=\"whisker\"") == 8U);
  BOOST_TEST(!holds(figure, "class=\"line\""));
  for (const char* name : {"Base", "Margin", "Average, vote ≥ 2", "Average, min"}) {
    BOOST_TEST(count_of(figure, label(name)) == 1U, name);
  }
  BOOST_TEST(count_of(figure, ">gpt</text>") == 1U);  // only next to the first series
  BOOST_TEST(count_of(figure, ">bert</text>") == 1U);
  metric_of(results.models[0].estimators[0], CalibrationMetric::ace) = {};  // not drawn
  const std::string one = between(html_of(results), "<g class=\"series s0\">", "</g>");
  BOOST_TEST(count_of(one, "<circle") == 1U);
}

BOOST_AUTO_TEST_CASE(correlations_are_listed_only_for_three_or_more_models) {
  CalibrationResults results = small_results({"gpt", "bert"});
  BOOST_TEST(holds(html_of(results), "needs three models with different accuracies"));
  // a row of text could not be sorted by number
  BOOST_TEST(!holds(html_of(results), ">Pearson's r<"));
  results.comparison.correlation = {{"average_min", {-0.75, -0.9, 0.1, 3, "fisher"}}};
  const std::string html = html_of(results);
  BOOST_TEST(!holds(html, "needs three models"));
  BOOST_TEST(holds(html,
                   "<tr><td><bdi>Average, min</bdi></td><td data-v=\"-0.750000\">-0.750<small>"
                   "-0.900 to 0.100</small></td><td data-v=\"3\">3</td></tr>"));
}

BOOST_AUTO_TEST_CASE(pairs_stand_at_the_end) {
  CalibrationResults results = small_results({"gpt", "bert"});
  BOOST_TEST(!holds(html_of(results), pairs_heading));
  results.comparison.pairs = {{0, 1, "Water"}};
  BOOST_TEST(html_of(results).ends_with(PairSections(results).html()));
}

BOOST_AUTO_TEST_CASE(the_sections_are_well_formed_whatever_the_names_hold) {
  CalibrationResults results = small_results({"<a> & \"b\"", "قاهرة"});
  results.comparison.correlation = {{"<i>", around(0.5, 3)}};
  results.comparison.pairs = {{0, 1, "Water"}};
  const std::string html = html_of(results);
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "<a>"));
  BOOST_TEST(!holds(html, "<i>"));
}

BOOST_AUTO_TEST_SUITE_END()
