// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/measure/column_groups.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(column_groups)

namespace {

/// A relation in which fact i has the i-th value in the column and is right if the i-th mark is 1.
RelationAnswers relation(const std::string& code, const std::vector<std::string>& values,
                         const std::string& marks, const std::string& column = "year") {
  RelationAnswers made;
  made.relation.code = code;
  made.settings = {template_setting(0)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    Fact fact;
    fact.instance = i;
    if (!values[i].empty()) fact.further.emplace_back(column, values[i]);
    made.relation.facts.push_back(fact);
    Prediction answer;
    answer.correct = marks[i] == '1';
    made.cells.push_back(answer);
  }
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(few_values_are_groups_by_number_or_name) {
  const std::vector<ModelAnswers> models{
      {"a", {relation("P1", {"2001", "999", "2001", ""}, "1010"), relation("P2", {"999"}, "1")}},
      {"b", {relation("P1", {"2001", "999", "2001", ""}, "0110")}}};
  const ColumnGroups made = group_by_column(models, template_setting(0), "year");
  BOOST_TEST(made.column == "year");
  BOOST_TEST(made.without == 1U);
  BOOST_TEST_REQUIRE(made.groups.size() == 2U);
  BOOST_TEST(made.groups[0].name == "999");
  BOOST_TEST(made.groups[0].facts == 2U);
  BOOST_TEST(made.groups[0].accuracy[0].value == 0.5);
  BOOST_TEST(made.groups[0].accuracy[1].value == 1.0);
  BOOST_TEST(made.groups[1].name == "2001");
  BOOST_TEST(made.groups[1].accuracy[0].value == 1.0);
  BOOST_TEST(made.groups[1].accuracy[1].value == 0.5);
  BOOST_TEST(made.groups[1].accuracy[1].count == 2U);
}

// pandas writes a column of years with gaps as 1990.0.
BOOST_AUTO_TEST_CASE(a_number_is_one_group_however_it_is_written) {
  const std::vector<ModelAnswers> models{
      {"a", {relation("P1", {"1990", "1990.0", "1e3", "1000", "1991"}, "10110")}}};
  const ColumnGroups made = group_by_column(models, template_setting(0), "year");
  BOOST_TEST_REQUIRE(made.groups.size() == 3U);
  BOOST_TEST(made.groups[0].name == "1000");
  BOOST_TEST(made.groups[0].accuracy[0].value == 1.0);
  BOOST_TEST(made.groups[1].name == "1990");
  BOOST_TEST(made.groups[1].facts == 2U);
  BOOST_TEST(made.groups[1].accuracy[0].value == 0.5);
}

// 20 numbers go into five bins of four; the four equal numbers stay together.
BOOST_AUTO_TEST_CASE(many_numbers_are_cut_into_bins) {
  std::vector<std::string> values;
  for (int i = 1; i <= 20; ++i) values.push_back(std::to_string(i >= 4 && i <= 7 ? 5 : i));
  const ColumnGroups made = group_by_column(
      {{"a", {relation("P1", values, "11111111110000000000")}}}, template_setting(0), "year");
  std::size_t facts = 0;
  for (const ColumnGroup& group : made.groups) facts += group.facts;
  BOOST_TEST(facts == 20U);
  BOOST_TEST_REQUIRE(made.groups.size() == 5U);
  BOOST_TEST(made.groups[0].name == "1 to 5");
  BOOST_TEST(made.groups[0].facts == 7U);
  BOOST_TEST(made.groups[4].name == "17 to 20");
  BOOST_TEST(made.groups[0].accuracy[0].value == 1.0);
  BOOST_TEST(made.groups[4].accuracy[0].value == 0.0);
}

// The years are 999 (right, wrong) and 2001 (right, right), in two relations; one fact has no year.
BOOST_AUTO_TEST_CASE(one_models_numbers_are_those_of_each_group_alone) {
  const std::vector<RelationAnswers> answers{relation("P1", {"2001", "999", "2001", ""}, "1010"),
                                             relation("P2", {"999"}, "1")};
  const ColumnMetrics made = metrics_by_column(answers, "year", {});
  BOOST_TEST(made.column == "year");
  BOOST_TEST(made.without == 1U);
  BOOST_TEST_REQUIRE(made.values.size() == 2U);
  BOOST_TEST(made.values[0].first == "999");
  BOOST_TEST(made.values[0].second.facts == 2U);
  BOOST_TEST(made.values[0].second.relations == 2U);
  BOOST_TEST(made.values[0].second.accuracy.value == 0.5);
  BOOST_TEST(made.values[1].first == "2001");
  BOOST_TEST(made.values[1].second.relations == 1U);
  BOOST_TEST(made.values[1].second.accuracy.value == 1.0);
  BOOST_CHECK_EXCEPTION(
      (void)metrics_by_column(answers, "month", {}), Error,
      says(Fault::user, "no fact has a column 'month'; choose one that exists: year"));
}

// Bins of closely spaced numbers have distinct names. Among numbers, a word that means "none" does
// not count as a value.
BOOST_AUTO_TEST_CASE(bins_of_close_numbers_have_distinct_labels) {
  std::vector<std::string> values{"n/a", "NA", "-", "None"};
  for (int i = 1; i <= 20; ++i) {
    values.push_back("0.0000" + std::string(i < 10 ? "0" : "") + std::to_string(i));
  }
  const RelationAnswers one = relation("P1", values, std::string(24, '1'));
  const FactsByColumn by({&one.relation}, "year");
  BOOST_TEST(by.without() == 4U);
  BOOST_TEST((by.names() == std::vector<std::string>{"0.000001 to 0.000004", "0.000005 to 0.000008",
                                                     "0.000009 to 0.000012", "0.000013 to 0.000016",
                                                     "0.000017 to 0.00002"}));
  std::vector<std::string> close;
  for (int i = 0; i < 20; ++i) close.push_back("1234." + std::to_string(50000 + i));
  const RelationAnswers other = relation("P1", close, std::string(20, '1'));
  const FactsByColumn apart({&other.relation}, "year");
  BOOST_TEST(apart.names().front() == "1234.5 to 1234.50003");
  // In a text column, such words are ordinary values.
  const RelationAnswers texts = relation("P1", {"NA", "DE", "NA"}, "111");
  BOOST_TEST(
      (FactsByColumn({&texts.relation}, "year").names() == std::vector<std::string>{"DE", "NA"}));
}

BOOST_AUTO_TEST_CASE(a_column_is_checked_before_anything_is_asked) {
  Dataset dataset;
  dataset.relations.push_back(relation("P1", {"2001", ""}, "10").relation);
  check_group_by(dataset, "");
  check_group_by(dataset, "year");
  BOOST_CHECK_EXCEPTION(check_group_by(dataset, "month"), Error,
                        says(Fault::user, "no fact has a column 'month'"));
}

// A domain that is listed twice creates only one group.
BOOST_AUTO_TEST_CASE(places_of_a_fact_are_distinct) {
  RelationAnswers one = relation("P1", {""}, "1");
  one.relation.domains = {"Water", "Arts", "Water"};
  const FactsByColumn by({&one.relation}, "domain");
  BOOST_TEST((by.names() == std::vector<std::string>{"Arts", "Water"}));
  BOOST_TEST((by.places_of(one.relation, one.relation.facts[0]) == std::vector<std::size_t>{0, 1}));
  BOOST_TEST((by.facts() == std::vector<std::size_t>{1, 1}));
}

BOOST_AUTO_TEST_CASE(a_fact_stands_in_each_domain) {
  RelationAnswers one = relation("P1", {"", ""}, "10"), two = relation("P2", {""}, "1");
  one.relation.domains = {"Arts", "Politics"};
  two.relation.domains = {"Arts"};
  const ColumnGroups made = group_by_column({{"a", {one, two}}}, template_setting(0), "domain");
  BOOST_TEST_REQUIRE(made.groups.size() == 2U);
  BOOST_TEST(made.groups[0].name == "Arts");
  BOOST_TEST(std::abs(made.groups[0].accuracy[0].value - 2.0 / 3) < 1e-12);
  BOOST_TEST(made.groups[1].accuracy[0].value == 0.5);
}

BOOST_AUTO_TEST_CASE(a_column_that_no_fact_has_is_refused_with_those_that_are_there) {
  const std::vector<ModelAnswers> models{{"a", {relation("P1", {"x"}, "1", "popularity")}}};
  BOOST_CHECK_EXCEPTION(
      (void)group_by_column(models, template_setting(0), "year"), Error,
      says(Fault::user, "no fact has a column 'year'; choose one that exists: popularity"));
  std::vector<std::string> texts;
  for (int i = 0; i < 101; ++i) texts.push_back("t" + std::to_string(i));
  const std::vector<ModelAnswers> many{{"a", {relation("P1", texts, std::string(101, '1'))}}};
  BOOST_CHECK_EXCEPTION((void)group_by_column(many, template_setting(0), "year"), Error,
                        says(Fault::user, "year has 101 different text values"));
}

// The facts are valid from 2001 to 2003; from 2002 on (until 2004, the latest year in any fact); in
// 2004; at unknown times; and at times given in columns with a different spelling.
BOOST_AUTO_TEST_CASE(facts_that_depend_on_time_are_in_each_year_in_which_they_are_true) {
  RelationAnswers made = relation("P1", {"", "", "", "", ""}, "11010");
  std::vector<Fact>& facts = made.relation.facts;
  facts[0].further = {{"valid_from", "2001"}, {"valid_to", "2003-12-31"}};
  facts[1].further = {{"valid_from", "2002-05-01"}, {"valid_to", "9999-12-31"}};
  facts[2].further = {{"valid_from", "None"}, {"valid_to", "2004"}};
  facts[3].further = {{"valid_from", "20021"}};
  facts[4].further = {{"Valid From", "2003"}, {"ValidTo", "2003"}};
  const ColumnGroups years = group_by_column({{"a", {made}}}, template_setting(0), "valid");
  BOOST_TEST(years.without == 1U);
  std::vector<std::string> names;
  std::vector<std::size_t> counts;
  std::vector<double> accuracies;
  for (const ColumnGroup& group : years.groups) {
    names.push_back(group.name);
    counts.push_back(group.facts);
    accuracies.push_back(group.accuracy[0].value);
  }
  BOOST_TEST(names == (std::vector<std::string>{"2001", "2002", "2003", "2004"}));
  BOOST_TEST(counts == (std::vector<std::size_t>{1, 2, 3, 2}));
  BOOST_TEST(std::abs(accuracies[2] - 2.0 / 3) < 1e-12);
  BOOST_TEST(accuracies[3] == 0.5);
  // If a column is named "valid", its values are used unchanged.
  facts[0].further = {{"valid", "yes"}};
  BOOST_TEST(group_by_column({{"a", {made}}}, template_setting(0), "valid").groups.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
