// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/named_facts.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_graph.hpp"
#include "support/small_multi_prompt.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(named_facts_suite)

namespace {

/// A fact as "relation/instance: id names… > id names…".
std::string shown(const NamedFact& fact) {
  const auto names = [](const NamedEntity& entity) {
    std::string text = entity.id;
    for (const std::string& name : entity.names) text += " " + name;
    return text;
  };
  return fact.relation + "/" + std::to_string(fact.instance) + ": " + names(fact.subject) + " > " +
         names(fact.object);
}

}  // namespace

BOOST_AUTO_TEST_CASE(facts_of_a_closed_set_have_their_right_options) {
  Dataset dataset = test::small_dataset();
  dataset.relations[1].option_aliases = {{"Iteru", "Nile"}, {}};
  dataset.relations[1].facts[0].subject_aliases = {"al-Qahira", "Cairo"};
  const auto facts = named_facts(dataset);
  BOOST_REQUIRE(facts.size() == 5U);
  BOOST_TEST(shown(facts[0]) == "capital/0: Q142 France > Q90 Paris");
  // An instance keeps its number even if other instances are removed. Cairo is also a subject, with
  // an additional name.
  BOOST_TEST(shown(facts[1]) == "capital/2: Q884 Korea Hanguk > Q8684 Seoul");
  BOOST_TEST(shown(facts[2]) == "capital/3: Q79 Egypt > Q85 Cairo al-Qahira");
  BOOST_TEST(shown(facts[3]) == "river/0: Q85 Cairo al-Qahira > Q3392 Nile Iteru");
  BOOST_TEST(shown(facts[4]) == "river/1: Q1718 Bonn > Q584 Rhine");
  // A name from another relation is used even if that relation is not selected.
  const auto capitals = named_facts(dataset, {"capital"});
  BOOST_REQUIRE(capitals.size() == 3U);
  BOOST_TEST(shown(capitals[2]) == shown(facts[2]));
}

BOOST_AUTO_TEST_CASE(relations_of_sentences_are_excluded_and_reported) {
  Dataset dataset = test::small_dataset();
  BOOST_TEST(without_sentences(dataset).left_out.empty());
  BOOST_TEST(without_sentences(dataset).relations.size() == 2U);
  dataset.relations[0].own_sentences = true;
  const Dataset rest = without_sentences(dataset);
  BOOST_REQUIRE(rest.relations.size() == 1U);
  BOOST_TEST(rest.relations[0].code == "river");
  BOOST_TEST(rest.left_out ==
             std::vector<std::string>{
                 "relations whose facts are sentences without subject names: capital"});
  dataset.relations[1].own_sentences = true;
  dataset.files = {"LAMA/Squad/test.jsonl"};
  BOOST_CHECK_EXCEPTION((void)without_sentences(dataset), Error,
                        says(Fault::user, "Squad/test.jsonl: has sentences without subject names"));
}

BOOST_AUTO_TEST_CASE(a_subject_of_several_objects_is_several_facts) {
  const auto facts = named_facts(test::elements_many(), {"contains"});
  BOOST_REQUIRE(facts.size() == 9U);
  BOOST_TEST(shown(facts[0]) == "contains/0: Qwater water > Qhydrogen hydrogen");
  BOOST_TEST(shown(facts[1]) == "contains/0: Qwater water > Qoxygen oxygen dioxygen");
  BOOST_TEST(shown(facts[2]) == "contains/1: Qsalt salt table salt > Qsodium sodium natrium");
}

BOOST_AUTO_TEST_CASE(a_graph_has_the_triples_of_its_test_part) {
  KnowledgeGraph graph;
  graph.entities = {{"1", "deer", "a ruminant"}, {"2", "animal"}, {"3", "moose"}};
  graph.relations = {{"_hypernym", "is a"}, {"_part", "has"}};
  graph.train = {{2, 0, 0}};
  graph.test = {{0, 0, 1}, {1, 1, 2}, {2, 0, 1}};
  const auto facts = named_facts(graph);
  BOOST_REQUIRE(facts.size() == 3U);
  BOOST_TEST(shown(facts[0]) == "_hypernym/0: 1 deer > 2 animal");
  BOOST_TEST(shown(facts[1]) == "_part/0: 2 animal > 3 moose");
  BOOST_TEST(shown(facts[2]) == "_hypernym/1: 3 moose > 2 animal");
  BOOST_TEST(named_facts(graph, {"_part"}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_no_relation_and_what_has_no_names_is_refused) {
  Dataset dataset = test::small_dataset();
  BOOST_CHECK_EXCEPTION((void)named_facts(dataset, {"capital", "rivers"}), Error,
                        says(Fault::user, "`relations`: 'rivers' is not a relation"));
  BOOST_CHECK_EXCEPTION((void)named_facts(KnowledgeGraph{}, {"r"}), Error,
                        says(Fault::user, "'r' is not a relation"));
  dataset.relations[1].own_sentences = true;
  BOOST_CHECK_EXCEPTION((void)named_facts(dataset), Error,
                        says(Fault::user, "river: has sentences without subject names"));
  BOOST_TEST(named_facts(dataset, {"capital"}).size() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
