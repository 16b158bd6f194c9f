// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/tsv.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
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
  BOOST_TEST(relation.code == "capital");  // relations are in the order of the template file
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
                             "and object, separated by one tab each"));
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

BOOST_FIXTURE_TEST_CASE(relation_without_templates_next_to_the_table_is_rejected, Table) {
  BOOST_CHECK_EXCEPTION(
      load("Chad\tnear\tNiger\n"), Error,
      says(Fault::user, "facts.tsv:1: relation: 'near' has no templates; add the relation to " +
                            (path() / "facts.json").string()));
  write("facts.json", R"({"capital": "[X] [Y]"})");
  BOOST_CHECK_EXCEPTION(
      load(rows), Error,
      says(Fault::user, "facts.json: capital: is not a list of templates; write"));
  write("facts.json", R"({"capital": ["The capital of [X]."]})");
  BOOST_CHECK_EXCEPTION(load(rows), Error,
                        says(Fault::user,
                             "facts.json: capital: template 'The capital of [X].' has no "
                             "[Y]; write [X] in"));
}

// A table without templates can be used with a `template_file` or in a probe that needs no
// templates.
BOOST_FIXTURE_TEST_CASE(table_without_a_template_file_has_no_templates, Table) {
  std::filesystem::remove(*this / "facts.json");
  const Dataset dataset = load("Chad\tin\tAfrica\n" + rows + "Peru\tin\tAmerica\n");
  BOOST_REQUIRE(dataset.relations.size() == 2U);
  BOOST_TEST(dataset.relations[0].code == "in");  // relations are in order of appearance
  BOOST_TEST(dataset.relations[0].templates.empty());
  BOOST_TEST(dataset.relations[1].facts.size() == 2U);
  BOOST_TEST(dataset.files.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(header_determines_the_column_order, Table) {
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
      says(Fault::user, "facts.csv:2: options: looks like a question's choices, but is not read"));
  BOOST_CHECK_EXCEPTION(
      (void)load_tsv(write("facts.csv", "a,b,c\n")), Error,
      says(Fault::user,
           "facts.csv:1: the header 'a', 'b', 'c' names no subject, no relation and no object"));
}

// The file has the form that pandas writes when fields contain quotes, tabs and line breaks.
BOOST_FIXTURE_TEST_CASE(a_tsv_under_a_header_has_quotes, Table) {
  const Relation relation = capitals(
      "object\tnote\tsubject\trelation\n"
      "Paris\t\"two\nlines and a\ttab\"\t\"the \"\"Hexagon\"\"\"\tcapital\n"
      "Rome\t\t\"Weird\" Italy\tcapital\n"
      "\"Lima\tx\tPeru\tcapital\r\n");
  BOOST_REQUIRE(relation.facts.size() == 3U);
  BOOST_TEST(relation.facts[0].subject == "the \"Hexagon\"");
  BOOST_TEST(relation.facts[0].line == 2U);
  BOOST_REQUIRE(relation.facts[0].further.size() == 1U);
  BOOST_TEST(relation.facts[0].further[0].first == "note");
  BOOST_TEST(relation.facts[0].further[0].second == "two\nlines and a\ttab");
  // A quote that is not closed at the end of its field is ordinary text.
  BOOST_TEST(relation.facts[1].subject == "\"Weird\" Italy");
  BOOST_TEST(relation.facts[1].further.empty());
  BOOST_TEST(relation.options == (std::vector<std::string>{"Paris", "Rome", "\"Lima"}));
}

BOOST_FIXTURE_TEST_CASE(further_columns_are_kept_with_the_fact, Table) {
  write("facts.json", R"({"capital": ["The capital of [X] is [Y]."]})");
  const Dataset dataset = load_tsv(
      write("facts.csv",
            "Popularity,SUBJECT,Subject ID,relation,object,object_id,subject_aliases,Question\n"
            "12,France,Q142,capital,Paris,Q90,\"[\"\"FR\"\", \"\"Gaul\"\"]\",\"What, then?\"\n"
            "7,Italy,Q38,capital,Rome,Q220,IT;Italia,\n"));
  const Relation& relation = dataset.relations.at(0);
  BOOST_TEST(relation.facts[0].subject_id == "Q142");
  BOOST_TEST(relation.option_ids == (std::vector<std::string>{"Q90", "Q220"}));
  BOOST_TEST(relation.facts[0].subject_aliases == (std::vector<std::string>{"FR", "Gaul"}));
  BOOST_TEST(relation.facts[1].subject_aliases == (std::vector<std::string>{"IT", "Italia"}));
  using Further = std::vector<std::pair<std::string, std::string>>;
  BOOST_TEST(
      (relation.facts[0].further == Further{{"Popularity", "12"}, {"Question", "What, then?"}}));
  BOOST_TEST((relation.facts[1].further == Further{{"Popularity", "7"}}));
}

BOOST_FIXTURE_TEST_CASE(a_fact_with_several_right_objects_is_a_fact_for_each, Table) {
  write("facts.json", R"({"borders": ["[X] borders [Y]."]})");
  const auto answers = [&](const std::string& file, const std::string& text) {
    std::vector<std::string> made;
    for (const Relation& relation : load_tsv(write(file, text)).relations) {
      for (const Fact& fact : relation.facts) {
        made.push_back(fact.subject + " " + relation.options[fact.answer]);
      }
    }
    return made;
  };
  const std::vector<std::string> expected{"Spain France", "Spain Portugal", "Chad Niger"};
  BOOST_TEST(
      answers("facts.csv",
              "subject,relation,objects\nSpain,borders,France; Portugal\nChad,borders,Niger\n") ==
      expected);
  BOOST_TEST(answers("facts.tsv",
                     "answers\tsubject\trelation\nFrance|Portugal\tSpain\tborders\n"
                     "Niger\tChad\tborders\n") == expected);
  BOOST_TEST(answers("facts.tsv",
                     "subject\trelation\tobject\nSpain\tborders\t[\"France\", \"Portugal\"]\n"
                     "Chad\tborders\tNiger\n") == expected);
  BOOST_TEST(answers("facts.csv",
                     "subject,relation,object\nSpain,borders,\"['France', 'Portugal']\"\n"
                     "Chad,borders,Niger\n") == expected);
  // A name in brackets is not a list, and a ";" in a column for one object is part of the object.
  BOOST_TEST(
      answers("facts.csv", "subject,relation,object\nSpain,borders,[Gaul]\nChad,borders,a;b\n") ==
      (std::vector<std::string>{"Spain [Gaul]", "Chad a;b"}));
  BOOST_TEST(
      answers("facts.csv", "subject,relation,objects\nSpain,borders,[REC]\nChad,borders,(Z)\n") ==
      (std::vector<std::string>{"Spain [REC]", "Chad (Z)"}));
  BOOST_CHECK_EXCEPTION(answers("facts.csv", "subject,relation,objects\nSpain,borders,[1949]\n"),
                        Error, says(Fault::user, "the list in the string contains 1949"));
  BOOST_CHECK_EXCEPTION(answers("facts.csv", "subject,relation,objects\nSpain,borders,;\n"), Error,
                        says(Fault::user, "facts.csv:2: object: is empty"));
  BOOST_CHECK_EXCEPTION(
      answers("facts.csv", "subject,relation,object\nSpain,borders,\"['France', 3]\"\n"), Error,
      says(Fault::user,
           "facts.csv:2: object: the list in the string contains 3, which is not a string"));
}

const std::string popqa =
    "id\tsubj\tprop\tobj\tsubj_id\tprop_id\tobj_id\ts_aliases\to_aliases\ts_uri\to_uri\t"
    "s_wiki_title\to_wiki_title\ts_pop\to_pop\tquestion\tpossible_answers\n"
    "4222362\tGeorge Rankin\toccupation\tpolitician\t1850297\t22\t2834605\t"
    "\"[\"\"George James Rankin\"\"]\"\t\"[\"\"political leader\"\",\"\"pol\"\"]\"\tu1\tu2\t"
    "George Rankin\tPolitician\t142\t25692\tWhat is George Rankin's occupation?\t"
    "\"[\"\"politician\"\", \"\"political leader\"\"]\"\n"
    "1\tJohn Mayne\toccupation\tjournalist\t3\t22\t4\t[]\t[]\tu3\tu4\tJohn Mayne\tJournalist\t"
    "9\t10\tWhat is John Mayne's occupation?\t\"[\"\"journalist\"\"]\"\n";

void check_popqa(const Dataset& dataset) {
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  const Relation& relation = dataset.relations[0];
  BOOST_TEST(relation.code == "occupation");
  BOOST_TEST(relation.options == (std::vector<std::string>{"politician", "journalist"}));
  BOOST_TEST(relation.option_ids == (std::vector<std::string>{"2834605", "4"}));
  BOOST_REQUIRE(relation.facts.size() == 2U);
  BOOST_TEST(relation.facts[0].subject == "George Rankin");
  BOOST_TEST(relation.facts[0].subject_id == "1850297");
  BOOST_TEST(relation.facts[0].subject_aliases ==
             (std::vector<std::string>{"George James Rankin"}));
  const auto further = [&](const std::string& name) {
    for (const auto& [key, value] : relation.facts[0].further) {
      if (key == name) return value;
    }
    return std::string("lost");
  };
  BOOST_TEST(further("s_pop") == "142");
  BOOST_TEST(further("id") == "4222362");
  BOOST_TEST(further("question") == "What is George Rankin's occupation?");
  BOOST_REQUIRE(!relation.option_aliases.empty());
  BOOST_TEST((ranges::find(relation.option_aliases[0], "political leader") !=
              relation.option_aliases[0].end()));
}

// The rows have the form of the published file, or of the files that `to_csv` and `to_json` in
// `datasets` write for it.
BOOST_FIXTURE_TEST_CASE(popqa_is_read_as_it_is, Table) {
  check_popqa(load_tsv(write("popqa.tsv", popqa)));
  const std::string row =
      R"({"id":4222362,"subj":"George Rankin","prop":"occupation","obj":"politician",)"
      R"("subj_id":1850297,"prop_id":22,"obj_id":2834605,"s_aliases":"[\"George James Rankin\"]",)"
      R"("o_aliases":"[\"political leader\",\"pol\"]","s_pop":142,"o_pop":25692,)"
      R"("question":"What is George Rankin's occupation?",)"
      R"("possible_answers":"[\"politician\", \"political leader\"]"})"
      "\n"
      R"({"id":1,"subj":"John Mayne","prop":"occupation","obj":"journalist","subj_id":3,)"
      R"("prop_id":22,"obj_id":4,"s_aliases":[],"o_aliases":[],"s_pop":9,"o_pop":null,)"
      R"("question":"?","possible_answers":["journalist"]})"
      "\n";
  const auto file = write("popqa/test.jsonl", row);
  BOOST_TEST(is_fact_table(file));
  check_popqa(load_tsv(file));
  std::string csv = popqa;
  for (char& c : csv) {
    if (c == '\t') c = ',';
  }
  check_popqa(load_tsv(write("popqa.csv", csv)));
}

BOOST_FIXTURE_TEST_CASE(a_missing_value_in_json_is_an_empty_field, Table) {
  const auto problem = [&](const std::string& row) {
    std::string found;
    const std::string sound =
        R"({"subj":"Italy","prop":"in","obj":"Europe"})"
        "\n"
        R"({"subj":"Chad","prop":"in","obj":"Africa","obj_aliases":["x",null]})"
        "\n";
    const Dataset dataset =
        load_tsv(write("facts.jsonl", sound + row + "\n"), [&](const Error& error) {
          const std::string text = error.what();
          if (text.find("no usable fact") == text.npos) found = text.substr(text.find("facts.j"));
        });
    BOOST_TEST(dataset.relations.at(0).facts.size() == 2U);
    return found;
  };
  for (const char* const row : {R"({"subj":"Peru","prop":"in","obj":null})",
                                R"({"subj":"Peru","prop":"in","obj":["Asia",null]})"}) {
    BOOST_TEST(problem(row) ==
               "facts.jsonl:3: object: is empty; fill the field or remove the line");
  }
  BOOST_TEST(problem(R"({"subj":null,"prop":"in","obj":"Asia"})") ==
             "facts.jsonl:3: subject: is empty; fill the field or remove the line");
}

BOOST_FIXTURE_TEST_CASE(a_number_that_would_be_rounded_is_refused, Table) {
  const auto written = [&](const std::string& number) {
    write("facts.json", R"({"in": ["[X]: [Y]"]})");
    return load_tsv(write("facts.jsonl", R"({"subj":"a","prop":"in","obj":)" + number +
                                             "}\n"
                                             R"({"subj":"b","prop":"in","obj":"c"})"
                                             "\n"))
        .relations.at(0)
        .options.at(0);
  };
  BOOST_TEST(written("1984") == "1984");
  BOOST_TEST(written("18446744073709551615") == "18446744073709551615");
  BOOST_TEST(written("0.25") == "0.25");
  BOOST_TEST(written("2.50") == "2.50");
  BOOST_TEST(written("true") == "true");
  BOOST_TEST(written("123456789012345678901234567890") == "123456789012345678901234567890");
  BOOST_TEST(written("1e30") == "1e30");
  BOOST_TEST(written("[0.10]") == "0.10");
  BOOST_TEST(written(R"("x","popularity":1e30)") == "x");
}

BOOST_FIXTURE_TEST_CASE(error_for_a_tsv_shows_the_header_and_the_missing_columns, Table) {
  BOOST_CHECK_EXCEPTION(load("subject\tobject\nFrance\tParis\n"), Error,
                        says(Fault::user,
                             "facts.tsv:1: the header 'subject', 'object' names no relation; name "
                             "the columns subject, relation and object"));
  BOOST_CHECK_EXCEPTION(load("id\tcountry\tcapital\tpop\n1\ta\tb\tc\n"), Error,
                        says(Fault::user, "names no subject, no relation and no object"));
}

BOOST_FIXTURE_TEST_CASE(error_names_the_missing_table, Table) {
  BOOST_CHECK_EXCEPTION(load_tsv(*this / "facts.tsv"), Error,
                        says(Fault::user, "facts.tsv: cannot be read; check"));
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
    BOOST_CHECK_EXCEPTION(
        (void)load_tsv(write("facts.tsv", text)), Error,
        says(Fault::user,
             "facts.tsv:1: has choices, which a .tsv does not support; save the table "
             "as .csv or .jsonl"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
