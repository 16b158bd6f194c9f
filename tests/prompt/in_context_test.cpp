// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/in_context.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(in_context)

namespace {

/// There are only two facts, so each is the only possible shot for the other.
Dataset capitals() {
  Dataset dataset{"capitals", {}, {}};
  dataset.relations.push_back(
      {.code = "capital",
       .templates = {"the capital of [X] is [Y].", "[Y] rules [X]"},
       .options = {"Paris", "Łódź"},
       .option_ids = {"Q90", "Q580"},
       .facts = {{"Q142", "France", {}, 0, 0}, {"Q36", "Poland", {}, 1, 1}}});
  return dataset;
}

std::string part(const Prompt& prompt, std::size_t i = 0) {
  return prompt.text.substr(prompt.answer[i].begin, prompt.answer[i].end - prompt.answer[i].begin);
}

}  // namespace

// The expected texts were written by hand.
BOOST_AUTO_TEST_CASE(solved_facts_stand_under_the_same_template) {
  const Dataset dataset = capitals();
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "Fact: ", {1, 3, ShotDraw::relation});
  const Prompt first = builder.build(relation, relation.facts[0], 0, 1);
  BOOST_TEST(first.text == "Fact: The capital of Poland is Łódź.\nThe capital of France is Łódź.");
  BOOST_TEST(part(first) == "Łódź");
  BOOST_TEST(first.text.substr(first.context) == "The capital of France is Łódź.");
  BOOST_TEST(first.text.substr(first.given) == " Łódź.");
  const Prompt second = builder.build(relation, relation.facts[1], 1, 0);
  BOOST_TEST(second.text == "Fact: Paris rules France\nParis rules Poland");
  BOOST_TEST(part(second) == "Paris");
  // If the statement begins with its answer, only the context counts as given.
  BOOST_TEST(second.text.substr(second.given) == "Paris rules Poland");
}

BOOST_AUTO_TEST_CASE(all_options_stand_behind_the_same_text) {
  const Dataset dataset = capitals();
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "", {1, 0, ShotDraw::fact});
  for (const std::size_t option : {0U, 1U}) {
    const Prompt made = builder.build(relation, relation.facts[0], 0, option);
    BOOST_TEST(made.text.substr(0, made.context) ==
               builder.context(relation, relation.facts[0], 0));
  }
}

BOOST_AUTO_TEST_CASE(nothing_before_it_leaves_the_statement_as_it_is) {
  const Dataset dataset = capitals();
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "", {});
  BOOST_TEST(!builder.has_context());
  const Prompt made = builder.build(relation, relation.facts[0], 0, 0);
  const Prompt alone = Statement().build(relation, relation.facts[0], 0, 0);
  BOOST_TEST(made.text == alone.text);
  BOOST_TEST(made.given == alone.given);
  BOOST_TEST(made.context == 0U);
}

BOOST_AUTO_TEST_CASE(a_prefix_stands_as_it_is) {
  const Dataset dataset = capitals();
  const Relation& relation = dataset.relations[0];
  for (const std::string prefix : {"x", "Answer:\n\n", "two  ", "[X] [Y] "}) {
    const InContext<> builder(dataset, prefix, {});
    const Prompt made = builder.build(relation, relation.facts[0], 1, 0);
    BOOST_TEST(made.text == prefix + "Paris rules France");
    BOOST_TEST(made.context == prefix.size());
    BOOST_TEST(part(made) == "Paris");
  }
  // Trailing spaces of the context are not part of the given text.
  const InContext<> spaced(dataset, "two  ", {});
  BOOST_TEST(spaced.build(relation, relation.facts[0], 1, 0).given == 3U);
}

BOOST_AUTO_TEST_CASE(cuts_and_answers_move_with_the_text) {
  Prompt prompt{"ab cd", {{0, 2}, {3, 5}}, {{2, true}}, 2};
  const Prompt moved = behind("1234", prompt);
  BOOST_TEST((moved.answer == std::vector<ByteSpan>{{4, 6}, {7, 9}}));
  BOOST_TEST((moved.cuts == std::vector<Cut>{{6, true}}));
  BOOST_TEST(moved.given == 6U);
  BOOST_TEST(behind("", prompt).text == prompt.text);
}

BOOST_AUTO_TEST_CASE(a_block_holds_the_context_that_most_facts_have) {
  Dataset dataset = capitals();
  for (std::size_t i = 2; i < 20; ++i) {
    dataset.relations[0].facts.push_back({"", "Land " + std::to_string(i), {}, 0, i});
  }
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "", {1, 9, ShotDraw::relation});
  std::size_t alike = 0;
  const Prompt shared = shared_context(builder, relation, 0, 20, 0);
  for (const Fact& fact : relation.facts) {
    alike += builder.context(relation, fact, 0) == shared.text ? 1U : 0U;
  }
  BOOST_TEST(alike == 19U);  // the shots for every fact except the one that is itself a shot
}

BOOST_AUTO_TEST_SUITE_END()
