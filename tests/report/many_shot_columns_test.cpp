// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/many_shot_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(many_shot_columns_suite)

namespace {

ManyShotResults one_group(const char* by) {
  ManyShotResults made;
  GroupSpread& group = made.groups.emplace_back();
  group.group = {.method = "ic", .shots = 5, .separator = " ", .by = by};
  group.overall = {wilson_share(0.5, 10), 0.125, 3, wilson_share(0.75, 10), {2, 30}};
  group.relations = {{"P36", group.overall}};
  group.sd_over_relations = 0.25;
  made.chance_by_relation = {{"P36", 0.1}};
  made.ties = {2, 30};
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_setting_has_its_numbers_under_the_keys_of_metrics_json) {
  const ManyShotResults made = one_group("choice");
  const Json json = json_of(setting_columns(made), made.groups[0]);
  BOOST_TEST(json.at("accuracy").at("value") == 0.5);
  BOOST_TEST(json.at("accuracy_first_wins").at("value") == 0.75);
  BOOST_TEST(json.at("sd") == 0.125);
  BOOST_TEST(json.at("variants") == 3);
  BOOST_TEST(json.at("ties") == 2);
  BOOST_TEST(json.at("answers") == 30);
  BOOST_TEST(json.at("relations_asked") == 1);
  BOOST_TEST(json.at("sd_over_relations") == 0.25);
  BOOST_TEST(json.at("chance") == 0.1);
}

BOOST_AUTO_TEST_CASE(texts_that_are_generated_have_no_ties) {
  for (const char* by : {"choice", "generation"}) {
    const ManyShotResults made = one_group(by);
    const std::string text = text_table(named_setting_columns(made), made.groups);
    BOOST_TEST((text.find("–") != std::string::npos) == (by == std::string("generation")));
    BOOST_TEST(text.find(first_wins_heading) != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
