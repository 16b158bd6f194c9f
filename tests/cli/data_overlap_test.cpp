// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/data_overlap.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/console_run.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::run_words;

BOOST_AUTO_TEST_SUITE(data_overlap)

namespace {

/// The small dataset (France–Paris, Korea or Hanguk–Seoul, Egypt–Cairo; Cairo–Nile, Bonn–Rhine) and
/// texts that contain some of its names.
struct OverlapFiles : ConsoleFiles {
  OverlapFiles() {
    folder.write("a.txt",
                 "Paris is the capital of France.\n"
                 "Cairo lies on the Nile in Egypt.\n"
                 "\n"
                 "He went from Seoul to Paris.\n");
  }
  [[nodiscard]] ConsoleRun overlap(std::vector<std::string> more,
                                   const std::string& text = "a.txt") const {
    std::vector<std::string> words{"data", "overlap", at("data"), at(text)};
    words.insert(words.end(), more.begin(), more.end());
    return run_words(words);
  }
  /// The values of the columns facts, met and meetings in the row for all relations.
  [[nodiscard]] std::string all(std::vector<std::string> more,
                                const std::string& text = "a.txt") const {
    const ConsoleRun run = overlap(std::move(more), text);
    BOOST_TEST(run.code == 0, run);
    std::istringstream stream(run.out.substr(std::min(run.out.find("\nall "), run.out.size())));
    std::string name, facts, met, share, low, high, meetings;
    stream >> name >> facts >> met >> share >> low >> high >> meetings;
    return facts + " " + met + " " + meetings;
  }
};

}  // namespace

// Wilson's intervals for 2 of 3, 1 of 2 and 3 of 5, computed by another program.
BOOST_FIXTURE_TEST_CASE(table_counts_the_facts_found_in_the_corpus, OverlapFiles) {
  const ConsoleRun run = overlap({});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out ==
             "relation  facts  met           share [95%]  meetings\n"
             "────────────────────────────────────────────────────\n"
             "capital       3    2  0.667 [0.208, 0.939]         2\n"
             "river         2    1  0.500 [0.095, 0.905]         1\n"
             "────────────────────────────────────────────────────\n"
             "all           5    3  0.600 [0.231, 0.882]         3\n"
             "met: subject and object within 50 words, counted without overlap. 19 words in 1 "
             "document of 1 file.\n");
  BOOST_TEST(run.err.find("1/1 files") != run.err.npos, run);
}

BOOST_FIXTURE_TEST_CASE(what_they_stand_in_is_an_option, OverlapFiles) {
  folder.write("b.txt", "Paris is large.\nIt is in France.\n\nHanguk\n\nhas Seoul.\n");
  BOOST_TEST(all({}, "b.txt") == "5 2 2");
  BOOST_TEST(all({"--within", "document"}, "b.txt") == "5 2 2");
  BOOST_TEST(all({"--within", "paragraph"}, "b.txt") == "5 1 1");
  BOOST_TEST(all({"--within", "line"}, "b.txt") == "5 0 0");
  BOOST_TEST(all({"--within", "7"}, "b.txt") == "5 2 2");  // paris … france
  BOOST_TEST(all({"--within", "6"}, "b.txt") == "5 1 1");  // hanguk has seoul
  BOOST_TEST(all({"--within", "2"}, "b.txt") == "5 0 0");
  for (const char* word : {"1", "0", "words", "-3", "1000000", "2.5", "sentence"}) {
    BOOST_TEST(overlap({"--within=" + std::string(word)})
                   .refused("--within: '" + std::string(word) + "' is not a valid choice"),
               word);
  }
}

BOOST_FIXTURE_TEST_CASE(case_and_relations_are_options, OverlapFiles) {
  folder.write("b.txt", "the paris of france; Cairo on the nile");
  BOOST_TEST(all({}, "b.txt") == "5 2 2");
  BOOST_TEST(all({"--case", "keep"}, "b.txt") == "5 0 0");
  BOOST_TEST(all({"--relations", "river"}, "b.txt") == "2 1 1");
  BOOST_TEST(overlap({"--case", "fold"}).refused("--case: 'fold' is not a valid choice"));
  BOOST_TEST(overlap({"--relations", "rivers"}).refused("--relations: 'rivers' is not a relation"));
}

BOOST_FIXTURE_TEST_CASE(json_lines_are_documents, OverlapFiles) {
  folder.write("b.jsonl",
               "{\"text\": \"Paris\\nis the capital of France.\", \"meta\": {\"n\": 1}}\n"
               "{\"text\": \"Paris\"}\n{\"text\": \"France. Cairo: Egypt\"}\n");
  BOOST_TEST(all({}, "b.jsonl") == "5 2 2");
  BOOST_TEST(all({"--within", "line"}, "b.jsonl") == "5 1 1");
  const ConsoleRun run = overlap({}, "b.jsonl");
  BOOST_TEST(run.says("10 words in 3 documents of 1 file.\n"), run);
  folder.write("c.txt", "{\"body\": \"Paris, France\", \"text\": \"Cairo, Egypt\"}\n");
  BOOST_TEST(all({"--text-field", "body"}, "c.txt") == "5 1 1");
  BOOST_TEST(overlap({"--text-field", "content"}, "c.txt").err.find("c.txt:1: has no text") !=
             std::string::npos);
  folder.write("d.jsonl", "{\"text\": \"Paris\"}\nFrance\n");
  const ConsoleRun broken = overlap({}, "d.jsonl");
  BOOST_TEST(broken.code == 2);
  BOOST_TEST(
      broken.err.find("d.jsonl:2: is not a JSON object; each line must be {…} with a text under "
                      "\"text\", or under the field that --text-field names") != std::string::npos,
      broken);
}

BOOST_FIXTURE_TEST_CASE(folders_are_read_whole_and_no_file_twice, OverlapFiles) {
  folder.write("texts/b/1.txt", "Bonn on the Rhine");
  folder.write("texts/a.txt", "Seoul in Korea");
  folder.write("texts/c.jsonl", "{\"text\": \"Seoul in Korea\"}");
  BOOST_TEST(all({}, "texts") == "5 2 3");
  BOOST_TEST(all({at("texts")}) == "5 5 6");
  BOOST_TEST(overlap({at("texts"), at("texts/b/../a.txt")}).refused("a.txt: is listed twice"));
  BOOST_TEST(overlap({at("nowhere")}).refused("nowhere: does not exist; pass text files"));
  std::filesystem::create_directories(folder / "empty");
  BOOST_TEST(overlap({}, "empty").refused("empty: contains no files"));
  folder.write("texts/d.gz", "\x1F\x8B\x08");
  BOOST_TEST(overlap({}, "texts").err.find("d.gz: is a gzip file") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(each_fact_is_a_json_line_on_request, OverlapFiles) {
  const ConsoleRun run = overlap({"--out", at("facts.jsonl")});
  BOOST_TEST(run.says("\nfacts: " + at("facts.jsonl") + "\n"), run);
  std::vector<Json> rows;
  for_each_json_line(at("facts.jsonl"), throw_problem,
                     [&](const Json& row, std::size_t) { rows.push_back(row); });
  BOOST_REQUIRE(rows.size() == 5U);
  BOOST_TEST(rows[0]["sub_label"] == "France");
  BOOST_TEST(rows[0]["meetings"] == 1);
  BOOST_TEST(rows[1]["meetings"] == 0);
  BOOST_TEST(rows[2]["obj_label"] == "Cairo");
  BOOST_TEST(rows[2]["instance_index"] == 2);
  BOOST_TEST(rows[2]["first_line"] == 2);
  BOOST_TEST(rows[2]["first_file"] == at("a.txt"));
  // The file is refused before any text is read.
  folder.write("bad.gz", "\x1F\x8B\x08");
  BOOST_TEST(overlap({"--out", at("no/facts.jsonl")}, "bad.gz").refused("cannot be created"));
  BOOST_TEST(!std::filesystem::exists(folder / "no"));
}

BOOST_FIXTURE_TEST_CASE(graphs_and_datasets_of_many_prompts_are_read_too, OverlapFiles) {
  folder.write("graph/train.tsv", "Rome\tcapital_of\tItaly\n");
  folder.write("graph/test.tsv", "Paris\tcapital_of\tFrance\nSeoul\tcapital_of\tKorea\n");
  const ConsoleRun graph = run_words({"data", "overlap", at("graph"), at("a.txt")});
  BOOST_TEST(graph.says("\ncapital_of      2    1  0.500"), graph);
  BOOST_TEST(run_words({"data", "convert", at("data"), "--out", at("many")}).code == 0);
  const ConsoleRun many = run_words({"data", "overlap", at("many"), at("a.txt")});
  BOOST_TEST(many.says("\nall           5    3  0.600"), many);
}

BOOST_FIXTURE_TEST_CASE(missing_inputs_are_reported, OverlapFiles) {
  BOOST_TEST(run_words({"data", "overlap"}).refused("no dataset given; use plumb data overlap"));
  BOOST_TEST(run_words({"data", "overlap", at("data")}).refused("no text given"));
  BOOST_TEST(
      run_words({"data", "overlap", at("none"), at("a.txt")}).refused("none: does not exist"));
  folder.write("unnamed/r.jsonl",
               "{\"sub_id\": \"a\", \"sub_label\": \"?\", \"obj_label\": \"Paris\"}\n");
  folder.write("unnamed/metadata_relations.json",
               "{\"r\": {\"templates\": [\"[X] [Y]\"], \"answer_space_labels\": [\"Paris\", "
               "\"Rome\"], \"answer_space_ids\": [\"P\", \"R\"]}}");
  const ConsoleRun run = run_words({"data", "overlap", at("unnamed"), at("a.txt")});
  BOOST_TEST(run.says("\n1 fact cannot appear in a text: the subject or object has no name"), run);
}

BOOST_AUTO_TEST_SUITE_END()
