// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/kamel_prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(kamel_prompt)

namespace {

using Texts = std::vector<std::string>;

void add(MultiPromptRelation& rows, const std::string& subject, const Texts& objects) {
  ManyNamedFact fact{{"row", {subject}}, {}};
  for (const std::string& object : objects) fact.objects.push_back({object, {object, "an alias"}});
  rows.facts.push_back(fact);
}

/// Oslo has two twin towns; Bonn occurs in both parts.
KamelRelation twins() {
  KamelRelation made;
  made.asked.code = "P190";
  made.asked.templates = {{"What are the twins of [X]? [Y]"}};
  add(made.training, "Oslo", {"Kiel", "Rome"});
  add(made.training, "Bonn", {"Oxford"});
  add(made.training, "Pisa", {"Kiel"});
  add(made.asked, "Elek", {"Rome"});
  add(made.asked, "Bonn", {"Oxford"});
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(shots_are_lines_that_end_in_a_percent_sign) {
  const KamelRelation relation = twins();
  BOOST_TEST(KamelPrompt(relation, 0, 0).text("Elek") == "What are the twins of Elek?");
  const std::string text = KamelPrompt(relation, 5, 0).text("Elek");
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

BOOST_AUTO_TEST_CASE(the_text_shows_the_shots_in_their_order) {
  const KamelRelation relation = twins();
  const KamelPrompt prompt(relation, 2, 1);
  std::string expected;
  for (const std::uint32_t place : prompt.shots("Elek")) {
    const Texts lines{"What are the twins of Oslo? Kiel; Rome%\n",
                      "What are the twins of Bonn? Oxford%\n",
                      "What are the twins of Pisa? Kiel%\n"};
    expected += lines.at(place);
  }
  BOOST_TEST(prompt.text("Elek") == expected + "What are the twins of Elek?");
}

BOOST_AUTO_TEST_CASE(the_asked_subject_is_no_shot) {
  const KamelRelation relation = twins();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<std::uint32_t> shots = KamelPrompt(relation, 2, seed).shots("Bonn");
    BOOST_TEST(shots.size() == 2U);
    for (const std::uint32_t place : shots) BOOST_TEST(place != 1U);
  }
}

BOOST_AUTO_TEST_CASE(shots_depend_on_seed_and_subject) {
  KamelRelation relation = twins();
  for (int i = 0; i < 50; ++i) add(relation.training, "town " + std::to_string(i), {"Kiel"});
  const KamelPrompt prompt(relation, 5, 7);
  BOOST_TEST(prompt.shots("Elek") == KamelPrompt(relation, 5, 7).shots("Elek"));
  BOOST_TEST(prompt.shots("Elek") != KamelPrompt(relation, 5, 8).shots("Elek"));
  BOOST_TEST(prompt.shots("Elek") != prompt.shots("Bonn"));
}

BOOST_AUTO_TEST_SUITE_END()
