// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/many_shot_job.hpp"

// Runs a study from C++, without the command. cli/many_shot_test.cpp tests the command.

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "support/errors.hpp"
#include "support/small_many_shot.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::births;
using test::contents;
using test::reader_of_births;
using test::says;
using test::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(many_shot_job)

namespace {

const StudiedData data{{"births", {births(30, 8)}, {}}, {}};

ManyShotSettings few_shots() {
  ManyShotSettings settings;
  settings.shots = {{2, 4}};
  settings.seeds = 2;
  settings.choices = 5;
  settings.training = 12;
  settings.limit = 6;
  settings.injection = 10;
  settings.generate = 4;
  return settings;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_study_leaves_rows_metrics_and_a_page) {
  const TemporaryFolder folder;
  NgramTreeModel model = reader_of_births();
  const ManyShotQuestions questions(few_shots(), data);
  ManyShotJob job(model, questions, {.model = "reader"});
  const auto finished = run_job(job, {folder / "run"});
  for (const char* name :
       {"birth_choices.jsonl", "birth_injection.json", "birth_generated.jsonl",
        "metadata_many_shot.json", "metrics.json", "report.html", "example_prompts.jsonl"}) {
    BOOST_TEST(std::filesystem::exists(folder / "run" / name), name);
  }
  BOOST_TEST(!finished.report.table().empty());
  BOOST_TEST(finished.summary.cost.statements == 2U * 2 * 6 * 5 + 5 * 10);
  const auto before = contents(folder / "run", ".jsonl");
  ManyShotJob again(model, questions, {.model = "reader"});
  BOOST_TEST(run_job(again, {folder / "run", true}).summary.fresh_statements == 0U);
  BOOST_TEST((contents(folder / "run", ".jsonl") == before));
}

// The rows and the generated texts are restored from the journal.
BOOST_AUTO_TEST_CASE(files_that_were_changed_are_made_again) {
  const TemporaryFolder folder;
  NgramTreeModel model = reader_of_births();
  const ManyShotQuestions questions(few_shots(), data);
  ManyShotJob job(model, questions, {.model = "reader"});
  (void)run_job(job, {folder / "run"});
  const auto whole = contents(folder / "run", ".jsonl");
  for (const bool complete : {true, false}) {
    for (const char* name :
         {"birth_choices.jsonl", "birth_injection.json", "birth_generated.jsonl"}) {
      const std::string sound = test::slurp(folder / "run" / name);
      if (!complete) {
        Json run = read_json_object(folder / "run/run.json");
        run.erase("files");
        folder.write("run/run.json", run.dump());
      }
      folder.write(std::string("run/") + name, sound.substr(0, sound.size() / 2));
      ManyShotJob again(model, questions, {.model = "reader"});
      BOOST_TEST(run_job(again, {folder / "run", true}).summary.fresh_statements == 0U);
      BOOST_TEST(test::slurp(folder / "run" / name) == sound, name);
    }
  }
  auto made = contents(folder / "run", ".jsonl");
  // it records again that the parts are finished
  made["journal.jsonl"] = whole.at("journal.jsonl");
  BOOST_CHECK(made == whole);
}

BOOST_AUTO_TEST_CASE(facts_of_a_program_need_no_numbers_and_options_no_ids) {
  const TemporaryFolder folder;
  StudiedData bare = data;
  bare.dataset.relations[0].option_ids.clear();
  for (Fact& fact : bare.dataset.relations[0].facts) fact.instance = 0;
  NgramTreeModel model = reader_of_births();
  const ManyShotQuestions questions(few_shots(), bare);
  ManyShotJob job(model, questions, {.model = "reader"});
  (void)run_job(job, {folder / "run"});
  std::set<std::size_t> asked;
  for (const Json& row : test::rows_of(folder / "run/birth_choices.jsonl")) {
    asked.insert(row.at("instance_index").get<std::size_t>());
  }
  BOOST_TEST(asked.size() == 6U);
}

BOOST_AUTO_TEST_CASE(insufficient_facts_are_refused_before_a_folder_is_created) {
  NgramTreeModel model = reader_of_births();
  ManyShotSettings settings = few_shots();
  settings.least_facts = 31;
  BOOST_CHECK_EXCEPTION(
      (ManyShotQuestions(settings, data)), Error,
      says(Fault::user,
           "every relation is skipped for having fewer than 31 facts (birth has 30); lower "
           "`min-facts`, or add facts"));
  settings = few_shots();
  settings.injection = 31;
  const ManyShotQuestions questions(settings, data);
  BOOST_CHECK_EXCEPTION((ManyShotJob(model, questions)), Error,
                        says(Fault::user, "no relation has 31 facts; set `injection` lower"));
}

BOOST_AUTO_TEST_SUITE_END()
