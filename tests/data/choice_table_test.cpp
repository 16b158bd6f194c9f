// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/choice_table.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
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

// Fields from other layouts are ignored here: `sub_label` does not replace the subject.
BOOST_FIXTURE_TEST_CASE(only_the_tables_own_names_are_read, Table) {
  BOOST_CHECK_EXCEPTION(load(births + R"({"sub_label": "Z", "object": "1931"})"), Error,
                        says(Fault::user,
                             "birth.jsonl:3: subject: the fact has no subject; "
                             "add a non-empty string subject"));
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
  // Each relation has its own set of options.
  BOOST_TEST(dataset.relations[1].options.size() == 2U);
  BOOST_TEST(load_choice_table(*this / "people/birth.jsonl").name == "birth");
}

BOOST_FIXTURE_TEST_CASE(malformed_line_is_reported_and_skipped, Table) {
  const std::string lines = births + "\n{\"subject\": \"C\"\n" +
                            R"({"subject": "D", "object": "1950", "split": "dev"})" + "\n" +
                            R"({"subject": "E", "object": "1950", "choices": []})" + "\n" +
                            R"({"subject": "F", "object": "1950", "choices": ["1931"]})";
  BOOST_CHECK_EXCEPTION(load(lines), Error, says(Fault::user, "birth.jsonl:4: not JSON"));
  Texts problems;
  const Relation relation =
      load(lines, [&](const Error& error) { problems.emplace_back(error.what()); });
  BOOST_TEST(relation.facts.size() == 3U);
  BOOST_REQUIRE(problems.size() == 3U);
  BOOST_TEST(
      problems[1].ends_with("birth.jsonl:5: split: \"dev\" is not a part; write train or test"));
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
    if (first.empty()) continue;  // a blank line is skipped
    BOOST_TEST(choice_table_files(c).empty());
    BOOST_TEST(choice_table_files(*this / "t").empty());
  }
  BOOST_TEST(choice_table_files(write("e.jsonl", "")).empty());
  BOOST_TEST(choice_table_files(write("births.txt", births)).empty());
  BOOST_TEST(choice_table_files(*this / "none.jsonl").empty());
}

namespace {

/// T-REx-MC in the form that its authors' program reads: choices are strings that contain Python
/// lists without the object.
struct Published : test::TemporaryFolder {
  Published() {
    write(
        "mc/test.jsonl",
        R"({"Relation_ID": 50, "Subject": "Peru", "Object": "Lima", "Multiple Choices": "['Quito', \"N'Djamena\"]", "Title": "Peru", "Text": "Peru [is] a country."})"
        "\n"
        R"({"Relation_ID": 1, "Subject": "Zeus", "Object": "Hermes", "Multiple Choices": "['Ares', 'Apollo']", "Title": "", "Text": ""})"
        "\n"
        R"({"Relation_ID": 50, "Subject": "Chad", "Object": "N'Djamena", "Multiple Choices": "['Lima' 'Quito']", "Title": "", "Text": ""})"
        "\n");
    write(
        "mc/train.jsonl",
        R"({"Relation_ID": 50, "Subject": "Ecuador", "Object": "Quito", "Multiple Choices": "['Lima']", "Title": "", "Text": ""})"
        "\n"
        R"({"Relation_ID": 1, "Subject": "Zeus", "Object": "Ares", "Multiple Choices": "['Apollo']", "Title": "", "Text": ""})"
        "\n"
        R"({"Relation_ID": 1, "Subject": "Leto", "Object": "Apollo", "Multiple Choices": "['Ares']", "Title": "", "Text": ""})"
        "\n");
  }
  [[nodiscard]] Dataset load(const ProblemSink& sink = throw_problem) const {
    return load_choice_table(path() / "mc", sink);
  }
};

Texts offered(const Relation& relation, std::size_t fact) {
  Texts texts;
  for (const std::uint32_t option : relation.facts.at(fact).offered) {
    texts.push_back(relation.options.at(option));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// The facts of a relation as "part subject: object (choices) line"; line numbers start after the
/// header.
Texts facts_of(const Relation& relation, std::size_t header = 0) {
  Texts all;
  for (std::size_t f = 0; f < relation.facts.size(); ++f) {
    const Fact& fact = relation.facts[f];
    std::string text = fact.part == FactPart::training ? "train "
                       : fact.part == FactPart::test   ? "test "
                                                       : "";
    text += fact.subject + ": " + relation.options.at(fact.answer) + " (";
    for (const std::string& one : offered(relation, f)) text += one + ",";
    all.push_back(text + ") " + std::to_string(fact.line - header));
  }
  return all;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(t_rex_mc_is_read_as_it_is_published, Published) {
  const Dataset dataset = load();
  BOOST_TEST(dataset.name == "mc");
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "50");
  BOOST_TEST(
      facts_of(dataset.relations[0]) == (Texts{"test Peru: Lima (Lima,N'Djamena,Quito,) 1",
                                               "test Chad: N'Djamena (Lima,N'Djamena,Quito,) 3",
                                               "train Ecuador: Quito (Lima,Quito,) 1"}),
      boost::test_tools::per_element());
  BOOST_TEST(dataset.relations[1].code == "1");
  BOOST_TEST(facts_of(dataset.relations[1]) == (Texts{"test Zeus: Hermes (Apollo,Ares,Hermes,) 2",
                                                      "train Leto: Apollo (Apollo,Ares,) 3"}),
             boost::test_tools::per_element());
  BOOST_TEST(dataset.left_out == Texts{"training facts about subjects that are also tested: 1"},
             boost::test_tools::per_element());
  BOOST_TEST(dataset.relations[0].file == *this / "mc/test.jsonl");
  BOOST_TEST(dataset.relations[0].training_file == *this / "mc/train.jsonl");
}

BOOST_FIXTURE_TEST_CASE(the_same_tables_as_csv_are_the_same_facts, Published) {
  const std::string header = "Relation_ID,Subject,Object,Multiple Choices,Title\n";
  write("csv/T-REx-MC_test.csv", header +
                                     "50,Peru,Lima,\"['Quito', \"\"N'Djamena\"\"]\",Peru\n"
                                     "1,Zeus,Hermes,\"['Ares', 'Apollo']\",\n"
                                     "50,Chad,N'Djamena,\"['Lima'\n 'Quito']\",\n");
  write("csv/T-REx-MC_train.csv",
        header + "50,Ecuador,Quito,['Lima'],\n1,Zeus,Ares,['Apollo'],\n1,Leto,Apollo,['Ares'],\n");
  write("csv/T-REx-MC_validation.csv", header + "50,Cuba,Havana,['Lima'],\n");
  const Dataset published = load(), csv = load_choice_table(*this / "csv");
  BOOST_REQUIRE(csv.relations.size() == 2U);
  for (const std::size_t r : {0U, 1U}) {
    BOOST_TEST(facts_of(csv.relations[r], 1) == facts_of(published.relations[r]),
               boost::test_tools::per_element());
  }
  BOOST_TEST(csv.left_out.at(0) == "T-REx-MC_validation.csv");
  BOOST_TEST(csv.files.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(malformed_list_in_a_string_is_rejected, Published) {
  const auto says_of = [&](const std::string& list, const std::string& words) {
    write("mc/test.jsonl", Json{{"Relation_ID", 50},
                                {"Subject", "Peru"},
                                {"Object", "Lima"},
                                {"Multiple Choices", list}}
                               .dump());
    BOOST_CHECK_EXCEPTION(
        (void)load(), Error,
        says(Fault::user, "test.jsonl:1: choices: the list in the string " + words));
  };
  says_of("['Quito', None]", "contains None, which is not a string");
  says_of("['Quito', 'Lima'", "has no closing bracket");
  says_of("['Quito' ... 'Lima']", "was shortened with '...'");
  says_of("Quito, Lima", "does not begin with a bracket");
}

BOOST_FIXTURE_TEST_CASE(fields_are_known_in_any_spelling, Table) {
  for (const char* name : {"choices", "Choices", "CHOICES", "Multiple Choices", "multiple_choices",
                           "Multiple choices", "multiple-choices", "MultipleChoices"}) {
    const Json row = {{"SUBJECT", "A"}, {"Object", "x"}, {name, {"x", "y"}}};
    const Json other = {{"subject", "B"}, {"object", "z"}, {"choices", {"x"}}};
    const Relation relation = load(row.dump() + "\n" + other.dump());
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(relation.facts[0].offered == (Options{0, 1}));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(choices_that_are_not_read_are_refused, Table) {
  const auto refused = [&](const std::string& name, const Json& value) {
    const Json row = {{"subject", "A"}, {"object", "x"}, {name, value}};
    BOOST_CHECK_EXCEPTION(
        (void)load(row.dump() + "\n" + births), Error,
        says(Fault::user, "birth.jsonl:1: " + name + ": looks like a question's choices"));
  };
  for (const char* name :
       {"options", "Options", "answer_choices", "Answer Choices", "candidates", "distractors",
        "DISTRACTORS", "option_a", "choice1", "wrong_answers", "alternatives", "mc_choices"}) {
    refused(name, {"x", "y"});
    refused(name, "x");
    refused(name, "['x', 'y']");
  }
  // The value of the field is checked too.
  refused("labels", {"x", "y"});
  refused("labels", "['x', 'y']");
  refused("labels", R"(["x", "y"])");
  refused("labels", "['x' 'y']");
  refused("years", "[1947, 1950]");
}

BOOST_FIXTURE_TEST_CASE(other_fields_are_passed_over, Table) {
  const Json row = {{"subject", "A"},        {"object", "x"},
                    {"title", "[Untitled]"}, {"text", "(a, b)"},
                    {"num_choices", 100},    {"optional", "yes"},
                    {"options", ""},         {"candidates", Json::array()},
                    {"distractors", Json()}, {"page", "[12]x"},
                    {"choices", {"y"}}};
  BOOST_TEST(load(row.dump() + "\n" + births).facts.size() == 3U);
}

BOOST_FIXTURE_TEST_CASE(a_relation_that_a_field_names_is_the_facts, Table) {
  write("mixed/a.jsonl", R"({"subject": "A", "object": "x", "relation": "in/of"})"
                         "\n"
                         R"({"subject": "B", "object": "y", "relation": "in/of"})"
                         "\n"
                         R"({"subject": "C", "object": "z", "relation": ""})");
  BOOST_CHECK_EXCEPTION((void)load_choice_table(*this / "mixed"), Error,
                        says(Fault::user, "a.jsonl:3: relation: is neither a name nor an integer"));
  Texts problems;
  const Dataset dataset = load_choice_table(
      *this / "mixed", [&](const Error& error) { problems.emplace_back(error.what()); });
  BOOST_TEST(problems.size() == 1U);
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].code == "in-of");
}

BOOST_FIXTURE_TEST_CASE(parts_without_a_relation_are_of_the_folders, Table) {
  write("births/train-00000-of-00001.jsonl", births);
  write("births/test-00000-of-00001.jsonl",
        R"({"subject": "Leo Fender", "object": "1909", "choices": ["1947"]})"
        "\n"
        R"({"subject": "Les Paul", "object": "1915", "split": "train"})");
  BOOST_CHECK_EXCEPTION(
      (void)load_choice_table(*this / "births"), Error,
      says(Fault::user, "of-00001.jsonl:2: split: is \"train\" in a file of the test part"));
  write("births/test-00000-of-00001.jsonl",
        R"({"subject": "Leo Fender", "object": "1909", "choices": ["1947"]})");
  const Dataset dataset = load_choice_table(*this / "births");
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].code == "births");
  BOOST_TEST(dataset.relations[0].facts.size() == 3U);
  // A test file on its own becomes a separate relation, like any other file.
  BOOST_TEST(load_choice_table(write("alone/test.jsonl", births)).relations[0].code == "test");
}

BOOST_FIXTURE_TEST_CASE(a_csv_is_a_table_of_choices_by_its_header, Table) {
  BOOST_TEST(choice_table_files(write("a/a.csv", "Subject,Object,Choices\n")).size() == 1U);
  BOOST_TEST(choice_table_files(write("b/b.csv", "subject,object\n")).size() == 1U);
  BOOST_TEST(choice_table_files(write("c/c.csv", "subject,relation,object\n")).empty());
  BOOST_TEST(choice_table_files(write("d/d.csv", "Name,Birth Year\n")).empty());
  BOOST_TEST(choice_table_files(write("e/e.csv", "")).empty());
}

// Otherwise, plumb would draw choices only for the facts without them.
BOOST_FIXTURE_TEST_CASE(a_fact_without_choices_in_a_table_with_some_is_reported, Table) {
  const std::string fact = R"({"subject": "C", "object": "1931")";
  for (const std::string rest :
       {"", R"(, "choices": "")", R"(, "choices": null)", R"(, "split": "test")"}) {
    const std::string part = rest.find("split") == std::string::npos ? "" : R"(, "split": "train")";
    const std::string lines = R"({"subject": "A", "object": "1947", "choices": ["1931"])" + part +
                              "}\n" + fact + rest + "}\n";
    BOOST_CHECK_EXCEPTION(
        (void)load(lines), Error,
        says(Fault::user,
             "birth.jsonl:2: choices: is missing or empty, but other facts of the table have it; "
             "write the fact's choices, or remove the fact"));
    std::size_t problems = 0;
    BOOST_TEST(load(lines, [&](const Error&) { ++problems; }).facts.size() == 1U);
    BOOST_TEST(problems == 1U);
    // If one relation has choices, the whole dataset is treated as a table with choices.
    write("two/a.jsonl", births);
    write("two/b.jsonl", fact + rest + "}\n" + R"({"subject": "D", "object": "x"})" + "\n");
    BOOST_CHECK_EXCEPTION((void)load_choice_table(*this / "two"), Error,
                          says(Fault::user, "b.jsonl:1: choices: is missing or empty"));
    // If no fact in the table has choices, plumb draws them.
    BOOST_TEST(load(fact + rest + "}\n" + R"({"subject": "D", "object": "x", "split": "test"})")
                   .facts.size() == 2U);
  }
  // An empty field in a .csv is treated the same way. Training facts do not need choices.
  write("c.csv", "subject,object,choices,split\nA,x,['y'],test\nB,y,,train\nC,y,,test\n");
  BOOST_CHECK_EXCEPTION((void)load_choice_table(*this / "c.csv"), Error,
                        says(Fault::user, "c.csv:4: choices: is missing or empty"));
}

BOOST_FIXTURE_TEST_CASE(two_fields_for_one_are_reported, Table) {
  const auto refused = [&](const Json& more, const std::string& words) {
    Json row = {{"subject", "A"}, {"object", "x"}, {"choices", {"y"}}};
    row.update(more);
    BOOST_CHECK_EXCEPTION((void)load(row.dump() + "\n" + births), Error,
                          says(Fault::user, "birth.jsonl:1: " + words + "; keep one of them"));
  };
  refused({{"Choices", {"z"}}}, "Choices: appears twice, as 'choices' and 'Choices'");
  refused({{"Multiple Choices", {"z"}}},
          "Multiple Choices: appears twice, as 'choices' and 'Multiple Choices'");
  refused({{"OBJECT", "z"}}, "OBJECT: appears twice, as 'object' and 'OBJECT'");
  refused({{"Subject ", "z"}}, "Subject : appears twice, as 'subject' and 'Subject '");
  for (const char* const header :
       {"subject,relation,object,Object", "subject,object,choices,Choices"}) {
    write("c.csv", header + std::string("\nA,x,['y'],['z']\nB,y,['x'],['z']\n"));
    BOOST_CHECK_EXCEPTION((void)load_choice_table(*this / "c.csv"), Error,
                          says(Fault::user, "c.csv:2: "));
  }
  write("c.csv", "subject,object,object\nA,x,y\nB,y,x\n");
  BOOST_CHECK_EXCEPTION((void)load_choice_table(*this / "c.csv"), Error,
                        says(Fault::user, "c.csv:1: object: appears twice in the header"));
}

BOOST_FIXTURE_TEST_CASE(messages_name_the_fields_of_this_layout, Table) {
  const auto refused = [&](const std::string& row, const std::string& words) {
    BOOST_CHECK_EXCEPTION((void)load(births + row), Error,
                          says(Fault::user, "birth.jsonl:3: " + words));
  };
  refused(R"({"subject": "A", "object": "x", "choices": ["y", ""]})",
          "choices: a choice is empty; write its text or remove it");
  refused(R"({"subject": "A", "object": "x", "choices": [" ", "y"]})",
          "choices: a choice is blank");
  refused(R"({"subject": "A", "choices": ["y"]})",
          "object: the fact has no answer; add a non-empty string object");
  refused(R"({"subject": "A", "object": "x", "subject_aliases": 3, "choices": ["y"]})",
          "subject_aliases: is not a list of strings");
}

BOOST_AUTO_TEST_SUITE_END()
