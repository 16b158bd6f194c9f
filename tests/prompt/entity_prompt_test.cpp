// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/entity_prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(entity_prompt)

namespace {

const Entity stool{"00001", "stool", "a simple seat"};
const Entity plain{"stool", "stool"};

}  // namespace

// The expected text is from Figure 2 of the paper.
BOOST_AUTO_TEST_CASE(an_entity_is_summed_up_in_one_word) {
  BOOST_TEST(entity_text(EntityPrompt::eol, stool) ==
             "stool - a simple seat\n"
             "This sentence: \"{word}\" means in one word: \"{one word}\"\n"
             "This sentence: \"stool\" means in one word: \"");
}

BOOST_AUTO_TEST_CASE(without_a_description_the_last_line_stands_alone) {
  BOOST_TEST(entity_text(EntityPrompt::eol, plain) ==
             "This sentence: \"stool\" means in one word: \"");
}

// Two graphs use a placeholder for a missing description: YAGO "_", WN18RR "-". The placeholder is
// read as a description.
BOOST_AUTO_TEST_CASE(a_description_of_one_sign_is_a_description) {
  for (const char* sign : {"_", "-"}) {
    BOOST_TEST(entity_text(EntityPrompt::eol, {"1", "Albert Einstein", sign}) ==
               std::string("Albert Einstein - ") + sign +
                   "\nThis sentence: \"{word}\" means in one word: \"{one word}\"\n"
                   "This sentence: \"Albert Einstein\" means in one word: \"");
  }
}

// The expected texts are from Figures 12 to 14.
BOOST_AUTO_TEST_CASE(prompts_a_b_and_c_write_the_same_otherwise) {
  BOOST_TEST(entity_text(EntityPrompt::a, stool) ==
             "entity: \"stool\", description: \"a simple seat\"\n"
             "Summarize the entity: \"stool\" in one word: \"");
  BOOST_TEST(entity_text(EntityPrompt::b, stool) ==
             "<\"stool\": \"a simple seat\">\n"
             "In one word, \"stool\" means: \"");
  BOOST_TEST(entity_text(EntityPrompt::c, stool) ==
             "[\"stool\", \"a simple seat\"]\n"
             "Summarize the meaning of {stool} in one word {");
}

BOOST_AUTO_TEST_CASE(prompts_a_b_and_c_write_an_empty_description) {
  BOOST_TEST(entity_text(EntityPrompt::a, plain) ==
             "entity: \"stool\", description: \"\"\n"
             "Summarize the entity: \"stool\" in one word: \"");
  BOOST_TEST(entity_text(EntityPrompt::b, plain) ==
             "<\"stool\": \"\">\nIn one word, \"stool\" means: \"");
  BOOST_TEST(entity_text(EntityPrompt::c, plain) ==
             "[\"stool\", \"\"]\nSummarize the meaning of {stool} in one word {");
}

BOOST_AUTO_TEST_CASE(names_and_descriptions_are_written_as_they_are) {
  const Entity odd{"1", "\"Weird Al\" {Yankovic}", "Łódź\n- \"x\""};
  BOOST_TEST(entity_text(EntityPrompt::eol, odd) ==
             "\"Weird Al\" {Yankovic} - Łódź\n- \"x\"\n"
             "This sentence: \"{word}\" means in one word: \"{one word}\"\n"
             "This sentence: \"\"Weird Al\" {Yankovic}\" means in one word: \"");
}

BOOST_AUTO_TEST_CASE(the_identifier_is_not_shown) {
  for (const EntityPrompt prompt :
       {EntityPrompt::eol, EntityPrompt::a, EntityPrompt::b, EntityPrompt::c}) {
    BOOST_TEST(entity_text(prompt, stool).find("00001") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(prompts_have_names) {
  BOOST_TEST(name_of(EntityPrompt::eol) == "eol");
  BOOST_TEST(name_of(EntityPrompt::a) == "a");
  BOOST_TEST(name_of(EntityPrompt::b) == "b");
  BOOST_TEST(name_of(EntityPrompt::c) == "c");
  BOOST_TEST(every(EntityPrompt{}).size() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()
