// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/compare.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/generate_console.hpp"
#include "support/near.hpp"
#include "support/option_errors.hpp"
#include "support/results_folder.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::GenerationFolder;
using test::near;
using test::ResultsFolder;
using test::row;
using test::run_words;
using test::shows;
using test::slurp;

BOOST_AUTO_TEST_SUITE(compare_prompts_suite)

namespace {

using Words = std::vector<std::string>;

const Words family_templates{"[X] is a [Y].", "[Y]: [X] is one."};
const std::vector<double> gas{-1, -2}, metal{-2, -1};

/// The family relation of the elements under its two templates, once as generated answers and once
/// as choices from a closed set. Generated answers: neon is right once and wrong once, argon is
/// right twice, gold is right once and wrong once; neon's second name is not used. Choices: neon is
/// right twice, argon is wrong once and right once, gold is wrong twice.
struct Ways {
  Ways() {
    generated.setting("zero-shot", answers());
    add_family(family_templates);
  }
  [[nodiscard]] std::vector<RecordedAnswer> answers() const {
    return {generated.answer(2, {0, 0, 0}, "noble gas"), generated.answer(2, {0, 1, 0}, "metal"),
            generated.answer(2, {1, 0, 0}, "inert gas"), generated.answer(2, {1, 1, 0}, "rare gas"),
            generated.answer(2, {2, 0, 0}, "metal"),     generated.answer(2, {2, 1, 0}, "gas")};
  }
  void add_family(const Words& templates, const Json& info = Json::object()) {
    chosen.add(
        "family", {"noble gas", "metal"}, templates, info,
        {row("Qneon", 0, 0, 0, gas), row("Qneon", 0, 1, 0, gas), row("Qargon", 1, 0, 0, metal),
         row("Qargon", 1, 1, 0, gas), row("Qgold", 2, 0, 1, gas), row("Qgold", 2, 1, 1, gas)});
  }
  [[nodiscard]] std::string gen() const { return "gen=" + generated.path().string(); }
  [[nodiscard]] std::string set() const { return "set=" + chosen.path().string(); }
  [[nodiscard]] std::string out() const { return (folder / "out").string(); }

  /// Compares without WordNet and, if `quick`, with few samplings.
  [[nodiscard]] ConsoleRun compare(Words words, bool quick = true) const {
    words.insert(words.begin(), "compare");
    if (quick) words.insert(words.end(), {"--samplings", "100"});
    words.insert(words.end(), {"--out", out()});
    return run_words(std::move(words));
  }
  [[nodiscard]] ConsoleRun both(Words more = {}) const {
    more.insert(more.begin(), {gen(), set(), "--wordnet", "none"});
    return compare(std::move(more));
  }
  void check_refused(const ConsoleRun& run, const std::string& words) const {
    BOOST_TEST(run.refused(words), run);
    BOOST_TEST(!std::filesystem::exists(folder / "out"));
  }
  [[nodiscard]] Json read(const std::string& name) const {
    return Json::parse(slurp(folder / ("out/" + name)));
  }
  /// The fraction of the facts known to "top" that "left" also knows: by template, and under any
  /// prompt.
  [[nodiscard]] std::pair<double, double> shared(const std::string& left,
                                                 const std::string& top) const {
    const Json metrics = read("metrics.json");
    for (const Json& cell : metrics.at("sharing")) {
      if (cell.at("left") != left || cell.at("top") != top) continue;
      return {cell.at("by_template").at("rate").at("value").get<double>(),
              cell.at("oracle").at("rate").at("value").get<double>()};
    }
    BOOST_ERROR("no cell of " + left + " and " + top);
    return {};
  }
  /// The number of templates not marked as manual in relations with at least one manual template.
  [[nodiscard]] int generated_templates(const std::string& way) const {
    return read("metrics.json")
        .at("settings")
        .at(way)
        .at("manual_templates")
        .at("generated_templates")
        .get<int>();
  }

  GenerationFolder generated;
  ResultsFolder chosen;
  test::TemporaryFolder folder;
};

/// The text of a templates.jsonl for the family relation, in which the second template is a
/// machine-generated paraphrase.
std::string lines(const Words& templates) {
  std::string text;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    text += Json{{"relation", "family"},
                 {"template", templates[i]},
                 {"group", "all"},
                 {"origin", i == 1 ? "generated" : "manual"}}
                .dump() +
            "\n";
  }
  return text;
}

}  // namespace

// Under the first template, three facts are known from generated answers and one from choices;
// under the second, one and two. Under each template, one fact is known from both. Under any
// prompt, three facts are known from generated answers and two from choices.
BOOST_FIXTURE_TEST_CASE(generated_and_chosen_answers_stand_side_by_side, Ways) {
  const ConsoleRun run = both();
  BOOST_TEST(run.code == 0, run);
  const Json metrics = read("metrics.json");
  const auto average = [&](const std::string& way) {
    return metrics.at("settings").at(way).at("coverage").at("average").at("value").get<double>();
  };
  BOOST_TEST(metrics.at("settings").size() == 2U);
  BOOST_TEST(near(average("gen zero-shot"), 2.0 / 3));
  BOOST_TEST(near(average("set"), 0.5));
  BOOST_TEST(metrics.at("settings").at("gen zero-shot").at("generated") == true);
  BOOST_TEST(metrics.at("settings").at("set").at("generated") == false);
  const auto [template_share, oracle_share] = shared("gen zero-shot", "set");
  BOOST_TEST(near(template_share, (1.0 / 3 + 1) / 2));
  BOOST_TEST(near(oracle_share, 2.0 / 3));
  const auto [template_back, oracle_back] = shared("set", "gen zero-shot");
  BOOST_TEST(near(template_back, (1 + 0.5) / 2));
  BOOST_TEST(near(oracle_back, 1));
  BOOST_TEST(run.says("\ngen zero-shot "), run);
  BOOST_TEST(run.says("\nset "), run);
  BOOST_TEST(run.out.ends_with("\nreport: " + out() + "/report.html\n"), run);
  BOOST_TEST(slurp(folder / "out/sharing.csv").find("gen zero-shot,set") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(run_json_records_command_line_and_settings, Ways) {
  BOOST_TEST(both({"--seed", "7", "--sample-by", "fact"}).code == 0);
  const Json run = read("run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST(run.at("command_line").at(1) == "compare");
  BOOST_TEST((run.at("folders") == Json{generated.path().string(), chosen.path().string()}));
  const Json expected{{"command", "compare"}, {"over", "prompts"}, {"models", {"gen", "set"}},
                      {"templates", nullptr}, {"lemmas", "none"},  {"samplings", 100},
                      {"sample_by", "fact"},  {"seed", 7}};
  for (const auto& [name, value] : expected.items()) {
    BOOST_TEST(run.at("settings").at(name) == value, name);
  }
  BOOST_TEST(read("metrics.json").at("bootstrap").at("seed") == 7);
  BOOST_TEST(read("metrics.json").at("samplings").at("headline_by") == "fact");
  BOOST_TEST(both({"--seed", "8"}).code == 0);  // the same comparison again
  BOOST_TEST(read("run.json").at("settings").at("seed") == 8);
}

BOOST_FIXTURE_TEST_CASE(one_closed_set_is_looked_at_over_its_prompts, Ways) {
  const ConsoleRun run = compare({set(), "--prompts"});
  BOOST_TEST(run.code == 0, run);
  const Json metrics = read("metrics.json");
  BOOST_TEST(metrics.at("settings").size() == 1U);
  BOOST_TEST(metrics.at("settings").at("set").at("prompts") == 6);
  BOOST_TEST(metrics.at("sharing").empty());
  BOOST_TEST(read("run.json").at("settings").at("lemmas").is_null());
  const Ways fresh;
  fresh.check_refused(fresh.compare({"--prompts"}), "RUN: names 0 runs");
}

// Two closed sets are compared across prompts only if --prompts is given.
BOOST_FIXTURE_TEST_CASE(closed_sets_are_compared_over_prompts_when_asked, Ways) {
  const std::string again = "again=" + chosen.path().string();
  const ConsoleRun run = compare({set(), again, "--prompts"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(near(shared("set", "again").first, 1));
  const Ways fresh;
  fresh.check_refused(fresh.compare({set(), again}),
                      "--samplings: has no effect without --prompts");
}

// The template groups recorded by the generation apply to the templates that both runs use.
BOOST_FIXTURE_TEST_CASE(what_a_generation_knows_of_templates_is_known_of_the_closed_set, Ways) {
  BOOST_TEST(both().code == 0);
  BOOST_TEST(generated_templates("gen zero-shot") == 1);
  BOOST_TEST(generated_templates("set") == 1);
}

// A template that is missing from the generation would otherwise be counted as manual.
BOOST_FIXTURE_TEST_CASE(templates_of_which_some_are_unknown_are_known_by_text_alone, Ways) {
  add_family({family_templates[0], "[X] belongs to [Y]."});
  BOOST_TEST(both().code == 0);
  BOOST_TEST(generated_templates("set") == 0);
  const auto [template_share, oracle_share] = shared("gen zero-shot", "set");
  BOOST_TEST(near(template_share, 1.0 / 3));
  BOOST_TEST(near(oracle_share, 1.0 / 3));
}

BOOST_FIXTURE_TEST_CASE(template_groups_are_read_from_a_file, Ways) {
  const std::string file = folder.write("templates.jsonl", lines(family_templates)).string();
  BOOST_TEST(compare({set(), "--prompts", "--templates", file}).code == 0);
  BOOST_TEST(generated_templates("set") == 1);
  BOOST_TEST(read("run.json").at("settings").at("templates") == "templates.jsonl");
  BOOST_TEST(both({"--templates", file})
                 .refused("contains something other than what plumb compare "
                          "produced"));
  std::filesystem::remove_all(folder / "out");
  BOOST_TEST(both({"--templates", file}).code == 0);
  BOOST_TEST(generated_templates("set") == 1);
}

BOOST_FIXTURE_TEST_CASE(a_file_must_have_the_templates_that_were_asked, Ways) {
  const std::string file =
      folder.write("templates.jsonl", lines({family_templates[0], "[X] belongs to [Y]."})).string();
  for (const Words& words : {Words{set(), "--prompts", "--templates", file},
                             Words{gen(), set(), "--wordnet", "none", "--templates", file}}) {
    check_refused(compare(words),
                  "family: template 1 ('[Y]: [X] is one.') is not among the templates whose groups "
                  "are given; pass the file that contains the scored templates");
  }
  folder.write("templates.jsonl", "{}\n");
  check_refused(compare({set(), "--prompts", "--templates", file}),
                "templates.jsonl:1: relation: is missing");
  check_refused(compare({set(), "--prompts", "--templates", (folder / "none.jsonl").string()}),
                "none.jsonl: cannot be read");
  // If a relation is not in the file, its templates are matched by their text.
  folder.write("templates.jsonl", R"({"relation": "other", "template": "[X]: [Y]"})"
                                  "\n");
  BOOST_TEST(compare({set(), "--prompts", "--templates", file}).code == 0);
  BOOST_TEST(generated_templates("set") == 0);
}

BOOST_FIXTURE_TEST_CASE(options_without_effect_are_refused, Ways) {
  for (const char* option : {"--setting", "--families", "--pairs"}) {
    check_refused(both({option, "x"}), std::string(option) + ": has no effect over many prompts");
  }
  check_refused(compare({set(), "--prompts", "--wordnet", "none"}),
                "--wordnet: has no effect on closed sets; remove it");
  check_refused(compare({gen(), "--wordnet", "none", "--templates", "t.jsonl"}),
                "--templates: has no effect without a closed set; remove it");
  const std::string again = "again=" + chosen.path().string();
  for (const auto& [option, value] : {std::pair<std::string, std::string>{"--templates", "t.jsonl"},
                                      {"--wordnet", "none"},
                                      {"--samplings", "1"},
                                      {"--sample-by", "fact"}}) {
    check_refused(compare({set(), again, option, value}, false),
                  option + ": has no effect without --prompts; remove it");
  }
}

BOOST_FIXTURE_TEST_CASE(words_that_are_not_understood_are_refused, Ways) {
  check_refused(compare({gen(), "--wordnet", "none", "--samplings", "0"}, false),
                "--samplings: 0 is not between 1 and 10,000,000");
  check_refused(both({"--sample-by", "prompt"}), "--sample-by: 'prompt' is not a valid choice");
  check_refused(compare({gen(), "--wordnet", (folder / "nowhere").string()}),
                "nowhere/index.noun: cannot be read");
  const test::TemporaryFolder empty;
  check_refused(compare({set(), "e=" + empty.path().string(), "--prompts"}),
                "contains no finished results");
}

BOOST_FIXTURE_TEST_CASE(a_closed_set_need_not_have_its_first_template, Ways) {
  chosen.add("family", {"noble gas", "metal"}, family_templates, Json::object(),
             {row("Qneon", 0, 1, 0, gas), row("Qargon", 1, 1, 0, gas), row("Qgold", 2, 1, 1, gas)});
  BOOST_TEST(some_template(chosen.path()) == 1U);
  const ConsoleRun run = both();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(read("metrics.json").at("settings").at("set").at("prompts") == 3);
  BOOST_TEST(near(shared("gen zero-shot", "set").first, 1));
  // The relation "crystal", which precedes "family", uses both templates.
  chosen.add("crystal", {"cubic", "hexagonal"}, family_templates, Json::object(),
             {row("Qgold", 0, 0, 0, gas), row("Qgold", 0, 1, 0, gas)});
  BOOST_TEST(some_template(chosen.path()) == 1U);
  std::filesystem::remove_all(folder / "out");
  const ConsoleRun alone = compare({set(), "--prompts"});
  BOOST_TEST(alone.code == 0, alone);
}

BOOST_FIXTURE_TEST_CASE(answers_of_all_generations_are_compared_by_the_same_lemmas, Ways) {
  const test::LittleWordNet wordnet;
  generated.setting("2-relation", {generated.answer(2, {0, 0, 0}, "noble gases")});
  const auto average = [&](const std::string& lemmas) {
    BOOST_TEST(compare({gen(), "--wordnet", lemmas}).code == 0);
    BOOST_TEST(read("run.json").at("settings").at("lemmas") ==
               (lemmas == "none" ? "none" : "wordnet"));
    return read("metrics.json")
        .at("settings")
        .at("2-relation")  // with a single run, settings are not prefixed with the run's name
        .at("coverage")
        .at("average")
        .at("value")
        .get<double>();
  };
  BOOST_TEST(average("none") == 0);
  BOOST_TEST(average(wordnet.path()) == 1);
}

BOOST_FIXTURE_TEST_CASE(remarks_of_runs_are_printed_with_their_names, Ways) {
  generated.remark("Something was left out.");
  add_family(family_templates, {{"note", "Texts differ."}});
  const ConsoleRun run = both();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("gen: Something was left out.\n"), run);
  BOOST_TEST(run.says("set: Texts differ.\n"), run);
}

// The command distinguishes a generation from a probe. Each is compared only with runs of the same
// command.
BOOST_FIXTURE_TEST_CASE(runs_with_other_settings_are_reported, Ways) {
  GenerationFolder other;
  other.setting("zero-shot", answers());
  const auto settings = [](const char* command, int tokens, const char* hash) {
    return Json{
        {"settings", {{"command", command}, {"max_new_tokens", tokens}, {"dataset_sha256", hash}}}}
        .dump();
  };
  generated.files().write("run.json", settings("generate", 16, "a"));
  other.files().write("run.json", settings("generate", 8, "a"));
  chosen.files().write("run.json", settings("probe", 0, "b"));
  const ConsoleRun run = both({"other=" + other.path().string()});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("other was asked differently from gen, so their numbers may not be "
                      "comparable: max_new_tokens 8 instead of 16\n"),
             run);
  BOOST_TEST(!run.says("set was asked otherwise"), run);
}

BOOST_FIXTURE_TEST_CASE(a_comparison_of_another_kind_is_left_alone, Ways) {
  const std::string again = "again=" + chosen.path().string();
  BOOST_TEST(compare({set(), again}, false).code == 0);
  const auto before = test::all_contents(folder / "out");
  BOOST_TEST(compare({set(), again, "--prompts"}).refused("choose another folder (--out)"));
  BOOST_TEST((test::all_contents(folder / "out") == before));
}

BOOST_AUTO_TEST_SUITE_END()
