// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/paired_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/markup.hpp"
#include "support/near.hpp"
#include "support/small_comparison.hpp"

using namespace plumb::detail;
using test::holds;
using test::near;
using test::three_models;
using test::three_options;

BOOST_AUTO_TEST_SUITE(paired_columns)

// Ant and bee are compared on P1, P2 and P3: both know 1, 1 and 3 facts there, only ant knows one
// more fact in each, and only bee knows one more in P2.
BOOST_AUTO_TEST_CASE(every_pair_stands_in_json_overall_and_by_relation) {
  const Comparison made = compare_answers(three_models(), three_options());
  const Json json = paired_json(made);
  BOOST_REQUIRE(json.size() == 3U);
  const Json& pair = json.at(2);
  BOOST_TEST((pair.at("models") == Json{"ant", "bee"}));
  BOOST_TEST(pair.at("shared_relations") == 3);
  BOOST_TEST(near(pair.at("mean_first_accuracy").get<double>(), 2.0 / 3));
  BOOST_TEST(near(pair.at("mean_second_accuracy").get<double>(), 0.5));
  BOOST_TEST(near(pair.at("mean_difference").at("value").get<double>(), 1.0 / 6));
  BOOST_TEST(pair.at("mean_difference").at("interval") == "bootstrap of relations");
  BOOST_TEST(pair.at("facts") == 12);
  BOOST_TEST(pair.at("both") == 5);
  BOOST_TEST(pair.at("only_first") == 3);
  BOOST_TEST(pair.at("only_second") == 1);
  BOOST_TEST(pair.at("neither") == 3);
  BOOST_TEST(near(pair.at("first_accuracy").get<double>(), 8.0 / 12));
  BOOST_TEST(near(pair.at("second_accuracy").get<double>(), 6.0 / 12));
  BOOST_TEST(near(pair.at("difference").at("value").get<double>(), 1.0 / 6));
  BOOST_TEST(near(pair.at("p").get<double>(), 10.0 / 16));
  BOOST_TEST(near(pair.at("p_holm").get<double>(), 10.0 / 16));  // the largest of three
  BOOST_TEST(pair.at("cohens_g") == 0.25);
  BOOST_TEST(near(pair.at("agreement").get<double>(), 8.0 / 12));
  BOOST_TEST(near(pair.at("kappa").get<double>(), 1.0 / 3));  // by chance 1/2
  BOOST_TEST(pair.at("same_answer") == 1.0);                  // all are option 0
  const Json& p2 = pair.at("relations").at("P2");
  BOOST_TEST(pair.at("relations").size() == 3U);
  BOOST_TEST(p2.at("only_second") == 1);
  BOOST_TEST(p2.at("p") == 1.0);
  BOOST_TEST(p2.at("difference").at("interval") == "bootstrap of facts");
}

BOOST_AUTO_TEST_CASE(what_does_not_exist_is_null_and_a_dash) {
  const Comparison made = compare_answers({{"a", {test::by_seed("P1", {"11"})}},
                                           {"b", {test::by_seed("P1", {"11"})}},
                                           {"c", {test::by_seed("P2", {"1"})}}},
                                          {.bootstrap = {.seed = 1, .resamples = 20}});
  const Json json = paired_json(made);
  BOOST_TEST(json.at(0).at("cohens_g").is_null());
  BOOST_TEST(json.at(0).at("kappa").is_null());
  BOOST_TEST(json.at(0).at("p") == 1.0);
  const Json& none = json.at(1);
  for (const char* key : {"mean_first_accuracy", "mean_difference", "difference", "p", "p_holm",
                          "cohens_g", "agreement", "kappa", "same_answer", "first_accuracy"}) {
    BOOST_TEST(none.at(key).is_null(), key);
  }
  BOOST_TEST(none.at("facts") == 0);
  BOOST_TEST(none.at("relations").empty());
  const std::string csv = csv_file(named_paired_columns(made), made.paired);
  BOOST_TEST(holds(csv, "\na,c,0,,,,,,,,,,,,0,0,0,0,0,,,,,\n"));
}

BOOST_AUTO_TEST_CASE(a_terminal_has_one_difference_and_its_p_within_80_characters) {
  auto models = three_models();
  models[0].name = "meadow-brown-butterfly-of-1B";
  models[1].name = "meadow-brown-butterfly-of-7B";
  const Comparison made = compare_answers(models, {.bootstrap = {.seed = 1, .resamples = 20}});
  const std::string text =
      text_table(paired_terminal_table(made.table.models, made.paired), {80, ""});
  BOOST_TEST(holds(text, "  mean difference [95%]  p (Holm)\n"));
  BOOST_TEST(holds(text, "meadow-…terfly-of-1B − meadow-…terfly-of-7B  -0.500 ["));
  BOOST_TEST(!holds(text, "Left out"));
}

BOOST_AUTO_TEST_CASE(rows_by_relation_have_the_numbers_of_their_pair) {
  const Comparison made = compare_answers(three_models(), three_options());
  const auto rows = paired_rows(made);
  BOOST_REQUIRE(rows.size() == 9U);
  const std::string csv = csv_file(paired_row_columns(made), rows);
  BOOST_TEST(
      csv.starts_with("first,second,relation,p,p_holm,difference,difference_low,"
                      "difference_high,cohens_g,facts,both,only_first,only_second,neither,"));
  BOOST_TEST(holds(csv, "\nant,bee,P1,1,1,0.25,"));
}

BOOST_AUTO_TEST_CASE(a_rank_that_does_not_exist_is_null) {
  const Comparison made = compare_answers({{"a", {test::by_seed("P1", {"11"})}},
                                           {"b", {test::by_seed("P1", {"10"})}},
                                           {"c", {test::by_seed("P2", {"1"})}}},
                                          {.bootstrap = {.seed = 1, .resamples = 20}});
  BOOST_TEST(made.table.shared.empty());
  for (const auto& rank : made.ranks) BOOST_TEST(!rank);
}

BOOST_AUTO_TEST_CASE(facts_are_counted_by_who_knows_them) {
  const Comparison made = compare_answers(three_models(), three_options());
  const Json json = json_of(compared_fact_columns(), made.fact_counts);
  BOOST_TEST(
      (json == Json{{"compared", 12}, {"known_by_all", 1}, {"known_by_none", 2}, {"differ", 9}}));
}

BOOST_AUTO_TEST_SUITE_END()
