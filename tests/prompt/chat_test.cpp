// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/prompt/chat.hpp"

#include <boost/test/unit_test.hpp>
#include <span>
#include <string>
#include <vector>

#include "plumb/detail/prompt/in_context.hpp"
#include "plumb/detail/prompt/statement.hpp"
#include "support/errors.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(chat_suite)

namespace {

/// Writes turns as "<u>question</u><a>", followed by a space and the answer.
std::string written(const ChatTemplate& by, std::span<const ChatMessage> turns, bool opens) {
  std::string text = by.text;
  for (const ChatMessage& turn : turns) {
    if (turn.role == "assistant") {
      text += "<a> " + turn.content + "</a>";
    } else {
      text +=
          "<" + turn.role.substr(0, 1) + ">" + turn.content + "</" + turn.role.substr(0, 1) + ">";
    }
  }
  return text + (opens ? "<a>" : "");
}

Dataset capitals() {
  Dataset dataset{"capitals", {}, {}};
  dataset.relations.push_back(
      {.code = "capital",
       .templates = {"the capital of [X] is [Y].", "[Y] rules [X]", "In [X] [Y] is the capital。",
                     "[X]: [Y], [Y]", "首都 [X] [Y]。"},
       .options = {"Paris", "Łódź"},
       .option_ids = {"Q90", "Q580"},
       .facts = {{"Q142", "France", {}, 0, 0}, {"Q36", "Poland", {}, 1, 1}}});
  return dataset;
}

Prompt statement(std::size_t template_index) {
  const Dataset dataset = capitals();
  return Statement{}.build(dataset.relations[0], dataset.relations[0].facts[0], template_index, 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_statement_is_cut_before_its_answer) {
  const auto [question, answer] = question_and_answer(statement(0));
  BOOST_TEST(question == "The capital of France is");
  BOOST_TEST(answer.text == "Łódź.");
  BOOST_TEST((answer.answer.front() == ByteSpan{0, 7}));
  BOOST_TEST(question_and_answer(statement(4)).answer.text == "Łódź。");
}

BOOST_AUTO_TEST_CASE(a_statement_that_is_no_question_and_answer_is_refused) {
  const auto refuses = [](std::size_t t, const char* why) {
    BOOST_CHECK_EXCEPTION((void)question_and_answer(statement(t)), Error, says(Fault::user, why));
  };
  refuses(1, "begins with its answer, so there is no question");
  refuses(2, "has words after its answer");
  refuses(3, "has words after its answer");
  BOOST_CHECK_THROW((void)question_and_answer({"no answer", {}}), Error);
}

// The expected texts were written by hand.
BOOST_AUTO_TEST_CASE(shots_are_turns_and_only_the_assistants_words_are_scored) {
  const Dataset dataset = capitals();
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "Answer. ", {1, 3, ShotDraw::relation}, {},
                            Chat({"^"}, written, ChatTurn::question, "Be brief."));
  const Prompt made = builder.build(relation, relation.facts[0], 0, 0);
  const std::string before =
      "^<s>Be brief.</s><u>Answer. The capital of Poland is</u><a> Łódź.</a><u>The capital of "
      "France is</u><a> ";
  BOOST_TEST(made.text == before + "Paris.");
  BOOST_TEST(made.context == before.size());
  BOOST_TEST(made.given == before.size() - 1);  // the space belongs to the answer
  BOOST_TEST(made.text.substr(made.answer.front().begin) == "Paris.");
  BOOST_TEST(builder.context(relation, relation.facts[0], 0) == before);
  BOOST_TEST(builder.shared_context(relation, relation.facts[0], 0) ==
             before.substr(0, before.rfind("The capital")));
  BOOST_TEST(builder.has_context());
}

BOOST_AUTO_TEST_CASE(assistant_turn_contains_the_whole_statement) {
  const Dataset dataset = capitals();
  const Relation& relation = dataset.relations[0];
  const InContext<> builder(dataset, "A fact?", {1, 3, ShotDraw::relation}, {},
                            Chat({""}, written, ChatTurn::statement, ""));
  const Prompt made = builder.build(relation, relation.facts[0], 1, 0);
  BOOST_TEST(made.text ==
             "<u>A fact?</u><a> Łódź rules Poland</a><u>A fact?</u><a> Paris rules France");
  BOOST_TEST(made.text.substr(made.context) == "Paris rules France");
}

// The templates either insert an empty thinking block before the answer, as Qwen 3's does, or
// insert nothing.
BOOST_AUTO_TEST_CASE(nothing_but_white_space_is_put_before_the_answer) {
  const auto thinking = [](const ChatTemplate& by, std::span<const ChatMessage> turns, bool opens) {
    std::string text = written(by, turns, opens);
    const std::size_t place = text.find("<a> ");
    return place == std::string::npos ? text : text.insert(place + 3, "<think></think>");
  };
  const Chat chat({""}, thinking, ChatTurn::question, "");
  BOOST_TEST(chat.context("", {}, statement(0)) == "<u>The capital of France is</u><a>");
  BOOST_TEST(chat.warning().value() ==
             "Warning: the chat template writes \"<think></think> \" before an answer. Answers are "
             "scored directly after the generation prompt.");
  BOOST_TEST(!Chat({""}, written, ChatTurn::question, "").warning().has_value());
}

// gpt-oss's answers begin with another header than the generation prompt.
BOOST_AUTO_TEST_CASE(an_answer_that_does_not_follow_the_generation_prompt_is_warned_of) {
  const auto without_opening = [](const ChatTemplate& by, std::span<const ChatMessage> turns,
                                  bool opens) {
    return written(by, turns, false) + (opens ? "<start>" : "");
  };
  const Chat chat({""}, without_opening, ChatTurn::question, "");
  BOOST_TEST(chat.warning().value().find("does not follow the generation prompt") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_template_that_leaves_out_or_changes_a_turn_is_refused) {
  const auto silent = [](const ChatTemplate& by, std::span<const ChatMessage> turns, bool opens) {
    std::vector<ChatMessage> heard;
    for (const ChatMessage& turn : turns) {
      if (turn.role != "system") heard.push_back(turn);
    }
    return written(by, heard, opens);
  };
  // The template is also rejected if the question contains the words of the system message.
  BOOST_CHECK_EXCEPTION(Chat({""}, silent, ChatTurn::question, "The"), Error,
                        says(Fault::user, "omits the system message"));
  const auto forgetful = [](const ChatTemplate& by, std::span<const ChatMessage> turns,
                            bool opens) { return written(by, turns.last(1), opens); };
  const Chat forgets({""}, forgetful, ChatTurn::question, "");
  BOOST_TEST(forgets.context("", {}, statement(0)) == "<u>The capital of France is</u><a>");
  BOOST_CHECK_EXCEPTION((void)forgets.context("", {statement(0)}, statement(0)), Error,
                        says(Fault::user, "omits earlier turns"));
  const auto deaf = [](const ChatTemplate&, std::span<const ChatMessage>, bool) {
    return std::string("<a>");
  };
  BOOST_CHECK_EXCEPTION(
      (void)Chat({""}, deaf, ChatTurn::question, "").context("", {}, statement(0)), Error,
      says(Fault::user, "changes the user's"));
}

BOOST_AUTO_TEST_SUITE_END()
