// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/data_convert.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "support/console_run.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::run_words;

BOOST_AUTO_TEST_SUITE(data_convert)

namespace {

/// The small dataset with additions for many prompts: an alias for Egypt, Bonn as a second subject
/// of the Rhine, and other names for the Rhine.
struct ConvertFiles : ConsoleFiles {
  ConvertFiles() {
    folder.write("data/river.jsonl",
                 "{\"sub_id\": \"Q85\", \"sub_label\": \"Cairo\", \"obj_label\": \"Nile\"}\n"
                 "{\"sub_id\": \"Q1718\", \"sub_label\": \"Bonn\", \"sub_aliases\": [\"Bonna\"], "
                 "\"obj_label\": \"Rhine\", \"obj_aliases\": [\"Rhein\", \"Rhin\"]}\n"
                 "{\"sub_id\": \"Q1718\", \"sub_label\": \"Bonn\", \"obj_label\": \"Nile\"}\n");
  }
  [[nodiscard]] ConsoleRun convert(std::vector<std::string> more = {},
                                   const std::string& data = "data") const {
    std::vector<std::string> words{"data", "convert", at(data), "--out", at("many")};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(folder / name);
  }
};

const std::string foot =
    "A fact is a subject with all its objects. Names and objects are counted over facts; prompts "
    "are subject names times templates.\n";

}  // namespace

BOOST_AUTO_TEST_CASE(sizes_are_counted_over_facts) {
  MultiPromptRelation relation{"P1", {}, {}};
  relation.templates = {{"[X] [Y] 0", "a"},
                        {"[X] [Y] 1", "a"},
                        {"[X] [Y] 2"},
                        {"[X] [Y] 3"},
                        {"[X]? [Y]", "b", TemplateStyle::question}};
  relation.facts = {{{"s", {"S", "T"}}, {{"o", {"O", "P", "Q"}}, {"u", {"U"}}}},
                    {{"v", {"V"}}, {{"o", {"O", "P", "Q"}}}}};
  MultiPromptSizes sizes = sizes_of(relation);
  for (std::size_t times = 1; times <= 2; ++times) {
    BOOST_TEST(sizes.facts == 2 * times);
    BOOST_TEST(sizes.subject_names == 3 * times);
    BOOST_TEST(sizes.objects == 3 * times);
    BOOST_TEST(sizes.object_aliases == 4 * times);
    BOOST_TEST(sizes.templates == 5 * times);
    BOOST_TEST(sizes.groups == 4 * times);  // a, b, and two templates with their own groups
    BOOST_TEST(sizes.questions == 1 * times);
    BOOST_TEST(sizes.prompts == 15 * times);
    sizes += sizes_of(relation);
  }
}

BOOST_FIXTURE_TEST_CASE(a_closed_set_becomes_a_dataset_of_many_prompts, ConvertFiles) {
  const ConsoleRun run = convert();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(
      run.out ==
      "data: 2 relations\n"
      "relation  facts  subject names  objects  object aliases  templates  groups  questions  "
      "prompts\n"
      "────────────────────────────────────────────────────────────────────────────────────────────"
      "──"
      "\n"
      "capital       3              4        3               0          2       2          0"
      "        8\n"
      "river         2              3        3               2          2       2          0"
      "        6\n"
      "────────────────────────────────────────────────────────────────────────────────────────────"
      "──"
      "\n"
      "all           5              7        6               2          4       4          0"
      "       14\n" +
          foot + "dataset: " + at("many") + "\n");
  BOOST_TEST(run.err.empty());
  BOOST_TEST(
      test::slurp(folder / "many/facts.jsonl") ==
      R"({"relation":"capital","sub_id":"Q142","sub_label":"France","sub_aliases":[],)"
      R"("objects":[{"obj_id":"Q90","obj_label":"Paris","obj_aliases":[]}]})"
      "\n"
      R"({"relation":"capital","sub_id":"Q884","sub_label":"Korea","sub_aliases":["Hanguk"],)"
      R"("objects":[{"obj_id":"Q8684","obj_label":"Seoul","obj_aliases":[]}]})"
      "\n"
      R"({"relation":"capital","sub_id":"Q79","sub_label":"Egypt","sub_aliases":[],)"
      R"("objects":[{"obj_id":"Q85","obj_label":"Cairo","obj_aliases":[]}]})"
      "\n"
      R"({"relation":"river","sub_id":"Q85","sub_label":"Cairo","sub_aliases":[],)"
      R"("objects":[{"obj_id":"Q3392","obj_label":"Nile","obj_aliases":[]}]})"
      "\n"
      R"({"relation":"river","sub_id":"Q1718","sub_label":"Bonn","sub_aliases":["Bonna"],)"
      R"("objects":[{"obj_id":"Q584","obj_label":"Rhine","obj_aliases":["Rhein","Rhin"]},)"
      R"({"obj_id":"Q3392","obj_label":"Nile","obj_aliases":[]}]})"
      "\n");
  BOOST_TEST(
      test::slurp(folder / "many/templates.jsonl") ==
      R"({"relation":"capital","template":"The capital of [X] is [Y].","style":"cloze","origin":"manual"})"
      "\n"
      R"({"relation":"capital","template":"[Y] is the capital of [X].","style":"cloze","origin":"manual"})"
      "\n"
      R"({"relation":"river","template":"[X] lies on the [Y].","style":"cloze","origin":"manual"})"
      "\n"
      R"({"relation":"river","template":"The [Y] flows through [X].","style":"cloze","origin":"manual"})"
      "\n");
}

BOOST_FIXTURE_TEST_CASE(what_was_converted_is_checked_and_described, ConvertFiles) {
  BOOST_TEST(convert().code == 0);
  const ConsoleRun check = run_words({"data", "check", at("many")});
  BOOST_TEST(check.code == 0);
  BOOST_TEST(check.out == "2 relations, 5 facts, 0 problems\n");
  const ConsoleRun describe = run_words({"data", "describe", at("many")});
  BOOST_TEST(describe.code == 0);
  BOOST_TEST(describe.out.starts_with("many: 2 relations\nrelation  facts  subject names"),
             describe);
  BOOST_TEST(describe.says("\nriver         2              3        3               2  "),
             describe);
  BOOST_TEST(describe.out.ends_with(foot));
}

BOOST_FIXTURE_TEST_CASE(what_was_converted_can_be_converted, ConvertFiles) {
  BOOST_TEST(convert().code == 0);
  const ConsoleRun again = run_words({"data", "convert", at("many"), "--out", at("more")});
  BOOST_TEST(again.code == 0, again);
  BOOST_TEST((test::contents(folder / "more") == test::contents(folder / "many")));
}

BOOST_FIXTURE_TEST_CASE(given_templates_stand_instead_of_those_found, ConvertFiles) {
  folder.write("data/prompts/templates.jsonl",
               R"({"relation": "capital", "template": "[X] is ruled from [Y]."})");
  const std::string given = folder
                                .write("given.jsonl", R"({"relation": "river", "group": "g",)"
                                                      R"( "template": "[X]: [Y]"})")
                                .string();
  BOOST_TEST(convert({"--templates", given}).code == 0);
  BOOST_TEST(test::slurp(folder / "many/templates.jsonl") ==
             R"({"relation":"river","template":"[X]: [Y]","group":"g","style":"cloze",)"
             R"("origin":"manual"})"
             "\n");
  std::filesystem::remove_all(folder / "many");
  const ConsoleRun found = convert();
  BOOST_TEST(found.code == 0, found);
  BOOST_TEST(found.says("data: 1 relation\n"));
  BOOST_TEST(test::slurp(folder / "many/templates.jsonl") ==
             R"({"relation":"capital","template":"[X] is ruled from [Y].","style":"cloze",)"
             R"("origin":"manual"})"
             "\n");
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_used_is_refused, ConvertFiles) {
  folder.write("many/notes.txt", "mine");
  BOOST_TEST(convert().refused(at("many") + ": is not empty; choose another folder (--out)"));
  BOOST_TEST((test::contents(folder / "many").size() == 1U));
  std::filesystem::remove_all(folder / "many");
  folder.write("many", "a file");
  BOOST_TEST(convert().refused(at("many") + ": is not a folder; choose another folder (--out)"));
  std::filesystem::remove(folder / "many");
  std::filesystem::create_directory(folder / "many");
  BOOST_TEST(convert().code == 0);  // the folder is empty
}

BOOST_FIXTURE_TEST_CASE(nothing_is_written_of_a_dataset_with_a_problem, ConvertFiles) {
  folder.write("data/river.jsonl", "not json\n");
  BOOST_TEST(convert().refused("data/river.jsonl:1: not JSON"));
  BOOST_TEST(!has("many"));
  BOOST_TEST(convert({"--templates", at("none.jsonl")}).code == 2);
  BOOST_TEST(convert({}, "nowhere").refused("nowhere: does not exist"));
  BOOST_TEST(!has("many"));
}

BOOST_FIXTURE_TEST_CASE(an_out_that_cannot_be_made_is_refused, ConvertFiles) {
  const ConsoleRun run =
      run_words({"data", "convert", at("data"), "--out", at("model.gguf") + "/many"});
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.refused("choose another folder (--out)"), run);
}

BOOST_FIXTURE_TEST_CASE(templates_of_one_origin_are_kept, ConvertFiles) {
  folder.write("rows/train.jsonl",
               R"({"uuid": "u1", "rel_uri": "P36", "sub_ent": "France", "obj_ents": ["Paris"], )"
               R"("template": "[X]: [Y]", "is_manual": false})"
               "\n"
               R"({"uuid": "u1", "rel_uri": "P36", "sub_ent": "France", "obj_ents": ["Paris"], )"
               R"("template": "[Y] of [X]", "is_manual": true})"
               "\n");
  BOOST_TEST(convert({"--origin", "manual"}, "rows").code == 0);
  BOOST_TEST(test::slurp(folder / "many/templates.jsonl") ==
             "{\"relation\":\"P36\",\"template\":\"[Y] of [X]\",\"style\":\"cloze\",\"origin\":"
             "\"manual\"}\n");
  std::filesystem::remove_all(folder / "many");
  BOOST_TEST(
      convert({"--origin", "generated"})
          .refused("--origin: data does not mark which of its templates are generated; set"));
  BOOST_TEST(convert({"--origin", "both"}).refused("--origin: 'both' is not a valid choice"));
}

BOOST_FIXTURE_TEST_CASE(tables_of_many_choices_are_made, ConvertFiles) {
  std::string rows;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    rows +=
        Json{{"head", "person " + n}, {"tail", "year " + n}, {"relation", "born"}}.dump() + "\n";
    if (i < 3) rows += Json{{"head", "film " + n}, {"tail", n}, {"relation", "by"}}.dump() + "\n";
  }
  folder.write("rows/train.jsonl", rows);
  const std::vector<std::string> few{"--to", "choices", "--min-facts", "20", "--min-objects", "20"};
  const ConsoleRun run = convert(few, "rows");
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out.find("Left out: 1 relation with fewer than 20 facts and 20 objects.") !=
             std::string::npos);
  BOOST_TEST(std::filesystem::exists(folder / "many/born.jsonl"));
  BOOST_TEST(!std::filesystem::exists(folder / "many/by.jsonl"));
  BOOST_TEST(run_words({"data", "check", at("many")}).code == 0);
  std::filesystem::remove_all(folder / "many");
  BOOST_TEST(convert({"--to", "choices"}, "rows")
                 .refused("rows: has no relation with at least 500 facts and 100 objects; lower"));
  BOOST_TEST(convert({"--to", "table"}).refused("--to: 'table' is not a valid choice"));
  BOOST_TEST(convert({"--seed", "1"}).refused("--seed: has no effect without --to choices"));
  for (const std::string option : {"--min-facts", "--min-objects", "--seed"}) {
    BOOST_TEST(run_words({"data", "check", at("rows"), option, "1"})
                   .refused(option + ": does not apply to check; remove it, or use convert"));
    for (const std::string word : {"-1", "%value%", "x"}) {
      BOOST_TEST(convert({"--to", "choices", option, word}, "rows")
                     .refused(option + ": '" + word + "' is not a non-negative whole number"));
    }
  }
  BOOST_TEST(convert({"--to", "choices", "--origin", "manual"})
                 .refused("--origin: does not apply to --to"));
}

// A killed process or a full disk leaves the folder in this state.
BOOST_FIXTURE_TEST_CASE(unfinished_conversion_starts_over, ConvertFiles) {
  BOOST_TEST(convert().code == 0);
  std::filesystem::rename(folder / "many", folder / "many.part");
  std::filesystem::rename(folder / "many.part/facts.jsonl", folder / "many.part/facts.jsonl.part");
  folder.write("many.part/old.jsonl", "{}");
  BOOST_TEST(convert().code == 0);
  BOOST_TEST(has("many/facts.jsonl"));
  BOOST_TEST(!has("many/old.jsonl"));
  BOOST_TEST(!has("many.part"));
  BOOST_TEST(convert().refused("many: is not empty; choose another folder (--out)"));
}

BOOST_AUTO_TEST_SUITE_END()
