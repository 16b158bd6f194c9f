// SPDX-License-Identifier: Apache-2.0
#include "plumb/data/tsv.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb;
using test::says;

BOOST_AUTO_TEST_SUITE(tsv_suite)

namespace {

struct Table : test::TemporaryFolder {
  Table() {
    write("facts.json", R"({"capital": ["The capital of [X] is [Y]."], "in": ["[X]: [Y]"]})");
  }

  Dataset load(const std::string& rows, const ProblemSink& sink = throw_problem) const {
    return load_tsv(write("facts.tsv", rows), sink);
  }
  Relation capitals(const std::string& rows) const {
    write("facts.json", R"({"capital": ["The capital of [X] is [Y]."]})");
    return load(rows).relations.at(0);
  }
};

const std::string rows = "France\tcapital\tParis\nItaly\tcapital\tRome\n";

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_table_is_read_relation_by_relation, Table) {
  const Dataset dataset =
      load("Chad\tin\tAfrica\n" + rows + "Peru\tin\tSouth America\nGaul\tcapital\tParis\n");
  BOOST_TEST(dataset.name == "facts");
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  const Relation& relation = dataset.relations[0];
  BOOST_TEST(relation.code == "capital");  // in the order of the templates' file
  BOOST_TEST(relation.options == (std::vector<std::string>{"Paris", "Rome"}));
  BOOST_REQUIRE(relation.facts.size() == 3U);
  BOOST_TEST(relation.facts[2].subject == "Gaul");
  BOOST_TEST(relation.facts[2].answer == 0U);
  BOOST_TEST(relation.facts[2].instance == 2U);
  BOOST_TEST(dataset.relations[1].facts.size() == 2U);
  BOOST_TEST(dataset.files.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_header_blank_lines_and_carriage_returns_are_passed_over, Table) {
  BOOST_TEST(capitals("subject\trelation\tobject\n" + rows).facts.size() == 2U);
  const Relation relation = capitals("\nFrance\tcapital\tParis\r\n\r\nItaly\tcapital\tRome");
  BOOST_TEST(relation.facts.size() == 2U);
  BOOST_TEST(relation.options[0] == "Paris");
}

BOOST_FIXTURE_TEST_CASE(a_byte_order_mark_is_not_part_of_the_first_subject, Table) {
  BOOST_TEST(capitals("\xEF\xBB\xBF" + rows).facts.at(0).subject == "France");
  BOOST_TEST(capitals("\xEF\xBB\xBFsubject\trelation\tobject\n" + rows).facts.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(quotes_and_spaces_are_kept_as_they_are, Table) {
  const Relation relation = capitals("\"France\" \tcapital\t Paris\nItaly\tcapital\tRome\n");
  BOOST_TEST(relation.facts[0].subject == "\"France\" ");
  BOOST_TEST(relation.options[0] == " Paris");
}

BOOST_FIXTURE_TEST_CASE(a_row_has_three_fields, Table) {
  BOOST_CHECK_EXCEPTION(load(rows + "Chad\tin\n"), Error,
                        says(Fault::user,
                             "facts.tsv:3: 2 fields instead of 3; write subject, relation "
                             "and object with one tab between"));
  BOOST_CHECK_EXCEPTION(load(rows + "Chad\tin\tAfrica\tx\n"), Error,
                        says(Fault::user, "facts.tsv:3: 4 fields instead of 3"));
}

BOOST_FIXTURE_TEST_CASE(a_row_has_a_subject_and_an_object, Table) {
  BOOST_CHECK_EXCEPTION(load("\tcapital\tParis\n"), Error,
                        says(Fault::user, "facts.tsv:1: subject: is empty"));
  BOOST_CHECK_EXCEPTION(load("France\tcapital\t\n"), Error,
                        says(Fault::user, "facts.tsv:1: object: is empty"));
}

BOOST_FIXTURE_TEST_CASE(a_row_is_utf8, Table) {
  BOOST_CHECK_EXCEPTION(load(rows + "C\xF4te d'Ivoire\tin\tAfrica\n"), Error,
                        says(Fault::user, "facts.tsv:3: is not UTF-8; convert the file"));
}

BOOST_FIXTURE_TEST_CASE(a_relation_has_templates_beside_the_table, Table) {
  BOOST_CHECK_EXCEPTION(
      load("Chad\tnear\tNiger\n"), Error,
      says(Fault::user, "facts.tsv:1: relation: 'near' has no templates; add it to " +
                            (path() / "facts.json").string()));
  write("facts.json", R"({"capital": "[X] [Y]"})");
  BOOST_CHECK_EXCEPTION(
      load(rows), Error,
      says(Fault::user, "facts.json: capital: is not a list of templates; write"));
  write("facts.json", R"({"capital": ["The capital of [X]."]})");
  BOOST_CHECK_EXCEPTION(load(rows), Error,
                        says(Fault::user,
                             "facts.json: capital: template 'The capital of [X].' has no "
                             "[Y]; write [X] where"));
}

// For a `template_file`, or for a probe that needs none.
BOOST_FIXTURE_TEST_CASE(without_templates_beside_it_a_table_has_none, Table) {
  std::filesystem::remove(*this / "facts.json");
  const Dataset dataset = load("Chad\tin\tAfrica\n" + rows + "Peru\tin\tAmerica\n");
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "in");  // in order of appearance
  BOOST_TEST(dataset.relations[0].templates.empty());
  BOOST_TEST(dataset.relations[1].facts.size() == 2U);
  BOOST_TEST(dataset.files.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_header_says_the_order_of_the_columns, Table) {
  for (const char* header :
       {"subject\trelation\tobject\n", "Subject\tRelation\tObject\n", "head\trelation\ttail\n",
        "\"subject\"\t\"predicate\"\t\"object\"\n", "\ns\tp\to\r\n"}) {
    BOOST_TEST_CONTEXT(header) {
      const Relation relation = capitals(header + rows);
      BOOST_TEST(relation.facts.size() == 2U);
      BOOST_TEST(relation.facts[0].subject == "France");
    }
  }
  const Relation swapped = capitals(
      "relation\tobject\tsubject\ncapital\tParis\tFrance\n"
      "capital\tRome\tItaly\n");
  BOOST_TEST(swapped.facts[1].subject == "Italy");
  BOOST_TEST(swapped.options[1] == "Rome");
}

BOOST_FIXTURE_TEST_CASE(a_csv_has_quotes_a_header_and_columns_that_are_passed_over, Table) {
  const auto file = write("facts.csv",
                          "\xEF\xBB\xBF"
                          "relation,Subject,object,note\r\n"
                          "capital,\"Congo, the\",Kinshasa,\"two\nlines\"\r\n"
                          "in,\"the \"\"Horn\"\"\",Africa,\r\nin,Peru,America,x\r\n"
                          "capital,Italy,Rome,\n");
  const Dataset dataset = load_tsv(file);
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].facts[0].subject == "Congo, the");
  BOOST_TEST(dataset.relations[0].facts[0].line == 2U);
  BOOST_TEST(dataset.relations[1].facts[0].subject == "the \"Horn\"");
  BOOST_TEST(dataset.relations[1].facts[0].line == 4U);
  BOOST_CHECK_EXCEPTION((void)load_tsv(write("facts.csv", "subject,relation,object\n,capital,x\n")),
                        Error, says(Fault::user, "facts.csv:2: subject: is empty"));
  BOOST_CHECK_EXCEPTION(
      (void)load_tsv(write("facts.csv",
                           "subject,relation,object,options\nPeru,capital,Lima,\"['Lima', "
                           "'Quito']\"\n")),
      Error,
      says(Fault::user, "facts.csv:2: options: looks like a question's choices, and is not read"));
  BOOST_CHECK_EXCEPTION((void)load_tsv(write("facts.csv", "a,b,c\n")), Error,
                        says(Fault::user, "facts.csv:1: the header does not name one subject"));
}

BOOST_FIXTURE_TEST_CASE(a_table_that_is_missing_is_named, Table) {
  BOOST_CHECK_EXCEPTION(load_tsv(*this / "facts.tsv"), Error,
                        says(Fault::user, "facts.tsv: cannot be read; check that it exists"));
}

BOOST_FIXTURE_TEST_CASE(a_relation_without_facts_is_reported_and_left_out, Table) {
  std::vector<std::string> problems;
  const Dataset dataset =
      load(rows, [&](const Error& error) { problems.emplace_back(error.what()); });
  BOOST_TEST(dataset.relations.size() == 1U);
  BOOST_REQUIRE(problems.size() == 1U);
  BOOST_TEST(problems[0] == (path() / "facts.tsv").string() +
                                ": relation in has no usable fact; add one or remove the relation");
}

BOOST_FIXTURE_TEST_CASE(choices_in_a_tsv_are_refused_with_what_to_write, Table) {
  for (const char* text : {"subject\trelation\tobject\tchoices\nA\tr\tx\t['y']\n",
                           "Subject\tObject\tMultiple Choices\nA\tx\t['y']\n",
                           "A\tr\tx\t['x', 'y']\nB\tr\ty\t['x']\n"}) {
    BOOST_CHECK_EXCEPTION((void)load_tsv(write("facts.tsv", text)), Error,
                          says(Fault::user,
                               "facts.tsv:1: brings choices, which a .tsv cannot; write the table "
                               "as .csv or .jsonl"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
