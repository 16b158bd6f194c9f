// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/neutral_prompt.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

#include "plumb/detail/prompt/in_context.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(neutral_prompt_suite)

namespace {

/// The neutral prompt for Paris in a statement about France, written as "given|join⟦answer⟧".
std::string neutral(const std::string& pattern, const std::optional<std::string>& text,
                    bool verbatim = false) {
  Relation relation{.code = "r",
                    .templates = {pattern},
                    .options = {"Paris"},
                    .option_ids = {"Q90"},
                    .facts = {{"Q142", "France", {}, 0, 0}},
                    .verbatim = verbatim};
  const Prompt made = neutral_prompt(Statement{}, relation, relation.facts[0], 0, 0, text);
  BOOST_TEST(made.answer.size() == 1U);
  BOOST_TEST(made.context == 0U);
  BOOST_TEST(made.answer[0].end == made.text.size());
  return made.text.substr(0, made.given) + "|" +
         made.text.substr(made.given, made.answer[0].begin - made.given) + "⟦" +
         made.text.substr(made.answer[0].begin) + "⟧";
}

}  // namespace

// The expected texts were written by hand.
BOOST_AUTO_TEST_CASE(the_template_stands_without_its_subject) {
  BOOST_TEST(neutral("The capital of [X] is [Y].", {}) == "The capital of is| ⟦Paris⟧");
  BOOST_TEST(neutral("[X] is ruled from [Y] today.", {}) == "Is ruled from| ⟦Paris⟧");
  BOOST_TEST(neutral("[X] is ruled from [Y].", {}, true) == "is ruled from| ⟦Paris⟧");
  BOOST_TEST(neutral("[Y] is the capital of [X].", {}) == "|⟦Paris⟧");
  BOOST_TEST(neutral("Q: What rules [X]?\nA: [Y]", {}) == "Q: What rules ?\nA:| ⟦Paris⟧");
  BOOST_TEST(neutral("[Y] and [Y] of [X]", {}) == "|⟦Paris⟧");
}

BOOST_AUTO_TEST_CASE(a_text_stands_before_the_answer_as_the_template_joins_it) {
  BOOST_TEST(neutral("The capital of [X] is [Y].", "Answer:") == "Answer:| ⟦Paris⟧");
  BOOST_TEST(neutral("The capital of [X] is [Y].", "Answer: ") == "Answer:| ⟦Paris⟧");
  BOOST_TEST(neutral("The capital of [X] is [Y].", "Answer:\n") == "Answer:\n|⟦Paris⟧");
  BOOST_TEST(neutral("[X]=\"[Y]\"", "word=\"") == "word=\"|⟦Paris⟧");
  BOOST_TEST(neutral("[Y] rules [X]", "Answer:") == "Answer:| ⟦Paris⟧");
  // The answer keeps any white space before it, not only a space.
  for (const char* text : {"Answer:", "Answer:\n"}) {
    BOOST_TEST(neutral("Q: What rules [X]?\n[Y]", text) == "Answer:\n|⟦Paris⟧");
  }
  BOOST_TEST(neutral("[X]\t[Y]", "Answer:") == "Answer:\t|⟦Paris⟧");
  BOOST_TEST(neutral("[X]的首都\u3000[Y]", "Answer:") == "Answer:\u3000|⟦Paris⟧");
  // The answer directly follows BOS.
  BOOST_TEST(neutral("The capital of [X] is [Y].", "") == "| ⟦Paris⟧");
  BOOST_TEST(neutral("[Y] rules [X]", "") == "|⟦Paris⟧");
}

BOOST_AUTO_TEST_CASE(what_stands_before_a_statement_is_left_out) {
  Dataset dataset{"d", {}, {}};
  dataset.relations.push_back({.code = "r",
                               .templates = {"the capital of [X] is [Y]."},
                               .options = {"Paris", "Rome"},
                               .option_ids = {"1", "2"},
                               .facts = {{"", "France", {}, 0, 0}, {"", "Italy", {}, 1, 1}}});
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "Say: ", {});
  for (const std::optional<std::string> text : {std::optional<std::string>(), {"It is"}}) {
    const Prompt made = neutral_prompt(builder, relation, relation.facts[0], 0, 1, text);
    BOOST_TEST(made.text == (text ? "It is Rome" : "The capital of is Rome"));
    BOOST_TEST(made.context == 0U);
  }
}

BOOST_AUTO_TEST_CASE(a_facts_own_text_for_an_option_is_the_answer) {
  Relation relation{.code = "r", .templates = {"[X]: [Y]"}, .options = {"a"}, .option_ids = {"1"}};
  const Fact fact{.subject = "s", .answer = 0, .choices = {"its own"}};
  BOOST_TEST(neutral_prompt(Statement{}, relation, fact, 0, 0, "So").text == "So its own");
}

BOOST_AUTO_TEST_CASE(whole_sentences_need_a_text) {
  Relation relation{.code = "squad",
                    .templates = {"[X]"},
                    .options = {"here"},
                    .option_ids = {"1"},
                    .verbatim = true,
                    .own_sentences = true};
  const Fact fact{.subject = "It stands [Y] now.", .answer = 0};
  BOOST_CHECK_EXCEPTION((void)neutral_prompt(Statement{}, relation, fact, 0, 0, std::nullopt),
                        Error, says(Fault::user, "squad: has whole sentences as subjects"));
  BOOST_TEST(neutral_prompt(Statement{}, relation, fact, 0, 0, "So:").text == "So: here");
}

BOOST_AUTO_TEST_SUITE_END()
