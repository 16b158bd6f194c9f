// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/multi_prompt_checks.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(multi_prompt_checks)

namespace {

MultiPromptRelation sound_relation() {
  return {"P36", {{"[X] has [Y]."}}, {{{"FR", {"France"}}, {{"Q90", {"Paris"}}}, 1}}};
}

const Site site{"facts.jsonl", 3, "relation"};

}  // namespace

BOOST_AUTO_TEST_CASE(names_keep_their_order_and_stand_once) {
  NamedEntity entity{"FR", {}};
  add_name(entity, "France");
  add_names(entity, {"", "FR", "France", " ", "fr", "FR"});
  BOOST_TEST(entity.names == (std::vector<std::string>{"France", "FR", "fr"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_relation_has_facts_and_templates) {
  BOOST_TEST(!problem_with_relation(sound_relation(), site));
  MultiPromptRelation relation = sound_relation();
  relation.templates.clear();
  const auto no_template = problem_with_relation(relation, site);
  BOOST_REQUIRE(no_template.has_value());
  BOOST_TEST(says(Fault::user,
                  "facts.jsonl:3: relation: relation P36 has no usable template; add one or remove "
                  "the relation")(*no_template));
  relation = sound_relation();
  relation.facts.clear();
  const auto no_fact = problem_with_relation(relation, site);
  BOOST_REQUIRE(no_fact.has_value());
  BOOST_TEST(says(Fault::user, "relation P36 has no usable fact")(*no_fact));
}

BOOST_AUTO_TEST_CASE(a_relations_name_can_name_a_file) {
  for (const std::string& code : {std::string(), std::string(".P36"), std::string("P/36"),
                                  std::string("P\n36"), std::string("P\x01")}) {
    MultiPromptRelation relation = sound_relation();
    relation.code = code;
    const auto problem = problem_with_relation(relation, site);
    BOOST_REQUIRE(problem.has_value());
    BOOST_TEST(says(Fault::user, "is empty, starts with a dot or contains a '/'")(*problem));
  }
  for (const char* code : {"P36", "P.36", "Länder", "a b"}) {
    MultiPromptRelation relation = sound_relation();
    relation.code = code;
    BOOST_TEST(!problem_with_relation(relation, site));
  }
}

BOOST_AUTO_TEST_SUITE_END()
