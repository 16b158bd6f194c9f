// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/myriad_lama.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;

BOOST_AUTO_TEST_SUITE(myriad_lama)

namespace {

using Texts = std::vector<std::string>;

/// One row of the file; `more` is empty or begins with a comma.
std::string row(const std::string& uuid, const std::string& subject, const std::string& objects,
                const std::string& text, const std::string& more = "") {
  return R"({"uuid": ")" + uuid + R"(", "rel_uri": "P1303", "sub_ent": ")" + subject +
         R"(", "obj_ents": )" + objects + R"(, "template": ")" + text + "\"" + more + "}\n";
}

struct Rows : test::TemporaryFolder {
  MultiPromptDataset load(const std::string& text) {
    problems.clear();
    const auto file = write("rows.jsonl", text);
    return load_myriad_lama(file, [&](const Error& error) {
      problems.push_back(std::string(error.what()).substr(path().string().size() + 1));
    });
  }
  Texts problems;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(rows_of_one_uuid_are_a_fact, Rows) {
  const MultiPromptDataset dataset = load(
      row("u1", "John Lennon", R"(["guitar", "piano"])", "[X] plays [Y].",
          R"(, "obj_uris": ["Q6607", "Q5994"], "obj_aliases": [["axe"], []], "is_manual": true)") +
      row("u1", "Lennon", R"(["guitar", "piano"])", "What does [X] play? [Y].",
          R"(, "obj_uris": ["Q6607", "Q5994"], "obj_aliases": [["axe", "gittern"], []], "is_manual": false, "x": 1)") +
      row("u2", "Ringo Starr", R"(["drums"])", "[X] plays [Y].",
          R"(, "obj_aliases": ["drum kit"], "sub_aliases": ["Richard Starkey"], "is_manual": true)"));
  BOOST_TEST(problems.empty());
  BOOST_TEST(dataset.name == "rows");
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  const MultiPromptRelation& plays = dataset.relations[0];
  BOOST_TEST(plays.code == "P1303");
  BOOST_REQUIRE(plays.templates.size() == 2U);
  BOOST_TEST(plays.templates[0].text == "[X] plays [Y].");
  BOOST_CHECK(plays.templates[0].origin == TemplateOrigin::manual);
  BOOST_CHECK(plays.templates[0].style == TemplateStyle::cloze);
  BOOST_CHECK(plays.templates[1].origin == TemplateOrigin::generated);
  BOOST_CHECK(plays.templates[1].style == TemplateStyle::question);
  BOOST_REQUIRE(plays.facts.size() == 2U);
  BOOST_TEST(plays.facts[0].subject.id == "u1");
  BOOST_TEST(plays.facts[0].subject.names == (Texts{"John Lennon", "Lennon"}));
  BOOST_REQUIRE(plays.facts[0].objects.size() == 2U);
  BOOST_TEST(plays.facts[0].objects[0].id == "Q6607");
  BOOST_TEST(plays.facts[0].objects[0].names == (Texts{"guitar", "axe", "gittern"}));
  BOOST_TEST(plays.facts[0].objects[1].names == Texts{"piano"});
  BOOST_TEST(plays.facts[1].subject.names == (Texts{"Ringo Starr", "Richard Starkey"}));
  BOOST_TEST(plays.facts[1].objects[0].id == "drums");
  BOOST_TEST(plays.facts[1].objects[0].names == (Texts{"drums", "drum kit"}));
  BOOST_TEST(plays.prompts() == 8U);
}

// In the published form, a single list contains the labels of all objects.
BOOST_FIXTURE_TEST_CASE(labels_of_other_objects_are_no_aliases, Rows) {
  const MultiPromptDataset dataset =
      load(row("u1", "Bolivia", R"(["Sucre", "La Paz"])", "The capital of [X] is [Y].",
               R"(, "obj_aliases": ["Sucre", "La Paz", "Chuqui Saca"])"));
  const std::vector<NamedEntity>& objects = dataset.relations.at(0).facts.at(0).objects;
  BOOST_REQUIRE(objects.size() == 2U);
  BOOST_TEST(objects[0].names == (Texts{"Sucre", "Chuqui Saca"}));
  BOOST_TEST(objects[1].names == Texts{"La Paz"});
}

BOOST_FIXTURE_TEST_CASE(origins_are_known_if_any_row_specifies_one, Rows) {
  const std::string silent = row("u1", "John", R"(["guitar"])", "[X] plays [Y].");
  BOOST_TEST(!load(silent).knows_origins);
  BOOST_TEST(load(silent + row("u1", "John", R"(["guitar"])", "[X]: [Y]", R"(, "is_manual": 1)"))
                 .knows_origins);
}

BOOST_FIXTURE_TEST_CASE(a_name_of_two_lines_is_reported, Rows) {
  const MultiPromptDataset dataset =
      load(row("u1", "John", R"(["guitar"])", "[X] plays [Y].") +
           row("u2", "Paul\\nM", R"(["bass"])", "[X] plays [Y].") +
           row("u3", "Ringo", R"(["drums"])", "[X] plays [Y].", R"(, "obj_aliases": ["d\nr"])"));
  BOOST_TEST(
      problems == (Texts{"rows.jsonl:2: sub_ent: contains a line break; write it on one line, "
                         "because a prompt is one line",
                         "rows.jsonl:3: obj_ents: contains a line break; write it on one line, "
                         "because a prompt is one line"}),
      boost::test_tools::per_element());
  BOOST_TEST(dataset.relations.at(0).facts.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_folders_files_are_read_together, Rows) {
  write("b.jsonl", row("u1", "John", R"(["guitar"])", "[X] plays [Y]."));
  write("a.jsonl", "\n" + row("u2", "Ringo", R"(["drums"])", "[X]: [Y]"));
  BOOST_TEST(is_myriad_lama(path()));
  const MultiPromptDataset dataset = load_myriad_lama(path());
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].facts[0].subject.id == "u2");
  BOOST_TEST(dataset.relations[0].facts.size() == 2U);
  BOOST_TEST(dataset.files.size() == 2U);
  write("c.jsonl", "{\"sub_label\": \"Chad\", \"obj_label\": \"Africa\"}\n");
  BOOST_TEST(!is_myriad_lama(path()));
}

BOOST_FIXTURE_TEST_CASE(what_is_broken_is_reported_and_left_out, Rows) {
  const MultiPromptDataset dataset =
      load(row("u1", "John", R"(["guitar"])", "[X] plays [Y].") +
           row("u2", "Paul", R"("bass")", "[X] plays [Y].") +
           row("u3", "Paul", R"(["bass"])", "[X] plays [Y].", R"(, "obj_uris": [])") +
           row("u4", "Paul", R"(["bass"])", "[X] plays [Y].", R"(, "obj_aliases": [[1]])") +
           row("u5", "Paul", R"(["bass"])", "[X] plays [Y].", R"(, "is_manual": "no")") +
           row("u1", "John", R"(["guitar"])", "[X] plays.") +
           row("u1", "John", R"(["guitar"])", "[X] plays.") + R"({"rel_uri": "P1303"})" + "\n");
  BOOST_TEST(
      problems ==
          (Texts{"rows.jsonl:2: obj_ents: is not a list of names; write [\"…\", …]",
                 "rows.jsonl:3: obj_uris: does not have one identifier for each of obj_ents; "
                 "write them in the order of obj_ents, or remove the field",
                 "rows.jsonl:4: obj_aliases: is not a list of names; write [[\"…\", …], …]",
                 "rows.jsonl:5: is_manual: is neither true nor false; write one of them, or "
                 "remove it to mean true",
                 "rows.jsonl:6: template: template '[X] plays.' has no [Y]; write [X] in the "
                 "subject's place and [Y] in the answer's",
                 "rows.jsonl:8: uuid: is missing; write \"uuid\": \"…\""}),
      boost::test_tools::per_element());
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].facts.size() == 1U);
  BOOST_TEST(dataset.relations[0].templates.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
