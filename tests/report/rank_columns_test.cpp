// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(rank_columns_suite)

BOOST_AUTO_TEST_CASE(numbers_stand_below_their_names) {
  RankMetrics metrics;
  metrics.queries = 4;
  metrics.tied = 1;
  metrics.undecided = 2;
  metrics.mean_rank = {3.25, 2, 5, 4, "bootstrap"};
  metrics.hits.at(1) = {0.5, 0.2, 0.8, 4, "wilson"};
  const Json json = json_of(rank_columns(), metrics);
  BOOST_TEST(json.at("queries") == 4);
  BOOST_TEST(json.at("undecided") == 2);
  BOOST_TEST(json.at("mean_rank").at("value") == 3.25);
  BOOST_TEST(json.at("hits_at_1").at("value") == 0.5);
  BOOST_TEST(json.at("mean_reciprocal_rank").is_null());
  const std::vector<NamedRanks> rows{{"deer", &metrics, "25–60"}};
  BOOST_TEST(text_table(named_rank_columns("method", true), rows)
                 .starts_with("method  queries  candidates   MR  MRR [95%]  AMRI  Hit@1"));
  BOOST_TEST(text_table(named_rank_columns("relation"), rows).find("25–60") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
