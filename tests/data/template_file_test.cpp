// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/template_file.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(template_file)

namespace {

using Templates = std::vector<std::string>;

/// Two relations, "P36" and "P19", with one template each.
struct Asked : test::TemporaryFolder {
  Asked() {
    for (const char* code : {"P36", "P19"}) {
      Relation relation;
      relation.code = code;
      relation.templates = {"[X] had [Y]."};
      dataset.relations.push_back(relation);
    }
  }
  void use(const std::string& json) { use_template_file(dataset, write("t.json", json)); }
  /// Uses a .jsonl template file with these lines.
  void use_lines(const Templates& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    use_template_file(dataset, write("t.jsonl", text));
  }
  /// Uses a file with `value` for "P36" and a valid entry for "P19".
  void use_for_p36(const std::string& value) { use(R"({"P36": )" + value + sound_p19); }

  const std::string sound_p19 = R"(, "P19": ["[X] is from [Y]."]})";
  Dataset dataset{"data", {}, {"data/P36.jsonl"}};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_files_templates_replace_the_datasets, Asked) {
  use(R"({"P19": ["[X] is from [Y]."], "P36": ["[Y] rules [X].", "[X]: [Y]"], "P1": ["none"]})");
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].templates == (Templates{"[Y] rules [X].", "[X]: [Y]"}));
  BOOST_TEST(dataset.relations[1].templates == Templates{"[X] is from [Y]."});
}

BOOST_FIXTURE_TEST_CASE(bears_metadata_is_such_a_file, Asked) {
  use_for_p36(R"({"answer_space_labels": ["a"], "templates": ["[X] → [Y]"]})");
  BOOST_TEST(dataset.relations[0].templates == Templates{"[X] → [Y]"});
  BOOST_TEST(dataset.relations[1].templates == Templates{"[X] is from [Y]."});
}

BOOST_FIXTURE_TEST_CASE(the_file_is_one_more_that_was_read, Asked) {
  use_for_p36(R"(["[X]: [Y]"])");
  BOOST_CHECK(
      (dataset.files == std::vector<std::filesystem::path>{"data/P36.jsonl", *this / "t.json"}));
}

BOOST_FIXTURE_TEST_CASE(error_names_the_relation_without_templates, Asked) {
  BOOST_CHECK_EXCEPTION(use(R"({"P36": ["[X]: [Y]"]})"), Error,
                        says(Fault::user,
                             "t.json: P19: has no templates for this relation; add them, or choose "
                             "other relations with `relations`"));
}

BOOST_FIXTURE_TEST_CASE(what_is_no_list_of_templates_is_refused, Asked) {
  for (const char* value : {"[]", "\"[X]: [Y]\"", "7", "null", R"(["[X]: [Y]", 7])", "{}",
                            R"({"templates": "[X]: [Y]"})", R"({"templates": []})"}) {
    BOOST_CHECK_EXCEPTION(use_for_p36(value), Error,
                          says(Fault::user, "t.json:1: P36: has no list of templates; write [\"…"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_template_has_both_placeholders, Asked) {
  BOOST_CHECK_EXCEPTION(use_for_p36(R"(["[X]: [Y]", "[X] is."])"), Error,
                        says(Fault::user,
                             "t.json:1: P36: template '[X] is.' has no [Y]; write [X] in the "
                             "subject's place and [Y] in the answer's"));
  BOOST_CHECK_EXCEPTION(use_for_p36(R"({"templates": ["It is [Y]."]})"), Error,
                        says(Fault::user, "t.json:1: P36: template 'It is [Y].' has no [X]"));
}

BOOST_FIXTURE_TEST_CASE(template_error_gives_its_line, Asked) {
  const auto refused = [&](const std::string& json, const std::string& words) {
    BOOST_CHECK_EXCEPTION(use(json), Error, says(Fault::user, words));
  };
  refused("{\n\"P19\": [\"[X] is P36.\", \"P36\"],\n\"P36\" :\n [\"[X]: [Y]\"]}",
          "t.json:2: P19: template '[X] is P36.' has no [Y]");
  const std::string sound = "{\n\"P19\": [\"[X] is [Y].\"],\n\"P36\" :\n [\"[X]: [Y]\",\n";
  refused(sound + "  \"[X] is.\"]}", "t.json:5: P36: template '[X] is.' has no [Y]");
  refused(sound + "  7]}", "t.json:3: P36: has no list of templates");
  // The message cites the relation's line if the template is spelt differently in the file, because
  // its own line cannot be found.
  refused(sound + "  \"[X] \\u0069s.\"]}", "t.json:3: P36: template '[X] is.' has no [Y]");
}

BOOST_FIXTURE_TEST_CASE(a_relation_that_stands_twice_is_refused, Asked) {
  BOOST_CHECK_EXCEPTION(
      use(R"({"P19": ["[X]: [Y]"], "P36": ["[X]: [Y]"], "P36": ["[X] is [Y]."]})"), Error,
      says(Fault::user, "t.json: the key P36 appears twice in one object; keep one;"));
  const auto text = write("t.txt", R"({"P36": ["[X]: [Y]"], "P36": ["[X] is [Y]."]})");
  BOOST_CHECK_EXCEPTION(use_template_file(dataset, text), Error,
                        says(Fault::user, "t.txt: the key P36 appears twice in one object"));
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_no_json_object_is_refused, Asked) {
  BOOST_CHECK_EXCEPTION(use_template_file(dataset, *this / "none.json"), Error,
                        says(Fault::user, "none.json: cannot be read"));
  BOOST_CHECK_EXCEPTION(use("{\n]"), Error, says(Fault::user, "t.json:2: not JSON"));
  BOOST_CHECK_EXCEPTION(use("[]"), Error, says(Fault::user, "t.json:1: is JSON but not an object"));
}

// The file may have been written for a dataset with many prompts; a closed set ignores its groups,
// styles and origins.
BOOST_FIXTURE_TEST_CASE(the_templates_of_many_prompts_are_such_a_file, Asked) {
  use_lines(
      {R"({"relation": "P36", "template": "[Y] rules [X].", "group": "a"})",
       R"({"relation": "P1", "template": "[X] is none of [Y]."})",
       R"({"relation": "P19", "template": "Whence is [X]? [Y].", "style": "question"})",
       R"({"relation": "P36", "template": "[X]: [Y]", "group": "a", "origin": "generated"})"});
  BOOST_TEST(dataset.relations[0].templates == (Templates{"[Y] rules [X].", "[X]: [Y]"}));
  BOOST_TEST(dataset.relations[1].templates == Templates{"Whence is [X]? [Y]."});
  BOOST_CHECK(dataset.relations[0].template_file == *this / "t.jsonl");
  BOOST_CHECK(
      (dataset.files == std::vector<std::filesystem::path>{"data/P36.jsonl", *this / "t.jsonl"}));
}

BOOST_FIXTURE_TEST_CASE(the_templates_of_many_prompts_are_refused_by_line, Asked) {
  const std::string sound = R"({"relation": "P36", "template": "[X]: [Y]"})";
  const auto refused = [&](const Templates& lines, const std::string& words) {
    BOOST_CHECK_EXCEPTION(use_lines(lines), Error, says(Fault::user, words));
  };
  refused({sound}, "t.jsonl: P19: has no templates for this relation; add them, or choose other");
  refused({}, "t.jsonl: P36: has no templates for this relation");
  refused({sound, "", R"({"relation": "P19", "template": "[X] is."})"},
          "t.jsonl:3: template: template '[X] is.' has no [Y]");
  refused({sound, R"({"relation": "P19", "template": "[Y] or [Y] is [X]'s."})"},
          "t.jsonl:2: template: template '[Y] or [Y] is [X]'s.' has more than one [Y]");
  refused({sound, sound}, "t.jsonl:2: template: '[X]: [Y]' is duplicated in relation P36");
  refused({R"({"P36": ["[X]: [Y]"]})"}, "t.jsonl:1: relation: is missing");
  refused({R"(["[X]: [Y]"])"}, "t.jsonl:1: is JSON but not an object");
  BOOST_CHECK_EXCEPTION(use_template_file(dataset, *this / "none.jsonl"), Error,
                        says(Fault::user, "none.jsonl: cannot be read"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_has_prompts_with_weights, Asked) {
  write("lpaqa/mine/P36.jsonl",
        "{\"template\": \"[X] capital [Y] .\", \"weight\": 0.75}\n"
        "{\"template\": \"[Y] , [X] .\", \"weight\": 0.25}\n");
  write("lpaqa/mine/P19.txt", "[X] hails from [Y].\n[X]: [Y]\n");
  use_template_file(dataset, *this / "lpaqa/mine");
  BOOST_TEST(dataset.relations[0].templates == (Templates{"[X] capital [Y] .", "[Y] , [X] ."}));
  BOOST_TEST(dataset.relations[0].template_weights == (std::vector<double>{0.75, 0.25}));
  BOOST_TEST(dataset.relations[1].templates == (Templates{"[X] hails from [Y].", "[X]: [Y]"}));
  BOOST_TEST(dataset.relations[1].template_weights == (std::vector<double>{0.5, 0.5}));
  BOOST_CHECK(dataset.relations[1].template_file == *this / "lpaqa/mine/P19.txt");
  BOOST_CHECK((dataset.files == std::vector<std::filesystem::path>{"data/P36.jsonl",
                                                                   *this / "lpaqa/mine/P36.jsonl",
                                                                   *this / "lpaqa/mine/P19.txt"}));
  use_for_p36(R"(["[X] → [Y]"])");
  BOOST_TEST(dataset.relations[0].template_weights.empty());
}

BOOST_FIXTURE_TEST_CASE(a_folder_without_a_relations_prompts_is_refused, Asked) {
  write("lpaqa/mine/P36.txt", "[X] [Y]\n");
  BOOST_CHECK_EXCEPTION(use_template_file(dataset, *this / "lpaqa/mine"), Error,
                        says(Fault::user,
                             "mine: has neither P19.jsonl nor P19.txt; add it, or choose other "
                             "relations with `relations`"));
  BOOST_CHECK_EXCEPTION(use_template_file(dataset, *this / "lpaqa"), Error,
                        says(Fault::user, "pass one of its folders, manual_paraphrase, mine"));
}

BOOST_AUTO_TEST_SUITE_END()
