// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/bear.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(bear_suite)

namespace {

/// A valid dataset with two relations; each test breaks it in a different way.
struct Bear : test::TemporaryFolder {
  Bear() {
    write("metadata_relations.json", R"({
      "P36": {"templates": ["The capital of [X] is [Y].", "[Y] is the capital of [X]."],
              "answer_space_labels": ["Paris", "Rome"], "answer_space_ids": ["Q90", "Q220"]},
      "P30": {"templates": ["[X] is in [Y]."]}})");
    write("P36.jsonl",
          "{\"sub_id\": \"Q142\", \"sub_label\": \"France\", \"sub_aliases\": [\"FR\"], "
          "\"obj_id\": \"Q90\", \"obj_label\": \"Paris\", \"answer_idx\": 0}\n"
          "{\"sub_id\": \"Q38\", \"sub_label\": \"Italy\", \"sub_aliases\": [], "
          "\"obj_id\": \"Q220\", \"obj_label\": \"Rome\", \"answer_idx\": 1}\n");
    write("P30.jsonl",
          "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n"
          "{\"sub_label\": \"Peru\", \"obj_label\": \"South America\"}\n"
          "{\"sub_label\": \"Mali\", \"obj_label\": \"Africa\"}\n");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_folder_is_read_in_the_order_of_its_metadata, Bear) {
  BOOST_TEST(is_bear(path()));
  const Dataset dataset = load_bear(path());
  BOOST_TEST(dataset.name == path().filename().string());
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  const Relation& capitals = dataset.relations[0];
  BOOST_TEST(capitals.code == "P36");
  BOOST_TEST(capitals.templates.size() == 2U);
  BOOST_TEST(capitals.options == (std::vector<std::string>{"Paris", "Rome"}));
  BOOST_TEST(capitals.option_ids == (std::vector<std::string>{"Q90", "Q220"}));
  BOOST_TEST(capitals.facts[0].subject_aliases == std::vector<std::string>{"FR"});
  BOOST_TEST(capitals.facts[1].subject_id == "Q38");
  BOOST_TEST(capitals.facts[1].answer == 1U);
  BOOST_TEST(is_one_to_one(capitals));
  BOOST_TEST(capitals.domains.empty());
}

BOOST_FIXTURE_TEST_CASE(without_an_answer_space_the_distinct_objects_are_the_options, Bear) {
  const Relation continents = load_bear(path()).relations.at(1);
  BOOST_TEST(continents.options == (std::vector<std::string>{"Africa", "South America"}));
  BOOST_TEST(continents.facts[2].answer == 0U);
  BOOST_TEST(!is_one_to_one(continents));
}

BOOST_FIXTURE_TEST_CASE(domains_come_from_the_relation_info, Bear) {
  write("relation_info.json", R"({"P36": {"domains": ["Geography", "Politics"]}})");
  const Dataset dataset = load_bear(path());
  BOOST_TEST(dataset.relations[0].domains == (std::vector<std::string>{"Geography", "Politics"}));
  BOOST_TEST(dataset.relations[1].domains.empty());
}

BOOST_FIXTURE_TEST_CASE(files_read_are_listed_in_order, Bear) {
  write("relation_info.json", "{}");
  std::vector<std::string> names;
  for (const auto& file : load_bear(path()).files) names.push_back(file.filename().string());
  BOOST_TEST(names == (std::vector<std::string>{"metadata_relations.json", "relation_info.json",
                                                "P36.jsonl", "P30.jsonl"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_field_that_looks_like_choices_is_refused) {
  const test::TemporaryFolder folder;
  folder.write("metadata_relations.json", R"({"P36": {"templates": ["[X]: [Y]"]}})");
  const std::string fact = R"({"sub_label": "Peru", "obj_label": "Lima", )";
  folder.write("P36.jsonl",
               R"({"sub_label": "Cuba", "obj_label": "Havana", "evidence": ["x", "y"]})"
               "\n" +
                   fact + R"("Distractors": ["Quito"]})");
  BOOST_CHECK_EXCEPTION(
      (void)load_bear(folder.path()), Error,
      says(Fault::user, "P36.jsonl:2: Distractors: looks like a question's choices"));
  folder.write("P36.jsonl", fact + R"("choices": ["Quito"]})");
  BOOST_TEST(load_bear(folder.path()).relations.at(0).facts.at(0).offered.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(metadata_that_cannot_be_read_ends_it, Bear) {
  write("metadata_relations.json", "{\"P36\": {\n\"templates\": [}");
  BOOST_CHECK_EXCEPTION(load_bear(path()), Error,
                        says(Fault::user, "metadata_relations.json:2: not JSON"));
  const test::TemporaryFolder empty;
  BOOST_TEST(!is_bear(empty.path()));
  BOOST_CHECK_EXCEPTION(load_bear(empty.path()), Error,
                        says(Fault::user, "metadata_relations.json: cannot be read; check that"));
}

BOOST_FIXTURE_TEST_CASE(a_relation_whose_file_is_missing_is_reported, Bear) {
  std::filesystem::remove(*this / "P30.jsonl");
  BOOST_CHECK_EXCEPTION(load_bear(path()), Error,
                        says(Fault::user,
                             "P30.jsonl: is missing, but metadata_relations.json lists "
                             "P30; add the file or remove the entry"));
  const Dataset rest = load_bear(path(), [](const Error&) {});
  BOOST_TEST(rest.relations.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_broken_line_is_reported_by_its_number, Bear) {
  write("P30.jsonl",
        "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n\n{\"sub_label\": \"Peru\"\n");
  BOOST_CHECK_EXCEPTION(
      load_bear(path()), Error,
      says(Fault::user, "P30.jsonl:3: not JSON (byte 21); each line must be one JSON"));
}

BOOST_FIXTURE_TEST_CASE(templates_are_a_list_with_both_placeholders, Bear) {
  for (const std::string entry : {"{}", "[]", "null", R"({"templates": "[X] [Y]"})"}) {
    write("metadata_relations.json", "{\"P36\": " + entry + "}");
    BOOST_CHECK_EXCEPTION(load_bear(path()), Error,
                          says(Fault::user,
                               "metadata_relations.json: P36: has no list of templates; "
                               "add \"templates\": [\"…\"]"));
  }
  write("metadata_relations.json", R"({"P36": {"templates": ["[X] is great."]}})");
  BOOST_CHECK_EXCEPTION(load_bear(path()), Error,
                        says(Fault::user,
                             "metadata_relations.json: P36: template '[X] is great.' has "
                             "no [Y]; write [X] in"));
}

BOOST_FIXTURE_TEST_CASE(an_answer_space_is_a_list_of_distinct_strings, Bear) {
  const auto with = [&](const std::string& space) {
    write("metadata_relations.json", R"({"P36": {"templates": ["[X] [Y]"], )" + space + "}}");
    return load_bear(path());
  };
  BOOST_CHECK_EXCEPTION(
      with(R"("answer_space_labels": ["Paris", "Rome", "Paris"])"), Error,
      says(Fault::user, "metadata_relations.json: P36: option 'Paris' is duplicated"));
  BOOST_CHECK_EXCEPTION(
      with(R"("answer_space_labels": ["Paris", "Rome"], "answer_space_ids": ["Q90"])"), Error,
      says(Fault::user,
           "P36: answer_space_ids and answer_space_labels differ in length; write one id"));
  // If the list were ignored, the options would silently be taken from the objects instead.
  for (const std::string list : {R"(["Paris", "Rome", 3])", R"({"Q90": "Paris"})"}) {
    BOOST_CHECK_EXCEPTION(
        with("\"answer_space_labels\": " + list), Error,
        says(Fault::user,
             "metadata_relations.json: P36: answer_space_labels is not a list of strings"));
  }
  BOOST_TEST(with(R"("answer_space_labels": null)").relations[0].options.size() == 2U);
}

// The expected options match lm-pub-quiz 0.3.3, whose answer_space_from_instance_table groups by
// obj_id.
BOOST_FIXTURE_TEST_CASE(without_an_answer_space_each_object_id_is_an_option, Bear) {
  write("metadata_relations.json", R"({"P36": {"templates": ["[X] [Y]"]}})");
  write("P36.jsonl",
        "{\"sub_label\": \"France\", \"obj_id\": \"Q90\", \"obj_label\": \"Paris\"}\n"
        "{\"sub_label\": \"Texas\", \"obj_id\": \"Q830149\", \"obj_label\": \"Paris\"}\n"
        "{\"sub_label\": \"Italy\", \"obj_id\": \"Q220\", \"obj_label\": \"Rome\"}\n"
        "{\"sub_label\": \"Gallia\", \"obj_id\": \"Q90\", \"obj_label\": \"Lutetia\"}\n");
  const Relation relation = load_bear(path()).relations.at(0);
  BOOST_TEST(relation.options == (std::vector<std::string>{"Paris", "Paris", "Rome"}));
  BOOST_TEST(relation.option_ids == (std::vector<std::string>{"Q90", "Q830149", "Q220"}));
  std::vector<std::size_t> answers;
  for (const Fact& fact : relation.facts) answers.push_back(fact.answer);
  BOOST_TEST(answers == (std::vector<std::size_t>{0, 1, 2, 0}));
}

BOOST_FIXTURE_TEST_CASE(options_with_equal_labels_are_distinguished_by_id, Bear) {
  write("metadata_relations.json",
        R"({"P36": {"templates": ["[X] [Y]"], "answer_space_labels": ["Paris", "Paris", "Rome"],
            "answer_space_ids": ["Q90", "Q830149", "Q220"]}})");
  write("P36.jsonl",
        "{\"sub_label\": \"Texas\", \"obj_id\": \"Q830149\", \"obj_label\": \"Paris\"}\n"
        "{\"sub_label\": \"France\", \"answer_idx\": 0, \"obj_label\": \"Paris\"}\n"
        "{\"sub_label\": \"Lamar\", \"answer_idx\": 1, \"obj_id\": \"Q830149\"}\n");
  const Relation relation = load_bear(path()).relations.at(0);
  BOOST_TEST(relation.options.size() == 3U);
  BOOST_TEST(relation.facts.at(0).answer == 1U);
  BOOST_TEST(relation.facts.at(1).answer == 0U);
  BOOST_TEST(relation.facts.at(2).answer == 1U);
  write("P36.jsonl", "{\"sub_label\": \"Texas\", \"obj_label\": \"Paris\"}\n");
  BOOST_CHECK_EXCEPTION(
      load_bear(path()), Error,
      says(Fault::user,
           "P36.jsonl:1: obj_label: several options are 'Paris'; specify which by "
           "obj_id or answer_idx"));
}

BOOST_AUTO_TEST_SUITE_END()
