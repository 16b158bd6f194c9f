// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/report.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/console_run.hpp"
#include "support/generate_console.hpp"
#include "support/many_shot_console.hpp"
#include "support/rank_console.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::ConsoleFiles;
using test::ConsoleRun;
using test::contents;
using test::run_words;

BOOST_AUTO_TEST_SUITE(report_command)

BOOST_FIXTURE_TEST_CASE(reporting_a_run_again_leaves_its_bytes, ConsoleFiles) {
  const ConsoleRun probe = this->probe({"--templates", "all", "--seed", "7"});
  BOOST_TEST(probe.code == 0, probe);
  const auto before = contents(folder / "run");
  for (const char* name : {"accuracy.csv", "metrics.json", "report.html"}) {
    std::filesystem::remove(folder / "run" / name);
  }
  const ConsoleRun run = run_words({"report", at("run")});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.err.empty());
  BOOST_TEST((contents(folder / "run") == before));
  // The report prints the same table as the probe.
  const std::string table = run.out.substr(0, run.out.find("\nreport: "));
  BOOST_TEST(probe.out.starts_with(table));
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/report.html") + "\n"));
}

BOOST_FIXTURE_TEST_CASE(reporting_a_many_shot_run_again_leaves_its_bytes, test::ManyShotFiles) {
  table("few", 4, 4);
  const ConsoleRun study = many_shot({"--seed", "7", "--generate", "4"});
  BOOST_TEST(study.code == 0, study);
  const auto before = contents(folder / "run");
  for (const char* name : {"accuracy.csv", "accuracy_at_k.csv", "metrics.json", "report.html"}) {
    std::filesystem::remove(folder / "run" / name);
  }
  const ConsoleRun run = run_words({"report", at("run")});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((contents(folder / "run") == before));
  BOOST_TEST(run.says("\nic/4 "));
  BOOST_TEST(run.says("skipped for having fewer than"));
  BOOST_TEST(run_words({"report", at("run"), "--out", at("page")}).code == 0);
  BOOST_TEST(contents(folder / "page").size() == 5U + 1);  // plus the file that records its source
}

BOOST_FIXTURE_TEST_CASE(reporting_a_ranking_again_leaves_its_bytes, test::RankFiles) {
  const ConsoleRun ranking = rank({"--method", "deer,likelihood,lm-head", "--seed", "7"});
  BOOST_TEST(ranking.code == 0, ranking);
  const auto before = contents(folder / "run");
  for (const char* name : {"metrics.json", "ranks.csv", "report.html"}) {
    std::filesystem::remove(folder / "run" / name);
  }
  const ConsoleRun run = run_words({"report", at("run")});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((contents(folder / "run") == before));
  BOOST_TEST(run.out.starts_with("lm-head: 10 candidates have a one-token name"), run);
  const std::string table = run.out.substr(run.out.find("method "), run.out.find("\nreport: "));
  BOOST_TEST(ranking.says(table.substr(0, table.find("\nreport: "))), run);
  BOOST_TEST(run_words({"report", at("run"), "--out", at("page")}).code == 0);
  BOOST_TEST(contents(folder / "page").size() == 4U + 1);  // and the file that names its source
  std::filesystem::remove(folder / "run/metadata_rank.json");
  BOOST_TEST(run_words({"report", at("run")}).code == 2);
}

BOOST_FIXTURE_TEST_CASE(reporting_a_generation_again_leaves_its_bytes, test::GenerateFiles) {
  const ConsoleRun generation = generate(
      {"--seed", "7", "--form", "both", "--shots", "1", "--limit", "2", "--sample-by", "fact"});
  BOOST_TEST(generation.code == 0, generation);
  const auto before = test::all_contents(folder / "run");
  for (const auto& [name, text] : before) {
    if (name.ends_with(".csv")) std::filesystem::remove(folder / "run" / name);
  }
  for (const char* name : {"metrics.json", "report.html"}) {
    std::filesystem::remove(folder / "run" / name);
  }
  const ConsoleRun run = run_words({"report", at("run")});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.err.empty());
  BOOST_TEST((test::all_contents(folder / "run") == before));
  const std::size_t table = run.out.find("setting ");
  BOOST_REQUIRE(table != std::string::npos);
  BOOST_TEST(generation.says(run.out.substr(table, run.out.find("\nreport: ") - table)), run);
  BOOST_TEST(run.says("zero-shot-question: no question template in family.\n"), run);
  BOOST_TEST(run_words({"report", at("run"), "--out", at("page")}).code == 0);
  BOOST_TEST((test::all_contents(folder / "run") == before));
  for (const auto& [name, text] : test::all_contents(folder / "page")) {
    if (name == "report.json") continue;  // names the source
    BOOST_TEST((before.at(name) == text), name);
  }
}

BOOST_FIXTURE_TEST_CASE(a_generation_may_be_measured_otherwise, test::GenerateFiles) {
  const test::LittleWordNet wordnet;
  MultiPromptDataset dataset = test::elements_many();
  for (const std::size_t f : {0U, 1U}) {
    dataset.relations[2].facts[f].objects[0].names = {"noble gases", "rare gases"};
  }
  write_many("plural", dataset);
  BOOST_TEST(generate({"--settings", "zero-shot", "--relations", "family"}, "run", "plural").code ==
             0);
  const auto before = test::all_contents(folder / "run");
  const auto report = [&](const std::string& out, std::vector<std::string> options) {
    options.insert(options.begin(), {"report", at("run"), "--out", at(out)});
    const ConsoleRun run = run_words(options);
    BOOST_TEST(run.code == 0, run);
    return json(out + "/metrics.json");
  };
  const auto average = [](const Json& metrics) {
    return metrics.at("settings")
        .at("zero-shot")
        .at("coverage")
        .at("average")
        .at("value")
        .get<double>();
  };
  const Json same = report("same", {});
  BOOST_TEST(same.at("samplings").at("samplings") == 300);
  BOOST_TEST(same.at("samplings").at("headline_by") == "relation");
  const Json other = report("other", {"--samplings", "40", "--sample-by", "fact", "--seed", "9"});
  BOOST_TEST(other.at("samplings").at("samplings") == 40);
  BOOST_TEST(other.at("samplings").at("headline_by") == "fact");
  BOOST_TEST(other.at("samplings").at("seed") == 9);
  BOOST_TEST(other.at("bootstrap").at("seed") == 9);
  BOOST_TEST(average(other) == average(same));
  BOOST_TEST(average(report("lemmas", {"--wordnet", wordnet.path()})) > average(same));
  BOOST_TEST((test::all_contents(folder / "run") == before));
  const auto refused = [&](const std::string& option, const std::string& value,
                           const std::string& words) {
    BOOST_TEST(run_words({"report", at("run"), option, value}).refused(option + ": " + words));
  };
  refused("--samplings", "0", "0 is not between 1 and 10,000,000");
  refused("--sample-by", "prompt", "'prompt' is not a valid choice");
  BOOST_TEST(run_words({"report", at("run"), "--wordnet", at("nowhere")})
                 .refused("nowhere/index.noun: cannot be read"));
}

BOOST_FIXTURE_TEST_CASE(what_only_generations_have_is_refused_for_other_runs, ConsoleFiles) {
  BOOST_TEST(probe().code == 0);
  for (const auto& [option, value] : {std::pair<std::string, std::string>{"--wordnet", "none"},
                                      {"--samplings", "1"},
                                      {"--sample-by", "fact"}}) {
    BOOST_TEST(run_words({"report", at("run"), option, value})
                   .refused(option + ": has no effect on this run, which is not from plumb "
                                     "generate; remove it"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_comparison_over_prompts_keeps_no_scores, test::GenerateFiles) {
  BOOST_TEST(probe().code == 0);
  BOOST_TEST(
      run_words({"compare", at("probe"), "--prompts", "--samplings", "50", "--out", at("out")})
          .code == 0);
  BOOST_TEST(
      run_words({"report", at("out")}).refused("is from plumb compare, which stores no scores"));
}

BOOST_FIXTURE_TEST_CASE(a_seed_that_is_given_is_taken, ConsoleFiles) {
  BOOST_TEST(probe({"--seed", "7"}).code == 0);
  BOOST_TEST(run_words({"report", at("run"), "--seed", "8"}).code == 0);
  const Json metrics = Json::parse(test::slurp(folder / "run/metrics.json"));
  BOOST_TEST(metrics.at("bootstrap").at("seed") == 8);
  BOOST_TEST(run_words({"report", at("run"), "--seed", "x"}).refused("--seed: 'x' is not"));
}

BOOST_AUTO_TEST_CASE(a_folder_of_lm_pub_quiz_is_reported_elsewhere_and_left_alone) {
  test::ResultsFolder results;
  results.add("P36", {"Paris", "Rome"}, {"[X]: [Y]"}, Json::object(),
              {test::row("France", 0, 0, 0, {-1, -2})});
  const auto before = contents(results.path());
  const test::TemporaryFolder out;
  const ConsoleRun run =
      run_words({"report", results.path().string(), "--out", (out / "deep/page").string()});
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.says("\nP36 "));
  BOOST_TEST((contents(results.path()) == before));
  BOOST_TEST(contents(out / "deep/page").size() == 4U + 1);
}

BOOST_AUTO_TEST_CASE(a_folder_without_scores_is_refused_by_the_command_that_made_it) {
  const test::TemporaryFolder folder;
  for (const std::string command : {"compare", "calibrate", "many-shot --fixed", "rank --fixed"}) {
    folder.write("run.json", Json{{"settings", {{"command", command}, {"seed", 0}}}}.dump());
    BOOST_TEST(run_words({"report", folder.path().string()})
                   .refused("is from plumb " + command + ", which stores no scores"));
  }
}

// To finish an incomplete run, the user resumes it with the command that started it.
BOOST_AUTO_TEST_CASE(report_on_unfinished_run_names_what_is_missing) {
  for (const auto& [command, what] : {std::pair<std::string, std::string>{"rank", "ranking"},
                                      {"many-shot", "many-shot run"},
                                      {"generate", "generation"}}) {
    const test::TemporaryFolder folder;
    folder.write(
        "run.json",
        Json{{"settings", {{"command", command}, {"seed", 0}, {"lemmas", "none"}}}}.dump());
    BOOST_TEST(
        run_words({"report", folder.path().string()}).refused("contains no finished " + what),
        command);
  }
}

BOOST_AUTO_TEST_CASE(another_tools_folder_is_left_as_it_is) {
  test::ResultsFolder results;
  results.add("P36", {"Paris", "Rome"}, {"[X]: [Y]"}, Json::object(),
              {test::row("France", 0, 0, 0, {-1, -2})});
  const auto before = contents(results.path());
  BOOST_TEST(run_words({"report", results.path().string()}).refused("set --out to another folder"));
  BOOST_TEST((contents(results.path()) == before));
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_not_finished_is_refused, ConsoleFiles) {
  BOOST_TEST(run_words({"report", at("data")}).refused("contains no finished results"));
  BOOST_TEST(run_words({"report", at("nowhere")}).refused("nowhere: is not a folder"));
  BOOST_TEST(!std::filesystem::exists(folder / "nowhere"));
}

BOOST_FIXTURE_TEST_CASE(what_is_no_report_of_the_run_is_written_over_on_request_alone,
                        ConsoleFiles) {
  BOOST_TEST(probe().code == 0);
  folder.write("page/report.html", "mine");
  const std::vector<std::string> words{"report", at("run"), "--out", at("page")};
  BOOST_TEST(run_words(words).refused(
      "page: contains something other than a report of " +
      std::filesystem::canonical(folder / "run").string() +
      "; choose another folder (--out), or overwrite this one with --overwrite"));
  BOOST_TEST(test::slurp(folder / "page/report.html") == "mine");
  auto over = words;
  over.emplace_back("--overwrite");
  BOOST_TEST(run_words(over).code == 0);
  BOOST_TEST(test::slurp(folder / "page/report.html") == test::slurp(folder / "run/report.html"));
  BOOST_TEST(run_words(words).code == 0);  // the folder now contains a report of this run
  BOOST_TEST(run_words({"report", at("run"), "--overwrite"})
                 .refused("--overwrite: has no effect without --out; remove it"));
}

BOOST_FIXTURE_TEST_CASE(results_that_were_changed_are_refused_by_name, ConsoleFiles) {
  BOOST_TEST(probe().code == 0);
  std::string text = test::slurp(folder / "run/river_results.jsonl");
  char& digit = text[text.find("pll_scores\":[-") + 14];
  digit = digit == '9' ? '1' : '9';
  folder.write("run/river_results.jsonl", text);
  const std::string words =
      "run/river_results.jsonl: differs from what its run wrote: it has 2 lines as before, but a "
      "different checksum; restore it, or run plumb probe for this folder again with --resume, "
      "which "
      "rewrites it";
  BOOST_TEST(run_words({"report", at("run")}).refused(words));
  BOOST_TEST(run_words({"calibrate", at("run"), "--out", at("c")}).refused(words));
  BOOST_TEST(
      run_words({"compare", "a=" + at("run"), "b=" + at("run"), "--out", at("d")}).refused(words));
  BOOST_TEST(probe({"--resume"}).code == 0);
  BOOST_TEST(run_words({"report", at("run")}).code == 0);
}

BOOST_AUTO_TEST_CASE(words_that_are_not_understood_are_refused) {
  BOOST_TEST(run_words({"report"})
                 .refused("RUN: is required but missing; `plumb report --help` lists the options"));
  BOOST_TEST(run_words({"report", "a", "b"}).refused("unexpected argument 'b'"));
  BOOST_TEST(run_words({"report", "a", "--ou", "b"}).refused("--ou: unknown option"));
}

BOOST_AUTO_TEST_SUITE_END()
