// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/rank_comparison_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/small_rank_comparison.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(rank_comparison_columns)

BOOST_AUTO_TEST_CASE(each_number_has_its_own_key) {
  const RankComparison made = test::small_rank_comparison();
  const Json json = json_of(rank_difference_columns(), made.methods.at(0).differences.at(0));
  BOOST_TEST(json.at("queries") == 3);
  BOOST_TEST(json.at("mean_reciprocal_rank").at("count") == 3);
  BOOST_TEST(json.at("first_higher") == 1);
  BOOST_TEST(json.at("log_rank").contains("r"));
  BOOST_TEST(json.at("log_rank").contains("p"));
}

BOOST_AUTO_TEST_CASE(pair_of_models_is_labelled_as_a_difference) {
  const RankComparison made = test::small_rank_comparison();
  const std::string text =
      text_table(named_rank_difference_columns(made), made.methods[0].differences);
  BOOST_TEST(text.find("\nb − a") != text.npos, text);
  const auto rows = rows_of(made, made.methods[0]);
  BOOST_TEST(rows.size() == 2U);
  BOOST_TEST(rows[0].name == "b");
  BOOST_TEST(rows[0].candidates == "10");
}

BOOST_AUTO_TEST_SUITE_END()
