// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/json_text_field.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(json_text_field)

namespace {

/// The text field of an object that arrives in blocks of a given size, or "!" followed by the
/// problem.
std::string text_of(std::string_view object, std::size_t block, const std::string& field = "text") {
  std::string text;
  JsonTextField json(field, [&](std::string_view part) { text += part; });
  for (std::size_t at = 0; at < object.size(); at += block) json.add(object.substr(at, block));
  const char* const problem = json.end();
  return problem == nullptr ? text : std::string("!") + problem;
}

void check(const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [object, expected] : pairs) {
    for (const std::size_t block : {1U, 2U, 3U, 1000U}) {
      BOOST_TEST(text_of(object, block) == expected,
                 object << " in blocks of " << block << ": " << text_of(object, block));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(text_field_is_found_among_other_fields) {
  check({{R"({"text":"one"})", "one"},
         {R"({"text": ""})", ""},
         {R"(	{ "id" : -1.5e3 , "text" : "one two" , "meta" : null } )"
          "\r",
          "one two"},
         {R"({"meta": {"text": "no", "x": [1, {"text": "}]"}]}, "text": "yes"})", "yes"},
         {R"({"a": ["text", "no", [], {}], "text": "yes", "b": {}})", "yes"},
         {R"({"a": "text", "texts": "no", "tex": "no", "text": "yes"})", "yes"},
         {R"({"a\"text": "no", "te\u0078t": "yes"})", "yes"}});
  BOOST_TEST(text_of(R"({"text": "no", "raw_content": "yes"})", 5, "raw_content") == "yes");
}

BOOST_AUTO_TEST_CASE(escapes_are_decoded) {
  check({{R"({"text": "a\nb\tc\r\"\\\/\b\f."})", "a\nb\tc\r\"\\/\b\f."},
         {R"({"text": "S\u00e3o \u00C9 \u6771"})", "São É 東"},
         {R"({"text": "\ud83d\ude00!"})", "😀!"},
         {R"({"text": "é\u0000x"})", std::string("é\0x", 4)},
         // These texts contain unpaired surrogates.
         {R"({"text": "\ud83d"})", "\uFFFD"},
         {R"({"text": "\ud83dx\ude00"})", "\uFFFDx\uFFFD"},
         {R"({"text": "\ud83d\n\ud83d\ud83d\ude00"})", "\uFFFD\n\uFFFD😀"}});
}

BOOST_AUTO_TEST_CASE(lines_that_are_not_objects_with_a_text_are_reported) {
  const std::string cut = "!is not a complete JSON object";
  check({{R"("text")", "!is not a JSON object"},
         {R"(["text", "a"])", "!is not a JSON object"},
         {"text", "!is not a JSON object"},
         {R"({"text": "a)", cut},
         {R"({"text": "a")", cut},
         {R"({"text": "a\)", cut},
         {R"({"text")", cut},
         {R"({"text" "a"})", cut},
         {R"({"text":})", cut},
         {R"({"text": "a",})", cut},
         {R"({"text": "a" "b"})", cut},
         {R"({"text": "a", "b": [1})", cut},
         {R"({"text": "a", "b": {]})", cut},
         {R"({text: "a"})", cut},
         {R"({"text": "a"} {})", "!has further text after its object"},
         {R"({"text": "\x41"})", "!has an escape that is not valid in JSON"},
         {R"({"text": "\u00g0"})", "!has an escape that is not valid in JSON"},
         {R"({"text": null})", "!has a text that is not a string"},
         {R"({"text": ["a"]})", "!has a text that is not a string"},
         {R"({"text": 1})", "!has a text that is not a string"},
         {R"({"text": "a", "text": "b"})", "!has two texts"},
         {"{}", "!has no text"},
         {R"({"title": "a"})", "!has no text"}});
  const std::string deep(2000, '[');
  check({{"{\"a\": " + deep, "!is nested too deeply"}});
  check({{"{\"text\": \"a\", \"b\": " + std::string(900, '[') + std::string(900, ']') + "}", "a"}});
}

BOOST_AUTO_TEST_CASE(one_object_follows_another) {
  std::vector<std::string> texts;
  JsonTextField json("text", [&](std::string_view part) { texts.emplace_back(part); });
  const auto end = [&](std::string_view object) {
    json.add(object);
    return json.end();
  };
  BOOST_TEST((end(R"({"text": "one\ud83d"})") == nullptr));
  BOOST_TEST(!json.was_blank());
  BOOST_TEST((end(" \t\r") == nullptr));
  BOOST_TEST(json.was_blank());
  BOOST_TEST((end(R"({"text": "\q)") != nullptr));
  BOOST_TEST(!json.was_blank());
  BOOST_TEST((end(R"({"text": "two"})") == nullptr));
  BOOST_TEST(texts == (std::vector<std::string>{"one\uFFFD", "two"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
