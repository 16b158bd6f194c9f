// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/choice_fields.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace plumb::detail;
using plumb::detail::looks_like_choices;
using plumb::detail::names_choices;

BOOST_AUTO_TEST_SUITE(choice_fields)

BOOST_AUTO_TEST_CASE(names_of_choices_are_known_in_any_spelling) {
  for (const char* name :
       {"choices", "Choice", "OPTIONS", "option_a", "optionB", "answer choices", "Answer-Options",
        "candidates", "candidate_answers", "distractor1", "Multiple Choices", "multipleChoices",
        "incorrect_answers", "alternatives"}) {
    BOOST_TEST(names_choices(name), name);
  }
  for (const char* name :
       {"subject", "text", "optional", "is_optional", "title", "", "answer", "Ω"}) {
    BOOST_TEST(!names_choices(name), name);
  }
}

BOOST_AUTO_TEST_CASE(lists_look_like_choices_whatever_their_name) {
  for (const Json& value :
       {Json({"a", "b"}), Json({1947, 1950}), Json("['a', 'b']"), Json("['a' 'b']"),
        Json(R"(["a"])"), Json("('a', 'b')"), Json("[1, 2]"), Json(" [\"O'Brien\", 'a \"b\"'] ")}) {
    BOOST_TEST(looks_like_choices("x", value), value.dump());
    BOOST_TEST(looks_like_choices("options", value), value.dump());
  }
  for (const Json& value :
       {Json("a"), Json("[Untitled]"), Json("(born 1947)"), Json("[]"), Json(""), Json(4), Json(),
        Json(true), Json::array(), Json::object(), Json({{"a", 1}})}) {
    BOOST_TEST(!looks_like_choices("x", value), value.dump());
  }
  BOOST_TEST(looks_like_choices("option_a", "Paris"));
  BOOST_TEST(!looks_like_choices("candidate_score", "0.91"));
  BOOST_TEST(looks_like_choices("choices", Json({{"text", {"a", "b"}}})));
  BOOST_TEST(!looks_like_choices("num_options", 4));
  BOOST_TEST(!looks_like_choices("options", " "));
}

BOOST_AUTO_TEST_CASE(each_field_is_reported_once) {
  std::vector<std::string> said;
  const ProblemSink report = [&](const Error& error) { said.emplace_back(error.what()); };
  UnreadChoices unread(report);
  for (std::size_t line = 1; line < 4; ++line) {
    unread.look_at("labels", Json({"a"}), {"f.jsonl", line});
    unread.check_names(Json{{"choices", {"a"}}, {"options", {"a"}}, {"evidence", {"b"}}},
                       {"f.jsonl", line});
  }
  BOOST_REQUIRE(said.size() == 2U);
  BOOST_TEST(said[0] ==
             "f.jsonl:1: labels: looks like a question's choices, but is not read; rename it to "
             "choices, in a table whose facts have a subject and an object, or remove it");
  BOOST_TEST(said[1].starts_with("f.jsonl:1: options: looks"));
}

BOOST_AUTO_TEST_SUITE_END()
