// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/compare.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/generate_console.hpp"
#include "support/markup.hpp"
#include "support/option_errors.hpp"
#include "support/results_folder.hpp"
#include "support/small_calibration.hpp"
#include "support/small_run.hpp"

using namespace plumb::detail;
using test::contents;
using test::holds;
using test::row;
using test::slurp;

BOOST_AUTO_TEST_SUITE(compare_command)

namespace {

using Words = std::vector<std::string>;

/// Returns what the command prints. Errors are thrown.
std::string compare(Words words) {
  std::ostringstream out, err;
  Console console{std::move(words), out, err};
  BOOST_TEST(run_compare_command(console) == 0);
  BOOST_TEST(err.str() == "");
  return out.str();
}

/// Adds a relation with two options and one template. The marks specify which facts are answered
/// correctly.
void add(test::ResultsFolder& into, const std::string& code, const std::string& marks) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::vector<double> right{-1, -2}, wrong{-2, -1};
    rows.push_back(
        row(std::string("s").append(std::to_string(i)), i, 0, 0, marks[i] == '1' ? right : wrong));
  }
  into.add(code, {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(), rows);
}

/// Two finished probes: "one" knows 3 of 4 and 1 of 2 facts; "two" knows 1 of 4 and 1 of 2.
struct TwoRuns {
  TwoRuns() {
    add(one, "P1", "1110");
    add(one, "P2", "10");
    add(two, "P1", "0010");
    add(two, "P2", "01");
  }
  /// Sets the models' names, as run.json would.
  void name_models(const std::string& first, const std::string& second) const {
    one.files().write("run.json", Json{{"settings", {{"model", first}}}}.dump());
    two.files().write("run.json", Json{{"settings", {{"model", second}}}}.dump());
  }
  [[nodiscard]] Words words(Words more = {}) const {
    more.insert(more.begin(), {one.path().string(), two.path().string(), "--out", out()});
    return more;
  }
  [[nodiscard]] std::string out() const { return (folder / "out").string(); }
  [[nodiscard]] Json read(const std::string& name) const {
    return Json::parse(slurp(folder / ("out/" + name)));
  }
  /// Checks that the command fails with this message and writes nothing.
  void check_refused(const Words& given, const std::string& with) const {
    BOOST_CHECK_EXCEPTION((void)compare(given), Error, test::shows(Fault::user, with));
    BOOST_TEST(!std::filesystem::exists(folder / "out"));
  }

  test::ResultsFolder one, two;
  test::TemporaryFolder folder;
};

}  // namespace

// Means over relations: (3/4 + 1/2) / 2 and (1/4 + 1/2) / 2. Of the facts that "one" knows, "two"
// knows 1/3 in P1 and none in P2; of those that "two" knows, "one" knows all in P1 and none in P2.
BOOST_FIXTURE_TEST_CASE(two_runs_become_a_folder_a_page_and_a_table, TwoRuns) {
  name_models("large", "small");
  const std::string said = compare(words());
  std::set<std::string> names;
  for (const auto& [name, text] : contents(folder / "out")) names.insert(name);
  BOOST_TEST(
      (names == std::set<std::string>{
                    "accuracy.csv", "metrics.csv", "base_and_tuned.csv", "correlation.csv",
                    "facts.csv", "family_correlation.csv", "metrics.json", "model_leaderboard.csv",
                    "paired_tests.csv", "paired_tests_by_relation.csv", "relation_leaderboard.csv",
                    "report.html", "run.json", "subsumption.csv", "top_and_bottom.csv"}));
  const Json metrics = read("metrics.json");
  BOOST_TEST(metrics.at("setting") == "template");
  BOOST_TEST(metrics.at("models").at("large").at("accuracy").at("value") == 0.625);
  BOOST_TEST(metrics.at("models").at("small").at("accuracy").at("value") == 0.375);
  const Json& rates = metrics.at("subsumption");
  BOOST_TEST(std::abs(rates.at(0).at("rate").at("value").get<double>() - 1.0 / 6) < 1e-12);
  BOOST_TEST(rates.at(1).at("rate").at("value") == 0.5);
  BOOST_TEST(said.starts_with("model "));
  BOOST_TEST(holds(said, "\nlarge  0.625 ["));
  BOOST_TEST(holds(said, "\nlarge → small "));
  BOOST_TEST(said.ends_with("\nreport: " + out() + "/report.html\n"));
}

BOOST_FIXTURE_TEST_CASE(run_json_records_command_line_and_settings, TwoRuns) {
  name_models("large", "small");
  compare(words({"--seed", "7", "--pairs", "large:small"}));
  const Json run = read("run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST((run.at("folders") == Json{one.path().string(), two.path().string()}));
  BOOST_TEST(run.at("command_line").at(1) == "compare");
  const Json& settings = run.at("settings");
  BOOST_TEST(settings.at("command") == "compare");
  BOOST_TEST((settings.at("models") == Json{"large", "small"}));
  BOOST_TEST(settings.at("setting") == "template");
  BOOST_TEST(settings.at("seed") == 7);
  BOOST_TEST((settings.at("pairs") == Json{"large:small"}));
  BOOST_TEST(settings.at("families").is_null());
  BOOST_TEST(read("metrics.json").at("bootstrap").at("seed") == 7);
}

BOOST_FIXTURE_TEST_CASE(model_names_come_from_the_user_then_the_run_then_the_folder, TwoRuns) {
  one.files().write("run.json", Json{{"settings", {{"model", "tiny.gguf"}}}}.dump());
  compare(words());
  BOOST_TEST((read("run.json").at("settings").at("models") ==
              Json{"tiny.gguf", two.path().filename().string()}));
  compare({"mine=" + one.path().string(), two.path().string(), "--out", out()});
  BOOST_TEST(read("run.json").at("settings").at("models").at(0) == "mine");
}

BOOST_FIXTURE_TEST_CASE(runs_of_one_model_are_named_after_their_folders, TwoRuns) {
  name_models("same", "same");
  compare(words());
  BOOST_TEST((read("run.json").at("settings").at("models") ==
              Json{one.path().filename().string(), two.path().filename().string()}));
  compare({"same=" + one.path().string(), two.path().string(), "--out", out()});
  BOOST_TEST((read("run.json").at("settings").at("models") ==
              Json{"same", two.path().filename().string()}));
}

BOOST_FIXTURE_TEST_CASE(equal_names_are_refused_with_what_helps, TwoRuns) {
  check_refused({"same=" + one.path().string(), "same=" + two.path().string(), "--out", out()},
                "has the name 'same', which is also the name "
                "of " +
                    one.path().string() +
                    "; give each its own name, as "
                    "NAME=RUN");
}

BOOST_FIXTURE_TEST_CASE(comparing_again_replaces_and_anything_else_is_left_alone, TwoRuns) {
  compare(words());
  const std::string metrics = slurp(folder / "out/metrics.json");
  compare(words());
  BOOST_TEST(slurp(folder / "out/metrics.json") == metrics);
  const auto before = contents(folder / "out");
  Words other{"other=" + one.path().string(), one.path().string(), "--out", out()};
  BOOST_CHECK_EXCEPTION((void)compare(other), Error,
                        test::shows(Fault::user,
                                    "contains something other than what plumb compare "
                                    "produced"));
  BOOST_TEST((contents(folder / "out") == before));
  const auto results = contents(one.path());
  Words into = words();
  into.back() = one.path().string();
  BOOST_CHECK_EXCEPTION((void)compare(into), Error,
                        test::shows(Fault::user, "choose another folder (--out)"));
  BOOST_TEST((contents(one.path()) == results));
}

BOOST_FIXTURE_TEST_CASE(families_are_read_from_a_file, TwoRuns) {
  name_models("large", "small");
  const auto file = folder.write("families.json", R"({"F": ["small", "large"]})");
  compare(words({"--families", file.string()}));
  BOOST_TEST(read("metrics.json").at("models").at("small").at("family") == "F");
  BOOST_TEST(read("run.json").at("settings").at("families") == "families.json");
}

BOOST_FIXTURE_TEST_CASE(families_that_do_not_fit_are_refused, TwoRuns) {
  name_models("large", "small");
  const auto refused = [&](const std::string& text, const std::string& with) {
    const auto file = folder.write("families.json", text);
    check_refused(words({"--families", file.string()}), file.string() + ": " + with);
  };
  refused(R"({"F": ["huge"]})", "F: 'huge' is not among the models; they are large, small");
  refused(R"({"F": ["large"], "G": ["large"]})", "G: 'large' is already in 'F'");
  refused(R"({"F": ["large", "large"]})", "F: 'large' is already in 'F'");
  refused(R"({"F": "large"})", "F: is not a list of model names");
  refused(R"({"": ["large"]})", "is not a list of model names");
  check_refused(words({"--families", (folder / "none.json").string()}), "cannot be read");
}

BOOST_FIXTURE_TEST_CASE(pairs_are_two_names_with_a_colon_between, TwoRuns) {
  name_models("a:b", "c");
  compare(words({"--pairs", "a:b:c,c:a:b"}));
  const Json pairs = read("metrics.json").at("base_and_tuned");
  BOOST_TEST(pairs.at(0).at("base") == "a:b");
  BOOST_TEST(pairs.at(0).at("tuned") == "c");
  BOOST_TEST(pairs.at(1).at("tuned") == "a:b");
}

BOOST_FIXTURE_TEST_CASE(pairs_that_do_not_fit_are_refused, TwoRuns) {
  name_models("large", "small");
  for (const char* pair : {"large", "large:huge", "large:large", "large:small:", ":small"}) {
    check_refused(words({"--pairs", pair}),
                  std::string("--pairs: '") + pair + "' does not name two of the models");
  }
  check_refused(words({"--pairs", "large:small,"}), "has an empty item");
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_compared_is_refused, TwoRuns) {
  check_refused(words({"--setting", "ic/50"}), "'ic/50' is not a setting that all models have");
  check_refused({one.path().string(), "--out", out()},
                "RUN: names 1 run, but a comparison needs at least two");
  check_refused({"--out", out()}, "RUN: names 0 runs");
  check_refused({one.path().string(), two.path().string()},
                "--out: is required but missing; `plumb compare --help` lists the options");
  check_refused({one.path().string(), (folder / "none").string(), "--out", out()},
                "is not a "
                "folder");
  check_refused({one.path().string(), folder.path().string(), "--out", out()},
                "contains no finished results");
  check_refused(words({"--seed", "x"}), "--seed: 'x' is not a non-negative whole number");
  check_refused(words({"--limit", "1"}), "--limit: unknown option");
}

BOOST_FIXTURE_TEST_CASE(other_facts_under_the_same_names_are_refused, TwoRuns) {
  test::ResultsFolder other;
  other.add("P1", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(), {row("s0", 0, 0, 1, {-1, -2})});
  check_refused({one.path().string(), other.path().string(), "--out", out()},
                "P1: instance 0 is 's0' with 'Paris' and 's0' with 'Rome' in ");
}

// "one" knows 3 of 4 and 1 of 2 facts, and "two" knows 1 of 4 and 1 of 2: the mean over relations
// drops by 1/4. Three facts in P1 and two in P2 are lost or gained; all scores of those facts
// change by 1 nat.
BOOST_FIXTURE_TEST_CASE(conditions_of_two_runs_decide_the_exit_code, TwoRuns) {
  const auto check = [&](const std::string& conditions) {
    std::ostringstream stream, err;
    Console console{words({"--assert", conditions}), stream, err};
    const int code = run_compare_command(console);
    return std::pair(code, err.str());
  };
  BOOST_TEST(check("accuracy.drop < 0.26, loglik.max <= 1, known.lost < 4").first == 0);
  const auto [code, said] = check("accuracy.drop < 0.2, known.lost < 3,loglik.max < 2");
  BOOST_TEST(code == 3);
  BOOST_TEST(said.starts_with("plumb: condition not met: accuracy.drop < 0.2: 0.2500"));
  BOOST_TEST(
      holds(said, "\nplumb: condition not met: known.lost < 3: 3; P1 's0' (Paris → Rome), "));
  BOOST_TEST(!holds(said, "loglik.max"));
  const Json asserted = read("metrics.json").at("asserted");
  BOOST_TEST(asserted.at(0).at("passed") == false);
  BOOST_TEST(asserted.at(2).at("passed") == true);
  BOOST_TEST(asserted.at(2).at("value").at("value") == 1.0);
  BOOST_TEST((read("run.json").at("settings").at("assert").size() == 3U));
  BOOST_TEST(holds(slurp(folder / "out/report.html"), "Failed: accuracy.drop"));
  // ACE needs at least as many facts as bins.
  BOOST_TEST(holds(check("ace.rise < 1").second,
                   "ace.rise < 1: these runs do not have this "
                   "number"));
}

BOOST_FIXTURE_TEST_CASE(conditions_that_do_not_fit_are_refused, TwoRuns) {
  check_refused(words({"--assert", "accuracy < 1"}),
                "--assert: 'accuracy < 1' does not name a "
                "quantity");
  Words three = words({"--assert", "accuracy.drop < 1"});
  three.insert(three.begin(), "third=" + one.path().string());
  check_refused(three, "--assert: needs two runs, but there are 3");
}

BOOST_FIXTURE_TEST_CASE(tables_are_printed_for_other_programs, TwoRuns) {
  name_models("large", "small");
  check_refused(words({"--format", "pdf"}), "--format: 'pdf' is not a format");
  check_refused(words({"--json", "--quiet"}), "--quiet: conflicts with --json");
  const std::string csv = compare(words({"--format", "csv"}));
  BOOST_TEST(csv.starts_with("model,"));
  BOOST_TEST(holds(csv, "\nlarge,"));
  BOOST_TEST(!holds(csv, "report: "));
  BOOST_TEST(holds(compare(words({"--format", "latex"})), "\\toprule"));
  BOOST_TEST(holds(compare(words({"--format", "markdown"})), "\n| :-- |"));
  BOOST_TEST(Json::parse(compare(words({"--format", "json"}))).contains("models"));
  BOOST_TEST(Json::parse(compare(words({"--json"}))) == read("metrics.json"));
  BOOST_TEST(compare(words({"--quiet"})).empty());
}

BOOST_FIXTURE_TEST_CASE(remarks_are_printed, TwoRuns) {
  add(one, "P3", "1");
  BOOST_TEST(holds(compare(words()), "1 relation of 3 missing from at least one model: left out"));
}

// Generated answers and choices are compared for the relations in the closed set.
BOOST_FIXTURE_TEST_CASE(a_generation_and_a_probe_stand_side_by_side, test::GenerateFiles) {
  BOOST_TEST(generate({"--settings", "zero-shot", "--names", "none"}, "gen").code == 0);
  BOOST_TEST(probe().code == 0);
  const auto before = test::all_contents(folder.path());
  const Words few{"--wordnet", "none", "--samplings", "100"};
  const auto words = [&](const std::string& name, const std::string& out) {
    Words all{at("gen"), name + at("probe"), "--out", at(out)};
    all.insert(all.end(), few.begin(), few.end());
    return all;
  };
  const std::string said = compare(words("chosen=", "out"));
  BOOST_TEST(test::in_order(said, {"\nmodel zero-shot ", "\nchosen ", "\nreport: "}));
  BOOST_TEST(!holds(said, "asked otherwise"));
  const Json metrics = json("out/metrics.json");
  const Json& generated = metrics.at("settings").at("model zero-shot");
  const Json& chosen = metrics.at("settings").at("chosen");
  BOOST_TEST(generated.at("facts") == 13);
  BOOST_TEST(chosen.at("facts") == 9);
  BOOST_TEST(chosen.at("prompts") == 4 * 6 + 2 * 3);
  BOOST_TEST(chosen.contains("overconfidence"));
  BOOST_TEST(generated.at("coverage") ==
             json("gen/metrics.json").at("settings").at("zero-shot").at("coverage"));
  BOOST_REQUIRE(metrics.at("sharing").size() == 2U);
  for (const Json& cell : metrics.at("sharing")) {
    BOOST_TEST(cell.at("oracle").at("not_shared").at("relations") == 1);
    BOOST_TEST(cell.at("oracle").at("not_shared").at("facts") == 0);
    BOOST_TEST(cell.at("oracle").at("not_shared").at("templates") == 0);
  }
  // The template groups come from the generation. Half of the templates are manual, whether three
  // relations are compared or two.
  BOOST_TEST(chosen.at("manual_templates").at("generated_templates") == 3);
  auto after = test::all_contents(folder.path());
  std::erase_if(after, [](const auto& file) { return file.first.starts_with("out/"); });
  BOOST_TEST((after == before));
  BOOST_TEST(test::in_order(compare(words("", "unnamed")), {"\ngen zero-shot ", "\nprobe "}));
}

BOOST_FIXTURE_TEST_CASE(two_generations_stand_side_by_side, test::GenerateFiles) {
  const Words quick{"--names",    "none",      "--samples", "0",
                    "--settings", "zero-shot", "--form",    "both"};
  Words fewer = quick;
  fewer.insert(fewer.end(), {"--relations", "symbol", "--max-new-tokens", "3"});
  BOOST_TEST(generate(quick, "one").code == 0);
  BOOST_TEST(generate(fewer, "two").code == 0);
  Words words{"a=" + at("one"), "b=" + at("two"), "--out",       at("out"),
              "--wordnet",      "none",           "--samplings", "100"};
  const std::string said = compare(words);
  const Json metrics = json("out/metrics.json");
  std::set<std::string> ways;
  for (const auto& [name, way] : metrics.at("settings").items()) ways.insert(name);
  BOOST_TEST((ways == std::set<std::string>{"a zero-shot", "a zero-shot-question", "b zero-shot",
                                            "b zero-shot-question"}));
  BOOST_TEST(metrics.at("sharing").size() == 12U);
  // The two forms are compared within each run.
  BOOST_REQUIRE(metrics.at("forms").size() == 2U);
  BOOST_TEST(metrics.at("forms").at(0).at("mask") == "a zero-shot");
  BOOST_TEST(metrics.at("forms").at(0).at("question") == "a zero-shot-question");
  BOOST_TEST(metrics.at("forms").at(1).at("mask") == "b zero-shot");
  BOOST_TEST(metrics.at("settings").at("b zero-shot").at("facts") == 6);
  BOOST_TEST(holds(said,
                   "b was asked differently from a, so their numbers may not be comparable: "
                   "max_new_tokens 3 instead of 12\n"));
  BOOST_TEST(holds(said, "a: zero-shot-question: no question template in family.\n"));
  const std::string page = slurp(folder / "out/report.html");
  BOOST_TEST(holds(page, "Many prompts, side by side"));
  words.insert(words.end(), {"--pairs", "a:b"});
  BOOST_CHECK_EXCEPTION((void)compare(words), Error,
                        test::shows(Fault::user, "--pairs: has no effect over many prompts"));
}

// A stopped run is not treated as finished.
BOOST_FIXTURE_TEST_CASE(a_generation_that_is_not_finished_is_refused, test::GenerateFiles) {
  BOOST_TEST(generate({"--names", "none", "--samples", "0"}, "gen").code == 0);
  std::filesystem::remove(folder / "gen/metadata_generate.json");
  BOOST_CHECK_EXCEPTION((void)compare({at("gen"), "--prompts", "--out", at("out")}), Error,
                        test::shows(Fault::user, "contains no finished results"));
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
}

BOOST_AUTO_TEST_CASE(help_is_printed) {
  BOOST_TEST(holds(compare({"--help"}), "\nUsage: plumb compare RUN"));
}

BOOST_FIXTURE_TEST_CASE(published_numbers_are_compared_with_those_of_a_run, TwoRuns) {
  name_models("large", "small");
  one.files().write(
      "metrics.json",
      Json{{"all_templates",
            {{"overall",
              {{"accuracy", {{"value", 0.5}, {"low", 0.25}, {"high", 0.75}, {"count", 4}}}}}}}}
          .dump());
  const auto table = folder.write(
      "published.csv",
      "table,model,setting,metric,value\n"
      "2,Large,all_templates.overall,accuracy,0.7\n2,Huge,all_templates.overall,accuracy,0.9\n");
  const std::string said =
      compare({one.path().string(), "--published", table.string(), "--out", out()});
  BOOST_TEST(holds(said, "0.500 [0.250, 0.750]"));
  BOOST_TEST(holds(said, "-0.200"));
  BOOST_TEST(!holds(said, "Huge"));
  BOOST_TEST(read("metrics.json").at("numbers").size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(options_without_effect_on_published_numbers_are_refused, TwoRuns) {
  const auto table = folder.write("published.csv", "model,metric,value\nm,x,0.7\n");
  for (const Words& more : {Words{"--seed", "1"}, Words{"--prompts"}, Words{"--setting", "ic/5"},
                            Words{"--samplings", "10"}, Words{"--pairs", "a:b"}}) {
    Words given = words({"--published", table.string()});
    given.insert(given.end(), more.begin(), more.end());
    check_refused(given, "with --published; remove it");
  }
  folder.write("published.csv", "model,metric,value\nm,x,half\n");
  check_refused(words({"--published", table.string()}),
                table.string() + ":2: value: 'half' is not a number");
}

BOOST_AUTO_TEST_SUITE_END()
