// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_report.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/small_calibration.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::around;
using test::holds;
using test::slurp;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_report_suite)

namespace {

/// The line of a table that starts with the given word, with each run of blanks collapsed into one.
std::string line_of(const std::string& table, const std::string& first) {
  const std::string text = "\n" + table;
  const std::size_t begin = text.find("\n" + first + " ");
  if (begin == std::string::npos) return "";
  std::string line;
  for (const char c : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1)) {
    if (c != ' ' || (!line.empty() && line.back() != ' ')) line += c;
  }
  return line;
}

}  // namespace

BOOST_AUTO_TEST_CASE(report_writes_metrics_tables_and_page_and_nothing_else) {
  const test::TemporaryFolder out;
  const CalibrationResults results = small_results({"gpt", "bert"});
  const Json settings = {{"bins", 4}};
  calibration_report(results, settings).write(out.path());
  std::set<std::string> expected{"figures", "metrics.json", "recalibration_halves.jsonl",
                                 "report.html"};
  for (const auto& [name, text] : calibration_csv(results)) {
    expected.insert(name);
    BOOST_TEST(slurp(out / name) == text);
  }
  BOOST_TEST((test::names_in(out.path()) == expected));
  Json json = Json::parse(slurp(out / "metrics.json"));
  json.erase("notes");
  BOOST_TEST(json == to_json(results));
  BOOST_TEST(slurp(out / "report.html") == CalibrationPage(results).html(settings));
}

BOOST_AUTO_TEST_CASE(recalibration_halves_are_listed_by_fact) {
  CalibrationResults results = small_results({"gpt", "bert"});
  for (ModelCalibration& model : results.models) model.halves.clear();
  BOOST_TEST(recalibration_halves(results) == "");
  results.models[1].halves = {{"P36", {0, 7}, {3}}, {"P19", {}, {1}}};
  const std::string lines =
      "{\"model\":\"bert\",\"relation\":\"P36\",\"fitted\":[0,7],\"held_out\":[3]}\n"
      "{\"model\":\"bert\",\"relation\":\"P19\",\"fitted\":[],\"held_out\":[1]}\n";
  BOOST_TEST(recalibration_halves(results) == lines);
  const test::TemporaryFolder out;
  calibration_report(results, Json::object(), {Json{{"prompt", "Is it so?"}}}).write(out.path());
  BOOST_TEST(slurp(out / "recalibration_halves.jsonl") == lines);
  BOOST_TEST(slurp(out / "report.html").find("<pre>Is it so?</pre>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(writing_again_replaces_every_file) {
  const test::TemporaryFolder out, other;
  calibration_report(small_results({"gpt", "bert"}), {{"bins", 4}}).write(out.path());
  calibration_report(small_results(), Json::object()).write(out.path());
  calibration_report(small_results(), Json::object()).write(other.path());
  BOOST_TEST((test::all_contents(other.path()) == test::all_contents(out.path())));
}

BOOST_AUTO_TEST_CASE(a_terminal_shows_one_models_estimators_with_intervals) {
  const std::string table = calibration_report(small_results(), Json::object()).table();
  BOOST_TEST(line_of(table, "estimator") ==
             "estimator accuracy [95%] confidence ACE [95%] ECE Brier [95%] log loss AUROC AURC "
             "failed votes");
  BOOST_TEST(line_of(table, "Average, vote ≥ 2") ==
             "Average, vote ≥ 2 † 0.500 [0.498, 0.502] 0.510 0.520 [0.518, 0.522] "
             "0.530 0.550 [0.548, 0.552] 0.610 0.620 0.630 2");
  BOOST_TEST(line_of(table, "Consistency, min *").ends_with(" 0"));
  BOOST_TEST(
      holds(table, "\n* few distinct values: its ACE is not meaningful\n† votes failed for some"));
  BOOST_TEST(
      table.ends_with("\naccuracy of the base template 0.451 [0.449, 0.453], mean over "
                      "paraphrases 0.452 [0.450, 0.454], 40 facts, 0 ties among 120 answers\n"));
}

BOOST_AUTO_TEST_CASE(markers_reductions_and_recalibration_have_tables_of_their_own) {
  const std::string table = calibration_report(small_results(), Json::object()).table();
  BOOST_TEST(holds(table, "marked − base template"));
  const std::string markers = table.substr(table.find("marked − base template"));
  BOOST_TEST(line_of(markers, "“25%”") ==
             "“25%” 33 -0.061 [-0.063, -0.059] 0.062 [0.060, 0.064] -0.063 [-0.065, -0.061]");
  BOOST_TEST(line_of(table, "Sum") ==
             "Sum 0.471 [0.469, 0.473] 0.072 [0.070, 0.074] 0.473 [0.471, 0.475]");
  BOOST_TEST(line_of(table, "Mean (A)") ==
             "Mean (A) 0.474 [0.472, 0.476] 0.275 [0.273, 0.277] 0.476 [0.474, 0.478]");
  const std::string maps = table.substr(table.find("held out"));
  BOOST_TEST(line_of(maps, "Base") == "Base none 0.621 0.631 [0.629, 0.633] 0.661 [0.659, 0.663]");
  BOOST_TEST(holds(maps, "temperature 1.75"));
  BOOST_TEST(holds(maps, "isotonic"));
}

BOOST_AUTO_TEST_CASE(what_there_is_nothing_of_is_not_shown) {
  CalibrationResults results = small_results();
  ModelCalibration& model = results.models[0];
  model.estimators.resize(1);
  test::metric_of(model.estimators[0], CalibrationMetric::ace) = {};
  test::metric_of(model.estimators[0], CalibrationMetric::auroc) = {};
  model.markers.clear();
  model.reductions.clear();
  model.recalibration.clear();
  const std::string table = calibration_report(results, Json::object()).table();
  BOOST_TEST(line_of(table, "Base") ==
             "Base 0.100 [0.098, 0.102] 0.110 – 0.130 0.150 [0.148, 0.152] 0.210 – 0.230 0");
  for (const char* part : {"few distinct", "marked", "reduction", "held out"}) {
    BOOST_TEST(!holds(table, part), part << " stands in the table");
  }
}

BOOST_AUTO_TEST_CASE(several_models_stand_side_by_side) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[1].estimators.resize(1);
  results.models[1].facts = 41;
  const std::string table = calibration_report(results, Json::object()).table();
  BOOST_TEST(line_of(table, "model") ==
             "model facts accuracy mean over paraphrases ties ACE Base ACE Margin ACE Average, "
             "vote ≥ 2 ACE Average, min "
             "Brier Base Brier Margin Brier Average, vote ≥ 2 Brier Average, min");
  BOOST_TEST(line_of(table, "gpt") ==
             "gpt 40 0.451 0.452 0 0.120 0.320 0.520 † 0.720 0.150 0.350 0.550 † 0.750");
  BOOST_TEST(holds(table, "\n† votes failed for some of the facts"));
  BOOST_TEST(line_of(table, "bert") == "bert 41 0.451 0.452 0 0.120 – – – 0.150 – – –");
  BOOST_TEST(!holds(table, "Pearson"));
  BOOST_TEST(!holds(table, "pair"));
}

BOOST_AUTO_TEST_CASE(correlations_and_pairs_are_printed_below_the_models) {
  CalibrationResults results = small_results({"gpt", "bert", "opt", "xbert"});
  results.comparison.correlation = {{"base", around(-0.75, 4)}, {"average_max", around(0.5, 4)}};
  results.comparison.pairs = {{0, 1, "Water"}, {2, 3, ""}};
  const std::string table = calibration_report(results, Json::object()).table();
  BOOST_TEST(holds(
      table,
      "\nPearson's r of ACE and mean accuracy over paraphrases, Base: -0.750 [-0.752, -0.748] over "
      "4 models\n\nACE, marked − base template"));
  const std::string means = table.substr(table.find("\nmodels"));
  BOOST_TEST(line_of(means, "mean of 4 models") == "mean of 4 models Sum 0.471 0.072 0.473");
  BOOST_TEST(table.ends_with("\n\n" + PairSections(results).text() +
                             "accuracy in pairs: mean over paraphrases\n"));
}

BOOST_AUTO_TEST_CASE(with_ties_the_first_wins_is_shown) {
  CalibrationResults results = small_results();
  BOOST_TEST(!holds(calibration_report(results, Json::object()).table(), "first wins"));
  ModelCalibration& model = results.models[0];
  model.ties = {1, 120};
  model.accuracy_first_wins = {0.75, 0.5, 0.875, 40, "centred bootstrap"};
  model.paraphrase_accuracy_first_wins = {0.25, 0.125, 0.5, 40, "bootstrap"};
  const std::string table = calibration_report(results, Json::object()).table();
  BOOST_TEST(holds(table, ", 1 tie among 120 answers\n"));
  BOOST_TEST(
      table.ends_with("\naccuracy (first wins): base template 0.750 [0.500, 0.875], mean over "
                      "paraphrases 0.250 [0.125, 0.500]\n"));
  const std::string html = CalibrationPage(results).html(Json::object());
  BOOST_TEST(holds(html, "Accuracy (first wins), base template"));
  const Json json = to_json(results).at("models").at(model.name);
  BOOST_TEST(json.at("ties") == 1);
  BOOST_TEST(json.at("answers") == 120);
  BOOST_TEST(json.at("accuracy_first_wins").at("value") == 0.75);
  BOOST_TEST(json.at("accuracy_over_paraphrases_first_wins").at("value") == 0.25);
}

BOOST_AUTO_TEST_SUITE_END()
