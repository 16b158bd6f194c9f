// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/comparison_page.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"
#include "support/small_calibration.hpp"
#include "support/small_comparison.hpp"

using namespace plumb::detail;
using test::between;
using test::count_of;
using test::holds;
using test::in_order;
using test::row_of;
using test::section;
using test::three_models;
using test::three_options;

BOOST_AUTO_TEST_SUITE(comparison_page)

namespace {

std::string page(const ComparisonOptions& options = three_options()) {
  return ComparisonPage(compare_answers(three_models(), options)).html({{"seed", 5}});
}

/// The row of a heat map.
std::string heat_row(const std::string& html, const std::string& name) {
  return between(html, "<tr><th scope=\"row\"><bdi>" + name + "</bdi></th>", "</tr>");
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_page_is_well_formed_and_fetches_nothing) {
  const std::string html = page();
  BOOST_TEST(test::markup_fault(html) == "");
  for (const char* word : {"http", "src=", "url(", "@import"}) BOOST_TEST(!holds(html, word));
  BOOST_TEST(in_order(
      html,
      {"<h1><bdi>Comparison of 3 models", "<bdi>ic/50</bdi>", "means over seeds",
       "class=\"note\">1 relation of 4", "class=\"cards\"", "Leaderboard of models", "Paired tests",
       "Models by relations", "Leaderboard of relations", "Best and least known", "Do models agree",
       "Shared knowledge", "Base against fine-tuned", "<h2>Facts", "Settings"}));
}

BOOST_AUTO_TEST_CASE(cards_have_the_headline_numbers) {
  const std::string cards = between(page(), "<div class=\"cards\">", "<h2>");
  BOOST_TEST(in_order(cards, {"Best model", "<b>0.667</b>", "ant", "Best-known relation",
                              "<b>1.000</b>", "P4", "<b>3</b>", "1 family", "<b>4</b>",
                              "3 shared by all", "<b>13</b>", "3 pairs of models"}));
}

// The standard deviation of ant's accuracies 1/2, 1/2, 1 is √(1/12); that of P1's accuracies 0,
// 1/2, 1/4 is 1/4.
BOOST_AUTO_TEST_CASE(leaderboards_have_a_row_for_each_with_its_deviation) {
  const std::string html = page();
  const std::string models = section(html, "Leaderboard of models");
  BOOST_TEST(in_order(models, {">Family<", "<bdi>ant</bdi>", "<bdi>bee</bdi>", "<bdi>cat</bdi>"}));
  BOOST_TEST(in_order(row_of(models, "ant"), {"<bdi>F &amp; G</bdi>", "data-v=\"0.666667\"",
                                              "data-v=\"0.28867513\"", "–", ">1<", ">3<", ">12<"}));
  BOOST_TEST(row_of(models, "bee").starts_with("<td>–</td>"));
  const std::string relations = section(html, "Leaderboard of relations");
  BOOST_TEST(
      in_order(relations, {"<bdi>P4</bdi>", "<bdi>P3</bdi>", "<bdi>P2</bdi>", "<bdi>P1</bdi>"}));
  BOOST_TEST(in_order(row_of(relations, "P1"),
                      {"data-v=\"0.250000\"", "data-v=\"0.25000000\"", ">3<", ">4<"}));
}

BOOST_AUTO_TEST_CASE(the_heat_map_has_families_across_and_relations_down) {
  const std::string map = section(page(), "Models by relations");
  BOOST_TEST(in_order(map, {"colspan=\"2\"><bdi>F &amp; G</bdi>", "<bdi>ant</bdi>",
                            "<bdi>cat</bdi>", "<bdi>bee</bdi>"}));
  BOOST_TEST(in_order(map, {"<bdi>P4</bdi>", "<bdi>P3</bdi>", "<bdi>P2</bdi>", "<bdi>P1</bdi>"}));
  BOOST_TEST(in_order(heat_row(map, "P3"), {">1.00<", ">0.25<", ">0.75<"}));
  BOOST_TEST(in_order(heat_row(map, "P4"), {">–<", ">–<", ">1.00<"}));
}

BOOST_AUTO_TEST_CASE(extremes_are_listed_from_better_to_worse) {
  const std::string table = section(page(), "Best and least known relations of each model");
  BOOST_TEST(in_order(row_of(table, "bee"), {"<td><bdi>P4</bdi> 1.00, <bdi>P3</bdi> 0.75</td>",
                                             "<td><bdi>P2</bdi> 0.50, <bdi>P1</bdi> 0.25</td>"}));
}

// In twelfths, ant's deviations from the mean are −2, −2, 4 and bee's are −3, 0, 3: r = 18 / √(24 ·
// 18) = 0.87.
BOOST_AUTO_TEST_CASE(correlations_of_models_and_families_are_maps) {
  const std::string part = section(page(), "Do models agree on which relations are known?");
  BOOST_TEST(in_order(heat_row(part, "ant"), {">1.00<", ">0.50<", ">0.87<"}));
  BOOST_TEST(in_order(heat_row(part, "F &amp; G"), {">0.50<"}));
  ComparisonOptions options = three_options();
  options.families = {};
  BOOST_TEST(!holds(page(options), "Between families"));
}

BOOST_AUTO_TEST_CASE(subsumption_is_shown_in_both_directions) {
  const std::string part = section(page(), "Shared knowledge");
  // The order is ant, cat, bee. Of the facts that ant knows, cat knows fractions of 0, 0 and 1/4,
  // and bee knows 7/12 on average.
  BOOST_TEST(in_order(heat_row(part, "ant"), {">–<", ">0.08<", ">0.58<"}));
  BOOST_TEST(in_order(heat_row(part, "bee"), {">0.83<", ">0.11<", ">–<"}));
}

BOOST_AUTO_TEST_CASE(pairs_stand_with_their_difference) {
  const std::string table = section(page(), "Base against fine-tuned");
  BOOST_TEST(in_order(row_of(table, "ant"), {"<bdi>bee</bdi>", "0.666667", "0.500000", "-0.166667",
                                             "0.833333", "0.583333"}));
  ComparisonOptions options = three_options();
  options.pairs = {};
  BOOST_TEST(!holds(page(options), "Base against"));
}

// Ant and cat differ on 8 facts, 7 of which ant knows: p = 2 · 9/256, multiplied by 3 tests.
BOOST_AUTO_TEST_CASE(paired_tests_section_explains_its_columns) {
  const std::string part = section(page(), "Paired tests");
  BOOST_TEST(in_order(part, {"more than half of the variants", "For a paper, use the column",
                             ">Difference, mean of relations<", ">p, overall<",
                             ">p (Holm), overall<", ">Difference, overall<",
                             "<summary>Paired tests "
                             "by relation</summary>",
                             "paired_tests_by_relation.csv"}));
  BOOST_TEST(in_order(row_of(part, "cat"),
                      {"<bdi>ant</bdi>", ">3<", "0.16666667", "0.66666667", "-0.500000",
                       "0.07031250", "0.21093750", "-0.375", ">12<", ">1<", ">1<", ">7<", ">3<"}));
  BOOST_TEST(count_of(part, "<tr><td><bdi>") == 3U + 9U);
}

BOOST_AUTO_TEST_CASE(rows_by_relation_end_somewhere) {
  std::vector<ModelAnswers> models{{"a", {}}, {"b", {}}};
  for (std::size_t r = 0; r < 502; ++r) {
    for (ModelAnswers& model : models) {
      model.relations.push_back(test::by_seed("P" + std::to_string(r), {"1"}));
    }
  }
  ComparisonOptions options;
  options.bootstrap.resamples = 2;
  const std::string html = ComparisonPage(compare_answers(models, options)).html(Json::object());
  BOOST_TEST(count_of(section(html, "Paired tests"), "<tr><td><bdi>") == 1U + 500U);
  BOOST_TEST(holds(html, "2 more rows in <code>paired_tests_by_relation.csv</code>"));
}

BOOST_AUTO_TEST_CASE(one_model_has_no_maps_of_models_by_models) {
  ComparisonOptions options;
  options.bootstrap.resamples = 20;
  const std::string html =
      ComparisonPage(compare_answers({three_models()[1]}, options)).html(Json::object());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "Do models agree"));
  BOOST_TEST(!holds(html, "Shared knowledge"));
  BOOST_TEST(!holds(html, "Paired tests"));
  BOOST_TEST(holds(html, "Comparison of 1 model<"));
}

BOOST_AUTO_TEST_CASE(names_may_hold_anything) {
  auto models = three_models();
  models[0].name = "<a> & \"b\"";
  models[1].relations[0].relation.code = "<i>";
  const std::string html = ComparisonPage(compare_answers(models, {})).html(Json::object());
  BOOST_TEST(test::markup_fault(html) == "");
  BOOST_TEST(!holds(html, "<a>"));
  BOOST_TEST(!holds(html, "<i>"));
}

BOOST_AUTO_TEST_SUITE_END()
