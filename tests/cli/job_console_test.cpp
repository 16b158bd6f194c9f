// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/job_console.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <sstream>
#include <string>

using namespace plumb::detail;
using plumb::detail::JobTarget;

BOOST_AUTO_TEST_SUITE(job_console)

BOOST_AUTO_TEST_CASE(facts_of_the_run_are_its_words_and_paths) {
  std::ostringstream out, err;
  Console console{{"--data", "d"}, out, err};
  JobTarget target;
  target.out = "o";
  target.model = "m";
  target.threads = 3;
  target.resume = true;
  const JobFolder folder = job_folder(console, "go", target, "d");
  BOOST_TEST(folder.out.path() == "o");
  BOOST_TEST(folder.resume);
  BOOST_TEST((folder.facts.at("command_line") == Json{"plumb", "go", "--data", "d"}));
  BOOST_TEST(folder.facts.at("working_directory") == std::filesystem::current_path().string());
  BOOST_TEST(folder.facts.at("model_path") == std::filesystem::absolute("m").string());
  BOOST_TEST(folder.facts.at("dataset_path") == std::filesystem::absolute("d").string());
  BOOST_TEST(folder.facts.at("threads") == 3);
}

BOOST_AUTO_TEST_CASE(each_kind_of_item_has_its_own_progress_bar) {
  std::ostringstream out, err;
  Console console{{}, out, err};
  const ProgressCallback show = progress_bars(console);
  show({"queries", 2, 2, 2, ""});
  show({"entities", 0, 0, 5, ""});
  show({"entities", 5, 5, 5, "P36"});
  const std::string said = err.str();
  BOOST_TEST(said.find("100% 2/2 queries") != std::string::npos);
  BOOST_TEST(said.find("0% 0/5 entities") != std::string::npos);
  BOOST_TEST(said.find("100% 5/5 entities") != std::string::npos);
  BOOST_TEST(said.find("P36\n") != std::string::npos);
  BOOST_TEST(out.str().empty());
}

BOOST_AUTO_TEST_CASE(a_callback_takes_the_place_of_the_bars) {
  std::ostringstream out, err;
  Console console{{}, out, err};
  std::size_t done = 0;
  console.on_progress = [&](const WorkState& state) { done = state.done; };
  progress_bars(console)({"queries", 2, 2, 3, ""});
  BOOST_TEST(done == 2U);
  BOOST_TEST(err.str().empty());
  console.shown.quiet = true;
  BOOST_TEST(!progress_bars(console));
}

BOOST_AUTO_TEST_CASE(cost_summary_reports_savings_from_sharing) {
  const RunSummary summary{{10, 400, 90, 160}, 0, 0};
  const JobTarget local;
  BOOST_TEST(cost_in_words(summary, local) ==
             "10 statements, 160 tokens fed to the model (2.50 times fewer than one by one)\n");
  BOOST_TEST(cost_in_words(RunSummary{{1, 2, 2, 1}, 0, 0}, local) ==
             "1 statement, 1 token fed to the model (2.00 times fewer than one by one)\n");
  // An engine that does not share prefixes may feed more tokens.
  BOOST_TEST(cost_in_words(RunSummary{{1, 4, 4, 10}, 0, 0}, local) ==
             "1 statement, 10 tokens fed to the model (2.50 times as many as one by one)\n");
  // A resumed run also reports the work already in the journal.
  BOOST_TEST(cost_in_words(RunSummary{{10, 400, 90, 160}, 0, 3, {}, 7}, local) ==
             "10 statements, 7 already finished, 160 tokens fed to the model (2.50 times fewer "
             "than one by one)\n");
  // A scorer that feeds no tokens does not cause a division by zero.
  BOOST_TEST(
      cost_in_words({}, local).starts_with("0 statements, 0 tokens fed to the model (0.00 "));
}

BOOST_AUTO_TEST_CASE(a_server_is_summarised_by_its_requests_and_its_variation) {
  JobTarget target;
  target.server = "http://h";
  RunSummary summary{{10, 400, 90, 160}, 0, 4, {}, 6};
  const std::string cost = "10 statements, 6 already finished\n";
  BOOST_TEST(cost_in_words(summary, target) == cost);
  Json server = {{"kind", "llama-server"},
                 {"requests", 43},
                 {"tokens_sent", 4761},
                 {"tokens_computed", 0},
                 {"checks",
                  {{"probabilities_add_up_to_1_within", 0.01},
                   {"same_again_within_nats", 2e-5},
                   {"same_without_prefix_cache_within_nats", 1.23e-4}}}};
  *target.stated_facts = {{"server", server}, {"start_check", {{"worst_nats", 1e-4}}}};
  BOOST_TEST(cost_in_words(summary, target) ==
             cost +
                 "server: 43 requests, 4761 tokens sent; its answers to the same question varied "
                 "by up to 1.2e-4 nats\n");
  server["tokens_computed"] = 1204;
  *target.stated_facts = {{"server", server}, {"start_check", {{"worst_nats", 0.031}}}};
  BOOST_TEST(cost_in_words(summary, target) ==
             cost +
                 "server: 43 requests, 4761 tokens sent, 1204 computed; its answers to the same "
                 "question varied by up to 0.031 nats (docs/servers.md lists its flags for "
                 "precision)\n");
  // Other servers have no such flags, and an embedding-only server was not compared.
  server["kind"] = "vLLM";
  *target.stated_facts = {{"server", server}, {"start_check", {{"worst_nats", 0.031}}}};
  BOOST_TEST(cost_in_words(summary, target).ends_with("by up to 0.031 nats\n"));
  *target.stated_facts = {{"server", {{"requests", 3}, {"tokens_sent", 9}}}};
  BOOST_TEST(cost_in_words(summary, target) == cost + "server: 3 requests, 9 tokens sent\n");
  // A process that found everything finished only connected.
  summary.fresh_statements = 0;
  BOOST_TEST(cost_in_words(summary, target) == cost);
}

BOOST_AUTO_TEST_SUITE_END()
