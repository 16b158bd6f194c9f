// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/comparison_json.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "support/near.hpp"
#include "support/small_comparison.hpp"

using namespace plumb::detail;
using test::near;
using test::three_models;
using test::three_options;

BOOST_AUTO_TEST_SUITE(comparison_json)

BOOST_AUTO_TEST_CASE(every_number_stands_in_json_with_its_interval) {
  const Comparison made = compare_answers(three_models(), three_options());
  const Json json = to_json(made);
  BOOST_TEST(json.at("setting") == "ic/50");
  BOOST_TEST(json.at("bootstrap").at("seed") == 5);
  BOOST_TEST(json.at("models").size() == 3U);
  BOOST_TEST(json.at("models").begin().key() == "ant");
  const Json& ant = json.at("models").at("ant");
  BOOST_TEST(ant.at("family") == "F & G");
  BOOST_TEST(near(ant.at("accuracy").at("value").get<double>(), 2.0 / 3));
  BOOST_TEST(ant.at("accuracy").at("count") == 12);
  BOOST_TEST(ant.at("relations_in_mean") == 3);
  BOOST_TEST(ant.at("sd_over_variants").is_null());
  BOOST_TEST(near(ant.at("sd_over_relations").get<double>(), std::sqrt(1.0 / 12)));
  BOOST_TEST((ant.at("top") == Json{"P3"}));
  BOOST_TEST(ant.at("relations").size() == 3U);
  BOOST_TEST(ant.at("relations").at("P3").at("accuracy").at("value") == 1.0);
  BOOST_TEST(json.at("models").at("bee").at("family").is_null());
  BOOST_TEST(json.at("relations").at("P4").at("models") == 1);
  BOOST_TEST(json.at("relations").at("P4").at("sd_over_models").is_null());
  BOOST_TEST(json.at("correlation").size() == 3U);
  BOOST_TEST(json.at("subsumption").size() == 6U);
  const Json& last = json.at("subsumption").back();
  BOOST_TEST(last.at("of") == "bee");
  BOOST_TEST(last.at("given") == "ant");
  BOOST_TEST(near(last.at("rate").at("value").get<double>(), 2.5 / 3));
  BOOST_TEST(last.at("left_out").at("relations") == 1);
  BOOST_TEST(json.at("subsumption").at(0).at("cells_without_knowledge") == 1);
  BOOST_TEST(json.at("paired_tests").size() == 3U);
  BOOST_TEST(json.at("facts").at("compared") == 12);
  BOOST_TEST(ant.at("rank") == 1);
  BOOST_TEST(ant.at("known_alone") == 3);
  BOOST_TEST(json.at("family_correlation").size() == 1U);
  BOOST_TEST(json.at("family_correlation").at(0).at("pairs") == 1);
  const Json& pair = json.at("base_and_tuned").at(0);
  BOOST_TEST(pair.at("base") == "ant");
  BOOST_TEST(near(pair.at("difference").at("value").get<double>(), -1.0 / 6));
  BOOST_TEST(near(pair.at("base_given_tuned").at("rate").at("value").get<double>(), 1.75 / 3));
}

BOOST_AUTO_TEST_SUITE_END()
