// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/asked_run.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/generate_console.hpp"
#include "support/many_shot_console.hpp"
#include "support/rank_console.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::GenerateFiles;
using test::ManyShotFiles;
using test::never;
using test::RankFiles;
using test::run_words;

BOOST_AUTO_TEST_SUITE(asked_run)

namespace {

using Words = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_CASE(changed_or_moved_dataset_is_reported, GenerateFiles) {
  BOOST_REQUIRE(generate({"--settings", "random"}).code == 0);
  const Words list{"data", "prompts", at("run")};
  const std::string all = run_words(list, never).out;
  std::filesystem::rename(at("elements"), at("moved"));
  BOOST_TEST(run_words(list, never)
                 .refused(at("elements") + ": the run's dataset is missing, and its prompts are "
                                           "built from it; pass its current path with --data"));
  Words moved = list;
  moved.insert(moved.end(), {"--data", at("moved")});
  BOOST_TEST(run_words(moved, never).out == all);
  MultiPromptDataset other = test::elements_many();
  other.relations[0].facts.pop_back();
  write_many("moved", other);
  BOOST_TEST(run_words(moved, never).refused(at("moved") + ": dataset: has changed since the run"));
}

BOOST_FIXTURE_TEST_CASE(changed_template_file_is_rejected, ConsoleFiles) {
  folder.write("other.json", R"({"capital": {"templates": ["[X], capital [Y]."]}})");
  const ConsoleRun made = probe({"--relations", "capital", "--template-file", at("other.json")});
  BOOST_REQUIRE_MESSAGE(made.code == 0, made.err);
  const Words list{"data", "prompts", at("run")};
  BOOST_TEST(run_words(list, never).says("France, capital"));
  folder.write("other.json", R"({"capital": {"templates": ["[X]: [Y]."]}})");
  BOOST_TEST(run_words(list, never)
                 .refused(at("other.json") + ": template-file: has changed since the run: "));
}

// The shots drawn depend on the graph's name, which is the name of its folder.
BOOST_FIXTURE_TEST_CASE(a_graph_that_was_moved_gives_the_same_prompts, RankFiles) {
  BOOST_REQUIRE(rank({"--limit", "5"}).code == 0);
  const std::string all = run_words({"data", "prompts", at("run")}, never).out;
  std::filesystem::rename(at("elements"), at("moved"));
  const ConsoleRun again = run_words({"data", "prompts", at("run"), "--data", at("moved")}, never);
  BOOST_TEST(again.code == 0, again);
  BOOST_TEST(again.out == all);
}

BOOST_FIXTURE_TEST_CASE(relative_paths_are_resolved_from_the_working_directory_of_the_run,
                        ManyShotFiles) {
  const std::filesystem::path before = std::filesystem::current_path();
  folder.write("baselines.json",
               R"({"Born": {"property": "birth", "hgp": ["{subject} was born in"], "mmp": []}})");
  std::filesystem::current_path(folder.path());
  const ConsoleRun made = many_shot({"--shots", "-", "--baselines", "baselines.json"});
  std::filesystem::current_path(before);
  BOOST_REQUIRE_MESSAGE(made.code == 0, made.err);
  const Words list{"data", "prompts", at("run")};
  const ConsoleRun printed = run_words(list, never);
  BOOST_TEST(printed.code == 0, printed);
  BOOST_TEST(printed.says(" was born in\""), printed);
  folder.write("baselines.json",
               R"({"Born": {"property": "birth", "hgp": ["{subject}, born in"], "mmp": []}})");
  BOOST_TEST(
      run_words(list, never).refused("baselines.json: baselines: has changed since the run"));
}

BOOST_FIXTURE_TEST_CASE(folders_that_hold_no_prompts_are_refused, GenerateFiles) {
  BOOST_TEST(run_words({"data", "prompts"}, never).refused("no run folder given"));
  BOOST_TEST(run_words({"data", "prompts", at("elements")}, never)
                 .refused("elements: is not a run folder (no run.json)"));
  folder.write("none/run.json", R"({"settings": {"command": "compare"}})");
  BOOST_TEST(run_words({"data", "prompts", at("none")}, never)
                 .refused("none/run.json: was made by plumb compare, which runs no model"));
  folder.write("fixed/run.json", R"({"settings": {"command": "rank --fixed"}})");
  BOOST_TEST(run_words({"data", "prompts", at("fixed")}, never)
                 .refused("was made by plumb rank --fixed, which reads its prompts from a file"));
  folder.write("begun/run.json", R"({"status": "running", "settings": {"command": "generate"}})");
  BOOST_TEST(run_words({"data", "prompts", at("begun")}, never)
                 .refused("the run is not complete; finish it with --resume"));
  folder.write("mine/run.json", R"({"status": "complete", "settings": {"command": "generate"}})");
  BOOST_TEST(run_words({"data", "prompts", at("mine")}, never)
                 .refused("mine/run.json: the run was written by a program other than the plumb "
                          "command, so its prompts cannot be rebuilt"));
  BOOST_REQUIRE(generate({"--settings", "zero-shot"}).code == 0);
  Json run = json("run/run.json");
  run["settings"]["plumb_version"] = "0.0.1";
  folder.write("run/run.json", run.dump());
  BOOST_TEST(run_words({"data", "prompts", at("run")}, never)
                 .refused("run.json: plumb_version: the run was made by plumb 0.0.1; this is "));
}

BOOST_AUTO_TEST_SUITE_END()
