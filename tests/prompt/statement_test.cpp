// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/statement.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(statement_suite)

namespace {

/// The text with each answer span enclosed in ⟦ and ⟧.
std::string marked(const Prompt& prompt) {
  std::string text = prompt.text;
  for (auto span = prompt.answer.rbegin(); span != prompt.answer.rend(); ++span) {
    text.insert(span->end, "⟧");
    text.insert(span->begin, "⟦");
  }
  return text;
}

std::string filled(std::string_view pattern, std::string_view subject, std::string_view answer) {
  return marked(fill_template(pattern, subject, answer));
}

}  // namespace

BOOST_AUTO_TEST_CASE(placeholders_are_filled_and_the_answer_span_is_recorded) {
  const Prompt prompt = fill_template("The capital of [X] is [Y].", "France", "Paris");
  BOOST_TEST(prompt.text == "The capital of France is Paris.");
  BOOST_REQUIRE(prompt.answer.size() == 1U);
  BOOST_TEST(prompt.answer[0].begin == 25U);
  BOOST_TEST(prompt.answer[0].end == 30U);
}

BOOST_AUTO_TEST_CASE(placeholders_may_stand_anywhere_and_touch) {
  BOOST_TEST(filled("[Y] is the capital of [X]", "France", "Paris") ==
             "⟦Paris⟧ is the capital of France");
  BOOST_TEST(filled("[X][Y]", "Aix", "-la") == "Aix⟦-la⟧");
  BOOST_TEST(filled("[Y][X]", "Aix", "B") == "⟦B⟧Aix");
  BOOST_TEST(filled("[X]", "aix", "B") == "Aix");
  BOOST_TEST(filled("", "aix", "B") == "");
}

BOOST_AUTO_TEST_CASE(both_placeholders_may_be_repeated) {
  BOOST_TEST(filled("[X] and [Y]: [Y] or [X]?", "tea", "café") == "Tea and ⟦café⟧: ⟦café⟧ or tea?");
}

BOOST_AUTO_TEST_CASE(what_looks_like_a_placeholder_in_the_data_stays) {
  BOOST_TEST(filled("[X] is [Y].", "The [Y] key", "a [X] mark") == "The [Y] key is ⟦a [X] mark⟧.");
  BOOST_TEST(filled("[X] is [Y].", "[X]", "[Y]") == "[X] is ⟦[Y]⟧.");
}

BOOST_AUTO_TEST_CASE(other_brackets_are_text) {
  BOOST_TEST(filled("[[X]] [Z] [x] [Y", "a", "b") == "[a] [Z] [x] [Y");
  BOOST_TEST(filled("[X] [[Y]][", "a", "b") == "A [⟦b⟧][");
}

BOOST_AUTO_TEST_CASE(the_first_letter_is_upper_cased) {
  BOOST_TEST(filled("[X] is [Y].", "özil", "a player") == "Özil is ⟦a player⟧.");
  BOOST_TEST(filled("the [X] is [Y].", "sky", "blue") == "The sky is ⟦blue⟧.");
  BOOST_TEST(filled("[Y] is [X].", "x", "écru") == "⟦Écru⟧ is x.");
}

// Some letters differ in length from their upper case: "ɐ" (U+0250) has two bytes and "Ɐ" (U+2C6F)
// three; "ⱥ" (U+2C65) has three and "Ⱥ" (U+023A) two.
BOOST_AUTO_TEST_CASE(spans_follow_an_upper_case_of_another_byte_length) {
  BOOST_TEST(filled("[X] is [Y].", "ɐn", "é") == "Ɐn is ⟦é⟧.");
  BOOST_TEST(filled("[Y] is [X], [Y].", "x", "ɐn") == "⟦Ɐn⟧ is x, ⟦ɐn⟧.");
  BOOST_TEST(filled("[Y] is [X], [Y].", "x", "ⱥn") == "⟦Ⱥn⟧ is x, ⟦ⱥn⟧.");
  BOOST_TEST(filled("ſee [Y]", "", "it") == "See ⟦it⟧");
  const Prompt prompt = fill_template("[Y][X]", "x", "ɐ");
  BOOST_TEST(prompt.text == "Ɐx");
  BOOST_TEST((prompt.answer == std::vector<ByteSpan>{{0, 3}}));
}

BOOST_AUTO_TEST_CASE(an_empty_answer_is_an_empty_span) {
  BOOST_TEST(filled("[Y]ɐ[Y]", "", "") == "⟦⟧Ɐ⟦⟧");
}

BOOST_AUTO_TEST_CASE(a_statement_takes_the_template_and_option_it_is_asked_for) {
  Relation relation;
  relation.templates = {"The capital of [X] is [Y].", "[Y] is the capital of [X]."};
  relation.options = {"Paris", "Rome"};
  const Fact italy{"Q38", "Italy", {}, 1, 0};
  const Statement builder;
  BOOST_TEST(marked(builder.build(relation, italy, 0, 1)) == "The capital of Italy is ⟦Rome⟧.");
  BOOST_TEST(marked(builder.build(relation, italy, 1, 0)) == "⟦Paris⟧ is the capital of Italy.");
}

BOOST_AUTO_TEST_CASE(a_verbatim_relation_is_filled_byte_for_byte) {
  BOOST_TEST(marked(fill_template("[X] is [Y].", "ɐn", "é", true)) == "ɐn is ⟦é⟧.");
  BOOST_TEST(marked(fill_template("[Y][X]", "\n", "ſee", true)) == "⟦ſee⟧\n");
  Relation relation;
  relation.templates = {"[X][Y]"};
  relation.options = {"he rains", "it rains"};
  const Fact fact{"0", "so ", {}, 0, 0};
  BOOST_TEST(marked(Statement().build(relation, fact, 0, 1)) == "So ⟦it rains⟧");
  relation.verbatim = true;
  BOOST_TEST(marked(Statement().build(relation, fact, 0, 1)) == "so ⟦it rains⟧");
}

BOOST_AUTO_TEST_CASE(choices_of_a_fact_replace_the_options) {
  Relation relation;
  relation.templates = {"[X]: [Y]"};
  relation.options = {"completion", "contradiction"};
  Fact own{"0", "Sky", {}, 0, 0};
  own.choices = {"blue", "green"};
  const Fact none{"1", "Sea", {}, 0, 1};
  BOOST_TEST(marked(Statement().build(relation, own, 0, 0)) == "Sky: ⟦blue⟧");
  BOOST_TEST(marked(Statement().build(relation, own, 0, 1)) == "Sky: ⟦green⟧");
  BOOST_TEST(marked(Statement().build(relation, none, 0, 1)) == "Sea: ⟦contradiction⟧");
}

BOOST_AUTO_TEST_CASE(a_question_is_what_stands_before_the_answer) {
  BOOST_TEST(fill_question("what is the capital of [X]?  [Y].", "Peru") ==
             "what is the capital of Peru?");
  BOOST_TEST(fill_question("[X] [Y] of [Y]", "a [Y] b") == "a [Y] b  of");
  BOOST_TEST(fill_question("Who is [X]?", "Bo") == "Who is Bo?");
}

BOOST_AUTO_TEST_CASE(a_subject_that_is_a_sentence_is_the_template) {
  Relation relation;
  relation.templates = {"[X]"};
  relation.options = {"think", "[X]"};
  relation.own_sentences = relation.verbatim = true;
  const Fact fact{"0", "alive, you [Y].", {}, 0, 0};
  BOOST_TEST(marked(Statement().build(relation, fact, 0, 0)) == "alive, you ⟦think⟧.");
  BOOST_TEST(marked(Statement().build(relation, fact, 0, 1)) == "alive, you ⟦[X]⟧.");
}

BOOST_AUTO_TEST_SUITE_END()
