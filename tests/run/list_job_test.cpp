// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/list_job.hpp"

// Runs KAMEL's form from C++, without the command. cli/generate_lists_test.cpp tests the command.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/small_kamel.hpp"

using namespace plumb::detail;
using test::says;
using test::slurp;

BOOST_AUTO_TEST_SUITE(list_job)

namespace {

struct Kamel {
  Kamel() {
    test::write_kamel(folder, "KAMEL");
    settings.data = folder / "KAMEL";
    settings.form = AskedForms::kamel;
    settings.shots = 2;
  }
  test::TemporaryFolder folder;
  GenerateSettings settings;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(relations_and_test_facts_are_chosen, Kamel) {
  const ListQuestions all(settings);
  BOOST_TEST(all.asked.name == "KAMEL");
  BOOST_REQUIRE(all.relations.size() == 2U);
  BOOST_TEST(all.asked.relations[0].code == "P36");
  BOOST_TEST(all.asked.relations[1].facts.size() == 2U);
  BOOST_TEST(all.relations[1].training.facts.size() == 3U);
  settings.relations = {"P190"};
  settings.limit = 1;
  const ListQuestions some(settings);
  BOOST_REQUIRE(some.asked.relations.size() == 1U);
  BOOST_TEST(some.asked.relations[0].facts.size() == 1U);
  BOOST_TEST(some.relations[0].training.facts.size() == 3U);
  settings.relations = {"P1"};
  BOOST_CHECK_EXCEPTION(ListQuestions{settings}, Error,
                        says(Fault::user, "'P1' is not a relation of KAMEL"));
  settings.relations = {};
  settings.data = folder.path();
  BOOST_CHECK_EXCEPTION(ListQuestions{settings}, Error, says(Fault::user, "is not a KAMEL folder"));
}

BOOST_FIXTURE_TEST_CASE(answers_end_at_a_percent_sign_and_are_measured_as_lists, Kamel) {
  const ListQuestions questions(settings);
  NgramTreeModel model = test::reader_of_lists();
  model.limits = {8192, 256, 256};
  ListJob job(model, questions, {.model = "reader"});
  const auto finished = run_job(job, {folder / "run"});
  std::vector<std::string> texts;
  for_each_row<RecordedAnswer>(folder / "run/2-kamel_answers.jsonl",
                               [&](const RecordedAnswer& row) {
                                 texts.push_back(row.relation + " " + row.subject + ":" + row.text);
                                 BOOST_TEST(row.shots.places.size() == 2U);
                               });
  BOOST_TEST(texts == (std::vector<std::string>{"P36 Italy: Roma", "P36 Japan: Kyoto; Tokyo",
                                                "P190 Elek: sebis; Kiel", "P190 Zoppola: Paris"}),
             boost::test_tools::per_element());
  const auto near = boost::test_tools::tolerance(1e-12);
  BOOST_REQUIRE(finished.report.results().size() == 3U);
  const ListGroup& mean = finished.report.results().back();
  // P36 has the precision (1 + ½)/2 and P190 (1 + 0)/2; the other numbers are computed in the same
  // way.
  BOOST_TEST(mean.with_aliases.precision.value == 0.625, near);
  BOOST_TEST(mean.with_aliases.recall.value == 0.75, near);
  BOOST_TEST(mean.with_aliases.f1.value == (5.0 / 6 + 0.5) / 2, near);
  BOOST_TEST(mean.main_label.f1.value == (1.0 / 3 + 0.25) / 2, near);
  BOOST_TEST(mean.script.precision.value == 0.375, near);
  BOOST_TEST(mean.script.f1_of_means == 0.375, near);
  BOOST_TEST(mean.cut == 0U);
  for (const char* name : {"metadata_generate.json", "metrics.json", "metrics.csv", "answers.csv",
                           "report.html", "shots.jsonl", "asked/facts.jsonl"}) {
    BOOST_TEST(std::filesystem::exists(folder / "run" / name), name);
  }
  const std::string answers = slurp(folder / "run/2-kamel_answers.jsonl");
  ListJob again(model, questions, {.model = "reader"});
  BOOST_TEST(run_job(again, {folder / "run", true}).summary.fresh_statements == 0U);
  BOOST_TEST(slurp(folder / "run/2-kamel_answers.jsonl") == answers);
}

BOOST_FIXTURE_TEST_CASE(rows_name_the_shots_that_their_prompts_show, Kamel) {
  const ListQuestions questions(settings);
  NgramModel model = test::reader_of_lists<NgramModel>();
  ListJob job(model, questions);
  run_job(job, {folder / "run"});
  const auto lists = read_shot_lists(folder / "run/shots.jsonl");
  BOOST_REQUIRE(lists.size() == 2U);
  BOOST_TEST(lists[1].setting == "2-kamel");
  BOOST_TEST(lists[1].shots.at(0).object == "Kiel; Rome");
  std::vector<Json> prompts;
  for_each_list_prompt(questions, {}, [&](const std::string& kind, auto make) {
    BOOST_TEST(kind == "2-kamel answers");
    prompts.push_back(to_json(make()));
  });
  BOOST_TEST(prompts.size() == 4U);
  std::size_t row_count = 0;
  for_each_row<RecordedAnswer>(
      folder / "run/2-kamel_answers.jsonl", [&](const RecordedAnswer& row) {
        const Json& prompt = prompts.at(row_count++);
        BOOST_TEST(prompt.at("subject") == row.subject);
        std::string text;
        for (const std::uint32_t place : row.shots.places) {
          const RecordedShot& shot = lists[row.relation == "P36" ? 0 : 1].shots.at(place);
          const std::string asked =
              row.relation == "P36" ? "What is the capital of " : "What are the twin towns of ";
          text += asked + shot.subject + "? " + shot.object + "%\n";
        }
        const std::string whole = prompt.at("prompt");
        BOOST_TEST(whole.starts_with(text));
        BOOST_TEST(whole.ends_with(" of " + row.subject + "?"));
      });
  BOOST_TEST(row_count == 4U);
}

BOOST_FIXTURE_TEST_CASE(truncated_answers_are_counted, Kamel) {
  settings.max_new_tokens = 8;
  settings.shots = 0;
  const ListQuestions questions(settings);
  NgramModel model = test::reader_of_lists<NgramModel>();
  ListJob job(model, questions);
  const auto finished = run_job(job, {folder / "run"});
  BOOST_TEST(!std::filesystem::exists(folder / "run/shots.jsonl"));
  BOOST_TEST(finished.report.results().back().cut == 2U);  // " Kyoto; " and " sebis; "
}

// White space does not end an answer, but a % does, even at the start.
BOOST_FIXTURE_TEST_CASE(a_percent_sign_that_stands_first_ends_the_answer, Kamel) {
  settings.relations = {"P36"};
  settings.shots = 0;
  const ListQuestions questions(settings);
  NgramModel model("of Italy?%Rome%\nof Japan?\n\nTokyo\nKyoto%\n", 10);
  ListJob job(model, questions);
  const auto finished = run_job(job, {folder / "run"});
  std::vector<std::string> texts;
  for_each_row<RecordedAnswer>(folder / "run/0-kamel_answers.jsonl",
                               [&](const RecordedAnswer& row) { texts.push_back(row.text); });
  BOOST_TEST(texts == (std::vector<std::string>{"", "\n\nTokyo\nKyoto"}),
             boost::test_tools::per_element());
  BOOST_TEST(finished.report.results().back().empty == 1U);
}

BOOST_FIXTURE_TEST_CASE(excluded_files_and_missing_shots_are_reported, Kamel) {
  settings.shots = 3;
  const ListQuestions questions(settings);
  NgramModel model = test::reader_of_lists<NgramModel>();
  ListJob job(model, questions);
  const auto notes = run_job(job, {folder / "run"}).report.notes();
  BOOST_TEST(notes == (std::vector<std::string>{
                          "Left out: dev.jsonl (relations that have one: 1).",
                          "3-kamel: fewer than 3 examples, because there are no more training "
                          "facts, in P36."}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_prompt_without_room_is_refused_with_its_place, Kamel) {
  const ListQuestions questions(settings);
  NgramTreeModel model = test::reader_of_lists();
  model.limits = {60, 256, 256};
  BOOST_CHECK_EXCEPTION((ListJob{model, questions}), Error,
                        says(Fault::user,
                             "P36/test.jsonl:1: P36: the 2-kamel prompt about "
                             "'Italy' has"));
}

BOOST_AUTO_TEST_SUITE_END()
