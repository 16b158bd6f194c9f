// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/answer_set_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(answer_set_columns_suite)

BOOST_AUTO_TEST_CASE(relations_stand_before_all_facts) {
  const AnswerSetScore known{1, true, true, 2, 0.1};
  const AnswerSetScore half{0.5, false, true, 1, 0.5};
  const std::vector<RelationAnswerSets> relations{{"P36", {{known, half}}},
                                                  {"P47", {{half}, {half}}}};
  const auto groups = answer_set_groups(relations, {});
  BOOST_REQUIRE(groups.size() == 3U);
  BOOST_TEST(groups[0].name == "P36");
  BOOST_TEST(groups[0].means.precision.value == 0.75);  // the mean over its two templates
  BOOST_TEST(groups[1].means.facts == 2U);
  BOOST_TEST(groups[2].name == "all facts");
  const auto near = boost::test_tools::tolerance(1e-12);
  BOOST_TEST(groups[2].means.precision.value == 1.75 / 3, near);
  BOOST_TEST(groups[2].means.all_above.value == 0.5 / 3, near);
  BOOST_TEST(groups[2].means.lead.value == 3.5 / 3, near);
  BOOST_TEST(groups[2].means.brier.value == 1.3 / 3, near);
  const Json json = json_of(answer_set_columns(), groups[2]);
  BOOST_TEST(json["facts"] == 3);
  BOOST_TEST(json["set_above"]["value"] == 1.0);
  BOOST_TEST(json["precision_at_n"]["count"] == 3);
}

BOOST_AUTO_TEST_CASE(without_such_facts_there_is_nothing) {
  BOOST_TEST(answer_set_groups({}, {}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
