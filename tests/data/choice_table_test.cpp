// SPDX-License-Identifier: Apache-2.0
#include "plumb/data/choice_table.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(choice_table_suite)

namespace {

using Texts = std::vector<std::string>;
using Options = std::vector<std::uint32_t>;
using Files = std::vector<DiskPath>;

const std::string births =
    R"({"subject": "Brian May", "object": "1947", "choices": ["1931", "1947", "1950"]})"
    "\n"
    R"({"subject": "Neil Armstrong", "object": "1930", "choices": ["1950", "1947"]})"
    "\n";

struct Table : test::TemporaryFolder {
  Relation load(const std::string& lines, const ProblemSink& sink = throw_problem) const {
    return load_choice_table(write("birth.jsonl", lines), sink).relations.at(0);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(facts_bring_their_choices_with_or_without_the_object, Table) {
  const Relation relation = load(births);
  BOOST_TEST(relation.code == "birth");
  BOOST_TEST(relation.templates.empty());
  BOOST_TEST(relation.options == (Texts{"1947", "1931", "1950", "1930"}));
  BOOST_REQUIRE(relation.facts.size() == 2U);
  BOOST_TEST(relation.facts[0].subject == "Brian May");
  BOOST_TEST(relation.facts[0].answer == 0U);
  BOOST_TEST(relation.facts[0].offered == (Options{0, 1, 2}));
  BOOST_TEST(relation.facts[1].answer == 3U);
  BOOST_TEST(relation.facts[1].offered == (Options{0, 2, 3}));
  BOOST_TEST(relation.facts[1].line == 2U);
  BOOST_TEST((relation.facts[1].part == FactPart::unsaid));
  BOOST_TEST(relation.file == *this / "birth.jsonl");
}

BOOST_FIXTURE_TEST_CASE(all_fields_of_a_fact_are_read, Table) {
  const Relation relation = load(
      R"({"subject": "Brian May", "subject_id": "Q15873", "subject_aliases": ["Bri"], )"
      R"("object": "1947", "object_id": "Q1947", "choices": ["1931"], "split": "test", "x": 1})"
      "\n"
      R"({"subject": "Y", "object": "1931", "split": "train"})");
  const Fact& fact = relation.facts.at(0);
  BOOST_TEST(fact.subject_id == "Q15873");
  BOOST_TEST(fact.subject_aliases == Texts{"Bri"});
  BOOST_TEST(relation.option_ids.at(fact.answer) == "Q1947");
  BOOST_TEST((fact.part == FactPart::test));
  BOOST_TEST((relation.facts.at(1).part == FactPart::training));
  BOOST_TEST(relation.facts.at(1).offered.empty());
}

BOOST_FIXTURE_TEST_CASE(the_names_of_t_rex_mc_are_known, Table) {
  const Relation relation =
      load(R"({"Subject": "Brian May", "Object": "1947", "Multiple choices": ["1947", "1931"]})"
           "\n"
           R"({"Subject": "Y", "Object": "1931", "multiple_choices": ["1950"]})");
  BOOST_TEST(relation.facts.at(0).subject == "Brian May");
  BOOST_TEST(relation.facts.at(0).offered == (Options{0, 1}));
  BOOST_TEST(relation.facts.at(1).offered == (Options{1, 2}));
}

// Fields of other layouts mean nothing here: a sub_label does not stand in for the subject.
BOOST_FIXTURE_TEST_CASE(only_the_tables_own_names_are_read, Table) {
  BOOST_CHECK_EXCEPTION(load(births + R"({"sub_label": "Z", "object": "1931"})"), Error,
                        says(Fault::user, "birth.jsonl:3: sub_label: the fact has no subject"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_is_a_dataset_of_its_files, Table) {
  write("people/death.jsonl", R"({"subject": "A", "object": "2001", "choices": ["2002"]})");
  write("people/birth.jsonl", births);
  write("people/README.md", "Facts from public lists.");
  const Dataset dataset = load_choice_table(*this / "people");
  BOOST_TEST(dataset.name == "people");
  BOOST_TEST(
      (dataset.files == std::vector{*this / "people/birth.jsonl", *this / "people/death.jsonl"}));
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "birth");
  BOOST_TEST(dataset.relations[1].code == "death");
  BOOST_TEST(dataset.relations[1].options.size() == 2U);  // each relation has its own
  BOOST_TEST(load_choice_table(*this / "people/birth.jsonl").name == "birth");
}

BOOST_FIXTURE_TEST_CASE(a_broken_line_is_named_and_left_out, Table) {
  const std::string lines = births + "\n{\"subject\": \"C\"\n" +
                            R"({"subject": "D", "object": "1950", "split": "dev"})" + "\n" +
                            R"({"subject": "E", "object": "1950", "choices": []})" + "\n" +
                            R"({"subject": "F", "object": "1950"})";
  BOOST_CHECK_EXCEPTION(load(lines), Error, says(Fault::user, "birth.jsonl:4: not JSON"));
  Texts problems;
  const Relation relation =
      load(lines, [&](const Error& error) { problems.emplace_back(error.what()); });
  BOOST_TEST(relation.facts.size() == 3U);
  BOOST_REQUIRE(problems.size() == 3U);
  BOOST_TEST(
      problems[1].ends_with("birth.jsonl:5: split: \"dev\" is not a part; say train or test"));
  BOOST_TEST(
      problems[2].ends_with("birth.jsonl:6: choices: is not a list of labels; write [\"…\", …]"));
}

BOOST_FIXTURE_TEST_CASE(a_relation_of_one_option_is_left_out, Table) {
  Texts problems;
  write("t/a.jsonl", R"({"subject": "A", "object": "x"})");
  write("t/b.jsonl", births);
  const Dataset dataset = load_choice_table(
      *this / "t", [&](const Error& error) { problems.emplace_back(error.what()); });
  BOOST_TEST(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.files.size() == 2U);
  BOOST_REQUIRE(problems.size() == 1U);
  BOOST_TEST(problems[0].ends_with(
      "a.jsonl: relation a has no usable second option; add one or remove the relation"));
}

BOOST_FIXTURE_TEST_CASE(files_are_a_table_when_each_begins_with_a_fact, Table) {
  const auto b = write("t/b.jsonl", births);
  const auto a = write("t/a.jsonl", "\n\n" + births);
  write("t/notes.txt", "x");
  BOOST_TEST((choice_table_files(*this / "t") == Files{a, b}));
  BOOST_TEST((choice_table_files(b) == Files{b}));
  for (const std::string first : {"", "x", "[1]", R"({"subject": "A"})", R"({"object": "A"})",
                                  R"({"sub_label": "A", "obj_label": "B"})"}) {
    const auto c = write("t/c.jsonl", first + "\n" + births);
    if (first.empty()) continue;  // a blank line is passed over
    BOOST_TEST(choice_table_files(c).empty());
    BOOST_TEST(choice_table_files(*this / "t").empty());
  }
  BOOST_TEST(choice_table_files(write("e.jsonl", "")).empty());
  BOOST_TEST(choice_table_files(write("births.txt", births)).empty());
  BOOST_TEST(choice_table_files(*this / "none.jsonl").empty());
}

BOOST_AUTO_TEST_SUITE_END()
