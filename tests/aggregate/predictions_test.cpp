// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/aggregate/predictions.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/predictions.hpp"

using namespace plumb::detail;
using test::answered;

BOOST_AUTO_TEST_SUITE(predictions)

namespace {

/// Two facts under two paraphrases (the second is the base) and under three templates with markers.
RelationPredictions two_facts() {
  auto made = answered("r",
                       {{3, {{0, 0.1}, {1, 0.2}, {2, 0.3}, {3, 0.4}, {4, 0.5}}},
                        {1, {{4, 0.6}, {3, 0.7}, {2, 0.8}, {1, 0.9}, {0, 1.0}}}},
                       {"certainly", "possibly", "25%"});
  made.base = 1;
  return made;
}

using Place = std::optional<std::size_t>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_row_holds_one_facts_predictions_under_all_templates) {
  const auto relation = two_facts();
  BOOST_TEST(relation.facts() == 2U);
  BOOST_REQUIRE(relation.row(1).size() == 5U);
  BOOST_TEST(relation.row(0)[4].confidence == 0.5);
  BOOST_TEST(relation.row(1)[0].confidence == 0.6);
  BOOST_TEST(relation.row(1)[4].option == 0U);
}

BOOST_AUTO_TEST_CASE(a_marker_is_looked_up_by_name) {
  const auto relation = two_facts();
  BOOST_CHECK(relation.place_of("certainly") == Place(2));
  BOOST_CHECK(relation.place_of("possibly") == Place(3));
  BOOST_CHECK(relation.place_of("25%") == Place(4));
  BOOST_CHECK(relation.place_of("5%") == Place());
  // A paraphrase has no marker, so it cannot be found by one.
  BOOST_CHECK(relation.place_of("") == Place());
}

BOOST_AUTO_TEST_CASE(an_estimator_sees_paraphrases_base_and_answer_of_one_fact) {
  const auto relation = two_facts();
  const FactPredictions second{relation, 1};
  BOOST_REQUIRE(second.paraphrases().size() == 2U);
  BOOST_TEST(second.paraphrases()[0].confidence == 0.6);
  BOOST_TEST(second.base().confidence == 0.7);
  BOOST_TEST(second.answer() == 1U);
  BOOST_TEST((FactPredictions{relation, 0}.answer() == 3U));
  BOOST_TEST((FactPredictions{relation, 0}.base().option == 1U));
}

BOOST_AUTO_TEST_CASE(a_models_facts_are_those_of_all_its_relations) {
  ModelPredictions model;
  BOOST_TEST(model.facts() == 0U);
  model.relations = {two_facts(), answered("none", {}), two_facts()};
  BOOST_TEST(model.facts() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()
