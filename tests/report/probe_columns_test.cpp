// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/probe_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(probe_columns_suite)

namespace {

/// Two relations with one fact each: the first has three options, and its fact is answered
/// correctly; the second has two options, and its right option has rank 2.
std::vector<RelationAnswers> relations() {
  RelationAnswers capital, river;
  capital.relation = {.code = "capital", .options = {"a", "b", "c"}, .domains = {"Geography"}};
  river.relation = {.code = "river", .options = {"a", "b"}, .domains = {"Geography", "Water"}};
  capital.relation.cardinality = Cardinality::one_to_one;
  river.relation.cardinality = Cardinality::many_to_one;
  Prediction right, wrong;
  right.correct = true;
  wrong.tie = BestTie::without_answer;
  wrong.tied_options = 2;
  wrong.rank = {.above = 1, .equal = 1};
  capital.cells = {right};
  river.cells = {wrong};
  for (RelationAnswers* made : {&capital, &river}) {
    made->settings = {template_setting(0)};
    made->relation.facts.resize(1);
  }
  return {capital, river};
}
ProbeMetrics two_relations() {
  const std::vector<RelationAnswers> all = relations();
  return probe_metrics(under_all_templates(all), {}, "all");
}

/// Counts the estimates, and fails if a number is neither part of an estimate nor a known count.
std::size_t check_numbers(const Json& json, const std::string& name) {
  static const std::set<std::string> counts{"relations", "facts", "answers", "ties_for_best",
                                            "ties_with_answer"};
  if (json.is_number()) {
    BOOST_TEST(counts.contains(name), name << " has no interval");
    return 0;
  }
  if (json.contains("value")) {
    BOOST_TEST(json.at("value").is_number_float());
    BOOST_TEST(json.at("count").is_number_unsigned());
    if (json.at("interval") == "none") {
      BOOST_TEST((json.at("low").is_null() && json.at("high").is_null()));
    } else {
      for (const char* field : {"low", "high"}) BOOST_TEST(json.at(field).is_number_float());
      BOOST_TEST(json.at("low") <= json.at("value"));
      BOOST_TEST(json.at("value") <= json.at("high"));
    }
    BOOST_TEST(json.at("interval").is_string());
    BOOST_TEST(json.size() == 5U);
    return 1;
  }
  std::size_t estimates = 0;
  for (const auto& [key, value] : json.items()) estimates += check_numbers(value, key);
  return estimates;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_level_that_no_relation_reaches_is_null) {
  const Json overall = to_json(two_relations()).at("overall");
  BOOST_TEST(overall.at("hits_at_3").at("count") == 2);  // both relations
  BOOST_TEST(overall.at("hits_at_5").is_null());
  BOOST_TEST(overall.at("hits_at_10").is_null());
}

BOOST_AUTO_TEST_CASE(every_grouping_is_there_under_its_name) {
  const Json json = to_json(two_relations());
  BOOST_TEST(json.at("overall").at("facts") == 2);
  BOOST_TEST(json.at("overall").at("accuracy").at("value") == 0.5);
  BOOST_TEST(json.at("overall_unweighted").at("accuracy").at("value") == 0.5);
  BOOST_TEST(json.at("relations").at("capital").at("accuracy").at("value") == 1.0);
  BOOST_TEST(json.at("relations").at("river").at("mean_rank").at("value") == 2.5);
  BOOST_TEST(json.at("relations").at("river").at("ties_for_best") == 1);
  BOOST_TEST(json.at("relations").at("river").at("answers") == 1);
  BOOST_TEST(json.at("overall").at("accuracy_first_wins").at("value") == 0.5);
  BOOST_TEST(json.at("relations").at("river").at("ties_with_answer") == 1);
  BOOST_TEST(json.at("cardinality").at("1:1").at("facts") == 1);
  BOOST_TEST(json.at("cardinality").at("N:1").at("facts") == 1);
  // In Geography, the weights are 1/1 and 1/2, so the mean is (1 · 1 + ½ · 0) / 1½.
  const Json& geography = json.at("domains").at("Geography");
  BOOST_TEST(std::abs(geography.at("accuracy_divided_support").at("value").get<double>() -
                      2.0 / 3) < 1e-12);
  BOOST_TEST(geography.at("accuracy").at("value") == 0.5);
  BOOST_TEST(json.at("domains").at("Water").at("relations") == 1);
}

BOOST_AUTO_TEST_CASE(every_number_comes_with_its_interval) {
  // Each of eight groups has two accuracies, the rank, the reciprocal rank and Hit@1. Hit@3 exists
  // for the five groups that include capital: all facts (twice), its relation, Geography and 1:1.
  // Each of the two domains also has two accuracies with divided support.
  BOOST_TEST(check_numbers(to_json(two_relations()), "") == 8U * 5U + 5U + 4U);
}

BOOST_AUTO_TEST_CASE(no_relations_make_no_numbers) {
  const Json json = to_json(probe_metrics({}, {}, "all"));
  BOOST_TEST(json.at("overall").at("accuracy").is_null());
  BOOST_TEST(json.at("relations") == Json::object());
  BOOST_TEST(json.at("domains") == Json::object());
}

// A metric needs to be declared only once to appear in all four places.
BOOST_AUTO_TEST_CASE(a_metric_that_is_added_is_on_terminal_page_csv_and_json) {
  std::vector<Column<GroupMetrics>> columns = group_columns();
  columns.push_back({"worst_rank", "worst rank", "Worst rank: the lowest place of a right option.",
                     [](const GroupMetrics& g) {
                       return Estimate{g.facts == 1 ? 7.0 : 8.0, 6, 9, g.facts, "bootstrap"};
                     },
                     ColumnPlace::everywhere, 1});
  const ProbeMetrics made = two_relations();
  const std::vector<GroupMetrics> rows{made.overall};
  const std::string terminal = text_table(columns, rows);
  BOOST_TEST(terminal.find("worst rank") != std::string::npos);
  BOOST_TEST(terminal.find("8.0") != std::string::npos);
  const std::string page = html_table(columns, rows);
  BOOST_TEST(page.find(">Worst rank<") != std::string::npos);
  BOOST_TEST(page.find(">8.0<small>6.0–9.0</small>") != std::string::npos);
  BOOST_TEST(meanings(columns).ends_with("Worst rank: the lowest place of a right option."));
  EstimateCsv csv({"group", "metric"});
  add_numbers(csv, {"all"}, columns, made.overall);
  BOOST_TEST(csv.text().ends_with("all,worst_rank,8.00000000,6.00000000,9.00000000,2\n"));
  BOOST_TEST(json_of(columns, made.overall).at("worst_rank").at("value") == 8.0);
}

// The sections are the relations, a rule, the domains, another rule, and finally the kinds and all
// facts.
BOOST_AUTO_TEST_CASE(groups_stand_in_sections) {
  const std::vector<RelationAnswers> answers = relations();
  const ProbeMetrics made = two_relations();
  std::string order;
  for (const ProbedGroup& group : probed_groups(made, answers)) {
    order += (group.begins_section ? "| " : "") + group.name + " ";
  }
  BOOST_TEST(order == "capital river | Geography Water | 1:1 N:1 all facts mean of relations ");
  BOOST_TEST(probed_groups(made, answers)[1].chance() == 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
