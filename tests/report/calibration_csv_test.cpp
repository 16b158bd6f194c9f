// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_csv.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/data/tsv.hpp"
#include "plumb/detail/report/calibration_json.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::around;
using test::holds;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_csv_suite)

namespace {

std::map<std::string, std::string> tables(const CalibrationResults& results) {
  std::map<std::string, std::string> all;
  for (const auto& [name, text] : calibration_csv(results)) all[name] = text;
  return all;
}

/// The lines without their newlines, starting with the header. No cell may contain a comma.
std::vector<std::vector<std::string>> cells_of(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : split(csv, '\n')) {
    if (!line.empty()) lines.push_back(split(line, ','));
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_table_is_a_csv_file_with_as_many_cells_in_each_line) {
  const auto csv = tables(small_results());
  std::set<std::string> names;
  for (const auto& [name, text] : csv) {
    names.insert(name);
    BOOST_TEST(text.ends_with("\n"));
    const auto lines = cells_of(text);
    for (const auto& line : lines) BOOST_TEST(line.size() == lines.front().size(), name);
  }
  BOOST_TEST((names == std::set<std::string>{"ace_accuracy_correlation.csv", "calibration.csv",
                                             "calibration_curve.csv", "confidence_histogram.csv",
                                             "differences.csv", "markers.csv", "option_counts.csv",
                                             "pairs.csv", "recalibration.csv", "reductions.csv",
                                             "rejection.csv"}));
}

BOOST_AUTO_TEST_CASE(the_lines_of_each_csv_file_are_those_of_the_plot_or_table) {
  const auto csv = tables(small_results());
  const auto has = [&](const std::string& name, const std::string& line) {
    return holds("\n" + csv.at(name), "\n" + line + "\n");
  };
  BOOST_TEST(has("calibration.csv", "model,estimator,group,name,metric,value,low,high,count"));
  BOOST_TEST(has("calibration.csv",
                 "tiny,,accuracy,base template,accuracy,0.45100000,0.44900000,0.45300000,40"));
  BOOST_TEST(has("calibration.csv",
                 "tiny,,accuracy,mean over paraphrases,accuracy,0.45200000,0.45000000,0.45400000,"
                 "40"));
  BOOST_TEST(has("calibration.csv",
                 "tiny,base,overall,all facts,brier_one_hot,0.45500000,0.45300000,0.45700000,40"));
  BOOST_TEST(has("calibration.csv",
                 "tiny,,all options,all subjects,error,0.02100000,0.01900000,0.02300000,40"));
  BOOST_TEST(has("calibration_curve.csv", "model,estimator,confidence,value,low,high,count"));
  BOOST_TEST(
      has("calibration_curve.csv", "tiny,base,0.75000000,0.50000000,0.49800000,0.50200000,20"));
  BOOST_TEST(has("confidence_histogram.csv", "model,estimator,from,to,answers"));
  BOOST_TEST(has("confidence_histogram.csv", "tiny,base,0.0000,0.2500,4"));
  BOOST_TEST(has("confidence_histogram.csv", "tiny,base,0.7500,1.0000,8"));
  BOOST_TEST(has("rejection.csv", "model,estimator,threshold,rejected,value,low,high,count"));
  BOOST_TEST(has("rejection.csv", "tiny,base,0.1,0.12500000,0.13100000,0.12900000,0.13300000,35"));
  BOOST_TEST(has("rejection.csv", "tiny,base,0.2,1.00000000,,,,0"));
  BOOST_TEST(
      has("rejection.csv", "tiny,base,answered,0.05000000,0.13200000,0.13000000,0.13400000,38"));
  BOOST_TEST(
      has("option_counts.csv", "tiny,2,mean_confidence,0.88100000,0.87900000,0.88300000,21"));
  BOOST_TEST(has("option_counts.csv", "tiny,2,accuracy,0.78200000,0.78000000,0.78400000,21"));
  BOOST_TEST(has("option_counts.csv", "tiny,4,ace,,,,0"));
  BOOST_TEST(has("markers.csv", "tiny,25%,accuracy,-0.06100000,-0.06300000,-0.05900000,33"));
  BOOST_TEST(has("markers.csv", "tiny,25%,ace,0.06200000,0.06000000,0.06400000,33"));
  BOOST_TEST(has("markers.csv", "tiny,25%,brier,-0.06300000,-0.06500000,-0.06100000,33"));
  BOOST_TEST(has("reductions.csv", "tiny,Mean (A),accuracy,0.47400000,0.47200000,0.47600000,40"));
  BOOST_TEST(has("reductions.csv", "tiny,Mean (A),ace,0.27500000,0.27300000,0.27700000,40"));
  BOOST_TEST(
      has("reductions.csv", "tiny,Mean (A),harmonic_mean,0.47600000,0.47400000,0.47800000,40"));
  BOOST_TEST(
      has("recalibration.csv", "model,estimator,map,temperature,metric,value,low,high,count"));
  BOOST_TEST(has("recalibration.csv",
                 "tiny,base,temperature,1.750000,ace,0.43100000,0.42900000,"
                 "0.43300000,40"));
}

BOOST_AUTO_TEST_CASE(the_csv_files_have_the_numbers_of_metrics_json) {
  const CalibrationResults results = small_results({"gpt", "bert"});
  const Json models = to_json(results).at("models");
  const std::map<std::string, std::string> groups{
      {"domain", "domains"}, {"cardinality", "cardinality"}, {"relation", "relations"}};
  std::size_t compared = 0;
  for (const auto& line : cells_of(tables(results).at("calibration.csv"))) {
    if (line[0] == "model" || line[1].empty() || line[4].starts_with("brier_one_hot")) continue;
    const Json& made = models.at(line[0]).at("estimators").at(line[1]);
    const Json& metrics =
        line[2] == "overall" ? made.at("metrics") : made.at(groups.at(line[2])).at(line[3]);
    BOOST_TEST(std::abs(metrics.at(line[4]).at("value").get<double>() - std::stod(line[5])) < 1e-8);
    ++compared;
  }
  // for each model, estimator and group
  BOOST_TEST(compared == 2U * 6 * 6 * calibration_metric_count);
}

BOOST_AUTO_TEST_CASE(correlations_and_pairs_have_their_files) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.comparison.correlation = {{"base", around(-0.75, 3)}};
  results.comparison.pairs = {{0, 1, "Water"}};
  const auto csv = tables(results);
  BOOST_TEST(csv.at("ace_accuracy_correlation.csv") ==
             "estimator,value,low,high,count\nbase,-0.75000000,-0.75200000,-0.74800000,3\n");
  const std::string& pairs = csv.at("pairs.csv");
  BOOST_TEST(
      pairs.starts_with("pair,model,kind,facts_of,metric,value,low,high,count\n"
                        "1,gpt,causal,all,accuracy,"));
  for (const char* line : {"\n1,gpt,causal,Water,brier margin,", "\n1,bert,masked,all,accuracy,",
                           "\n1,bert,masked,Water,brier average_min,"}) {
    BOOST_TEST(pairs.find(line) != std::string::npos, line);
  }
  BOOST_TEST(std::ranges::count(pairs, '\n') == 13);
}

BOOST_AUTO_TEST_CASE(pairs_without_a_common_domain_have_lines_over_all_facts_alone) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.comparison.pairs = {{0, 1, ""}};
  const std::string pairs = tables(results).at("pairs.csv");
  BOOST_TEST(std::ranges::count(pairs, '\n') == 1 + 2 * 3);
  BOOST_TEST(!holds(pairs, "Water"));
}

BOOST_AUTO_TEST_CASE(names_with_commas_are_quoted) {
  const auto csv = tables(small_results({"a, \"b\""}));
  BOOST_TEST(holds(csv.at("markers.csv"), "\n\"a, \"\"b\"\"\",25%,accuracy,"));
  BOOST_TEST(holds(csv.at("confidence_histogram.csv"), "\n\"a, \"\"b\"\"\",base,0.0000,"));
}

BOOST_AUTO_TEST_SUITE_END()
