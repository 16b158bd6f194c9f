// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/kamel.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(kamel)

namespace {

using Texts = std::vector<std::string>;

struct Kamel : test::TemporaryFolder {
  Kamel() {
    write("data/KAMEL/question-templates.csv",
          "P190, What are the twin towns, if any, of [S]?\n\nP36,Which is the capital of [S]?\n");
    write("data/KAMEL/P190/train.jsonl",
          "{\"index\": [1], \"sub_label\": \"Oslo\", \"obj_label\": [\"Kiel\", \"Rome\"]}\n"
          "{\"sub_label\": \"Bonn\", \"obj_label\": \"Oxford\"}\n");
    write("data/KAMEL/P190/test.jsonl",
          "{\"sub_label\": \"Elek\", \"obj_uri\": [\"Q1\", \"Q2\"], \"obj_label\": "
          "[{\"alternative\": "
          "[\"Sebis\", \"Borossebes\"], \"rdf\": \"Sebiș\", \"chosen\": \"Sebiș\"}, "
          "{\"alternative\": [], \"rdf\": null, \"chosen\": \"Kiel\"}]}\n");
    write("data/KAMEL/P36/train.jsonl",
          "{\"sub_label\": \"Chad\", \"obj_label\": [\"N'Djamena\"]}\n");
    write("data/KAMEL/P36/test.jsonl", "{\"sub_label\": \"Peru\", \"obj_label\": [\"Lima\"]}\n");
    write("data/KAMEL/P36/dev.jsonl", "{\"sub_label\": \"Fiji\", \"obj_label\": [\"Suva\"]}\n");
  }
  const std::filesystem::path folder = *this / "data/KAMEL";
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_row_becomes_a_fact_for_each_object, Kamel) {
  BOOST_TEST(is_kamel(folder));
  const Dataset dataset = load_kamel(folder);
  BOOST_TEST(dataset.name == "KAMEL");
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "P36");  // relations are sorted by number
  const Relation& towns = dataset.relations[1];
  BOOST_TEST(towns.code == "P190");
  BOOST_TEST(towns.templates == Texts{"What are the twin towns, if any, of [X]? [Y]"});
  BOOST_TEST(towns.options == (Texts{"Kiel", "Rome", "Oxford", "Sebiș"}));
  BOOST_REQUIRE(towns.facts.size() == 5U);
  Texts lines;
  for (const Fact& fact : towns.facts) {
    lines.push_back(fact.subject + "|" + towns.options[fact.answer] + "|" +
                    (fact.part == FactPart::training ? "train" : "test") + "|" +
                    std::to_string(fact.line));
  }
  BOOST_TEST(lines == (Texts{"Oslo|Kiel|train|1", "Oslo|Rome|train|1", "Bonn|Oxford|train|2",
                             "Elek|Sebiș|test|1", "Elek|Kiel|test|1"}),
             boost::test_tools::per_element());
  BOOST_TEST(towns.option_aliases.at(3) == (Texts{"Sebis", "Borossebes"}));
  BOOST_TEST(dataset.left_out == Texts{"dev.jsonl (relations that have one: 1)"});
  BOOST_TEST(dataset.files.size() == 5U);
}

// As in the list form, each row is scored with the names of its own objects.
BOOST_FIXTURE_TEST_CASE(rows_keep_their_objects_with_their_own_names, Kamel) {
  write("data/KAMEL/P190/test.jsonl",
        "{\"sub_label\": \"Elek\", \"obj_uri\": [\"Q1\", \"Q2\"], \"obj_label\": "
        "[{\"alternative\": [\"A\", \"B\\nC\", \"Kiel\"], \"chosen\": \"Kiel\"}, "
        "{\"alternative\": [], \"chosen\": \"Rome\"}]}\n\n"
        "{\"sub_label\": \"Elek\", \"obj_uri\": [\"XMLSchema#dateTime\", \"XMLSchema#dateTime\"], "
        "\"obj_label\": [{\"alternative\": [\"D\"], \"chosen\": \"Kiel\"}, "
        "{\"alternative\": [], \"chosen\": \"1949\"}]}\n");
  const KamelFolder read = read_kamel(folder);
  BOOST_TEST(read.name == "KAMEL");
  BOOST_REQUIRE(read.relations.size() == 2U);
  const auto& [asked, training] = read.relations[1];
  BOOST_TEST(asked.code == "P190");
  BOOST_TEST(asked.templates.at(0).text == "What are the twin towns, if any, of [X]? [Y]");
  BOOST_CHECK(asked.templates.at(0).style == TemplateStyle::question);
  Texts spelt;
  for (const ManyNamedFact& fact : asked.facts) {
    spelt.push_back(fact.subject.id + " " + fact.subject.names.at(0));
    for (const NamedEntity& object : fact.objects) {
      spelt.push_back(object.id + ":");
      for (const std::string& name : object.names) spelt.back() += " " + name;
    }
  }
  BOOST_TEST(spelt == (Texts{"test-1 Elek", "Q1: Kiel A", "Q2: Rome", "test-3 Elek", "Kiel: Kiel D",
                             "1949: 1949"}),
             boost::test_tools::per_element());
  BOOST_REQUIRE(training.facts.size() == 2U);
  BOOST_TEST(training.facts[0].objects.size() == 2U);
  BOOST_TEST(training.facts[1].objects.at(0).names.at(0) == "Oxford");
}

BOOST_FIXTURE_TEST_CASE(a_question_may_name_its_subject_twice, Kamel) {
  write("data/KAMEL/question-templates.csv",
        "P36,Is [S], the land of [S], large?\nP190,of [S] ?\n");
  const KamelFolder read = read_kamel(folder);
  BOOST_TEST(read.relations.at(0).asked.templates.at(0).text ==
             "Is [X], the land of [X], large? [Y]");
}

BOOST_FIXTURE_TEST_CASE(the_questions_may_lie_two_folders_above, Kamel) {
  const std::string questions = test::slurp(folder / "question-templates.csv");
  std::filesystem::remove(folder / "question-templates.csv");
  BOOST_TEST(!is_kamel(folder));
  write("question-templates.csv", questions);
  BOOST_TEST(is_kamel(folder));
  BOOST_TEST(load_kamel(folder).relations.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(what_is_broken_is_reported_and_left_out, Kamel) {
  write("data/KAMEL/question-templates.csv", "P190, Who?\nP36, Which is the capital of [S]?\n");
  write("data/KAMEL/P36/test.jsonl",
        "{\"sub_label\": \"Peru\", \"obj_label\": []}\n{\"sub_label\": \"Peru\", \"obj_label\": "
        "[{\"rdf\": \"Lima\"}, \"Lima\"]}\n{\"obj_label\": [\"Lima\"]}\n");
  Texts problems;
  const Dataset dataset = load_kamel(folder, [&](const Error& error) {
    problems.push_back(std::string(error.what()).substr(folder.string().size() + 1));
  });
  BOOST_TEST(
      problems ==
          (Texts{"question-templates.csv:1: is not a relation, a comma and a question with "
                 "[S]; write, for example, P36, What is the capital of [S]?",
                 "P36/test.jsonl:1: obj_label: the fact has no answer; add the fact's objects "
                 "to the line",
                 "P36/test.jsonl:2: obj_label: has an object that is not a one-line string and "
                 "whose field chosen is not one either; write [\"…\"] or [{\"chosen\": \"…\", "
                 "\"alternative\": […]}]",
                 "P36/test.jsonl:3: sub_label: is missing; write \"sub_label\": \"…\"",
                 "question-templates.csv: P190: has no question; add one, or remove the relation's "
                 "folder"}),
      boost::test_tools::per_element());
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].facts.size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
