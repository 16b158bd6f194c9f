// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/metrics_json.hpp"

#include <boost/test/unit_test.hpp>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(metrics_json)

BOOST_AUTO_TEST_CASE(an_estimate_has_its_interval_and_count) {
  const Json json = to_json(Estimate{0.5, 0.25, 0.75, 12, "wilson"});
  BOOST_TEST(json.dump() ==
             R"({"value":0.5,"low":0.25,"high":0.75,"count":12,"interval":"wilson"})");
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_exist_is_null) {
  BOOST_TEST(to_json(Estimate{}).is_null());
  BOOST_TEST(to_json(Estimate{no_number, 0.1, 0.2, 7, "wilson"}).is_null());
  BOOST_TEST(number_or_null(no_number).is_null());
  BOOST_TEST(number_or_null(std::nullopt).is_null());
  BOOST_TEST(number_or_null(0.0) == 0.0);
  BOOST_TEST(to_json(without_interval(1, 3)).dump() ==
             R"({"value":1.0,"low":null,"high":null,"count":3,"interval":"none"})");
}

BOOST_AUTO_TEST_CASE(metrics_file_records_the_bootstrap_settings) {
  BOOST_TEST(metrics_head({.seed = 3, .resamples = 50}).dump() ==
             R"({"bootstrap":{"seed":3,"resamples":50},"interval":0.95})");
}

BOOST_AUTO_TEST_SUITE_END()
