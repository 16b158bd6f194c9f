// SPDX-License-Identifier: Apache-2.0
#include "plumb/detail/cli/calibrate.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "plumb/detail/report/calibration_cells.hpp"
#include "plumb/detail/report/html.hpp"
#include "support/console_run.hpp"
#include "support/markup.hpp"
#include "support/results_folder.hpp"
#include "support/small_calibration.hpp"

using namespace plumb::detail;
using test::ConsoleRun;
using test::contents;
using test::holds;
using test::row;
using test::slurp;

BOOST_AUTO_TEST_SUITE(calibrate_command)

namespace {

using Words = std::vector<std::string>;

/// Returns every file except run.json, which contains times.
std::map<std::string, std::string> comparable_in(const std::filesystem::path& folder) {
  return test::contents_but(folder, {"run.json"});
}

struct Files : test::ConsoleFiles {
  /// Runs `plumb calibrate` with few resamples.
  [[nodiscard]] static ConsoleRun calibrate(Words words) {
    words.insert(words.begin(), {"calibrate", "--resamples", "20"});
    return test::run_words(words, [](const ModelOptions&) {
      NgramTreeModel model = test::small_model();
      model.limits = {96, 4, 16};  // injected statements need more context
      return model;
    });
  }
  /// Probes a model, then calibrates it.
  [[nodiscard]] ConsoleRun calibrate_model(Words options = {}) const {
    options.insert(options.begin(), {"--data", at("data"), "--model", at("model.gguf"), "--out",
                                     at("out"), "--bins", "2"});
    return calibrate(options);
  }
  /// Probes all templates.
  void probe_all(const std::string& run = "run") const {
    const ConsoleRun made = probe({"--templates", "all"}, run);
    BOOST_REQUIRE_MESSAGE(made.code == 0, made);
  }
};

/// A relation in lm-pub-quiz's format. The confidences are 0.9, 0.8, 0.7 and 0.6; the third answer
/// is wrong.
struct Foreign : Files {
  Foreign() { fill(results, {-1}); }

  /// Adds one template for each shift. A shift moves all scores of a template by a constant, which
  /// does not change any confidence.
  static void fill(test::ResultsFolder& into, const std::vector<double>& shifts,
                   std::size_t first_template = 0) {
    std::vector<std::string> rows, templates{"[X]: [Y].", "[Y] of [X].", "[X] has [Y]."};
    for (std::size_t fact = 0; fact < 4; ++fact) {
      for (std::size_t t = 0; t < shifts.size(); ++t) {
        const double p = 0.9 - 0.1 * static_cast<double>(fact);
        const double shift = shifts[t];
        rows.push_back(row(std::string("s").append(std::to_string(fact)), fact, first_template + t,
                           fact == 2 ? 1 : 0, {std::log(p) + shift, std::log(1 - p) + shift}));
      }
    }
    into.add("P36", {"Paris", "Rome"}, templates, Json::object(), rows);
  }
  [[nodiscard]] std::string dir() const { return results.path().string(); }
  [[nodiscard]] std::string name() const { return results.path().filename().string(); }
  [[nodiscard]] ConsoleRun calibrate_it(Words options = {}) const {
    options.insert(options.begin(), {dir(), "--out", at("out"), "--bins", "2"});
    return calibrate(options);
  }

  test::ResultsFolder results;
};

double value(const Json& estimate) {
  return estimate.at("value").get<double>();
}

}  // namespace

// The first bin contains 0.6 (right) and 0.7 (wrong), the second 0.8 and 0.9 (both right), so ACE =
// (|0.5 − 0.65| + |1 − 0.85|) / 2. Brier = (0.4² + 0.7² + 0.2² + 0.1²) / 4. Of the three pairs of a
// right and a wrong answer, two are ordered correctly.
BOOST_FIXTURE_TEST_CASE(a_folder_of_lm_pub_quiz_is_calibrated_elsewhere_and_left_alone, Foreign) {
  const auto before = contents(results.path());
  const ConsoleRun run = calibrate_it();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.err.empty());
  BOOST_TEST((contents(results.path()) == before));
  std::set<std::string> names;
  for (const auto& [file, text] : contents(folder / "out")) names.insert(file);
  BOOST_TEST((names == std::set<std::string>{"ace_accuracy_correlation.csv", "calibration.csv",
                                             "calibration_curve.csv", "confidence_histogram.csv",
                                             "differences.csv", "markers.csv", "metrics.json",
                                             "option_counts.csv", "pairs.csv", "recalibration.csv",
                                             "recalibration_halves.jsonl", "reductions.csv",
                                             "rejection.csv", "report.html", "run.json"}));
  const Json model = json("out/metrics.json").at("models").at(name());
  BOOST_TEST(model.at("facts") == 4);
  const Json& metrics = model.at("estimators").at("base").at("metrics");
  const std::map<std::string, double> expected{{"accuracy", 0.75},
                                               {"mean_confidence", 0.75},
                                               {"ace", 0.15},
                                               {"brier", 0.175},
                                               {"auroc", 2.0 / 3}};
  for (const auto& [metric, wanted] : expected) {
    BOOST_TEST(std::abs(value(metrics.at(metric)) - wanted) < 1e-12, metric);
  }
  BOOST_TEST(run.says("\nBase "));
  BOOST_TEST(run.says("Average and Consistency are left out"));
  BOOST_TEST(run.says("\nThe comparison of reductions is left out"));
  BOOST_TEST(run.out.ends_with("\nreport: " + at("out/report.html") + "\n"));
}

BOOST_FIXTURE_TEST_CASE(remark_about_all_models_is_printed_once, Foreign) {
  const ConsoleRun two = calibrate({"a=" + dir(), "b=" + dir(), "--bins", "2", "--out", at("out")});
  BOOST_TEST(test::count_of(two.out, "Average and Consistency are left out") == 1U, two);
  BOOST_TEST(!two.says("a: Average and Consistency"));
}

BOOST_FIXTURE_TEST_CASE(notes_of_the_results_are_printed_once, Foreign) {
  results.set("P36", "relation_info", {{"note", "Mind <this>."}});
  BOOST_TEST(calibrate_it().out.starts_with("Mind <this>.\n"));
  const ConsoleRun two = calibrate({"a=" + dir(), "b=" + dir(), "--out", at("two")});
  BOOST_TEST(test::count_of(two.out, "Mind <this>.\n") == 1U, two);
  BOOST_TEST(!two.says("b: Mind <this>."));
  BOOST_TEST(test::count_of(slurp(folder / "two/report.html"), "Mind &lt;this&gt;.") == 1U);
}

BOOST_FIXTURE_TEST_CASE(another_tools_folder_and_several_need_a_place_to_write, Foreign) {
  const auto before = contents(results.path());
  const std::string words = "--out: is required for several folders and for another tool's";
  BOOST_TEST(calibrate({dir()}).refused(words));
  BOOST_TEST((contents(results.path()) == before));
  probe_all();
  BOOST_TEST(calibrate({at("run"), "b=" + at("run")}).refused(words));
  BOOST_TEST(!std::filesystem::exists(folder / "run/calibration"));
}

BOOST_FIXTURE_TEST_CASE(a_run_folder_gets_its_calibration_inside_and_keeps_the_rest, Files) {
  probe_all();
  const auto before = comparable_in(folder / "run");
  const ConsoleRun run = calibrate({at("run")});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((comparable_in(folder / "run") == before));
  BOOST_TEST(run.out.ends_with("\nreport: " + at("run/calibration/report.html") + "\n"));
  const Json model = json("run/calibration/metrics.json").at("models").at("model.gguf");
  BOOST_TEST(model.at("dataset") == "data");
  BOOST_TEST((model.at("paraphrases") == Json{2, 2}));
  // Egypt's three options tie.
  BOOST_TEST(std::abs(value(model.at("accuracy")) - (3 + 1.0 / 3) / 5) < 1e-12);
  BOOST_TEST(value(model.at("accuracy_first_wins")) == 0.6);  // the same as in probe_test.cpp
  BOOST_TEST(model.at("estimators").contains("average_min"));
  BOOST_TEST(model.at("estimators").at("base").at("domains").size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(calibrating_again_leaves_the_same_bytes, Files) {
  probe_all();
  BOOST_TEST(calibrate({at("run"), "--bins", "2"}).code == 0);
  const auto before = comparable_in(folder / "run/calibration");
  BOOST_TEST(calibrate({at("run"), "--bins", "2"}).code == 0);
  BOOST_TEST((comparable_in(folder / "run/calibration") == before));
  BOOST_TEST(calibrate({at("run"), "--bins", "2", "--out", at("out")}).code == 0);
  BOOST_TEST((comparable_in(folder / "out") == before));
}

BOOST_FIXTURE_TEST_CASE(run_json_records_command_line_and_settings, Files) {
  probe_all();
  BOOST_TEST(
      calibrate({at("run"), "--bins", "3", "--seed", "5", "--estimators", "margin,base"}).code ==
      0);
  const Json run = json("run/calibration/run.json");
  BOOST_TEST(run.at("status") == "complete");
  BOOST_TEST((run.at("folders") == Json{at("run")}));
  BOOST_TEST(run.at("command_line").at(1) == "calibrate");
  BOOST_TEST(run.at("command_line").back() == "margin,base");
  const Json& settings = run.at("settings");
  BOOST_TEST((settings.at("models") == Json{"model.gguf"}));
  BOOST_TEST(settings.at("bins") == 3);
  BOOST_TEST(settings.at("resamples") == 20);
  BOOST_TEST(settings.at("seed") == 5);
  BOOST_TEST((settings.at("estimators") == Json{"margin", "base"}));
  BOOST_TEST(holds(slurp(folder / "run/calibration/report.html"),
                   "<tr><td>bins</td><td><bdi>3</bdi></td></tr>"));
  const Json metrics = json("run/calibration/metrics.json");
  BOOST_TEST(metrics.at("bins") == 3);
  BOOST_TEST(metrics.at("bootstrap").dump() == R"({"seed":5,"resamples":20})");
}

BOOST_FIXTURE_TEST_CASE(folders_of_one_model_join_their_templates, Files) {
  probe_all();
  BOOST_TEST(probe({"--templates", "0"}, "first").code == 0);
  BOOST_TEST(probe({"--templates", "1"}, "second").code == 0);
  BOOST_TEST(calibrate({at("run"), "--bins", "2", "--out", at("whole")}).code == 0);
  for (const Words& order : {Words{"first", "second"}, Words{"second", "first"}}) {
    const ConsoleRun run =
        calibrate({at(order[0]), at(order[1]), "--bins", "2", "--out", at("from_" + order[0])});
    BOOST_TEST(run.code == 0, run);
    BOOST_TEST((comparable_in(folder / ("from_" + order[0])) == comparable_in(folder / "whole")));
  }
}

BOOST_FIXTURE_TEST_CASE(folders_that_do_not_belong_together_are_refused, Foreign) {
  const auto both = [&](const test::ResultsFolder& other, Words options = {}) {
    options.insert(options.begin(),
                   {"m=" + dir(), "m=" + other.path().string(), "--out", at("out")});
    return calibrate(options);
  };
  test::ResultsFolder same, options, facts, more;
  fill(same, {0});
  BOOST_TEST(both(same).refused("is duplicated for template 0; name folders of different models"));
  options.add("P36", {"Paris", "Oslo"}, {"[X]: [Y]."}, Json::object(), {});
  BOOST_TEST(both(options).refused("P36_results.jsonl: answer_space_labels: differ from those in"));
  facts.add("P36", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(),
            {row("s0", 0, 1, 1, {-1, -2})});
  BOOST_TEST(
      both(facts).refused("P36_results.jsonl:1: instance_index: instance 0 is a different fact"));
  fill(more, {0}, 1);
  more.add("P30", {"a", "b"}, {"[X]: [Y]."}, Json::object(), {row("s", 0, 1, 0, {-1, -2})});
  BOOST_TEST(both(more).refused("P30: is in only some of the folders of m"));
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
  BOOST_TEST(both(more, {"--relations", "P36"}).code == 0);  // the relation that the folders share
}

BOOST_FIXTURE_TEST_CASE(several_models_are_reported_under_their_names, Files) {
  probe_all();
  probe_all("a=b");
  const ConsoleRun run = calibrate({"one=" + at("run"), "BERT-x=" + at("run"), at("a=b"), "--out",
                                    at("out"), "--bins", "2", "--masked", "BERT-x"});
  BOOST_TEST(run.code == 0, run);
  const Json metrics = json("out/metrics.json");
  const Json& models = metrics.at("models");
  BOOST_TEST(models.size() == 3U);  // the folder's name contains =
  BOOST_TEST(models.at("one").at("masked") == false);
  BOOST_TEST(models.at("BERT-x").at("masked") == true);
  BOOST_TEST(models.at("model.gguf").at("masked") == false);
  BOOST_TEST(models.at("one").at("estimators") == models.at("BERT-x").at("estimators"));
  // All accuracies are equal, so the first models of the two kinds form a pair, and there is no
  // correlation.
  BOOST_TEST(metrics.at("pairs").size() == 1U);
  BOOST_TEST(metrics.at("pairs").at(0).at("causal") == "one");
  BOOST_TEST(metrics.at("pairs").at(0).at("masked") == "BERT-x");
  for (const char* shown : {"closest in", "Geography", "causal", "masked", "BERT-x"}) {
    BOOST_TEST(run.says(shown), shown);
  }
  BOOST_TEST(metrics.at("ace_accuracy_correlation").empty());
  const std::string page = slurp(folder / "out/report.html");
  BOOST_TEST(holds(page, "<title>Calibration of 3 models</title>"));
  BOOST_TEST(test::markup_fault(page) == "");
}

BOOST_FIXTURE_TEST_CASE(masked_models_can_be_named, Files) {
  probe_all();
  const Words words{"one=" + at("run"), "bert=" + at("run"), "--out", at("out"), "--masked"};
  const auto with = [&](const std::string& masked) {
    Words all = words;
    all.push_back(masked);
    return calibrate(all);
  };
  BOOST_TEST(with("one").code == 0);
  BOOST_TEST(json("out/metrics.json").at("models").at("one").at("masked") == true);
  BOOST_TEST(json("out/metrics.json").at("models").at("bert").at("masked") == false);
  BOOST_TEST(with("one,two").refused("--masked: 'two' is not among the models"));
}

BOOST_FIXTURE_TEST_CASE(a_model_is_probed_and_then_calibrated, Files) {
  const ConsoleRun run = calibrate_model();
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.says("26 statements, "));  // both templates
  probe_all();
  BOOST_TEST(calibrate({at("run"), "--bins", "2"}).code == 0);
  BOOST_TEST(slurp(folder / "out/metrics.json") == slurp(folder / "run/calibration/metrics.json"));
  BOOST_TEST((contents(folder / "out/probe", "_results.jsonl") ==
              contents(folder / "run", "_results.jsonl")));
  BOOST_TEST(std::filesystem::exists(folder / "out/probe/report.html"));
  BOOST_TEST(json("out/probe/run.json").at("status") == "complete");
}

BOOST_FIXTURE_TEST_CASE(dry_run_prints_the_probe_plan_without_calibrating, Files) {
  const ConsoleRun run = calibrate_model({"--dry-run"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(run.out.starts_with("planned: 26 statements, "), run);
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
  probe_all();
  BOOST_TEST(calibrate({at("run"), "--dry-run"}).refused("--dry-run: has no effect on folders"));
}

BOOST_FIXTURE_TEST_CASE(markers_can_be_injected_when_a_model_is_probed, Files) {
  const ConsoleRun run = calibrate_model({"--inject", "numerical"});
  BOOST_TEST(run.code == 0, run);
  const Json model = json("out/metrics.json").at("models").at("model.gguf");
  BOOST_TEST((model.at("paraphrases") == Json{2, 2}));
  BOOST_TEST(model.at("marker_effects").size() == 5U);
  BOOST_TEST(model.at("marker_effects").contains("25%"));
  BOOST_TEST(model.at("estimators").contains("100%"));
  BOOST_TEST(run.says("\n“0%” "));
}

BOOST_FIXTURE_TEST_CASE(a_calibration_of_a_model_is_overwritten_or_done_again, Files) {
  BOOST_TEST(calibrate_model().code == 0);
  const auto whole = comparable_in(folder / "out");
  BOOST_TEST(calibrate({"--config", at("out/run.json"), "--out", at("again")}).code == 0);
  BOOST_TEST((comparable_in(folder / "again") == whole));
  BOOST_TEST(calibrate_model({"--overwrite", "--limit", "2"}).code == 0);
  BOOST_TEST((comparable_in(folder / "out") != whole));
  BOOST_TEST(calibrate_model({"--overwrite"}).code == 0);
  BOOST_TEST((comparable_in(folder / "out") == whole));
  folder.write("model.gguf", "another model");
  BOOST_TEST(calibrate({"--config", at("out/run.json"), "--out", at("none")})
                 .refused("model.gguf: has changed since the run of "));
  std::filesystem::remove(folder / "out/run.json");
  BOOST_TEST(calibrate_model({"--overwrite"})
                 .refused("contains something other than what plumb "
                          "calibrate"));
}

BOOST_FIXTURE_TEST_CASE(killed_probe_continues_with_resume, Files) {
  BOOST_TEST(calibrate_model().code == 0);
  const auto whole = comparable_in(folder / "out");
  const auto scores = contents(folder / "out/probe", "_results.jsonl");
  BOOST_TEST(calibrate_model().refused("out: is not empty"));
  for (const auto& [name, text] : whole) std::filesystem::remove(folder / "out" / name);
  for (const auto& [name, text] : scores) std::filesystem::remove(folder / "out/probe" / name);
  std::filesystem::remove(folder / "out/probe/metadata_results.json");
  const auto journal = folder / "out/probe/journal.jsonl";
  std::filesystem::resize_file(journal, std::filesystem::file_size(journal) / 2);
  const ConsoleRun run = calibrate_model({"--resume"});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST((comparable_in(folder / "out") == whole));
  BOOST_TEST((contents(folder / "out/probe", "_results.jsonl") == scores));
  BOOST_TEST(json("out/probe/run.json").at("statements_scored_now") < 26);
  BOOST_TEST(
      calibrate_model({"--resume", "--limit", "1"}).refused("limit: the run was started with"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_holds_something_else_is_refused_and_left_alone, Files) {
  probe_all();
  folder.write("other/notes.txt", "mine");
  folder.write("file", "mine");
  folder.write("foreign/run.json", R"({"settings":{"command":"probe"}})");
  folder.write("odd/run.json", R"({"settings":[]})");
  const auto before = comparable_in(folder / "run");
  for (const char* out : {"other", "run", "foreign", "odd"}) {
    BOOST_TEST(calibrate({at("run"), "--out", at(out)})
                   .refused(": contains something other than what plumb calibrate produced from "
                            "the same folders; "
                            "choose"),
               out);
  }
  BOOST_TEST(calibrate({at("run"), "--out", at("file")}).refused("file: contains something other"));
  BOOST_TEST((comparable_in(folder / "run") == before));
  BOOST_TEST(contents(folder / "other").size() == 1U);
  Words words{"--data", at("data"), "--model", at("model.gguf"), "--out", at("other")};
  BOOST_TEST(calibrate(words).refused("other: is not empty"));
  words.push_back("--resume");
  BOOST_TEST(calibrate(words).refused("other: is not empty"));
  BOOST_TEST(calibrate({at("run"), "--out", at("out")}).code == 0);
  BOOST_TEST(calibrate_model().refused("out: is not empty"));  // a calibration without a probe run
}

BOOST_FIXTURE_TEST_CASE(a_calibration_is_made_again_in_place_from_its_own_probe_only, Files) {
  BOOST_TEST(calibrate_model().code == 0);
  const auto before = comparable_in(folder / "out");
  const auto scores = contents(folder / "out/probe", "_results.jsonl");
  probe_all();
  BOOST_TEST(calibrate({at("run"), "--out", at("out")}).refused("out: contains something other"));
  BOOST_TEST((comparable_in(folder / "out") == before));
  BOOST_TEST(calibrate({at("out"), "--bins", "3"}).code == 0);  // uses the probe inside the folder
  BOOST_TEST(json("out/run.json").at("settings").at("bins") == 3);
  BOOST_TEST((contents(folder / "out/probe", "_results.jsonl") == scores));
  BOOST_TEST(calibrate({at("out/probe"), "--out", at("out"), "--bins", "4"}).code == 0);
  BOOST_TEST(json("out/run.json").at("settings").at("bins") == 4);
}

BOOST_FIXTURE_TEST_CASE(estimators_are_chosen_by_name, Files) {
  probe_all();
  BOOST_TEST(calibrate({at("run"), "--estimators", "average_min,base"}).code == 0);
  const Json model = json("run/calibration/metrics.json").at("models").at("model.gguf");
  BOOST_TEST(model.at("estimators").size() == 2U);
  BOOST_TEST(model.at("estimators").contains("average_min"));
  BOOST_TEST(calibrate({at("run"), "--estimators", "best"})
                 .refused("--estimators: 'best' is not an estimator of these results; choose from "
                          "base, margin, average_vote2, "));
}

BOOST_FIXTURE_TEST_CASE(average_needs_two_paraphrases, Foreign) {
  BOOST_TEST(calibrate_it({"--estimators", "average_min"})
                 .refused("P36: average_min needs at least two paraphrases; this relation has 1"));
  BOOST_TEST(calibrate_it({"--estimators", "possibly"}).refused("'possibly' is not an estimator"));
}

// The three templates have the same confidences: Average is their mean, and Base is the same
// whichever template it uses.
BOOST_FIXTURE_TEST_CASE(template_kinds_and_base_can_be_specified, Foreign) {
  fill(results, {0, -1, -2});
  const auto estimators = [&](Words options) {
    const ConsoleRun run = calibrate_it(std::move(options));
    BOOST_REQUIRE_MESSAGE(run.code == 0, run);
    std::set<std::string> names;
    const Json model = json("out/metrics.json").at("models").at(name());
    for (const auto& [key, made] : model.at("estimators").items()) {
      if (!holds(key, "_")) names.insert(key);
      if (key == "average_vote2") names.insert(key);
      BOOST_TEST(std::abs(value(made.at("metrics").at("accuracy")) - 0.75) < 1e-12);
    }
    for (const auto& [key, effect] : model.at("marker_effects").items()) names.insert("*" + key);
    return names;
  };
  using Names = std::set<std::string>;
  BOOST_TEST((estimators({}) == Names{"base", "margin", "average_vote2"}));
  BOOST_TEST((estimators({"--paraphrases", "0-1", "--verbalized", "2"}) ==
              Names{"base", "margin", "average_vote2", "template 2", "*template 2"}));
  BOOST_TEST((estimators({"--paraphrases", "2", "--base-template", "2", "--numerical", "0,1"}) ==
              Names{"base", "margin", "template 0", "template 1", "*template 0", "*template 1"}));
  const std::string missing = ", which Base and Margin use, was not scored as a paraphrase";
  BOOST_TEST(calibrate_it({"--paraphrases", "1,2"}).refused("template 0" + missing));
  BOOST_TEST(calibrate_it({"--base-template", "3"}).refused("template 3" + missing));
}

BOOST_FIXTURE_TEST_CASE(what_is_refused_leaves_nothing_behind, Foreign) {
  BOOST_TEST(
      calibrate_it({"--limit", "3"}).refused("--limit: has no effect on folders, which are not"));
  BOOST_TEST(test::run_words({"calibrate", dir(), "--out", at("out"), "--resamples", "19"})
                 .refused("--resamples: 19 is not between 20 and 100,000"));
  BOOST_TEST(calibrate_it({"--relations", "P30"})
                 .refused("--relations: 'P30' is not in the results of " + name()));
  BOOST_TEST(calibrate({at("data"), "--out", at("out")}).refused("contains no finished results"));
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
}

BOOST_FIXTURE_TEST_CASE(kinds_that_do_not_fit_are_refused_before_anything_is_scored, Files) {
  BOOST_TEST(calibrate_model({"--paraphrases", "0,1,7"})
                 .refused("--paraphrases: template 7 was not scored; set scored templates"));
  BOOST_TEST(
      calibrate_model({"--base-template", "2"}).refused("template 2, which Base and Margin"));
  BOOST_TEST(calibrate_model({"--estimators", "possibly"}).refused("is not an estimator"));
  BOOST_TEST(calibrate_model({"--masked", "other"}).refused("'other' is not among the models"));
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
}

BOOST_FIXTURE_TEST_CASE(help_lists_the_options, Files) {
  const ConsoleRun help = calibrate({"--help", "all"});
  BOOST_TEST(help.code == 0);
  BOOST_TEST(help.says("Usage: plumb calibrate DIR"));
  BOOST_TEST(help.says("--base-template N"));
  BOOST_TEST(help.says("[default: all]"));
}

BOOST_FIXTURE_TEST_CASE(bins_at_their_bounds_are_taken, Foreign) {
  BOOST_TEST(calibrate_it({}).code == 0);
  BOOST_TEST(calibrate({dir(), "--out", at("many"), "--bins", "1000"}).code == 0);
  const Json model = json("many/metrics.json").at("models").at(name());
  const Json& metrics = model.at("estimators").at("base").at("metrics");
  BOOST_TEST(metrics.at("ace").is_null());  // fewer facts than bins
  BOOST_TEST(!metrics.at("ece").is_null());
  BOOST_TEST(
      holds(model.at("remarks").dump(), "4 facts cannot fill 1000 bins; set `bins` to 4 or less."));
}

// Each reduction is computed twice: once as the calibration's chosen reduction, and once for the
// table of all reductions.
BOOST_FIXTURE_TEST_CASE(a_run_can_be_read_under_another_reduction, Files) {
  probe_all();
  const auto model = [&](Words options) {
    options.insert(options.begin(), {at("run"), "--bins", "2"});
    const ConsoleRun run = calibrate(options);
    BOOST_REQUIRE_MESSAGE(run.code == 0, run);
    return json("run/calibration/metrics.json").at("models").at("model.gguf");
  };
  const Json own = model({});
  const auto same = [&](const char* label, const char* scoring, Words options) {
    const Json other = model(std::move(options));
    const Json& metrics = other.at("estimators").at("base").at("metrics");
    const Json& beside = own.at("reductions").at(label);
    BOOST_TEST(metrics.at("accuracy") == beside.at("accuracy"), label);
    BOOST_TEST(metrics.at("ace") == beside.at("ace"), label);
    return json("run/calibration/run.json").at("settings").at("scoring") == scoring;
  };
  BOOST_TEST(own.at("reductions").size() == 4U);
  BOOST_TEST(same("Sum", "sum over the statement", {"--reduction", "sum"}));
  BOOST_TEST(same("Mean", "mean over the statement", {"--reduction", "mean"}));
  BOOST_TEST(same("Sum (A)", "sum over the answer", {"--span", "answer"}));
  BOOST_TEST(same("Mean (A)", "mean over the answer", {"--span", "answer", "--reduction", "mean"}));
  BOOST_TEST(own.at("reductions").at("Sum") != own.at("reductions").at("Mean (A)"));
}

BOOST_FIXTURE_TEST_CASE(another_reduction_needs_the_columns_it_is_made_from, Foreign) {
  BOOST_TEST(calibrate_it({"--reduction", "mean"})
                 .refused("P36_results.jsonl:1: token_counts: is missing, so other reductions "
                          "cannot be computed"));
  BOOST_TEST(calibrate_it({"--span", "answer"}).refused("token_counts: is missing"));
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
}

BOOST_FIXTURE_TEST_CASE(scores_that_are_no_numbers_are_refused_by_line, Foreign) {
  const std::string good = row("s", 0, 0, 0, {-1, -2});
  std::string bad = row("s", 1, 0, 0, {-1, -2});
  bad.replace(bad.find("-2"), 2, "NaN");
  results.add("P36", {"Paris", "Rome"}, {"[X]: [Y]."}, Json::object(), {good, bad});
  BOOST_TEST(calibrate_it().refused("P36_results.jsonl:2: "));
  BOOST_TEST(calibrate_it().refused("contains NaN, which JSON does not allow"));
  results.files().write("metadata_results.json", "{}");
  BOOST_TEST(
      calibrate_it().refused("metadata_results.json: names no relation; the file was changed"));
  BOOST_TEST(!std::filesystem::exists(folder / "out"));
}

BOOST_FIXTURE_TEST_CASE(domains_and_cardinality_can_come_from_the_dataset, Foreign) {
  folder.write(
      "set/metadata_relations.json",
      Json{{"P36", {{"templates", {"[X]: [Y]."}}, {"answer_space_labels", {"Paris", "Rome"}}}}}
          .dump());
  folder.write("set/relation_info.json", Json{{"P36", {{"domains", {"Geography"}}}}}.dump());
  folder.write("set/P36.jsonl", row("s0", 0, 0, 0, {}) + "\n");
  BOOST_TEST(calibrate_it().code == 0);
  const auto groups = [&](const char* kind) {
    const Json metrics = json("out/metrics.json");
    return metrics.at("models").at(name()).at("estimators").at("base").at(kind);
  };
  BOOST_TEST(groups("domains").empty());
  BOOST_TEST(groups("cardinality").contains("N:1"));  // three facts share an answer
  const ConsoleRun run = calibrate_it({"--data", at("set")});
  BOOST_TEST(run.code == 0, run);
  BOOST_TEST(groups("domains").contains("Geography"));
  BOOST_TEST(groups("cardinality").contains("1:1"));
}

BOOST_FIXTURE_TEST_CASE(metrics_json_holds_every_number_of_the_main_tables, Files) {
  BOOST_TEST(calibrate_model({"--inject", "numerical"}).code == 0);
  const Json estimators = json("out/metrics.json").at("models").at("model.gguf").at("estimators");
  const std::string page = slurp(folder / "out/report.html");
  const std::string main = test::section(page, "Confidence estimators side by side");
  const std::string more = main.substr(main.find("<h3>"));
  const Words first{"accuracy", "mean_confidence", "ace", "brier", "auroc", "aurc"};
  const Words second{"ece",
                     "mce",
                     "brier_reliability",
                     "brier_resolution",
                     "brier_uncertainty",
                     "brier_within_bin",
                     "brier_skill",
                     "log_loss"};
  const auto cell = [](const Json& e) {
    if (e.is_null()) return std::string("–</td>");
    if (e.at("low").is_null()) return ">" + with_decimals(value(e), 3) + "<small>–</small></td>";
    const double low = e.at("low").get<double>(), high = e.at("high").get<double>();
    return ">" + with_decimals(value(e), 3) + "<small>" + with_decimals(low, 3) +
           (low < 0 || high < 0 ? " to " : "–") + with_decimals(high, 3) + "</small></td>";
  };
  std::size_t compared = 0;
  for (const auto& [table, metrics] : {std::pair{&main, &first}, {&more, &second}}) {
    for (const auto& [name, made] : estimators.items()) {
      const std::string row =
          test::between(*table, "<tr><td><bdi>" + escape_html(estimator_label(name)), "</tr>");
      std::size_t at = 0;
      for (const std::string& metric : *metrics) {
        at = row.find("<td data-v=", at);
        const std::size_t end = row.find("</td>", at) + 5;
        BOOST_TEST(row.substr(at, end - at).ends_with(cell(made.at("metrics").at(metric))),
                   name << " " << metric << ": " << row.substr(at, end - at));
        at = end;
        ++compared;
      }
      if (metrics == &first) {
        const std::string failures = made.at("failures").dump();
        BOOST_TEST(row.ends_with(">" + failures + "</td>"));
      }
    }
  }
  // The estimators are Base and Margin, then Average and Consistency, each by vote, min and max;
  // there are also five markers.
  BOOST_TEST(compared == (2U + 6U + 5U) * calibration_metric_count);
}

BOOST_FIXTURE_TEST_CASE(pages_are_well_formed_and_hold_no_broken_number, Foreign) {
  BOOST_TEST(calibrate_model({"--inject", "numerical"}).code == 0);
  BOOST_TEST(calibrate({dir(), "--out", at("few")}).code == 0);
  test::ResultsFolder one;
  one.add("P36", {"Paris"}, {"[X]: [Y]."}, Json::object(), {row("s", 0, 0, 0, {-1})});
  BOOST_TEST(calibrate({one.path().string(), "--out", at("one")}).code == 0);
  BOOST_TEST(
      calibrate({dir(), at("out/probe"), one.path().string(), "--out", at("all"), "--bins", "2"})
          .code == 0);
  for (const char* out : {"out", "few", "one", "all"}) {
    for (const auto& [name, text] : comparable_in(folder / out)) {
      std::string shown = text;
      if (name == "report.html") {
        BOOST_TEST(test::markup_fault(text) == "", out);
        shown = text.substr(text.find("</style>"), text.rfind("<script>") - text.find("</style>"));
      }
      std::ranges::transform(shown, shown.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      BOOST_TEST(!holds(shown, "nan"), out << "/" << name);
      BOOST_TEST(!holds(shown, "inf"), out << "/" << name);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_probe_looks_for_texts_of_special_tokens, Files) {
  folder.write("t.json", R"({"capital": ["<|x|>[X]: [Y]"], "river": ["[X]: [Y]"]})");
  const auto ask = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{"calibrate", "--data",          at("data"),
                                   "--model",   at("model.gguf"),  "--out",
                                   at(out),     "--template-file", at("t.json")};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_words(words, [](const ModelOptions& made) {
      return test::with_special_token(test::small_model(), "<|x|>", made.parse_special_tokens);
    });
  };
  BOOST_TEST(ask("marked", {}).refused("t.json:1: capital, template 0: '<|x|>[X]: [Y]' contains"));
  BOOST_TEST(!std::filesystem::exists(folder / "marked"));
}

BOOST_AUTO_TEST_SUITE_END()
