// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/data.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/console_run.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::run_words;

BOOST_AUTO_TEST_SUITE(data_command)

BOOST_FIXTURE_TEST_CASE(a_sound_dataset_has_no_problems, ConsoleFiles) {
  const ConsoleRun run = run_words({"data", "check", at("data")});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.out == "2 relations, 5 facts, 0 problems\n");
  BOOST_TEST(run.err.empty());
}

BOOST_FIXTURE_TEST_CASE(check_prints_every_problem_with_file_and_line, ConsoleFiles) {
  folder.write("data/capital.jsonl",
               "{\"sub_label\": \"France\", \"answer_idx\": 0}\n"
               "not json\n"
               "{\"sub_label\": \"Korea\", \"answer_idx\": 7}\n"
               "{\"answer_idx\": 1}\n");
  folder.write("data/river.jsonl", "{\"sub_label\": \"Bonn\", \"obj_label\": \"Danube\"}\n");
  const ConsoleRun run = run_words({"data", "check", at("data")});
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.says(at("data/capital.jsonl") + ":2: not JSON"));
  BOOST_TEST(run.says(at("data/capital.jsonl") + ":3: answer_idx: 7 is not among the 3 options"));
  BOOST_TEST(run.says(at("data/capital.jsonl") + ":4: sub_label: the fact has no subject"));
  BOOST_TEST(run.says(at("data/river.jsonl") + ":1: obj_label: answer 'Danube'"));
  BOOST_TEST(run.says(at("data/river.jsonl") + ": relation river has no usable fact"));
  BOOST_TEST(run.out.ends_with("\n1 relation, 1 fact, 5 problems\n"), run);
}

BOOST_FIXTURE_TEST_CASE(an_absent_or_empty_dataset_is_one_problem, ConsoleFiles) {
  const ConsoleRun absent = run_words({"data", "check", at("nowhere")});
  BOOST_TEST(absent.code == 2);
  BOOST_TEST(absent.says("nowhere: does not exist"));
  BOOST_TEST(absent.says("0 relations, 0 facts, 1 problem\n"));
  folder.write("empty/metadata_relations.json", "{}");
  const ConsoleRun empty = run_words({"data", "check", at("empty")});
  BOOST_TEST(empty.code == 2);
  BOOST_TEST(empty.says("the dataset is empty"));
}

BOOST_FIXTURE_TEST_CASE(a_knowledge_graph_is_checked_as_one, ConsoleFiles) {
  folder.write("graph/train.tsv", "a\tnext\tb\nb\tnext\tc\n");
  folder.write("graph/dev.tsv", "a\tnext\tc\n");
  folder.write("graph/test.tsv", "c\tlast\ta\n");
  folder.write("graph/entity2text.txt", "a\tA\nb\tB\nc\tC\n");
  folder.write("graph/relation2text.txt", "next\tnext\nlast\tlast\n");
  const ConsoleRun run = run_words({"data", "check", at("graph")});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out == "3 entities, 2 relations, 4 triples, 0 problems\n");
  folder.write("graph/test.tsv", "c\tlast\tz\n");
  const ConsoleRun wrong = run_words({"data", "check", at("graph")});
  BOOST_TEST(wrong.code == 2, wrong);
  BOOST_TEST(wrong.says("test.tsv"), wrong);
}

BOOST_FIXTURE_TEST_CASE(describe_counts_statements_without_a_model, ConsoleFiles) {
  const ConsoleRun run = run_words({"data", "describe", at("data")});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(
      run.out ==
      "data: 2 relations\n"
      "relation  facts  options  templates  kind  statements  tokens  tree  tokens/statement\n"
      "─────────────────────────────────────────────────────────────────────────────────────\n"
      "capital       3        3          2   1:1           9       –     –                 –\n"
      "river         2        2          2   1:1           4       –     –                 –\n"
      "─────────────────────────────────────────────────────────────────────────────────────\n"
      "all           5                                    13       –     –                 –\n"
      "Token counts: add --model FILE.\n");
}

// Counted by hand, with one token for each byte and one for BOS. "The capital of France is Paris."
// takes 32 tokens; Korea's and Egypt's statements take 31 each: 3 · (32 + 31 + 31) = 282. With
// sharing: BOS and "The capital of " once (16 nodes); then "France is " and its counterparts (10, 9
// and 9); then "Paris", "Seoul" and "Cairo" for each of the three facts (5 nodes each, because the
// last byte is not fed): 16 + 28 + 45 = 89. River: "Cairo lies on the Nile." takes 24 tokens and "…
// Rhine." takes 25; Bonn's statements take one fewer each: 96. With sharing: BOS and "Cairo lies on
// the " (together 19), "Bonn lies on the " (17), and 4 + 5 nodes for each subject: 54.
BOOST_FIXTURE_TEST_CASE(describe_counts_tokens_with_a_model, ConsoleFiles) {
  const ConsoleRun run = run_words({"data", "describe", at("data"), "--model", at("model.gguf")});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says(" 9     282    89              31.3\n"), run);
  BOOST_TEST(run.says(" 4      96    54              24.0\n"), run);
  BOOST_TEST(run.says(" 13     378   143              29.1\n"), run);
}

BOOST_FIXTURE_TEST_CASE(describe_wants_a_sound_dataset, ConsoleFiles) {
  folder.write("data/river.jsonl", "not json\n");
  BOOST_TEST(run_words({"data", "describe", at("data")}).refused("data/river.jsonl:1: not JSON"));
  BOOST_TEST(run_words({"data", "describe", at("nowhere")}).refused("does not exist"));
}

BOOST_FIXTURE_TEST_CASE(check_finds_what_is_wrong_with_many_prompts, ConsoleFiles) {
  folder.write("many/facts.jsonl",
               R"({"relation": "P36", "sub_id": "Q142", "sub_label": "France",)"
               R"( "objects": [{"obj_id": "Q90", "obj_label": "Paris"}]})"
               "\n"
               R"({"relation": "P36", "sub_id": "Q142", "sub_label": "France", "objects": []})"
               "\n");
  folder.write("many/templates.jsonl",
               R"({"relation": "P36", "template": "[X] is ruled from [Y]."})"
               "\n"
               R"({"relation": "P36", "template": "[X] has a capital."})"
               "\n"
               R"({"relation": "P30", "template": "[X] is in [Y]."})"
               "\n");
  const ConsoleRun run = run_words({"data", "check", at("many")});
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.says(at("many/facts.jsonl") + ":2: objects: is empty"), run);
  BOOST_TEST(run.says(at("many/templates.jsonl") + ":2: template: template '[X] has a capital.'"));
  BOOST_TEST(run.says(at("many/templates.jsonl") + ":3: relation: 'P30' has no usable fact"));
  BOOST_TEST(run.out.ends_with("\n1 relation, 1 fact, 3 problems\n"), run);
}

BOOST_FIXTURE_TEST_CASE(check_reads_the_prompts_of_a_closed_set_too, ConsoleFiles) {
  folder.write("data/prompts/templates.jsonl",
               R"({"relation": "capital", "template": "[X] is ruled from [Y]."})"
               "\n"
               R"({"relation": "capital", "template": "[X]?", "style": "question"})"
               "\n");
  const ConsoleRun run = run_words({"data", "check", at("data")});
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.says("data/prompts/templates.jsonl:2: template: template '[X]?' has no [Y]"), run);
  BOOST_TEST(run.out.ends_with("\n2 relations, 5 facts, 1 problem\n"), run);
}

BOOST_FIXTURE_TEST_CASE(describe_counts_many_prompts, ConsoleFiles) {
  folder.write(
      "many/facts.jsonl",
      R"({"relation": "P36", "sub_id": "Q750", "sub_label": "Bolivia", "sub_aliases": ["BO"],)"
      R"( "objects": [{"obj_id": "Q1491", "obj_label": "Sucre"},)"
      R"( {"obj_id": "Q1489", "obj_label": "La Paz", "obj_aliases": ["Nuestra Señora"]}]})"
      "\n");
  folder.write("many/templates.jsonl",
               R"({"relation": "P36", "template": "[X] is ruled from [Y].", "group": "a"})"
               "\n"
               R"({"relation": "P36", "template": "[Y] is where [X] is ruled.", "group": "a"})"
               "\n"
               R"({"relation": "P36", "template": "Whence is [X] ruled? [Y]", "style": "question"})"
               "\n");
  const ConsoleRun run = run_words({"data", "describe", at("many")});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says("relation  facts  subject names  objects  object aliases  templates  groups  "
                      "questions  prompts\n"),
             run);
  BOOST_TEST(run.says("P36           1              2        2               1          3       2"
                      "          1        6\n"),
             run);
  BOOST_TEST(run_words({"data", "describe", at("many"), "--model", at("model.gguf")})
                 .refused("--model: tokens of a many-prompt dataset are not counted"));
  folder.write("many/templates.jsonl", "not json\n");
  BOOST_TEST(
      run_words({"data", "describe", at("many")}).refused("many/templates.jsonl:1: not JSON"));
}

BOOST_FIXTURE_TEST_CASE(each_action_has_its_own_options, ConsoleFiles) {
  BOOST_TEST(run_words({"data", "check", at("data"), "--model", at("model.gguf")})
                 .refused("--model: does not apply to check; remove it, or use describe"));
  BOOST_TEST(run_words({"data", "convert", at("data"), "--model", at("model.gguf")})
                 .refused("--model: does not apply to convert"));
  BOOST_TEST(run_words({"data", "describe", at("data"), "--out", at("many")})
                 .refused("--out: does not apply to describe; remove it, or use convert"));
  BOOST_TEST(run_words({"data", "check", at("data"), "--templates", at("t.jsonl")})
                 .refused("--templates: does not apply to check"));
  BOOST_TEST(run_words({"data", "convert", at("data")})
                 .refused("--out: is missing; pass a new or empty folder"));
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, ConsoleFiles) {
  BOOST_TEST(
      run_words({"data", "chek", at("data")}).refused("'chek' is not a valid choice; use check"));
  BOOST_TEST(run_words({"data", "check"}).refused("no dataset given; use plumb data check DIR"));
  BOOST_TEST(run_words({"data"}).refused("no action given"));
  BOOST_TEST(
      run_words({"data", "check", at("data"), "more"}).refused("unexpected argument 'more'"));
  BOOST_TEST(run_words({"data", "check", at("data"), "--modle", "x"}).refused("--modle: unknown"));
}

BOOST_FIXTURE_TEST_CASE(describe_refuses_texts_of_special_tokens_too, ConsoleFiles) {
  Dataset dataset = test::small_dataset();
  dataset.relations[0].facts[0].subject = "<|x|>";
  write_bear(folder, "data", dataset);
  const auto describe = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"data", "describe", at("data")});
    return run_words(more, [](const ModelOptions& made) {
      return test::with_special_token(test::small_model(), "<|x|>", made.parse_special_tokens);
    });
  };
  BOOST_TEST(describe({"--model", at("model.gguf")})
                 .refused("capital.jsonl:1: capital, subject: '<|x|>' contains '<|x|>'"));
  // In three statements, one token replaces five bytes.
  const ConsoleRun text = describe({"--model", at("model.gguf"), "--special-tokens", "text"});
  const ConsoleRun parse = describe({"--model", at("model.gguf"), "--special-tokens", "parse"});
  BOOST_TEST(text.code == 0, text);
  BOOST_TEST(parse.code == 0, parse);
  BOOST_TEST(text.out != parse.out);
  BOOST_TEST(describe({"--special-tokens", "text"})
                 .refused("--special-tokens: has no effect without --model"));
  BOOST_TEST(run_words({"data", "check", at("data"), "--special-tokens", "text"})
                 .refused("--special-tokens: does not apply to check"));
}

// These datasets can be read but are probably not what the user intended.
BOOST_FIXTURE_TEST_CASE(check_reports_readable_but_suspicious_data, ConsoleFiles) {
  folder.write("data/metadata_relations.json",
               R"({"capital": {"templates": ["[X]: [Y].", "[X]: [Y]."],)"
               R"( "answer_space_labels": ["Paris", "Seoul", "paris "]}})");
  folder.write("data/relation_info.json", R"({"capital": {"domains": "geo"}})");
  folder.write("data/capital.jsonl",
               "{\"sub_label\": \"France\", \"answer_idx\": 0}\n"
               "{\"sub_label\": \"France\", \"answer_idx\": 0}\n"
               "{\"sub_label\": \"France\", \"answer_idx\": 1}\n"
               "{\"sub_label\": \" \", \"answer_idx\": 1}\n"
               "{\"sub_label\": \"Ko\\u001brea\", \"answer_idx\": 1}\n"
               "{\"sub_label\": \"Korea\", \"answer_idx\": 0, \"answer_idx\": 1}\n");
  const ConsoleRun run = run_words({"data", "check", at("data")});
  BOOST_TEST(run.code == 2);
  BOOST_TEST(run.says("relation_info.json: capital.domains: is not a list of strings"), run);
  BOOST_TEST(
      run.says("capital.jsonl:2: capital: the fact about 'France' appears on line 1 as well"));
  BOOST_TEST(run.says("capital.jsonl:3: capital: 'France' has the answer 'Seoul' here"));
  BOOST_TEST(run.says("capital.jsonl:4: sub_label: the fact has no subject"));
  BOOST_TEST(run.says("capital.jsonl:5: capital: subject 'Ko\\u001brea' contains the control"));
  BOOST_TEST(run.says("capital.jsonl:6: the key answer_idx appears twice"));
  BOOST_TEST(run.says("template 1 '[X]: [Y].' is template 0 again"));
  BOOST_TEST(run.says("option 'paris ' begins or ends with white space"));
  BOOST_TEST(run.says("option 2 'paris ' differs from option 0 'Paris'"));
  BOOST_TEST(run.out.ends_with("\n1 relation, 5 facts, 9 problems\n"), run);
  BOOST_TEST(run.out.find('\x1b') == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(check_and_describe_read_graphs, ConsoleFiles) {
  folder.write("graph/train.tsv", "a\tr\tb\nb\tr\tc\n");
  folder.write("graph/test.tsv", "a\tr\tc\n");
  const ConsoleRun sound = run_words({"data", "check", at("graph")});
  BOOST_TEST(sound.code == 0);
  BOOST_TEST(sound.out == "3 entities, 1 relation, 3 triples, 0 problems\n");
  const ConsoleRun described = run_words({"data", "describe", at("graph")});
  BOOST_TEST(described.out ==
             "graph: 3 entities, 1 relation\n"
             "relation  train  valid  test\n"
             "────────────────────────────\n"
             "r             2      0     1\n"
             "────────────────────────────\n"
             "all           2      0     1\n");
  folder.write("graph/test.tsv", "a\tr\tc\nb\tr\tc\n");
  const ConsoleRun shown = run_words({"data", "check", at("graph")});
  BOOST_TEST(shown.code == 2);
  BOOST_TEST(shown.says("test.tsv:2: 'b', 'r', 'c' is also in the training part"), shown);
  folder.write("graph/test.tsv", "a\tr\n");
  BOOST_TEST(run_words({"data", "check", at("graph")}).says("test.tsv:1: 2 fields instead of 3"));
}

BOOST_AUTO_TEST_SUITE_END()
