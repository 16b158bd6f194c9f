// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/records/probe_answer_sets.hpp"

#include <boost/test/unit_test.hpp>
#include <span>
#include <utility>
#include <vector>

#include "plumb/detail/records/probe_answers.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::row;

BOOST_AUTO_TEST_SUITE(probe_answer_sets_suite)

namespace {

std::vector<RelationAnswerSets> answer_sets_in(const test::ResultsFolder& folder) {
  std::vector<RelationAnswerSets> all;
  for (const RecordedRelation& recorded : recorded_relations(folder.path())) {
    const RelationAnswers table = recorded_answers(std::span(&recorded, 1), scores_of_row);
    RelationAnswerSets made = answer_sets_of(recorded, table.relation.facts);
    if (!made.facts.empty()) all.push_back(std::move(made));
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_of_one_subject_are_one_fact_with_all_their_answers) {
  test::ResultsFolder folder;
  const std::vector<std::string> options{"Sucre", "La Paz", "Lima"};
  folder.add("P36", options, {"[X]: [Y].", "[Y] of [X]."}, Json::object(),
             {row("Bolivia", 0, 0, 0, {-1, -2, -3}), row("Bolivia", 0, 1, 0, {-3, -2, -1}),
              row("Peru", 1, 0, 2, {-3, -2, -1}), row("Peru", 1, 1, 2, {-3, -2, -1}),
              row("Bolivia", 2, 0, 1, {-1, -2, -3}), row("Bolivia", 2, 1, 1, {-3, -2, -1})});
  folder.add("P30", {"Africa", "Asia"}, {"[X] [Y]"}, Json::object(),
             {row("Chad", 0, 0, 0, {-1, -2})});
  const auto all = answer_sets_in(folder);
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(all[0].code == "P36");
  BOOST_REQUIRE(all[0].facts.size() == 1U);  // Peru has one object
  BOOST_REQUIRE(all[0].facts[0].size() == 2U);
  BOOST_TEST(all[0].facts[0][0].precision == 1.0);
  BOOST_TEST(all[0].facts[0][0].all_above);
  BOOST_TEST(all[0].facts[0][1].precision == 0.5);  // Lima and La Paz are the two best options
}

BOOST_AUTO_TEST_CASE(an_object_that_stands_twice_is_one) {
  test::ResultsFolder folder;
  folder.add("P36", {"Sucre", "Lima"}, {"[X] [Y]"}, Json::object(),
             {row("Bolivia", 0, 0, 0, {-1, -2}), row("Bolivia", 1, 0, 0, {-1, -2})});
  BOOST_TEST(answer_sets_in(folder).empty());
}

BOOST_AUTO_TEST_CASE(rows_without_a_subject_or_with_own_texts_are_left_out) {
  test::ResultsFolder folder;
  Json own = Json::parse(row("a", 0, 0, 0, {-1, -2}));
  own["choices"] = {"x", "y"};
  Json other = Json::parse(row("a", 1, 0, 1, {-1, -2}));
  other["choices"] = {"x", "z"};
  folder.add("P36", {"Sucre", "Lima"}, {"[X] [Y]"}, Json::object(),
             {row("", 2, 0, 0, {-1, -2}), row("", 3, 0, 1, {-1, -2}), own.dump(), other.dump()});
  BOOST_TEST(answer_sets_in(folder).empty());
}

BOOST_AUTO_TEST_SUITE_END()
