// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/comparison_report.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_comparison.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::by_seed;
using test::count_of;
using test::holds;
using test::in_order;
using test::slurp;
using test::three_models;
using test::three_options;

BOOST_AUTO_TEST_SUITE(comparison_report_suite)

namespace {

Comparison small_comparison() {
  return compare_answers(three_models(), three_options());
}

/// The report's tables, by file name.
std::map<std::string, std::string> tables() {
  std::map<std::string, std::string> files;
  for (auto& [name, text] : comparison_csv(small_comparison())) files[name] = text;
  return files;
}

/// Returns whether some line starts with these words.
bool has_line(const std::string& text, const std::string& words) {
  return text.starts_with(words) || holds(text, "\n" + words);
}

}  // namespace

BOOST_AUTO_TEST_CASE(report_writes_metrics_tables_and_page_and_nothing_else) {
  const test::TemporaryFolder out;
  const Comparison made = small_comparison();
  comparison_report(made, {{"seed", 5}}).write(out.path());
  std::set<std::string> expected{"figures", "metrics.json", "report.html"};
  for (const auto& [name, text] : comparison_csv(made)) {
    expected.insert(name);
    BOOST_TEST(slurp(out / name) == text);
  }
  BOOST_TEST(expected.size() == 15U);
  BOOST_TEST((test::names_in(out.path()) == expected));
  Json json = Json::parse(slurp(out / "metrics.json"));
  BOOST_TEST(json.at("notes") == made.remarks);
  json.erase("notes");
  BOOST_TEST(json == to_json(made));
  BOOST_TEST(slurp(out / "report.html") == ComparisonPage(made).html({{"seed", 5}}));
}

BOOST_AUTO_TEST_CASE(the_same_studies_leave_the_same_bytes) {
  const auto again = comparison_csv(small_comparison());
  BOOST_TEST((again == comparison_csv(small_comparison())));
  BOOST_TEST(to_json(small_comparison()).dump() == to_json(small_comparison()).dump());
}

BOOST_AUTO_TEST_CASE(leaderboards_are_tables) {
  const auto files = tables();
  const std::string& models = files.at("model_leaderboard.csv");
  BOOST_TEST(models.starts_with(
      "model,family,rank,relations,sd_over_relations,variants,sd_over_variants,value,low,high,"
      "count\n"
      "ant,F & G,1,3,0.28867513,1,,0.66666667,"));
  BOOST_TEST(count_of(models, "\n") == 4U);
  BOOST_TEST(has_line(models, "bee,,1,3,0.25000000,1,,0.50000000,"));
  const std::string& relations = files.at("relation_leaderboard.csv");
  BOOST_TEST(has_line(relations, "P4,1,,1.00000000,"));
  BOOST_TEST(has_line(relations, "P1,3,0.25000000,0.25000000,"));
  BOOST_TEST(count_of(relations, "\n") == 5U);
}

BOOST_AUTO_TEST_CASE(maps_are_tables_of_their_cells) {
  const auto files = tables();
  const std::string& cells = files.at("accuracy.csv");
  BOOST_TEST(count_of(cells, "\n") == 1U + 3 * 4);
  BOOST_TEST(has_line(cells, "ant,P3,1,,1.00000000,"));
  BOOST_TEST(has_line(cells, "ant,P4,0,,,,,0\n"));
  const std::string& correlation = files.at("correlation.csv");
  BOOST_TEST(count_of(correlation, "\n") == 1U + 6);
  BOOST_TEST(has_line(correlation, "ant,bee,0.86602540,"));
  const std::string& subsumption = files.at("subsumption.csv");
  BOOST_TEST(has_line(subsumption, "ant,bee,3,0,0.58333333,"));
  BOOST_TEST(has_line(subsumption, "bee,ant,3,0,0.83333333,"));
  BOOST_TEST(has_line(subsumption, "cat,ant,2,1,"));
}

BOOST_AUTO_TEST_CASE(the_other_tables_have_what_the_page_shows) {
  const auto files = tables();
  const std::string& extremes = files.at("top_and_bottom.csv");
  BOOST_TEST(has_line(extremes, "bee,top,1,P4,1.00000000\n"));
  BOOST_TEST(has_line(extremes, "bee,bottom,2,P1,0.25000000\n"));
  BOOST_TEST(files.at("family_correlation.csv") ==
             "family,other,mean_r,pairs\nF & G,F & G,0.50000000,1\n");
  const std::string& pairs = files.at("base_and_tuned.csv");
  BOOST_TEST(has_line(pairs, "ant,bee,base_accuracy,0.66666667,"));
  BOOST_TEST(has_line(pairs, "ant,bee,difference,-0.16666667,"));
  BOOST_TEST(has_line(pairs, "ant,bee,tuned_given_base,0.83333333,"));
  BOOST_TEST(count_of(pairs, "\n") == 6U);
}

BOOST_AUTO_TEST_CASE(a_terminal_shows_the_leaderboard_then_pairs_of_models) {
  const std::string table = comparison_report(small_comparison(), Json::object()).table();
  BOOST_TEST(has_line(table, "ant    0.667 ["));
  BOOST_TEST(table.find("\nant ") < table.find("\nbee "));
  BOOST_TEST(has_line(table, "ant → bee"));
  BOOST_TEST(has_line(table, "bee → ant"));
  BOOST_TEST(has_line(table, "first − second    mean difference [95%]  p (Holm)\n"));
  BOOST_TEST(has_line(table, "ant − bee"));
  BOOST_TEST(holds(table, "base → tuned"));
  BOOST_TEST(holds(table, "-0.167 ["));
}

BOOST_AUTO_TEST_CASE(pairs_of_many_models_are_for_the_page) {
  std::vector<ModelAnswers> models;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    models.push_back(three_models()[1]);
    models.back().name = name;
  }
  ComparisonOptions options;
  options.bootstrap.resamples = 20;
  const std::string table =
      comparison_report(compare_answers(models, options), Json::object()).table();
  BOOST_TEST(!holds(table, "→"));
  BOOST_TEST(!holds(table, "−"));
  BOOST_TEST(has_line(table, "f      0.667 ["));
}

// In one of three tests, all 8 facts favour one model: 3 · 2/256 is below 0.05.
BOOST_AUTO_TEST_CASE(significantly_different_models_have_different_ranks) {
  ComparisonOptions options;
  options.bootstrap.resamples = 20;
  const Comparison made = compare_answers({{"none", {by_seed("P1", {"00000000"})}},
                                           {"all", {by_seed("P1", {"11111111"})}},
                                           {"most", {by_seed("P1", {"11111110"})}}},
                                          options);
  const Json models = to_json(made).at("models");
  BOOST_TEST(models.at("all").at("rank") == 1);
  BOOST_TEST(models.at("most").at("rank") == 1);
  BOOST_TEST(models.at("none").at("rank") == 3);
  BOOST_TEST(models.at("all").at("known_alone") == 1);
  for (const auto& [name, text] : comparison_csv(made)) {
    if (name == "metrics.csv") BOOST_TEST(holds(text, "\nnone,,rank,3,"));
  }
}

// In "level", every answer is a four-way tie, and "one" knows one fact: both accuracies are 1/4,
// and the fractions of known facts are 0 and 1/4.
BOOST_AUTO_TEST_CASE(ties_are_counted_warned_of_and_shown_with_the_first_wins) {
  const std::vector<ModelAnswers> models{{"level", {by_seed("P1", {"4444"})}},
                                         {"one", {by_seed("P1", {"1000"})}}};
  ComparisonOptions options;
  options.bootstrap.resamples = 20;
  const Comparison made = compare_answers(models, options);
  BOOST_REQUIRE(!made.remarks.empty());
  BOOST_TEST(made.remarks[0].starts_with("level: Warning: 4 of 4 answers (100.0%) are ties"));
  const std::string table = comparison_report(made, Json::object()).table();
  BOOST_TEST(holds(table, "accuracy (first wins)"));
  BOOST_TEST(in_order(test::between(table, "level ", "\n"), {"0.250 [", "4", "4", "0.000 ["}));
  BOOST_TEST(holds(ComparisonPage(made).html(Json::object()), "Accuracy (first wins)"));
  const Json json = to_json(made);
  BOOST_TEST(json.at("models").at("level").at("ties") == 4);
  BOOST_TEST(json.at("models").at("level").at("answers") == 4);
  BOOST_TEST(json.at("models").at("level").at("accuracy_first_wins").at("value") == 0.0);
  BOOST_TEST(json.at("models").at("one").at("ties") == 0);
  BOOST_TEST(json.at("relations").at("P1").at("ties") == 4);
  for (const Json& rate : json.at("subsumption")) {
    BOOST_TEST(rate.at("rate").is_null() == (rate.at("of") == "level"));
  }
  BOOST_TEST(!holds(comparison_report(small_comparison(), Json::object()).table(), "first wins"));
}

BOOST_AUTO_TEST_SUITE_END()
