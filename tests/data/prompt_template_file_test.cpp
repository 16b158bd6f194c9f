// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/prompt_template_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(prompt_template_file)

namespace {

using Problems = std::vector<std::string>;

struct File : test::TemporaryFolder {
  [[nodiscard]] PromptTemplateFile read(const std::string& text) const {
    return PromptTemplateFile(write("templates.jsonl", text));
  }
  /// Reads the whole file and collects its problems, without the folder's path in the messages.
  PromptTemplateFile read_on(const std::string& text) {
    return PromptTemplateFile(write("templates.jsonl", text), [this](const Error& error) {
      BOOST_TEST((error.fault() == Fault::user));
      problems.push_back(std::string(error.what()).substr(path().string().size() + 1));
    });
  }
  /// Checks that this line, between two valid ones, is reported with this message and skipped.
  void refuses(const std::string& line, const std::string& words) {
    problems.clear();
    const std::string sound = R"({"relation": "P36", "template": "[X] has [Y]."})";
    const std::string more = R"({"relation": "P36", "template": "[X] had [Y]."})";
    const PromptTemplateFile file = read_on(sound + "\n" + line + "\n" + more + "\n");
    BOOST_REQUIRE(problems.size() == 1U);
    BOOST_TEST(problems[0].starts_with("templates.jsonl:2: " + words), problems[0]);
    BOOST_REQUIRE(file.find("P36") != nullptr);
    BOOST_TEST(file.find("P36")->templates.size() == 2U);
  }

  Problems problems;
};

/// A template as "text | group | style | origin".
std::string spelt(const PromptTemplate& one) {
  return one.text + " | " + one.group + " | " + style_word(one.style) + " | " +
         origin_word(one.origin);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(line_holds_group_style_and_origin_of_a_template, File) {
  const PromptTemplateFile file =
      read(R"({"relation": "P36", "template": "The capital of [X] is [Y].", "group": "a",)"
           R"( "style": "cloze", "origin": "manual", "more": 7})"
           "\n\n"
           R"({"origin": "generated", "style": "question", "group": "b",)"
           R"( "template": "What is the capital of [X]? [Y].", "relation": "P36"})");
  BOOST_TEST(file.path() == *this / "templates.jsonl");
  BOOST_REQUIRE(file.relations().size() == 1U);
  const RelationTemplates& capital = file.relations()[0];
  BOOST_TEST(capital.code == "P36");
  BOOST_TEST(capital.line == 1U);
  BOOST_REQUIRE(capital.templates.size() == 2U);
  BOOST_TEST(spelt(capital.templates[0]) == "The capital of [X] is [Y]. | a | cloze | manual");
  BOOST_TEST(spelt(capital.templates[1]) ==
             "What is the capital of [X]? [Y]. | b | question | generated");
}

BOOST_FIXTURE_TEST_CASE(unspecified_template_fields_default_to_a_manual_cloze, File) {
  const PromptTemplateFile file = read(R"({"relation": "P36", "template": "[Y] rules [X]"})");
  BOOST_TEST(spelt(file.find("P36")->templates.at(0)) == "[Y] rules [X] |  | cloze | manual");
}

BOOST_FIXTURE_TEST_CASE(origins_are_known_if_any_line_specifies_one, File) {
  const std::string silent = R"({"relation": "P36", "template": "[X] has [Y]."})";
  BOOST_TEST(!read(silent).knows_origins());
  BOOST_TEST(
      read(silent + "\n" + R"({"relation": "P36", "template": "[X] had [Y].", "origin": "manual"})")
          .knows_origins());
}

BOOST_FIXTURE_TEST_CASE(relations_are_in_order_of_first_appearance, File) {
  const PromptTemplateFile file = read(R"({"relation": "P9", "template": "[X] [Y] 1"})"
                                       "\n"
                                       R"({"relation": "P1", "template": "[X] [Y] 1"})"
                                       "\n"
                                       R"({"relation": "P9", "template": "[X] [Y] 2"})");
  BOOST_REQUIRE(file.relations().size() == 2U);
  BOOST_TEST(file.relations()[0].code == "P9");
  BOOST_TEST(file.relations()[0].templates.size() == 2U);
  BOOST_TEST(file.relations()[1].code == "P1");
  BOOST_TEST(file.relations()[1].line == 2U);
  BOOST_TEST(file.find("P1") == &file.relations()[1]);
  BOOST_TEST(file.find("P2") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_question_is_followed_by_its_answer_alone) {
  for (const char* text : {"Where is [X]? [Y].", "Where is [X]? [Y]", "? [Y]"}) {
    BOOST_TEST(is_question(text));
  }
  for (const char* text : {"[X] is in [Y].", "Where is [X]? In [Y].", "Where is [X]?[Y].",
                           "Where is [X]? [Y]. ", "Where is [X]? [Y]!", "Is [Y] where [X] is?"}) {
    BOOST_TEST(!is_question(text));
  }
}

BOOST_FIXTURE_TEST_CASE(a_template_has_its_placeholders, File) {
  refuses(R"({"relation": "P36", "template": "It is [Y]."})",
          "template: template 'It is [Y].' has no [X]; write [X] in the subject's place");
  refuses(R"({"relation": "P36", "template": "[X] is."})",
          "template: template '[X] is.' has no [Y]");
  refuses(R"({"relation": "P36", "template": "[X] is [Y], yes, [Y]."})",
          "template: template '[X] is [Y], yes, [Y].' has more than one [Y]; write it once");
  BOOST_TEST(read(R"({"relation": "P1", "template": "[X], yes, [X], is [Y]."})")
                 .find("P1")
                 ->templates.size() == 1U);  // the subject may appear anywhere, even twice
}

BOOST_FIXTURE_TEST_CASE(question_template_must_end_with_its_answer, File) {
  refuses(R"({"relation": "P36", "template": "Where is [X]? In [Y].", "style": "question"})",
          "template: template 'Where is [X]? In [Y].' is a question whose answer is not at the "
          "end; end it with \"? [Y].\" or write \"style\": \"cloze\"");
  BOOST_TEST(read(R"({"relation": "P1", "template": "Where is [X]? In [Y].", "style": "cloze"})")
                 .find("P1")
                 ->templates.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(missing_or_mistyped_field_is_reported_by_name, File) {
  refuses(R"({"template": "[X] is [Y]."})", "relation: is missing; write \"relation\": \"…\"");
  refuses(R"({"relation": 36, "template": "[X] is [Y]."})", "relation: is not a string");
  refuses(R"({"relation": "", "template": "[X] is [Y]."})", "relation: is empty");
  refuses(R"({"relation": "P36"})", "template: is missing");
  refuses(R"({"relation": "P36", "template": ["[X] is [Y]."]})", "template: is not a string");
  refuses(R"({"relation": "P36", "template": "  "})", "template: is empty");
  for (const char* group : {"7", "null", "[\"a\"]"}) {
    refuses(
        R"({"relation": "P36", "template": "[X] is [Y].", "group": )" + std::string(group) + "}",
        "group: is not a string; name the template that it paraphrases, or remove it");
  }
}

BOOST_FIXTURE_TEST_CASE(a_style_or_origin_of_another_word_is_refused, File) {
  const std::string begin = R"({"relation": "P36", "template": "What is [X]? [Y].", )";
  refuses(begin + R"("style": "Question"})",
          "style: \"Question\" is neither cloze nor question; write one of them, or remove it to "
          "mean cloze");
  refuses(begin + R"("style": true})", "style: true is neither");
  refuses(begin + R"("style": null})", "style: null is neither");
  refuses(begin + R"("origin": "auto"})",
          "origin: \"auto\" is neither manual nor generated; write one of them, or remove it to "
          "mean manual");
  refuses(begin + R"("origin": 1})", "origin: 1 is neither");
}

BOOST_FIXTURE_TEST_CASE(a_line_that_is_no_object_is_reported, File) {
  refuses("not json", "not JSON (byte ");
  refuses("[]", "is JSON but not an object");
  refuses("{\"relation\": \"P36\", \"template\": \"[X] \xFF [Y].\"}", "not UTF-8 at byte 38");
}

BOOST_FIXTURE_TEST_CASE(equal_templates_of_a_relation_are_reported, File) {
  refuses(R"({"relation": "P36", "template": "[X] has [Y].", "origin": "generated"})",
          "template: '[X] has [Y].' is duplicated in relation P36; remove one of the lines");
  const PromptTemplateFile file = read(R"({"relation": "P36", "template": "[X] has [Y]."})"
                                       "\n"
                                       R"({"relation": "P30", "template": "[X] has [Y]."})");
  BOOST_TEST(file.relations().size() == 2U);  // another relation may have the same template
}

BOOST_FIXTURE_TEST_CASE(relation_with_only_malformed_lines_has_no_templates, File) {
  const PromptTemplateFile file = read_on(R"({"relation": "P36", "template": "It is [Y]."})");
  BOOST_TEST(problems.size() == 1U);
  BOOST_REQUIRE(file.find("P36") != nullptr);
  BOOST_TEST(file.find("P36")->templates.empty());
}

BOOST_FIXTURE_TEST_CASE(the_first_problem_ends_the_reading_where_none_is_taken, File) {
  BOOST_CHECK_EXCEPTION((void)read("{}"), Error,
                        says(Fault::user, "templates.jsonl:1: relation: is missing"));
}

BOOST_FIXTURE_TEST_CASE(a_file_that_cannot_be_read_is_refused, File) {
  BOOST_CHECK_EXCEPTION(PromptTemplateFile(*this / "none.jsonl"), Error,
                        says(Fault::user, "none.jsonl: cannot be read; check that it exists"));
  BOOST_CHECK_EXCEPTION(PromptTemplateFile(this->path()), Error,
                        says(Fault::user, "is a folder; name a templates.jsonl"));
  BOOST_TEST(read("").relations().empty());
}

BOOST_AUTO_TEST_SUITE_END()
