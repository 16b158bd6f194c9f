// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/data/load.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "plumb/detail/data/multi_prompt_folder.hpp"
#include "support/errors.hpp"
#include "support/temporary_folder.hpp"

using namespace plumb::detail;
using test::says;

BOOST_AUTO_TEST_SUITE(load_suite)

namespace {

const std::string facts =
    "{\"sub_label\": \"France\", \"obj_label\": \"Paris\"}\n"
    "{\"sub_label\": \"Italy\", \"obj_label\": \"Rome\"}\n";

void write_table(const test::TemporaryFolder& folder, const std::string& name) {
  folder.write(name + ".tsv", "France\tP36\tParis\nItaly\tP36\tRome\n");
  folder.write(name + ".json", R"({"P36": ["[X]: [Y]"]})");
}

void check_capitals(const Dataset& dataset) {
  BOOST_REQUIRE(dataset.relations.size() == 1U);
  BOOST_TEST(dataset.relations[0].code == "P36");
  BOOST_TEST(dataset.relations[0].facts.size() == 2U);
  BOOST_TEST(dataset.relations[0].options.at(1) == "Rome");
}

}  // namespace

BOOST_AUTO_TEST_CASE(folder_layout_determines_the_loader) {
  const test::TemporaryFolder folder;
  folder.write("bear/metadata_relations.json", R"({"P36": {"templates": ["[X]: [Y]"]}})");
  folder.write("bear/P36.jsonl", facts);
  check_capitals(load_dataset(folder / "bear"));

  folder.write("lama/relations.jsonl", R"({"relation": "P36", "template": "[X]: [Y]"})");
  folder.write("lama/TREx/P36.jsonl", facts);
  check_capitals(load_dataset(folder / "lama"));

  folder.write("pararel/trex_lms_vocab/P36.jsonl", facts);
  folder.write("pararel/pattern_data/graphs_json/P36.jsonl", R"({"pattern": "[X]: [Y]"})");
  check_capitals(load_dataset(folder / "pararel"));

  write_table(folder, "own/facts");
  check_capitals(load_dataset(folder / "own"));
  check_capitals(load_dataset(folder / "own/facts.tsv"));
}

// The lines look like tables with choices, or like T-REx's triples, which have no templates.
BOOST_AUTO_TEST_CASE(json_lines_with_templates_next_to_them_are_a_table) {
  for (const char* const names : {"subject relation object", "head relation tail", "subj prop obj",
                                  "source relation target", "h r t"}) {
    std::istringstream words(names);
    std::string subject, relation, object;
    words >> subject >> relation >> object;
    std::string rows;
    for (const auto& [x, y] : {std::pair("France", "Paris"), {"Italy", "Rome"}}) {
      rows += Json{{subject, x}, {relation, "P36"}, {object, y}, {"year", 1984}}.dump() + "\n";
    }
    const test::TemporaryFolder folder;
    const auto file = folder.write("facts.jsonl", rows);
    folder.write("facts.json", R"({"P36": ["[X]: [Y]"]})");
    for (const auto& path : {folder.path(), file}) {
      const Dataset dataset = load_dataset(path);
      check_capitals(dataset);
      BOOST_TEST(dataset.relations[0].templates.at(0) == "[X]: [Y]");
      BOOST_TEST((dataset.relations[0].facts[0].further.at(0) ==
                  std::pair<std::string, std::string>("year", "1984")));
    }
    BOOST_TEST(!is_multi_prompt(folder.path()));
    BOOST_TEST(load_multi_prompt(folder.path()).relations.at(0).facts.size() == 2U);
  }
}

BOOST_AUTO_TEST_CASE(many_prompts_with_a_column_of_sources_remain_many_prompts) {
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl",
               R"({"relation":"plays","sub_id":"Q1","sub_label":"John","source":"wikidata",)"
               R"("objects":[{"obj_id":"Q2","obj_label":"guitar"}]})"
               "\n");
  folder.write("templates.jsonl", R"({"relation":"plays","template":"[X] plays [Y]."})"
                                  "\n");
  BOOST_TEST(is_multi_prompt(folder.path()));
}

BOOST_AUTO_TEST_CASE(own_choices_are_read_even_with_a_file_of_templates) {
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl",
               R"({"subject":"France","relation":"P36","object":"Paris","choices":["Rome"]})"
               "\n");
  folder.write("facts.json", R"({"P36": ["[X]: [Y]"]})");
  BOOST_TEST(load_dataset(folder.path()).relations.at(0).facts.at(0).offered.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_split_on_a_later_line_is_not_ignored_next_to_templates) {
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl",
               R"({"subject":"France","relation":"P36","object":"Paris"})"
               "\n"
               R"({"subject":"Italy","relation":"P36","object":"Rome","split":"test"})"
               "\n");
  folder.write("facts.json", R"({"P36": ["[X]: [Y]"]})");
  const Dataset dataset = load_dataset(folder.path());
  BOOST_TEST((dataset.relations.at(0).facts.at(1).part == FactPart::test));
}

BOOST_AUTO_TEST_CASE(a_json_file_without_templates_is_not_read_as_templates) {
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl", R"({"subject":"France","relation":"P36","object":"Paris"})"
                              "\n"
                              R"({"subject":"Italy","relation":"P36","object":"Rome"})"
                              "\n");
  folder.write("facts.json", R"({"source": "wikidata", "tags": ["capitals"], "size": 2})");
  BOOST_TEST(load_dataset(folder.path()).relations.at(0).facts.size() == 2U);
  folder.write("facts.json", R"({"P36": "[X]: [Y]"})");
  BOOST_CHECK_EXCEPTION((void)load_dataset(folder.path()), Error,
                        says(Fault::user, "P36: is not a list of templates"));
}

BOOST_AUTO_TEST_CASE(a_table_next_to_templates_for_many_prompts_is_neither) {
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl", R"({"subject":"France","relation":"P36","object":"Paris"})"
                              "\n");
  folder.write("templates.jsonl", R"({"relation":"P36","template":"[X]: [Y]"})"
                                  "\n");
  BOOST_CHECK_EXCEPTION(
      (void)load_multi_prompt(folder.path()), Error,
      says(Fault::user, "pass facts.jsonl itself, with its templates in facts.json"));
}

BOOST_AUTO_TEST_CASE(a_broken_first_line_is_reported) {
  const test::TemporaryFolder folder;
  folder.write("facts.jsonl", R"({"subj":"France","prop":"capital","obj":NaN})"
                              "\n");
  BOOST_CHECK_EXCEPTION((void)load_dataset(folder.path()), Error,
                        says(Fault::user, "facts.jsonl:1: "));
  BOOST_CHECK_EXCEPTION((void)load_multi_prompt(folder.path()), Error,
                        says(Fault::user, "facts.jsonl:1: "));
}

BOOST_AUTO_TEST_CASE(a_csv_with_factors_header_is_factor) {
  const test::TemporaryFolder folder;
  const auto check = [](const Dataset& dataset) {
    BOOST_TEST(dataset.name == "wiki");
    BOOST_REQUIRE(dataset.relations.size() == 1U);
    BOOST_TEST(dataset.relations[0].options.at(0) == "completion");
    BOOST_TEST(dataset.relations[0].facts.at(0).choices.at(3) == "grey");
  };
  const auto file =
      folder.write("factor/wiki.csv",
                   "turncated_prefixes,completion,contradiction_0,contradiction_1,contradiction_2\n"
                   "The sky is,blue,green,red,grey\n");
  check(load_dataset(file));
  check(load_dataset(folder / "factor"));
  check(load_dataset(folder / "factor/"));
}

BOOST_AUTO_TEST_CASE(a_folder_of_another_csv_or_of_several_is_not_factor) {
  const test::TemporaryFolder folder;
  folder.write("other/a.csv", "a,b\n");
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder / "other"), Error,
      says(Fault::user,
           "a.csv:1: the header 'a', 'b' names no subject, no relation and no object; name the "
           "columns subject, relation and object, or"));
  folder.write("two/a.csv", "turncated_prefixes\n");
  folder.write("two/b.csv", "turncated_prefixes\n");
  BOOST_CHECK_EXCEPTION(load_dataset(folder / "two"), Error,
                        says(Fault::user,
                             "two: contains several .csv files that are not relations "
                             "with choices; pass the one to read"));
  // This file neither hides the table nor is silently ignored.
  folder.write("own/notes.csv", "a,b\n");
  write_table(folder, "own/facts");
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder / "own"), Error,
      says(Fault::user, "notes.csv: is not read, because the dataset is read from"));
  check_capitals(load_dataset(folder / "own/facts.tsv"));
}

BOOST_AUTO_TEST_CASE(jsonl_files_of_subjects_and_objects_are_a_table_with_choices) {
  const test::TemporaryFolder folder;
  const std::string table =
      "{\"subject\": \"France\", \"object\": \"Paris\", \"choices\": [\"Rome\"]}\n"
      "{\"subject\": \"Italy\", \"object\": \"Rome\", \"choices\": [\"Paris\"]}\n";
  folder.write("own/P36.jsonl", table);
  check_capitals(load_dataset(folder / "own"));
  check_capitals(load_dataset(folder / "own/P36.jsonl"));
  BOOST_TEST(load_dataset(folder / "own/").name == "own");
  BOOST_TEST(load_dataset(folder / "own").relations[0].facts[0].offered.size() == 2U);
  // Known layouts are tried first, because BEAR's files are .jsonl too.
  folder.write("own/metadata_relations.json", R"({"P36": {"templates": ["[X]: [Y]"]}})");
  folder.write("own/P36.jsonl", facts);
  check_capitals(load_dataset(folder / "own"));
  // A .jsonl with different content neither hides the table next to it nor is silently ignored.
  write_table(folder, "tsv/facts");
  folder.write("tsv/log.jsonl", "{\"event\": 1}\n");
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder / "tsv"), Error,
      says(Fault::user, "log.jsonl: is not read, because the dataset is read from"));
  BOOST_CHECK_EXCEPTION(load_dataset(folder / "tsv/log.jsonl"), Error,
                        says(Fault::user, "log.jsonl: is not a dataset that plumb recognises"));
}

BOOST_AUTO_TEST_CASE(a_table_with_choices_of_which_nothing_is_usable_is_refused) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("own/P36.jsonl", R"({"subject": "France", "object": "Paris"})");
  for (const auto& path : {file, file.parent_path()}) {
    int problems = 0;
    BOOST_CHECK_EXCEPTION(load_dataset(path, [&](const Error&) { ++problems; }), Error,
                          says(Fault::user, path.string() + ": the dataset is empty"));
    BOOST_TEST(problems == 1);  // a relation with only one option
  }
}

BOOST_AUTO_TEST_CASE(an_empty_factor_is_refused) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(load_dataset(folder.write("a.csv", "turncated_prefixes\n")), Error,
                        says(Fault::user, "a.csv:1: completion: is not among the header's fields"));
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder.write("b.csv",
                                "turncated_prefixes,completion,contradiction_0,contradiction_1,"
                                "contradiction_2\n")),
      Error, says(Fault::user, "b.csv: the dataset is empty"));
}

BOOST_AUTO_TEST_CASE(a_trailing_slash_does_not_change_the_name) {
  const test::TemporaryFolder folder;
  folder.write("bear/metadata_relations.json", R"({"P36": {"templates": ["[X]: [Y]"]}})");
  folder.write("bear/P36.jsonl", facts);
  BOOST_TEST(load_dataset(folder / "bear").name == "bear");
  BOOST_TEST(load_dataset(folder / "bear/").name == "bear");
}

BOOST_AUTO_TEST_CASE(unrecognized_dataset_is_refused_with_the_supported_formats) {
  const test::TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder / "none"), Error,
      says(Fault::user, "none: does not exist; pass a dataset's folder, or a .tsv or .csv file"));
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder.path()), Error,
      says(Fault::user,
           "is not a dataset that plumb recognises; it needs one of: "
           "metadata_relations.json (BEAR), relations.jsonl, mLAMA's templates.jsonl, Google_RE/, "
           "or "
           "test.jsonl in ConceptNet/ or Squad/ (LAMA), question-templates.csv and folders "
           "with train.jsonl and test.jsonl (KAMEL), "
           "trex_lms_vocab/ with pattern_data/graphs_json/ (PARAREL), a .csv "
           "with its header (FACTOR), .jsonl or .csv files whose facts have subject and "
           "object (choices), .jsonl files whose lines have head, tail and "
           "relation (T-REx), a .csv with Name and Birth Year (laureates), one "
           ".tsv, or a .csv or .jsonl whose columns are named subject, relation and object "
           "(table)"));
  BOOST_CHECK_EXCEPTION(load_dataset("/dev/null"), Error,
                        says(Fault::user, "/dev/null: is not a dataset that plumb recognises"));
}

BOOST_AUTO_TEST_CASE(error_for_unusable_csv_shows_its_header_and_suggests_a_fix) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& words) {
    BOOST_TEST_CONTEXT(words) {
      BOOST_CHECK_EXCEPTION((void)load_dataset(folder.write("facts.csv", text)), Error,
                            says(Fault::user, "facts.csv:1: " + words));
    }
  };
  refused("country,capital\nPeru,Lima\n",
          "the header 'country', 'capital' names no subject, no relation and no object; name the "
          "columns subject, "
          "relation and object, or, with a file for each relation, subject, object and choices");
  refused("\"sub, ject\",a\n", "the header 'sub, ject', 'a' names no relation and no object");
  refused("subject;relation;object\nPeru;capital;Lima\n",
          "the header 'subject;relation;object' names no subject, no relation and no object; "
          "separate the "
          "fields by "
          "commas");
  refused("", "has no header");
  // Either of the first two columns could be the subject.
  refused("source,head,relation,object\n",
          "the header 'source', 'head', 'relation', 'object' names more than one subject; name");
  refused("Subject,Object 1,x\n",
          "the header 'Subject', 'Object 1', 'x' names no relation and no object");
}

BOOST_AUTO_TEST_CASE(a_csv_of_facts_is_read_by_its_header) {
  const test::TemporaryFolder folder;
  folder.write("own/facts.csv",
               "id,Object,Subject,Relation\n1,Paris,France,P36\n2,\"Rome\",Italy,P36\n");
  folder.write("own/facts.json", R"({"P36": ["[X]: [Y]"]})");
  check_capitals(load_dataset(folder / "own"));
  check_capitals(load_dataset(folder / "own/facts.csv"));
}

BOOST_AUTO_TEST_CASE(parquet_is_refused_with_its_conversion) {
  const test::TemporaryFolder folder;
  folder.write("mc/data/test-00000-of-00001.parquet", "PAR1");
  folder.write("plain/train.parquet", "PAR1");
  for (const auto& path :
       {folder / "mc", folder / "mc/data", folder / "plain", folder / "plain/train.parquet"}) {
    BOOST_CHECK_EXCEPTION((void)load_dataset(path), Error,
                          says(Fault::user,
                               ".parquet: is Parquet, which plumb does not read; convert "
                               "it to JSON lines: python3 -c"));
  }
}

BOOST_AUTO_TEST_CASE(prompt_folders_without_facts_are_refused) {
  const test::TemporaryFolder folder;
  folder.write("mine/P36.jsonl", "{\"template\": \"[X] capital [Y] .\", \"weight\": 1}\n");
  folder.write("manual_paraphrase/P36.txt", "[X] capital is [Y].\n");
  for (const auto& path : {folder.path(), folder / "mine", folder / "manual_paraphrase"}) {
    BOOST_CHECK_EXCEPTION(load_dataset(path), Error,
                          says(Fault::user,
                               ": contains LPAQA's prompts, but no facts; choose a dataset of "
                               "facts, and pass the prompts as `template_file`"));
  }
}

BOOST_AUTO_TEST_CASE(several_tables_are_not_guessed_between) {
  const test::TemporaryFolder folder;
  write_table(folder, "one");
  write_table(folder, "two");
  BOOST_CHECK_EXCEPTION(load_dataset(folder.path()), Error,
                        says(Fault::user, "contains several .tsv files; pass the one to read"));
  // No single part of a graph is treated as the table of facts.
  folder.write("graph/train.tsv", "a\tr\tb\n");
  folder.write("graph/test.tsv", "b\tr\ta\n");
  BOOST_CHECK_EXCEPTION((void)load_dataset(folder / "graph"), Error,
                        says(Fault::user,
                             "is a knowledge graph, which has no closed sets; use plumb rank, "
                             "which ranks its entities"));
  check_capitals(load_dataset(folder / "two.tsv"));
}

BOOST_AUTO_TEST_CASE(an_empty_dataset_is_refused) {
  const test::TemporaryFolder folder;
  folder.write("metadata_relations.json", "{}");
  BOOST_CHECK_EXCEPTION(
      load_dataset(folder.path()), Error,
      says(Fault::user, ": the dataset is empty; it needs at least one relation with"));
}

BOOST_AUTO_TEST_CASE(a_dataset_of_which_nothing_is_usable_is_refused_by_a_lenient_sink_too) {
  const test::TemporaryFolder folder;
  folder.write("facts.json", R"({"P36": ["[X] has no answer"]})");
  int problems = 0;
  BOOST_CHECK_EXCEPTION(load_dataset(folder.write("facts.tsv", "France\tP36\tParis\n"),
                                     [&](const Error&) { ++problems; }),
                        Error, says(Fault::user, "facts.tsv: the dataset is empty"));
  // One problem is the template; the other is the relation that lost its only template.
  BOOST_TEST(problems == 2);
}

BOOST_AUTO_TEST_SUITE_END()
