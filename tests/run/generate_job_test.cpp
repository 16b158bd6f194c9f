// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/run/generate_job.hpp"

// Runs a generation from C++, without the command. cli/generate_test.cpp tests the command.

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "plumb/detail/backend/archetypes.hpp"
#include "support/small_multi_prompt.hpp"

using namespace plumb::detail;
using test::slurp;

BOOST_AUTO_TEST_SUITE(generate_job)

BOOST_AUTO_TEST_CASE(a_generation_leaves_answers_metrics_and_a_page) {
  const test::TemporaryFolder folder;
  folder.write("data/facts.jsonl", facts_jsonl(test::elements_many()));
  folder.write("data/templates.jsonl", templates_jsonl(test::elements_many()));
  GenerateSettings settings;
  settings.data = folder / "data";
  settings.sources = {ShotSource::none};
  settings.limit = 1;
  settings.samples = 3;
  settings.max_new_tokens = 3;
  settings.measuring = {.wordnet = "none", .samplings = 20};
  const GenerateQuestions questions(settings);
  NgramTreeModel model("A: iron.", 4);
  model.limits = {8192, 256, 256};
  GenerateJob job(model, questions, {.model = "reader"});
  const auto finished = run_job(job, {folder / "run"});
  for (const char* name :
       {"zero-shot_answers.jsonl", "zero-shot_samples.jsonl", "zero-shot_names.jsonl",
        "metadata_generate.json", "metrics.json", "report.html", "asked/facts.jsonl"}) {
    BOOST_TEST(std::filesystem::exists(folder / "run" / name), name);
  }
  BOOST_TEST(!finished.report.table().empty());
  BOOST_TEST(read_json_object(folder / "run/run.json").at("wordnet") == "none");
  const std::string answers = slurp(folder / "run/zero-shot_answers.jsonl");
  GenerateJob again(model, questions, {.model = "reader"});
  BOOST_TEST(run_job(again, {folder / "run", true}).summary.fresh_statements == 0U);
  BOOST_TEST(slurp(folder / "run/zero-shot_answers.jsonl") == answers);
}

BOOST_AUTO_TEST_SUITE_END()
