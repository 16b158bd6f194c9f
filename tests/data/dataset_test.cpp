// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/dataset.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(dataset_suite)

namespace {

Relation relation(const std::string& code, const std::vector<std::size_t>& answers) {
  Relation result;
  result.code = code;
  for (const std::size_t answer : answers) {
    result.facts.push_back({"", "s", {}, answer, result.facts.size()});
  }
  return result;
}

Dataset two_relations() {
  return {"tiny", {relation("P36", {0, 1, 0}), relation("P30", {2, 1, 0, 3})}, {}};
}

std::vector<std::string> codes(const Dataset& dataset) {
  std::vector<std::string> result;
  for (const Relation& each : dataset.relations) result.push_back(each.code);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_to_one_means_no_answer_stands_twice) {
  BOOST_TEST(is_one_to_one(relation("P36", {})));
  BOOST_TEST(is_one_to_one(relation("P36", {3, 1, 2})));
  BOOST_TEST(!is_one_to_one(relation("P36", {3, 1, 3})));
}

BOOST_AUTO_TEST_CASE(declared_cardinality_overrides_the_computed_one) {
  Relation said = relation("P36", {3, 1, 3});
  said.cardinality = Cardinality::one_to_one;
  BOOST_TEST(is_one_to_one(said));
  said = relation("P36", {3, 1});
  said.cardinality = Cardinality::many_to_one;
  BOOST_TEST(!is_one_to_one(said));
  BOOST_TEST((cardinality_of(said) == Cardinality::many_to_one));
  BOOST_TEST((cardinality_of(relation("P36", {3, 1})) == Cardinality::one_to_one));
}

BOOST_AUTO_TEST_CASE(no_names_and_no_limit_select_everything) {
  const Dataset all = select_facts(two_relations(), {}, 0);
  BOOST_TEST(codes(all) == (std::vector<std::string>{"P36", "P30"}));
  BOOST_TEST(all.relations[0].facts.size() == 3U);
  BOOST_TEST(all.relations[1].facts.size() == 4U);
}

BOOST_AUTO_TEST_CASE(names_select_relations_in_the_datasets_order) {
  BOOST_TEST(codes(select_facts(two_relations(), {"P30"}, 0)) == std::vector<std::string>{"P30"});
  const Dataset both = select_facts(two_relations(), {"P30", "P36"}, 0);
  BOOST_TEST(codes(both) == (std::vector<std::string>{"P36", "P30"}));
  BOOST_TEST(both.relations[0].facts.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_limit_keeps_the_first_facts_and_what_the_whole_table_is) {
  const Dataset some = select_facts(two_relations(), {}, 2);
  BOOST_TEST(some.relations[0].facts.size() == 2U);
  BOOST_TEST(some.relations[0].facts[1].instance == 1U);
  BOOST_TEST(!is_one_to_one(some.relations[0]));  // although the two remaining answers differ
  BOOST_TEST(select_facts(two_relations(), {}, 99).relations[0].facts.size() == 3U);
}

BOOST_AUTO_TEST_CASE(default_fact_has_no_split_or_choices) {
  const Fact fact;
  BOOST_TEST((fact.part == FactPart::unsaid));
  BOOST_TEST(fact.offered.empty());
  BOOST_TEST(fact.choices.empty());
}

// A fact's own option texts do not depend on which options it is offered.
BOOST_AUTO_TEST_CASE(a_facts_own_text_of_an_option_wins_over_the_relations) {
  Relation own = relation("P36", {0, 1});
  own.options = {"Paris", "Rome"};
  own.facts[1].choices = {"blue", "red"};
  own.facts[1].offered = {1};
  BOOST_TEST(option_text(own, own.facts[0], 1) == "Rome");
  BOOST_TEST(option_text(own, own.facts[1], 1) == "red");
  BOOST_TEST(option_text(own, own.facts[1], 0) == "blue");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_there_or_stands_twice_is_refused) {
  BOOST_CHECK_EXCEPTION(select_facts(two_relations(), {"P36", "P99"}, 0), Error,
                        says(Fault::user,
                             "`relations`: 'P99' is not a relation of tiny; list its "
                             "relations with `plumb data describe`"));
  BOOST_CHECK_EXCEPTION(select_facts(two_relations(), {"P36", "P36"}, 0), Error,
                        says(Fault::user, "`relations`: 'P36' is listed twice; name it once"));
  BOOST_CHECK_EXCEPTION(select_facts(two_relations(), {"P36", ""}, 0), Error,
                        says(Fault::user, "`relations`: '' is not a relation"));
}

BOOST_AUTO_TEST_CASE(strict_sink_throws_the_reported_problem) {
  BOOST_CHECK_EXCEPTION(throw_problem(user_error({"a.json", 3}, "broke")), Error,
                        says(Fault::user, "a.json:3: broke"));
}

BOOST_AUTO_TEST_SUITE_END()
