// SPDX-License-Identifier: Apache-2.0
#include "plumb/prompt/kamel_prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

using namespace plumb;

BOOST_AUTO_TEST_SUITE(kamel_prompt)

namespace {

/// Oslo has two twins; Bonn stands in both parts.
Relation twins() {
  Relation made;
  made.code = "P190";
  made.templates = {"What are the twins of [X]? [Y]"};
  made.options = {"Kiel", "Rome", "Oxford"};
  const auto add = [&](const char* subject, std::size_t answer, FactPart part) {
    Fact& fact = made.facts.emplace_back();
    fact.subject = subject;
    fact.answer = answer;
    fact.part = part;
    fact.instance = made.facts.size() - 1;
  };
  add("Oslo", 0, FactPart::training);
  add("Oslo", 1, FactPart::training);
  add("Bonn", 2, FactPart::training);
  add("Pisa", 0, FactPart::training);
  add("Elek", 1, FactPart::test);
  add("Bonn", 2, FactPart::test);
  add("Elek", 0, FactPart::test);
  add("Elek", 0, FactPart::test);
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_fact_is_a_subject_with_all_its_objects) {
  const Relation relation = twins();
  const KamelPrompt prompt(relation, 5, 0);
  BOOST_REQUIRE(prompt.asked().size() == 2U);
  BOOST_TEST(prompt.asked()[0].subject == "Elek");
  BOOST_TEST(prompt.asked()[0].objects == (std::vector<std::size_t>{1, 0}));
  BOOST_TEST(prompt.asked()[0].instance == 4U);
  BOOST_TEST(prompt.training().size() == 3U);
}

BOOST_AUTO_TEST_CASE(shots_are_lines_that_end_in_a_percent_sign) {
  const Relation relation = twins();
  const KamelPrompt without(relation, 0, 0);
  BOOST_TEST(without.text(without.asked()[0]) == "What are the twins of Elek?");
  const KamelPrompt prompt(relation, 5, 0);
  const std::string text = prompt.text(prompt.asked()[0]);
  std::set<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    lines.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
  BOOST_CHECK((lines == std::set<std::string>{"What are the twins of Oslo? Kiel; Rome%",
                                              "What are the twins of Bonn? Oxford%",
                                              "What are the twins of Pisa? Kiel%"}));
  BOOST_TEST(text.substr(begin) == "What are the twins of Elek?");
}

BOOST_AUTO_TEST_CASE(the_asked_subject_is_no_shot) {
  const Relation relation = twins();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const KamelPrompt prompt(relation, 2, seed);
    const std::vector<std::size_t> shots = prompt.shots("Bonn");
    BOOST_TEST(shots.size() == 2U);
    for (const std::size_t place : shots) BOOST_TEST(prompt.training()[place].subject != "Bonn");
  }
}

BOOST_AUTO_TEST_CASE(shots_hang_on_the_seed_and_the_subject) {
  Relation relation = twins();
  for (int i = 0; i < 50; ++i) {
    Fact fact;
    fact.subject = "town " + std::to_string(i);
    fact.part = FactPart::training;
    relation.facts.push_back(fact);
  }
  const KamelPrompt prompt(relation, 5, 7);
  BOOST_TEST(prompt.shots("Elek") == KamelPrompt(relation, 5, 7).shots("Elek"));
  BOOST_TEST(prompt.shots("Elek") != KamelPrompt(relation, 5, 8).shots("Elek"));
  BOOST_TEST(prompt.shots("Elek") != prompt.shots("Bonn"));
}

BOOST_AUTO_TEST_SUITE_END()
