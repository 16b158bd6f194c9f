// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/calibration_page.hpp"

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
using test::in_order;
using test::metric_of;
using test::row_of;
using test::section;
using test::small_results;

BOOST_AUTO_TEST_SUITE(calibration_page)

namespace {

std::string html_of(const CalibrationResults& results, const Json& settings = Json::object()) {
  return CalibrationPage(results).html(settings);
}

/// The HTML to search for in the cell of an estimate created by `around`.
std::string number(const std::string& value) {
  return ">" + value + "<small>";
}

constexpr const char* estimator_heading = "Confidence estimators side by side";
constexpr const char* marker_heading = "Effect of epistemic markers";
constexpr const char* reduction_heading = "Reductions";
constexpr const char* option_heading = "Number of options";
constexpr const char* group_heading = "By domain, cardinality and relation";
constexpr const char* recalibration_heading = "Recalibration, on held-out facts";

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_of_one_model_has_all_its_sections_and_no_comparison) {
  const std::string html = html_of(small_results(), {{"bins", 4}, {"seed", 7}});
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(between(html, "<title>", "</title>") == "Calibration of tiny");
  BOOST_TEST(
      in_order(html, {"<div class=\"cards\">", estimator_heading, "Calibration curves",
                      "Rejecting answers with low confidence", marker_heading, reduction_heading,
                      option_heading, group_heading, recalibration_heading, "Settings"}));
  BOOST_TEST(!holds(html, "by model</h2>"));
  BOOST_TEST(!holds(html, "<details"));
  BOOST_TEST(holds(html, "<tr><td>bins</td><td><bdi>4</bdi></td></tr>"));
  for (const char* fetch : {"http:", "https:", "src=", "href=\"h", "url("}) {
    BOOST_TEST(!holds(html, fetch), fetch << " stands in the page");
  }
}

BOOST_AUTO_TEST_CASE(page_compares_several_models_before_detailing_each) {
  const std::string html = html_of(small_results({"gpt", "bert", "other"}));
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(between(html, "<title>", "</title>") == "Calibration of 3 models");
  BOOST_TEST(in_order(
      html,
      {"Adaptive calibration error by model", "<details open><summary><bdi>gpt</bdi></summary>",
       estimator_heading, "</details>", "<details><summary><bdi>bert</bdi></summary>", "</details>",
       "<details><summary><bdi>other</bdi></summary>", "</details>"}));
  BOOST_TEST(count_of(html, "<details") == 3U);
}

BOOST_AUTO_TEST_CASE(notes_stand_once_and_remarks_with_their_model) {
  CalibrationResults results = small_results({"gpt", "bert"});
  results.models[1].notes.push_back("Another <note>.");
  const std::string html = html_of(results);
  BOOST_TEST(count_of(html, "<p class=\"note\">A note on the data.</p>") == 1U);
  BOOST_TEST(count_of(html, "<p class=\"note\">Another &lt;note&gt;.</p>") == 1U);
  BOOST_TEST(count_of(html, "<p class=\"note\">Something is left out.</p>") == 2U);
}

BOOST_AUTO_TEST_CASE(cards_show_the_headline_numbers) {
  CalibrationResults results = small_results();
  const auto card_of = [](const std::string& html, const std::string& name) {
    return between(html, "<div class=\"card\"><span>" + name + "</span>", "</div>");
  };
  std::string html = html_of(results);
  BOOST_TEST(card_of(html, "Accuracy, base template") ==
             "<b>0.451</b><span>95%: 0.449 – 0.453</span>");
  BOOST_TEST(card_of(html, "Accuracy, mean over paraphrases").starts_with("<b>0.452</b>"));
  BOOST_TEST(card_of(html, "ACE, Base").starts_with("<b>0.120</b>"));
  BOOST_TEST(card_of(html, "ACE, Margin").starts_with("<b>0.320</b>"));
  BOOST_TEST(card_of(html, "ACE, Average, min").starts_with("<b>0.720</b>"));
  BOOST_TEST(card_of(html, "Facts") == "<b>40</b><span>2 relations, 2–5 paraphrases</span>");
  results.models[0].accuracy = {};
  results.models[0].fewest_paraphrases = results.models[0].most_paraphrases = 1;
  results.models[0].estimators.resize(1);
  html = html_of(results);
  BOOST_TEST(card_of(html, "Accuracy, base template") == "<b>–</b><span></span>");
  BOOST_TEST(card_of(html, "Facts") == "<b>40</b><span>2 relations, 1 paraphrase</span>");
  BOOST_TEST(!holds(html, "ACE, Margin"));
}

// Metric i of average_vote2 is 0.5 + 0.01 · i, in the order of CalibrationMetric.
BOOST_AUTO_TEST_CASE(each_estimator_has_its_metrics_under_their_heads) {
  const std::string html = html_of(small_results());
  const std::string main = section(html, estimator_heading);
  const std::string first = main.substr(0, main.find("<h3>"));
  BOOST_TEST(count_of(first, "<tr><td>") == 6U);
  BOOST_TEST(in_order(first, {">Estimator<", ">Accuracy<", ">Confidence<", ">ACE<", ">Brier<",
                              ">AUROC<", ">AURC<", ">Failed votes<"}));
  const std::string row = row_of(first, "Average, vote ≥ 2 †");  // two votes failed
  BOOST_TEST(in_order(row, {number("0.500"), number("0.510"), number("0.520"), number("0.550"),
                            number("0.620"), number("0.630"), "<td data-v=\"2\">2</td>"}));
  BOOST_TEST(count_of(row, "<td") == 7U);
  BOOST_TEST(!holds(row, "class="));  // ACE 0.52 would be coloured if no vote had failed
  BOOST_TEST(holds(row_of(first, "Margin"), "class=\"h3\">0.320"));
  BOOST_TEST(holds(main, "† votes failed for some of the facts"));
  const std::string more = main.substr(first.size());
  BOOST_TEST(in_order(more, {">ECE<", ">MCE<", ">Reliability<", ">Resolution<", ">Uncertainty<",
                             ">Within bin<", ">Skill<", ">Log loss<"}));
  BOOST_TEST(in_order(row_of(more, "Average, vote ≥ 2 †"),
                      {number("0.530"), number("0.540"), number("0.560"), number("0.570"),
                       number("0.580"), number("0.590"), number("0.600"), number("0.610")}));
  const std::string whole = more.substr(more.find("<h3>Probabilities of all options"));
  BOOST_TEST(holds(whole, "under the base template"));
  BOOST_TEST(
      holds(whole, "0.455 [0.453, 0.457] summed over the options, 0.456 [0.454, 0.458] per"));
  BOOST_TEST(in_order(whole, {">SCE<", ">Brier, several right<", number("0.021"), number("0.444"),
                              number("0.466"), "<td data-v=\"38\">38</td>"}));
  BOOST_TEST(holds(first, "<bdi>Consistency, min *</bdi></td>"));
  BOOST_TEST(count_of(first, " *</bdi>") == 1U);
}

BOOST_AUTO_TEST_CASE(the_plots_are_those_of_each_model) {
  CalibrationResults results = small_results({"gpt", "bert"});
  metric_of(results.models[1].estimators[0], CalibrationMetric::ace) = around(0.123);
  results.models[1].estimators[1].rejection.clear();
  const std::string html = html_of(results);
  for (const ModelCalibration& model : results.models) {
    BOOST_TEST(count_of(html, curve_charts(model, 4)) == 1U);
    BOOST_TEST(count_of(html, rejection_charts(model, false)) == 1U);
  }
  results.options.estimators = {"base"};  // named explicitly, so it is always drawn
  results.models.resize(1);
  results.models[0].estimators[0].name = "average_max";
  BOOST_TEST(holds(html_of(results), rejection_charts(results.models[0], true)));
}

BOOST_AUTO_TEST_CASE(marker_effects_are_coloured_where_their_interval_leaves_out_zero) {
  CalibrationResults results = small_results();
  const std::string table = section(html_of(results), marker_heading);
  const std::string row = row_of(table, "“25%”");
  // The accuracy is lower and therefore worse, the ACE is higher and therefore worse, and the Brier
  // score is lower and therefore better.
  BOOST_TEST(in_order(
      row, {"<td data-v=\"33\">33</td>",
            "<td data-v=\"-0.061000\" class=\"h3\">-0.061<small>-0.063 to -0.059<",
            "<td data-v=\"0.062000\" class=\"h3\">", "<td data-v=\"-0.063000\" class=\"h1\">"}));
  MarkerEffect& effect = results.models[0].markers[0];
  effect.accuracy = around(0.1);
  effect.ace = {0.01, -0.1, 0.1, 33, ""};
  effect.brier = {0.01, 0, 0.1, 33, ""};
  const std::string other = row_of(section(html_of(results), marker_heading), "“25%”");
  BOOST_TEST(holds(other, "<td data-v=\"0.100000\" class=\"h1\">"));
  BOOST_TEST(count_of(other, "class=\"h") == 1U);
}

BOOST_AUTO_TEST_CASE(reductions_option_counts_and_recalibration_have_their_numbers) {
  const std::string html = html_of(small_results());
  const std::string reductions = section(html, reduction_heading);
  BOOST_TEST(in_order(reductions, {"<bdi>Sum</bdi>", number("0.471"), "class=\"h1\">0.072<",
                                   number("0.473"), "<bdi>Mean (A)</bdi>", number("0.474"),
                                   "class=\"h3\">0.275<", number("0.476")}));
  const std::string options = section(html, option_heading);
  BOOST_TEST(holds(options, "on the 21 facts of the 1:1 relations"));
  BOOST_TEST(holds(options, "Mean of 3 samplings"));
  BOOST_TEST(holds(options, option_chart(small_results().models[0])));
  const std::string maps = section(html, recalibration_heading);
  BOOST_TEST(holds(maps, "measured on the other 19."));
  BOOST_TEST(in_order(maps, {"<bdi>none</bdi>", number("0.621"), number("0.631"), number("0.661"),
                             number("0.721"), number("0.731"), "<bdi>temperature 1.75</bdi>",
                             number("0.421"), "<bdi>isotonic</bdi>", number("0.221")}));
}

BOOST_AUTO_TEST_CASE(groups_show_facts_accuracy_and_calibration_error) {
  const std::string table = section(html_of(small_results()), group_heading);
  BOOST_TEST(in_order(table, {"<h3>Domains</h3>", "<h3>Cardinality</h3>", "<h3>Relations</h3>"}));
  // The row contains Base's accuracy, then the ACE of Base, Margin, the marker and Average, but not
  // that of Consistency.
  const std::string row = row_of(table, "Water");
  BOOST_TEST(in_order(row, {"<td data-v=\"40\">40</td>", number("0.301"), number("0.321"),
                            number("0.521"), number("0.871"), number("0.721 †"), number("0.921")}));
  BOOST_TEST(count_of(row, "<td") == 7U);
  CalibrationResults results = small_results();
  results.models[0].estimators[5].discrete = true;
  const std::string fewer = row_of(section(html_of(results), group_heading), "Water");
  BOOST_TEST(!holds(fewer, number("0.871")));
  BOOST_TEST(holds(row_of(table, "1:1"), number("0.322")));
  BOOST_TEST(holds(row_of(table, "river"), number("0.324")));
}

BOOST_AUTO_TEST_CASE(what_there_is_nothing_of_has_no_section) {
  CalibrationResults results = small_results();
  ModelCalibration& model = results.models[0];
  model.notes.clear();
  model.remarks.clear();
  model.markers.clear();
  model.reductions.clear();
  model.option_counts.clear();
  model.recalibration.clear();
  for (EstimatorResult& made : model.estimators) made.domains.clear();
  const std::string html = html_of(results);
  BOOST_TEST(test::markup_fault(html) == "");
  for (const char* heading :
       {marker_heading, reduction_heading, option_heading, recalibration_heading, "Settings"}) {
    BOOST_TEST(!holds(html, "<h2>" + std::string(heading)), heading << " stands in the page");
  }
  BOOST_TEST(!holds(html, "<h3>Domains"));
  BOOST_TEST(holds(html, "<h3>Relations"));
  BOOST_TEST(!holds(html, "class=\"note\""));
}

BOOST_AUTO_TEST_CASE(numbers_that_do_not_exist_are_dashes) {
  CalibrationResults results = small_results();
  for (EstimatorResult& made : results.models[0].estimators) made.metrics = {};
  const std::string html = html_of(results);
  BOOST_TEST(test::markup_fault(html) == "");
  const std::string row = row_of(section(html, estimator_heading), "Base");
  BOOST_TEST(count_of(row, "<td data-v=\"-1\">–</td>") == 6U);
  BOOST_TEST(!holds(html, ">0.000<"));
}

BOOST_AUTO_TEST_CASE(names_of_any_kind_are_escaped) {
  CalibrationResults results = small_results({"<a> & \"b\"", "قاهرة"});
  for (ModelCalibration& model : results.models) {
    model.remarks = {"<r>"};
    model.markers[0].marker = model.estimators[5].name = "<m>";
    model.recalibration[0].estimator = "<m>";
    for (EstimatorResult& made : model.estimators) made.domains[0].first = "R&D <d>";
  }
  const std::string html = html_of(results, {{"model", "<s>"}});
  BOOST_TEST(test::markup_fault(html) == "");
  for (const char* raw : {"<a>", "<m>", "<r>", "<d>", "<s>"}) {
    BOOST_TEST(!holds(html, raw), raw << " stands in the page");
  }
  BOOST_TEST(holds(html, "<summary><bdi>&lt;a&gt; &amp; &quot;b&quot;</bdi></summary>"));
}

BOOST_AUTO_TEST_SUITE_END()
