// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/report/comparison_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/small_comparison.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(comparison_columns_suite)

BOOST_AUTO_TEST_CASE(what_is_left_out_has_the_words_of_the_job) {
  Subsumption made;
  made.rate = wilson_share(0.5, 8);
  made.cells = 3;
  made.empty = 1;
  made.left_out = {4, 5, 6};
  const Json json = json_of(subsumption_columns("not_shared", "templates"), made);
  BOOST_TEST(json.at("rate").at("value") == 0.5);
  BOOST_TEST(json.at("cells") == 3);
  BOOST_TEST(json.at("cells_without_knowledge") == 1);
  BOOST_TEST((json.at("not_shared") == Json{{"relations", 4}, {"templates", 5}, {"facts", 6}}));
}

BOOST_AUTO_TEST_CASE(families_have_a_column_where_there_are_any) {
  Comparison made = compare_answers(test::three_models(), test::three_options());
  const auto has_family = [&] {
    return ranges::any_of(model_standing_columns(made),
                          [](const auto& column) { return column.key == "family"; });
  };
  BOOST_TEST(has_family() == !made.families.families.empty());
  made.families.families.clear();
  BOOST_TEST(!has_family());
}

BOOST_AUTO_TEST_CASE(pairs_are_all_ordered_pairs_of_two_models) {
  const Comparison made = compare_answers(test::three_models(), test::three_options());
  const std::size_t models = made.models.size();
  const auto pairs = model_pairs(made);
  BOOST_TEST(pairs.size() == models * (models - 1));
  for (const KnowledgePair& pair : pairs) BOOST_TEST(pair.of != pair.given);
}

// The result consists of the smallest and the largest of a family's three models; it is empty if
// the sizes are unknown or all equal.
BOOST_AUTO_TEST_CASE(smallest_and_largest_model_of_a_family_are_compared) {
  Comparison made = compare_answers(test::three_models(), test::three_options());
  made.family = {"A", "A", "A"};
  made.parameters = {3e9, 1e9, 7e9};
  const auto ends = ends_of_families(made);
  BOOST_TEST_REQUIRE(ends.size() == 1U);
  BOOST_TEST(ends[0].smallest == 1U);
  BOOST_TEST(ends[0].largest == 2U);
  const Json json = json_of(family_ends_columns(made), ends[0]);
  BOOST_TEST(json.at("family") == "A");
  BOOST_TEST(json.at("smallest") == made.table.models[1]);
  BOOST_TEST(json.at("rate") == to_json(made.subsumption[1][2].rate));
  made.parameters = {1e9, 1e9, {}};
  BOOST_TEST(ends_of_families(made).empty());
  made.parameters = {1e9, 2e9, 3e9};
  made.family = {"", "A", "B"};
  BOOST_TEST(ends_of_families(made).empty());
}

BOOST_AUTO_TEST_SUITE_END()
