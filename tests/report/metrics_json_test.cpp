// SPDX-License-Identifier: Apache-2.0
#include "plumb/report/metrics_json.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(metrics_json)

namespace {

/// Two relations of three and two options; a fact each, the first right and the second at rank two.
ProbeMetrics two_relations() {
  const AnswerRank right{{.above = 0, .equal = 0}, 0, 0, true};
  const AnswerRank wrong{{.above = 1, .equal = 1}, 1, 1, false};
  return probe_metrics({{"capital", {"Geography"}, true, 3, {0}, {{right}}},
                        {"river", {"Geography", "Water"}, false, 2, {0}, {{wrong}}}},
                       {}, "all");
}

/// Counts estimates; complains of a number that stands anywhere else but in a known count.
std::size_t check_numbers(const Json& json, const std::string& name) {
  static const std::set<std::string> counts{"relations", "facts", "answers", "ties_for_best",
                                            "ties_with_answer"};
  if (json.is_number()) {
    BOOST_TEST(counts.contains(name), name << " has no interval");
    return 0;
  }
  if (json.contains("value")) {
    for (const char* field : {"value", "low", "high"}) BOOST_TEST(json.at(field).is_number_float());
    BOOST_TEST(json.at("count").is_number_unsigned());
    BOOST_TEST(json.at("low") <= json.at("value"));
    BOOST_TEST(json.at("value") <= json.at("high"));
    BOOST_TEST(json.at("interval").is_string());
    BOOST_TEST(json.size() == 5U);
    return 1;
  }
  std::size_t estimates = 0;
  for (const auto& [key, value] : json.items()) estimates += check_numbers(value, key);
  return estimates;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_estimate_has_its_interval_and_count) {
  const Json json = to_json(Estimate{0.5, 0.25, 0.75, 12, "wilson"});
  BOOST_TEST(json.dump() ==
             R"({"value":0.5,"low":0.25,"high":0.75,"count":12,"interval":"wilson"})");
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_null) {
  BOOST_TEST(to_json(Estimate{}).is_null());
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
  // Geography: weights 1/1 and 1/2, so (1 · 1 + ½ · 0) / 1½.
  const Json& geography = json.at("domains").at("Geography");
  BOOST_TEST(std::abs(geography.at("accuracy_divided_support").at("value").get<double>() -
                      2.0 / 3) < 1e-12);
  BOOST_TEST(geography.at("accuracy").at("value") == 0.5);
  BOOST_TEST(json.at("domains").at("Water").at("relations") == 1);
}

BOOST_AUTO_TEST_CASE(every_number_comes_with_its_interval) {
  // Two accuracies, rank, reciprocal rank and Hit@1 for each of eight groups, Hit@3 where capital is
  // in (overall twice, its relation, Geography, 1:1), two divided supports for two domains.
  BOOST_TEST(check_numbers(to_json(two_relations()), "") == 8U * 5U + 5U + 4U);
}

BOOST_AUTO_TEST_CASE(no_relations_make_no_numbers) {
  const Json json = to_json(probe_metrics({}, {}, "all"));
  BOOST_TEST(json.at("overall").at("accuracy").is_null());
  BOOST_TEST(json.at("relations") == Json::object());
  BOOST_TEST(json.at("domains") == Json::object());
}

BOOST_AUTO_TEST_SUITE_END()
